#include "cluster/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <system_error>

extern char** environ;

namespace driftbar::cluster {
namespace {

using Steady = std::chrono::steady_clock;

// How soon a stop is seen, and how soon the end of a program that closed its output before.
constexpr int kLookMilliseconds = 20;

class Pipe {
 public:
  Pipe() { open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return open_; }
  int readEnd() const { return ends_[0]; }
  int writeEnd() const { return ends_[1]; }
  void startReading() {
    closeEnd(1);
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }

  // Takes what is there; at the end of the stream closes.
  void drain(std::string& into) {
    std::array<char, 4096> buffer;
    while (ends_[0] >= 0 && into.size() <= kMaxOutput) {
      const ssize_t n = ::read(ends_[0], buffer.data(), buffer.size());
      if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0) closeEnd(0);
      if (n < 0 && errno != EINTR) return;
    }
  }

 private:
  void closeEnd(std::size_t end) {
    if (open_ && ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
  bool open_ = false;
};

std::vector<std::string> environmentOf(const Program& program) {
  std::map<std::string, std::string> values;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string::npos) values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : program.environment) values[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : values) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Starts it with our pipes as its output; 0 or an errno.
int spawn(const Program& program, const Pipe& out, const Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.writeEnd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.writeEnd(), STDERR_FILENO);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, piped;
  sigemptyset(&none);
  sigemptyset(&piped);
  sigaddset(&piped, SIGPIPE);  // we ignore it, and a child would inherit that
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &piped);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments{program.command};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = environmentOf(program);
  const int failed = posix_spawnp(&pid, program.command.c_str(), &files, &attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

int exitCodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string whyKill(const ProgramEnd& end, Steady::time_point last, Duration deadline,
                    const std::stop_token& stop) {
  if (stop.stop_requested()) return "was stopped";
  if (Steady::now() >= last) return "gave no answer within " + toString(deadline);
  if (end.out.size() > kMaxOutput || end.err.size() > kMaxOutput) return "wrote more than 1 MiB";
  return {};
}

// Reads until the program has ended; what its own children still hold open is not waited for.
Result<ProgramEnd> follow(const std::string& command, pid_t pid, Pipe& out, Pipe& err, Duration deadline,
                          const std::stop_token& stop) {
  const auto last = Steady::now() + deadline;
  ProgramEnd end;
  for (int status = 0;;) {
    const bool ended = ::waitpid(pid, &status, WNOHANG) == pid;
    out.drain(end.out);
    err.drain(end.err);
    if (ended) {
      end.exitCode = exitCodeOf(status);
      return end;
    }
    if (const std::string why = whyKill(end, last, deadline, stop); !why.empty()) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return error("program-killed", "`" + command + "` " + why);
    }
    std::array<pollfd, 2> ends{{{out.readEnd(), POLLIN, 0}, {err.readEnd(), POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), kLookMilliseconds);
  }
}

}  // namespace

Result<ProgramEnd> run(const Program& program, Duration deadline, std::stop_token stop) {
  Pipe out, err;
  if (!out.open() || !err.open()) {
    return error("program-not-started", "cannot run `" + program.command + "`: no pipe could be made");
  }
  pid_t pid = 0;
  if (const int failed = spawn(program, out, err, pid); failed != 0) {
    return error("program-not-started",
                 "cannot run `" + program.command + "`: " + std::generic_category().message(failed));
  }
  out.startReading();
  err.startReading();
  return follow(program.command, pid, out, err, deadline, stop);
}

}  // namespace driftbar::cluster
