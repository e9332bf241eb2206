// Refusals: ONE TABLE of all that the front answers itself, before any handler is asked.
//
// Each has the status, a reason for the metric and one sentence that tells the client what is wrong. All but
// the one for a full queue end the connection, for what follows on it can't be trusted to be a request.
#pragma once

#include <span>
#include <string_view>

#include "server/message.h"

namespace driftbar::server {

enum class Refusal {
  kNotHttp,
  kVersion,
  kHeader,
  kHost,
  kTarget,
  kTargetLength,
  kHeadSize,
  kHeaderCount,
  kHeadTime,
  kContentLength,
  kTransferEncoding,
  kContentEncoding,
  kExpectation,
  kChunk,
  kBodySize,
  kBodyTime,
  kConnections,
  kWaiting,
  kBodyBudget,
  kEnd
};

struct RefusalRow {
  Refusal refusal;
  unsigned status;
  std::string_view reason;  // the value of the metric's label
  std::string_view sentence;
};

std::span<const RefusalRow> refusalList();
const RefusalRow& rowOf(Refusal refusal);

// Overload: nothing is wrong with the request, it is to be sent again.
inline bool isOverload(Refusal refusal) {
  return rowOf(refusal).status == 429;
}

// 429s carry `Retry-After: 1`; the API server tries again after an integer number of seconds only.
Reply replyOf(Refusal refusal);

}  // namespace driftbar::server
