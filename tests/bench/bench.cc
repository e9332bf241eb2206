// What a review costs, beside two handlers in the same server: one that answers a constant, and one that
// parses the review and echoes its uid. Prints a table; ratios are what to look at, for absolute times are
// the machine's.
//
//   driftbar_bench [--requests N] [--rounds N] [--connections 1,8,64,400] [--nodes N] [--bytes N] [--json]
//
// The server is a child process, so that its processor time can be told from the load's; both share the
// machine.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/load.h"
#include "bench/reviews.h"
#include "certs/issue.h"
#include "certs/serving.h"
#include "inventory/file.h"
#include "kube/review.h"
#include "policy/policy.h"
#include "server/admission.h"
#include "server/front.h"

namespace driftbar::bench {
namespace {

Instant now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

template <typename T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << render(result.errors());
  std::exit(2);
}

std::shared_ptr<const policy::PolicySet> policies(const std::string& text) {
  auto loaded = policy::load({makeSource("bench.yaml", text)});
  if (loaded.set == nullptr) std::cerr << render(loaded.diagnostics), std::exit(2);
  return loaded.set;
}

// The handlers that are compared, by path.
class Compared : public server::Handler {
 public:
  Compared(int nodeCount, record::Metrics& metrics)
      : static_({world(staticPolicy(), 10), now, [](std::string_view) {}}, metrics),
        placement_({world(placementPolicy(), nodeCount), now, [](std::string_view) {}}, metrics) {}

  std::optional<server::Reply> handle(const server::Request& request, const server::Later& later) override {
    if (request.path == "/constant") return server::jsonReply(constant_);
    if (request.path == "/echo") return echo(request);
    server::Request inner = request;
    inner.path = "/validate";
    return request.path == "/static" ? static_.handle(inner, later) : placement_.handle(inner, later);
  }

 private:
  static std::function<std::optional<decision::World>()> world(const std::string& policy, int nodeCount) {
    decision::World world;
    world.policies = policies(policy);
    const std::vector<Source> sources{makeSource("nodes.json", nodes(nodeCount))};
    world.inventory = must(inventory::readInventory(sources)).snapshot;
    return [world] { return std::optional(world); };
  }

  static server::Reply echo(const server::Request& request) {
    const auto review = kube::Review::parse(request.body);
    if (!review) return server::textReply(400, "not a review");
    kube::Response response;
    response.uid = std::string(review->request().uid);
    response.allowed = true;
    return server::jsonReply(kube::answer(response));
  }

  const std::string constant_ = kube::answer({"705ab4f5-6393-11e8-b7cc-42010a800002", true, {}, {}, {}, {}});
  server::Admission static_, placement_;
};

// The server's process: writes its port, serves until it is killed.
[[noreturn]] void serve(int portPipe, int nodeCount) {
  const auto authority = must(certs::makeAuthority("bench", now()));
  const auto pair = must(certs::issueServing(authority, {{"localhost"}, {"127.0.0.1"}}, now()));
  record::Metrics metrics;
  Compared handler(nodeCount, metrics);
  server::FrontOptions options;
  options.endpoint = {"127.0.0.1", 0};
  const auto front = must(server::Front::listen(
      std::move(options), handler, must(certs::serverContext(pair.certificate, pair.key)), metrics));
  const std::uint16_t port = front->port();
  if (::write(portPipe, &port, sizeof port) != sizeof port) std::exit(2);
  for (;;) ::pause();
}

struct Server {
  pid_t pid = 0;
  std::uint16_t port = 0;

  std::chrono::nanoseconds cpu() const {
    clockid_t clock{};
    timespec spent{};
    clock_getcpuclockid(pid, &clock);
    clock_gettime(clock, &spent);
    return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
  }

