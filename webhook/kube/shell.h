// Shell: which commands a shell text runs, as far as that can be told without running it.
//
// readShell() is the way in. It goes through the text once and tells a ShellScript of each simple command,
// its words with quotes taken off. Nothing is expanded: a word with `$`, a backquote or `~` keeps it and is
// marked unknown. A text that no shell would take is read as far as it goes, and never refused.
//
// POSIX sh and what people use of bash. Not read: what stands inside of $(…), (( … )) and <(…).
#pragma once

#include <forward_list>
#include <span>
#include <string>
#include <string_view>

namespace driftbar::kube {

struct ShellWord {
  std::string_view text;  // without quotes
  bool unknown = false;   // the shell, or Kubernetes before it, puts something else there
  std::size_t equals = std::string_view::npos;  // of `NAME=…` with a plain NAME: where the `=` is
};

// Whoever is told; the words are there while the texts live that readShell() was given.
class ShellScript {
 public:
  // Certain: it runs whenever the script does. Not so what stands in a branch, a loop, a function or a
  // subshell, and what follows `||` or a test.
  virtual void command(std::span<const ShellWord> words, bool certain) = 0;
  // The text between `<<EOF` and `EOF`, which `program` gets to read; `target` is a file it writes, or empty.
  virtual void hereDocument(std::string_view body, std::string_view program, std::string_view target) = 0;

 protected:
  ~ShellScript() = default;
};

// What had to be written anew to take quotes off.
using ShellTexts = std::forward_list<std::string>;

void readShell(std::string_view text, ShellTexts& texts, ShellScript& script);

}  // namespace driftbar::kube
