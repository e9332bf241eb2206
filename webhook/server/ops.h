// Ops: the plain HTTP port for those who run the gate: probes, metrics, what is loaded.
//
// On a thread of its own, so that it answers when the front has more to do than it can. What it answers is a
// table that its owner gives: a path, and a function.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/metrics.h"
#include "server/endpoint.h"
#include "server/limits.h"
#include "server/message.h"

namespace driftbar::server {

// Called on the ops thread.
using Route = std::function<Reply(const Request& request)>;
using Routes = std::map<std::string, Route, std::less<>>;

// Answers GET and HEAD by path: other methods get a 405, other paths a 404 that lists those there are.
class RouteTable : public PromptHandler {
 public:
  explicit RouteTable(Routes routes) : routes_(std::move(routes)) {}
  Reply handle(const Request& request) override;

 private:
  const Routes routes_;
};

// One thing that has to be so for the gate to be healthy or ready.
struct Check {
  std::string name;
  bool ok = false;
  std::string detail;  // a few words; may be empty
};

// As Kubernetes' own endpoints answer: 200 and `ok`, or 503 and the list, which `?verbose` gives in both
// cases. `name` is the endpoint's, such as readyz.
//   [+]policies ok: 3 in force
//   [-]inventory failed: the first list is not complete
//   readyz check failed
Reply replyOf(std::string_view name, const std::vector<Check>& checks, std::string_view query);

// Of clients that are near and ask for little.
inline Times shortTimes() {
  Times times;
  times.head = times.body = std::chrono::seconds(2);
  times.idle = std::chrono::seconds(30);
  times.linger = std::chrono::milliseconds(200);
  return times;
}

struct OpsOptions {
  Endpoint endpoint{"0.0.0.0", 8080};
  Times times = shortTimes();
  // Probes and a few scrapers need a dozen. The rest is so that someone who opens connections and sends
  // nothing, a hundred a second, does not keep a kubelet's probe out: each is gone after two seconds.
  Bounds bounds{512, 64, 64, 1U << 20U};
  Log log = [](std::string_view) {};
  std::function<void(Diagnostic why)> fatal = [](const Diagnostic&) {};  // as the front's
};

class Ops {
 public:
  static Result<std::unique_ptr<Ops>> listen(OpsOptions options, Routes routes);
  ~Ops();  // stops
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;

  std::uint16_t port() const;
  void stop();  // from any thread but its own

 private:
  struct Parts;
  explicit Ops(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace driftbar::server
