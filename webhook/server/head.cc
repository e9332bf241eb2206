#include "server/head.h"

#include <algorithm>
#include <array>

#include <boost/beast/core/string.hpp>

#include "base/time.h"

namespace driftbar::server {
namespace {

using Head = http::request_header<>;

template <typename Text>
std::string_view view(const Text& text) {
  return {text.data(), text.size()};
}

bool same(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool targetIsAPath(const Head& head) {
  return view(head.target()).starts_with('/');
}
bool targetFits(const Head& head) {
  return head.target().size() <= kMostTargetBytes;
}

bool headersFit(const Head& head) {
  return static_cast<std::size_t>(std::distance(head.begin(), head.end())) <= kMostHeaders;
}

bool hostIsThereOnce(const Head& head) {
  return head.count(http::field::host) == 1 || (head.version() < 11 && head.count(http::field::host) == 0);
}

// Chunks are of HTTP/1.1; a client that sends them as 1.0 is taken for another by whoever is in between.
bool lengthIsClear(const Head& head) {
  const bool chunked = head.count(http::field::transfer_encoding) > 0;
  return head.count(http::field::content_length) + (chunked ? 1U : 0U) <= 1 &&
         !(chunked && head.version() < 11);
}

bool transferIsChunkedOnly(const Head& head) {
  const auto times = head.count(http::field::transfer_encoding);
  return times == 0 || (times == 1 && same(view(head[http::field::transfer_encoding]), "chunked"));
}

bool bodyIsPlain(const Head& head) {
  const auto [first, last] = head.equal_range(http::field::content_encoding);
  return std::all_of(first, last, [](const auto& field) { return same(view(field.value()), "identity"); });
}

bool expectationIsKnown(const Head& head) {
  return head.count(http::field::expect) == 0 || expectsContinue(head);
}

struct HeadCheck {
  bool (*fine)(const Head&);
  Refusal otherwise;
};

constexpr std::array kHeadChecks{
    HeadCheck{targetFits, Refusal::kTargetLength},
    HeadCheck{targetIsAPath, Refusal::kTarget},
    HeadCheck{headersFit, Refusal::kHeaderCount},
    HeadCheck{hostIsThereOnce, Refusal::kHost},
    HeadCheck{lengthIsClear, Refusal::kContentLength},
    HeadCheck{transferIsChunkedOnly, Refusal::kTransferEncoding},
    HeadCheck{bodyIsPlain, Refusal::kContentEncoding},
    HeadCheck{expectationIsKnown, Refusal::kExpectation},
};

struct ParserError {
  http::error error;
  Refusal refusal;
};

constexpr std::array kParserErrors{
    ParserError{http::error::bad_version, Refusal::kVersion},
    ParserError{http::error::bad_field, Refusal::kHeader},
    ParserError{http::error::bad_value, Refusal::kHeader},
    ParserError{http::error::bad_obs_fold, Refusal::kHeader},
    ParserError{http::error::bad_line_ending, Refusal::kHeader},
    ParserError{http::error::header_limit, Refusal::kHeadSize},
    ParserError{http::error::bad_content_length, Refusal::kContentLength},
    ParserError{http::error::bad_transfer_encoding, Refusal::kContentLength},
    ParserError{http::error::bad_chunk, Refusal::kChunk},
    ParserError{http::error::bad_chunk_extension, Refusal::kChunk},
    ParserError{http::error::body_limit, Refusal::kBodySize},
    ParserError{http::error::buffer_overflow, Refusal::kBodyBudget},
};

// Newer Beasts tell lengths that differ from each other by an error of their own, which 1.74 does not have.
template <typename Error>
bool isLengthTwice(const ErrorCode& error) {
  if constexpr (requires { Error::multiple_content_length; }) return error == Error::multiple_content_length;
  return false;
}

// The value of `timeout` among a=b&c=d.
std::string_view timeoutOf(std::string_view query) {
  constexpr std::string_view kName = "timeout=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (query.starts_with(kName)) return query.substr(kName.size(), end - kName.size());
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

}  // namespace

std::optional<Refusal> checkHead(const Head& head) {
  for (const auto& check : kHeadChecks)
    if (!check.fine(head)) return check.otherwise;
  return std::nullopt;
}

Refusal refusalOf(const ErrorCode& error, bool inBody) {
  for (const auto& row : kParserErrors)
    if (error == row.error) return row.refusal;
  if (isLengthTwice<http::error>(error)) return Refusal::kContentLength;
  return inBody ? Refusal::kChunk : Refusal::kNotHttp;
}

Target targetOf(const Head& head) {
  const std::string_view target = view(head.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  return {target.substr(0, mark), target.substr(std::min(mark + 1, target.size()))};
}

bool expectsContinue(const Head& head) {
  return same(view(head[http::field::expect]), "100-continue");
}

std::chrono::milliseconds timeFor(std::string_view query, const Times& times) {
  const auto given = parseDuration(timeoutOf(query));
  if (!given) return times.answer;
  return std::min(*given - std::min(times.margin, *given / 2), times.answer);
}

}  // namespace driftbar::server