  long residentKiB() const {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0;
  }
};

Server start(int nodeCount) {
  int pipe[2];
  if (::pipe(pipe) != 0) std::exit(2);
  Server server;
  server.pid = ::fork();
  if (server.pid == 0) {
    ::close(pipe[0]);
    serve(pipe[1], nodeCount);
  }
  ::close(pipe[1]);
  if (::read(pipe[0], &server.port, sizeof server.port) != sizeof server.port) std::exit(2);
  return server;
}

struct Figures {
  double mean = 0, p50 = 0, p99 = 0, p999 = 0;  // microseconds
  double perSecond = 0, cpu = 0;                // requests; CPU milliseconds per 1,000 reviews
  int failed = 0;
};

double us(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1000.0;
}

Figures measure(const Server& server, const Load& load) {
  const auto before = server.cpu();
  const auto measured = run(load);
  const auto spent = server.cpu() - before;
  return {us(measured.mean()),
          us(measured.quantile(0.5)),
          us(measured.quantile(0.99)),
          us(measured.quantile(0.999)),
          measured.requestsPerSecond(),
          us(spent) / static_cast<double>(load.requests + load.warmup),
          measured.failed};
}

// Of each figure the median of the rounds.
Figures median(std::vector<Figures> rounds) {
  Figures out;
  for (double Figures::*figure :
       {&Figures::mean, &Figures::p50, &Figures::p99, &Figures::p999, &Figures::perSecond, &Figures::cpu}) {
    std::sort(rounds.begin(), rounds.end(),
              [&](const auto& a, const auto& b) { return a.*figure < b.*figure; });
    out.*figure = rounds[rounds.size() / 2].*figure;
  }
  for (const auto& round : rounds) out.failed += round.failed;
  return out;
}

struct Handler {
  const char* path;
  std::string shown;
};

struct Flags {
  int requests = 4000, rounds = 3, nodes = 5000;
  std::size_t bytes = 12000;
  std::vector<int> connections{1, 8, 64, 400};
  bool json = false;
};

int bench(const Flags& flags) {
  const auto server = start(flags.nodes);
  const Handler handlers[] = {{"/constant", "constant answer"},
                              {"/echo", "parse and echo"},
                              {"/static", "six static rules"},
                              {"/placement", std::to_string(flags.nodes) + " nodes"}};
  auto list = nlohmann::ordered_json::array();
  int failed = 0;
  if (!flags.json) {
    std::printf("%5s  %-18s %8s %8s %8s %8s %9s %10s %8s %8s\n", "conn", "handler", "mean us", "p50", "p99",
                "p99.9", "req/s", "CPU ms/1k", "time/echo", "CPU/echo");
  }
  for (const int connections : flags.connections) {
    std::map<std::string, std::vector<Figures>> rounds;
    for (int round = 0; round < flags.rounds; ++round) {
      for (const auto& handler : handlers) {
        const Load load{server.port, handler.path,   trainingReview(flags.bytes),
                        connections, flags.requests, std::max(connections * 2, 200)};
        rounds[handler.path].push_back(measure(server, load));
      }
    }
    const Figures echo = median(rounds["/echo"]);
    for (const auto& handler : handlers) {
      const Figures f = median(rounds[handler.path]);
      failed += f.failed;
      list.push_back({{"connections", connections},
                      {"handler", handler.shown},
                      {"mean_us", f.mean},
                      {"p50_us", f.p50},
                      {"p99_us", f.p99},
                      {"p999_us", f.p999},
                      {"per_second", f.perSecond},
                      {"cpu_ms_per_1000", f.cpu},
                      {"time_to_echo", f.mean / echo.mean},
                      {"cpu_to_echo", f.cpu / echo.cpu},
                      {"failed", f.failed}});
      if (!flags.json) {
        std::printf("%5d  %-18s %8.0f %8.0f %8.0f %8.0f %9.0f %10.1f %9.2f %8.2f\n", connections,
                    handler.shown.c_str(), f.mean, f.p50, f.p99, f.p999, f.perSecond, f.cpu,
                    f.mean / echo.mean, f.cpu / echo.cpu);
      }
    }
  }
  const long resident = server.residentKiB();
  if (flags.json)
    std::printf("%s\n", nlohmann::ordered_json{{"resident_kib", resident}, {"rows", list}}.dump(2).c_str());
  if (!flags.json)
    std::printf("resident memory after it all: %ld KiB; requests that failed: %d\n", resident, failed);
  ::kill(server.pid, SIGKILL);
  ::waitpid(server.pid, nullptr, 0);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace driftbar::bench

int main(int argc, char** argv) {
  driftbar::bench::Flags flags;
  CLI::App app{"What a review costs, beside two handlers in the same server.", "driftbar_bench"};
  app.add_option("--requests", flags.requests, "of each handler, a round")->capture_default_str();
  app.add_option("--rounds", flags.rounds, "the median of which is shown")->capture_default_str();
  app.add_option("--connections", flags.connections, "how many, one line each")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--nodes", flags.nodes, "in the inventory of the placement rule")->capture_default_str();
  app.add_option("--bytes", flags.bytes, "of a review")->capture_default_str();
  app.add_flag("--json", flags.json, "for programs");
  CLI11_PARSE(app, argc, argv);
  return driftbar::bench::bench(flags);
}
