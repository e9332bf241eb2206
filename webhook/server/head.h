// A request's head: what is checked of it beyond what Beast's parser checks, and what is taken from it.
//
// Beast's parser is as lenient as a client library's should be. A gate is not: where two readers could see
// two requests (a length twice, a length beside chunks, two hosts) there is none.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "server/asio.h"
#include "server/limits.h"
#include "server/refusal.h"

namespace driftbar::server {

struct Target {
  std::string_view path;
  std::string_view query;
};

// Nothing where all is well with it.
std::optional<Refusal> checkHead(const http::request_header<>& head);

// Which refusal an error of Beast's parser is. `inBody`: the head was fine.
Refusal refusalOf(const ErrorCode& error, bool inBody);

Target targetOf(const http::request_header<>& head);
bool expectsContinue(const http::request_header<>& head);

// How long the answer may take: the client's `timeout=` less the margin where it gives one that can be read,
// at most what is configured.
std::chrono::milliseconds timeFor(std::string_view query, const Times& times);

}  // namespace driftbar::server
