#include "oracle/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace driftbar::oracle {
namespace {

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "oracle: %s\n", what.c_str());
  std::exit(2);
}

}  // namespace

Child::Child(const std::string& path) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) die(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
  std::string name = path;
  char* const arguments[] = {name.data(), nullptr};
  const int failed = posix_spawn(&process_, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) die("the judge " + path + " can't be started: " + std::strerror(failed));
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
}

Child::~Child() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string Child::ask(const std::string& line) {
  say(line);
  return hear();
}

void Child::say(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), to_);
  std::fputc('\n', to_);
  if (std::fflush(to_) != 0) die("the judge has died");
  asked_ = line.substr(0, 2000);
}

std::string Child::hear() {
  char* text = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = getline(&text, &capacity, from_);
  if (length <= 0) die("the judge has died over: " + asked_);
  std::string answer(text, static_cast<std::size_t>(length) - 1);
  std::free(text);
  return answer;
}

}  // namespace driftbar::oracle
