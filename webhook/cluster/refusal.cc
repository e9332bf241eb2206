#include "cluster/refusal.h"

#include "base/json.h"
#include "base/text.h"

namespace driftbar::cluster {
namespace {

constexpr std::size_t kShownCharacters = 300;

// The server's own words: the message of a Status, or the first line of whatever it sent.
std::string wordsOf(const std::string& body) {
  if (const auto document = JsonDocument::parse(body)) {
    if (const std::string_view message = document->root()["message"].text(); !message.empty()) {
      return shortened(printable(message), kShownCharacters);
    }
  }
  return shortened(printable(std::string_view(body).substr(0, body.find_first_of("\r\n"))), kShownCharacters);
}

// One row a status, or a range of them.
struct Meaning {
  int from, to;
  const char* says;  // after `cannot list nodes: `
  const char* help;  // {} is what was asked for
};
constexpr Meaning kMeanings[] = {
    {301, 399, "it sends us elsewhere, and redirects are not followed",
     "give the address that answers itself"},
    {401, 401, "it does not accept our credentials",
     "the token or the client certificate may have run out, or belong to another cluster"},
    {403, 403, "permission is missing",
     "it needs the verbs get, list and watch on {}: bind a ClusterRole with them to this user or service "
     "account"},
    {404, 404, "it does not know {}", "check that this address is a Kubernetes API server's"},
    {410, 410, "the version that was asked for is not kept any more", "it is listed anew"},
    {429, 429, "it is overloaded and asks for patience", "it is asked again by and by"},
    {500, 599, "it has a fault of its own", "it is asked again by and by"},
    {0, 999, "it gave an answer that makes no sense here", ""},
};

const Meaning& meaningOf(int status) {
  const Meaning* at = kMeanings;
  while (status < at->from || status > at->to) ++at;
  return *at;
}

std::string filled(std::string text, const std::string& plural) {
  const auto at = text.find("{}");
  return at == std::string::npos ? text : text.replace(at, 2, plural);
}

}  // namespace

Diagnostic refusal(const Access& access, const std::string& verb, const std::string& plural,
                   const Reply& reply) {
  const Meaning& meaning = meaningOf(reply.status);
  const std::string words = wordsOf(reply.body);
  return error(std::string(kRefused),
               "cannot " + verb + " " + plural + " with " + access.origin + ": the API server at " +
                   access.server.url() + " answers " + std::to_string(reply.status) + ", " +
                   filled(meaning.says, plural) + (words.empty() ? std::string() : ": " + words),
               filled(meaning.help, plural));
}

}  // namespace driftbar::cluster
