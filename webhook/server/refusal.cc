#include "server/refusal.h"

#include "server/limits.h"

namespace driftbar::server {
namespace {

// The numbers in the sentences below.
static_assert(kMostBodyBytes == 8 * 1024 * 1024);
static_assert(kMostHeadBytes == 16 * 1024);
static_assert(kMostHeaders == 100);
static_assert(kMostTargetBytes == 2048);

constexpr RefusalRow kRefusals[] = {
    {Refusal::kNotHttp, 400, "not-http", "this is not an HTTP request"},
    {Refusal::kVersion, 505, "version", "the HTTP version must be 1.1 or 1.0"},
    {Refusal::kHeader, 400, "header", "a header is malformed"},
    {Refusal::kHost, 400, "host", "a request must have one Host header"},
    {Refusal::kTarget, 400, "target", "the request target must be a path that begins with a slash"},
    {Refusal::kTargetLength, 414, "target-length", "the request target is longer than 2048 bytes"},
    {Refusal::kHeadSize, 431, "head-size", "the headers are larger than 16 KiB"},
    {Refusal::kHeaderCount, 431, "header-count", "there are more than 100 headers"},
    {Refusal::kHeadTime, 408, "head-time", "the headers did not arrive in time"},
    {Refusal::kContentLength, 400, "content-length",
     "the Content-Length is malformed, is there twice or stands beside a Transfer-Encoding"},
    {Refusal::kTransferEncoding, 501, "transfer-encoding", "the only Transfer-Encoding taken is chunked"},
    {Refusal::kContentEncoding, 415, "content-encoding", "a body with a Content-Encoding is not taken"},
    {Refusal::kExpectation, 417, "expectation", "the only expectation met is 100-continue"},
    {Refusal::kChunk, 400, "chunk", "the chunked body is malformed"},
    {Refusal::kBodySize, 413, "body-size", "the body is larger than 8 MiB"},
    {Refusal::kBodyTime, 408, "body-time", "the body did not arrive in time"},
    {Refusal::kConnections, 429, "connections", "there are too many connections, try again in a second"},
    {Refusal::kWaiting, 429, "waiting", "there are too many requests waiting, try again in a second"},
    {Refusal::kBodyBudget, 429, "body-budget", "there are too many large bodies, try again in a second"},
};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < std::size(kRefusals); ++i)
    if (static_cast<std::size_t>(kRefusals[i].refusal) != i) return false;
  return std::size(kRefusals) == static_cast<std::size_t>(Refusal::kEnd);
}
static_assert(inOrder(), "the table and the enumeration must have the same order");

}  // namespace

std::span<const RefusalRow> refusalList() {
  return kRefusals;
}

const RefusalRow& rowOf(Refusal refusal) {
  return kRefusals[static_cast<std::size_t>(refusal)];
}

Reply replyOf(Refusal refusal) {
  Reply reply = textReply(rowOf(refusal).status, std::string(rowOf(refusal).sentence));
  if (isOverload(refusal)) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

}  // namespace driftbar::server
