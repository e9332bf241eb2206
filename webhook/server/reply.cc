// How replies are made and written down as HTTP.
#include "server/reply.h"

#include <algorithm>
#include <ctime>

#include <boost/beast/http/status.hpp>

namespace driftbar::server {
namespace {

// A header's value is one line whatever a handler puts in it.
std::string oneLine(std::string_view value) {
  std::string out(value);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return out;
}

// RFC 9110 wants a date on every answer. Made once a second on each thread.
const std::string& dateNow() {
  thread_local std::time_t made = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    char out[40];
    text.assign(out, std::strftime(out, sizeof out, "%a, %d %b %Y %H:%M:%S GMT", &parts));
    made = now;
  }
  return text;
}

void addHeader(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

Reply jsonReply(std::string body) {
  return {200, "application/json", std::move(body), {}};
}

Reply textReply(unsigned status, std::string sentence) {
  if (!sentence.ends_with('\n')) sentence += '\n';
  return {status, "text/plain; charset=utf-8", std::move(sentence), {}};
}

std::string written(const Reply& reply, bool close, bool headOnly) {
  const auto reason = http::obsolete_reason(http::int_to_status(reply.status));
  std::string out;
  out.reserve(256 + reply.body.size());
  out.append("HTTP/1.1 ").append(std::to_string(reply.status)).append(" ");
  out.append(reason.data(), reason.size()).append("\r\n");
  addHeader(out, "Date", dateNow());
  if (!reply.contentType.empty()) addHeader(out, "Content-Type", oneLine(reply.contentType));
  addHeader(out, "Content-Length", std::to_string(reply.body.size()));
  for (const auto& [name, value] : reply.headers) addHeader(out, oneLine(name), oneLine(value));
  if (close) addHeader(out, "Connection", "close");
  out += "\r\n";
  if (!headOnly) out += reply.body;
  return out;
}

}  // namespace driftbar::server
