# Go in the build: the program of the control plane, and tests in Go as ctest tests.
#
# The first build of the control plane compiles Kubernetes, which takes minutes, so a build with a sanitizer, which
# it would tell nothing, leaves it and the end-to-end tests out unless asked.
include_guard(GLOBAL)

set(in_this_build ON)
if(DRIFTBAR_SANITIZE)
  set(in_this_build OFF)
endif()
option(DRIFTBAR_CONTROLPLANE "build the control plane for tests and register the tests that need it" ${in_this_build})
set(DRIFTBAR_KUBERNETES "1.37" CACHE STRING "the Kubernetes minor of the control plane: 1.37 or 1.35")
set(DRIFTBAR_GO_TESTS ${PROJECT_SOURCE_DIR}/tests CACHE INTERNAL "folder of the tests' go.mod")
set(DRIFTBAR_CONTROLPLANE_BINARY ${PROJECT_BINARY_DIR}/tests/go/controlplane CACHE INTERNAL "")

# The newest minor's module file is go.mod, an older one's has its minor in its name.
set(modfile go.mod)
if(NOT DRIFTBAR_KUBERNETES STREQUAL "1.37")
  set(modfile go-${DRIFTBAR_KUBERNETES}.mod)
endif()
if(NOT EXISTS ${DRIFTBAR_GO_TESTS}/${modfile})
  message(FATAL_ERROR "DRIFTBAR_KUBERNETES is ${DRIFTBAR_KUBERNETES}, and there is no tests/${modfile}; "
                      "tests/controlplane/pin.sh makes one")
endif()
set(DRIFTBAR_GO_MODFILE ${modfile} CACHE INTERNAL "the module file in use")

if(DRIFTBAR_CONTROLPLANE)
  find_program(DRIFTBAR_GO go)
  if(NOT DRIFTBAR_GO)
    message(FATAL_ERROR "go is not found: install Go 1.26, or leave out what needs it with -DDRIFTBAR_CONTROLPLANE=OFF")
  endif()
endif()

# driftbar_go_sources(VARIABLE FOLDERS...): the Go files below FOLDERS of tests/, and the module files.
function(driftbar_go_sources variable)
  list(TRANSFORM ARGN PREPEND ${DRIFTBAR_GO_TESTS}/)
  list(TRANSFORM ARGN APPEND /*.go)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  string(REGEX REPLACE "mod$" "sum" sums ${DRIFTBAR_GO_MODFILE})
  set(${variable} ${sources} ${DRIFTBAR_GO_TESTS}/${DRIFTBAR_GO_MODFILE} ${DRIFTBAR_GO_TESTS}/${sums} PARENT_SCOPE)
endfunction()

# driftbar_go_test(NAME PACKAGE): the tests of a package, a folder of tests/, as the target NAME_test and the ctest
# test NAME. They run in the package's folder, as under `go test`. Flags are those of build.sh: one cache for all.
function(driftbar_go_test name package)
  set(program ${PROJECT_BINARY_DIR}/tests/go/${name}_test)
  driftbar_go_sources(sources ${package} controlplane)
  add_custom_command(
    OUTPUT ${program} DEPENDS ${sources} WORKING_DIRECTORY ${DRIFTBAR_GO_TESTS} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env CGO_ENABLED=0
            ${DRIFTBAR_GO} test -c -modfile=${DRIFTBAR_GO_MODFILE} -trimpath -buildvcs=false -o ${program} ./${package}
    COMMAND ${CMAKE_COMMAND} -E touch ${program}
    COMMENT "Building the Go tests of ${package}")
  add_custom_target(${name}_test ALL DEPENDS ${program})
  add_test(NAME ${name} COMMAND ${program} -test.v WORKING_DIRECTORY ${DRIFTBAR_GO_TESTS}/${package})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120)
endfunction()
