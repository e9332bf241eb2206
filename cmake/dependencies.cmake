# What driftbar links, each as one imported target. Why each is here: docs/design/dependencies.md.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only: Beast and Asio
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)

# yaml-cpp names its target with a namespace from 0.8 on.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
