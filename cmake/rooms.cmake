# THE TABLE OF ROOMS: a folder, its layer, and what it links. A room may include rooms of lower layers only;
# tests/layering checks the includes against this table, and the link lines follow from it.
#
# driftbar_room(FOLDER LAYER LINKS...) makes the static library <room> of every .cc in FOLDER, and, of every
# *_test.cc in tests/unit/<room>, the test program <room>_test. A new file needs no line anywhere.

add_library(driftbar_warnings INTERFACE)
target_compile_options(driftbar_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                   -Wno-sign-conversion -Wnon-virtual-dtor -Werror
                                                   # g++ 12 sees overlaps in std::string that are not there (GCC PR 105651)
                                                   $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

set(DRIFTBAR_ROOMS "" CACHE INTERNAL "FOLDER:LAYER of each room")

function(driftbar_room folder layer)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    return()
  endif()
  string(REPLACE "webhook/" "" room ${folder})
  set(DRIFTBAR_ROOMS "${DRIFTBAR_ROOMS};${folder}:${layer}" CACHE INTERNAL "FOLDER:LAYER of each room")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(${room} STATIC ${sources})
    target_include_directories(${room} PUBLIC ${PROJECT_SOURCE_DIR}/webhook ${PROJECT_SOURCE_DIR})
    target_link_libraries(${room} PUBLIC ${ARGN} PRIVATE driftbar_warnings)
  else()
    add_library(${room} INTERFACE)
    target_include_directories(${room} INTERFACE ${PROJECT_SOURCE_DIR}/webhook ${PROJECT_SOURCE_DIR})
    target_link_libraries(${room} INTERFACE ${ARGN})
  endif()
endfunction()

#             folder             layer  links
driftbar_room(webhook/base       0      simdjson::simdjson nlohmann_json::nlohmann_json Threads::Threads)
driftbar_room(webhook/kube       1      base)
driftbar_room(webhook/yaml       1      base yaml-cpp::yaml-cpp)
driftbar_room(webhook/schema     1      base)
driftbar_room(webhook/workload   2      base)
driftbar_room(webhook/scheduling 2      kube)
driftbar_room(webhook/inventory  2      kube yaml)
driftbar_room(webhook/policy     3      kube yaml schema workload PkgConfig::re2)
driftbar_room(webhook/decision   4      policy inventory scheduling workload)
driftbar_room(webhook/lookup     5      decision Threads::Threads)
driftbar_room(webhook/record     5      base)
driftbar_room(certs              5      base OpenSSL::SSL OpenSSL::Crypto)
driftbar_room(webhook/cluster    6      inventory lookup PkgConfig::httplib OpenSSL::SSL OpenSSL::Crypto)
driftbar_room(webhook/server     6      lookup record certs Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
driftbar_room(webhook/cli        7      server cluster decision CLI11::CLI11)

# The fields of built-in kinds, and what their absence means.
foreach(text kubernetes defaults)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/schema_${text}.cc
    COMMAND ${CMAKE_COMMAND} -DFILE=${PROJECT_SOURCE_DIR}/webhook/schema/${text}.txt -DHEADER=schema/kubernetes.h
            -DNAMESPACE=schema -DFUNCTION=${text}Text -DOUT=${PROJECT_BINARY_DIR}/schema_${text}.cc
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS webhook/schema/${text}.txt cmake/embed_text.cmake
    VERBATIM)
  target_sources(schema PRIVATE ${PROJECT_BINARY_DIR}/schema_${text}.cc)
endforeach()

# Compiles files of the repository into a room, for FUNCTION of HEADER to give.
function(driftbar_embed room header function)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  set(out ${PROJECT_BINARY_DIR}/${room}_embedded.cc)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} "-DFILES=${ARGN}" -DROOM=${room} -DHEADER=${header}
            -DFUNCTION=${function} -DOUT=${out} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${room} PRIVATE ${out})
endfunction()

# The kinds of objects that are shipped as documents.
file(GLOB shipped_kinds CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/policies/workload-kinds/*.yaml)
driftbar_embed(policy policy/shipped_kinds.h shippedKindFiles ${shipped_kinds})
# What `driftbar demo` carries with it.
driftbar_embed(cli cli/embedded.h embeddedFiles policies/training-nodes/policy.yaml docs/examples/nodes.yaml
               docs/examples/pods.yaml)
target_compile_definitions(cli PRIVATE DRIFTBAR_VERSION="${PROJECT_VERSION}")

if(EXISTS ${PROJECT_SOURCE_DIR}/webhook/cli/main.cc)
  add_executable(driftbar ${PROJECT_SOURCE_DIR}/webhook/cli/main.cc)
  target_link_libraries(driftbar PRIVATE cli driftbar_warnings)
  set_target_properties(driftbar PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
