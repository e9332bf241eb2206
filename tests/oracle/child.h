// Child: a program that answers each line it is given with one line.
//
// Questions and answers alternate, so the pipes can't fill up on both sides.
#pragma once

#include <cstdio>
#include <string>

#include <sys/types.h>

namespace driftbar::oracle {

class Child {
 public:
  // Starts the program at `path`. Ends this process with a message where that can't be done: without a judge
  // there is nothing to test.
  explicit Child(const std::string& path);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // `line` without a line end; the same for the answer. Ends this process where the program has died.
  std::string ask(const std::string& line);
  // ask() in two halves, for who has something to do in between: one hear() for each say(), and no say()
  // before it.
  void say(const std::string& line);
  std::string hear();

 private:
  pid_t process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string asked_;  // the beginning of the last line
};

}  // namespace driftbar::oracle
