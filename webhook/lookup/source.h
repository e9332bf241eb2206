// Source: where look-ups get objects from: an API server, an inventory, a test's memory.
#pragma once

#include "base/time.h"
#include "decision/needs.h"

namespace driftbar::lookup {

class Source {
 public:
  virtual ~Source() = default;
  // The object of this name; its uid is compared by whoever asks. Blocks, for about `timeout` at the most;
  // called on several threads at once. What keeps it from answering is an Answer too, with its words.
  virtual decision::Answer fetch(const decision::Need& need, Duration timeout) = 0;
  // Ends what is under way, and all that comes later, with no answer. From any thread.
  virtual void stop() {}
};

}  // namespace driftbar::lookup
