#include "cli/version.h"

#include <httplib.h>
#include <openssl/crypto.h>
#include <simdjson.h>
#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

namespace driftbar::cli {
namespace {

std::string boost() {
  return std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000) + "." +
         std::to_string(BOOST_VERSION % 100);
}

std::string simdjsonVersion() {
  return std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
         std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
         std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
}

}  // namespace

std::string version() {
  return "driftbar " DRIFTBAR_VERSION "\n";
}

std::string versionOfEverything() {
  return version() + "  OpenSSL        " + OpenSSL_version(OPENSSL_VERSION_STRING) + "\n  Boost          " +
         boost() + "\n  cpp-httplib    " CPPHTTPLIB_VERSION "\n  simdjson       " + simdjsonVersion() +
         "\n  nlohmann/json  " + std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
         std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." + std::to_string(NLOHMANN_JSON_VERSION_PATCH) +
         "\n  CLI11          " CLI11_VERSION "\n";
}

}  // namespace driftbar::cli
