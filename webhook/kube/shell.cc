#include "kube/shell.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace driftbar::kube {
namespace {

enum class Keyword {
  kNone,
  kOpens,    // a construct in which nothing is certain; what follows is a command
  kHeads,    // likewise; what follows up to the next line or `;` is no command
  kCloses,   // ends one
  kBetween,  // stands before a command
  kFunction  // a name follows
};

constexpr std::pair<std::string_view, Keyword> kKeywords[] = {
    {"if", Keyword::kOpens},     {"while", Keyword::kOpens},  {"until", Keyword::kOpens},
    {"{", Keyword::kOpens},      {"for", Keyword::kHeads},    {"select", Keyword::kHeads},
    {"case", Keyword::kHeads},   {"fi", Keyword::kCloses},    {"done", Keyword::kCloses},
    {"esac", Keyword::kCloses},  {"}", Keyword::kCloses},     {"then", Keyword::kBetween},
    {"else", Keyword::kBetween}, {"elif", Keyword::kBetween}, {"do", Keyword::kBetween},
    {"!", Keyword::kBetween},    {"time", Keyword::kBetween}, {"function", Keyword::kFunction},
};

Keyword keywordOf(std::string_view word) {
  for (const auto& [text, keyword] : kKeywords) {
    if (text == word) return keyword;
  }
  return Keyword::kNone;
}

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool isOperator(char c) {
  return c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || c == '<' || c == '>';
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Commands that do not fail as a way of saying no: what follows them by `&&` runs as well as not.
constexpr std::string_view kSteady[] = {"cd",   "pushd", "export", "set",   "source", ".",
                                        "echo", "mkdir", "ulimit", "unset", "true",   ":"};

bool isSteady(const ShellWord& first) {
  return first.equals != std::string_view::npos ||
         std::find(std::begin(kSteady), std::end(kSteady), first.text) != std::end(kSteady);
}

// A name, and perhaps the `+` of `NAME+=`.
bool isAssigned(std::string_view text) {
  if (text.ends_with('+')) text.remove_suffix(1);
  return !text.empty() && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || isDigit(c); });
}

// The end of what began before `from` with `open`: after the `close` that belongs to it, or of the text. One
// pass over it; brackets within quotes do not count. Within double quotes the apostrophe of ${X:-don't} is
// none.
std::size_t closed(std::string_view text, std::size_t from, char open, char close, bool apostrophes = true) {
  int depth = 1;
  char quote = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'') {
      ++at;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || (c == '\'' && apostrophes)) {
      quote = c;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

class Reader {
 public:
  Reader(std::string_view text, ShellTexts& texts, ShellScript& script)
      : text_(text), texts_(texts), script_(script) {}

  void read() {
    while (at_ < text_.size()) next();
    finish(Then::kAnything);
  }

 private:
  // How a command is tied to the one after it.
  enum class Then { kAnything, kIfWell, kIfNot };

  struct HereDocument {
    std::string_view delimiter;
    bool tabs = false;  // `<<-`: tabs before a line do not count
    std::string_view program = {}, target = {};
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void next() {
    const char c = peek();
    if (isBlank(c)) {
      ++at_;
    } else if (c == '\\' && peek(1) == '\n') {
      at_ += 2;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\n') {
      ++at_;
      finish(Then::kAnything);
      hereDocuments();
    } else if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) {
      redirection();
    } else if (isOperator(c)) {
      operation();
    } else {
      keep(word());
    }
  }

  void operation() {
    const char c = text_[at_++];
    const bool twice = peek() == c;
    if (twice && c != '(' && c != ')') ++at_;
    if (c == '(') return open(twice);
    if (c == ')') return close();
    finish(c == '&' && twice ? Then::kIfWell : c == '|' && twice ? Then::kIfNot : Then::kAnything);
  }

  // A subshell; `name()`, of which the body is to come; or arithmetic.
  void open(bool twice) {
    if (!words_.empty() && peek() == ')') {
      ++at_;
      words_.clear();
    } else if (twice && words_.empty()) {
      at_ = closed(text_, at_, '(', ')');
    } else {
      finish(Then::kAnything);
      ++subshells_;
    }
  }

  // Of a subshell, or of a pattern of `case`, which is no command.
  void close() {
    if (subshells_ == 0) words_.clear();
    finish(Then::kAnything);
    subshells_ -= subshells_ > 0 ? 1 : 0;
  }

  void redirection() {
    dropDescriptor();
    if (peek() == '<' && peek(1) == '<' && peek(2) != '<') return hereDocumentBegins();
    if (peek(1) == '(' && peek() != '&') {  // <(…) stands for the name of a file
      at_ = closed(text_, at_ + 2, '(', ')');
      return keep({"", true, std::string_view::npos});
    }
    while (peek() == '<' || peek() == '>' || peek() == '&' || peek() == '|') ++at_;
    target_ = operand().text;
  }

  // The 2 of `2>&1` is no word.
  void dropDescriptor() {
    if (words_.empty() || wordEnd_ != at_) return;
    const auto& last = words_.back().text;
    if (!last.empty() && std::all_of(last.begin(), last.end(), isDigit)) words_.pop_back();
  }

  void hereDocumentBegins() {
    at_ += 2;
    const bool tabs = peek() == '-';
    at_ += tabs ? 1 : 0;
    awaited_.push_back({operand().text, tabs});
  }

  // The word after an operator; empty where there is none.
  ShellWord operand() {
    while (isBlank(peek())) ++at_;
    return at_ < text_.size() && peek() != '\n' && !isOperator(peek()) ? word() : ShellWord();
  }

  void hereDocuments() {
    placed_ = 0;
    for (const HereDocument& document : std::exchange(awaited_, {})) {
      const std::size_t begin = at_;
      std::size_t end = text_.size();
      while (at_ < text_.size() && end == text_.size()) {
        const std::size_t line = at_;
        const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
        at_ = std::min(stop + 1, text_.size());
        if (ends(text_.substr(line, stop - line), document)) end = line;
      }
      script_.hereDocument(text_.substr(begin, end - begin), document.program, document.target);
    }
  }

  static bool ends(std::string_view line, const HereDocument& document) {
    if (document.tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line == document.delimiter;
  }

  void keep(ShellWord word) {
    wordEnd_ = at_;
    if (std::exchange(dropNext_, false)) return;
    if (words_.empty() && !bare_.empty() && bare_ == word.text) {
      switch (keywordOf(word.text)) {
        case Keyword::kHeads:
          header_ = true;
          [[fallthrough]];
        case Keyword::kOpens:
          ++constructs_;
          return;
        case Keyword::kCloses:
          constructs_ -= constructs_ > 0 ? 1 : 0;
          return;
        case Keyword::kFunction:
          dropNext_ = true;
          return;
        case Keyword::kBetween:
          return;
        case Keyword::kNone:
          break;
      }
    }
    words_.push_back(word);
  }

  void finish(Then then) {
    const std::string_view program = words_.empty() ? std::string_view() : words_.front().text;
    for (; placed_ < awaited_.size(); ++placed_) {
      awaited_[placed_].program = program;
      awaited_[placed_].target = target_;
    }
    if (!words_.empty() && !header_) script_.command(words_, certain());
    doubtful_ = then == Then::kIfWell && (doubtful_ || (!words_.empty() && !isSteady(words_.front())));
    afterFailure_ = then == Then::kIfNot;
    header_ = false;
    target_ = {};
    words_.clear();
  }

  bool certain() const { return constructs_ == 0 && subshells_ == 0 && !afterFailure_ && !doubtful_; }

  // ---- Words ----

  ShellWord word() {
    const std::size_t begin = at_;
    made_.clear();
    changed_ = unknown_ = false;
    std::size_t equals = std::string_view::npos;
    bool named = true;  // no `=` was read yet
    while (at_ < text_.size() && !isBlank(peek()) && peek() != '\n' && !isOperator(peek())) {
      if (peek() == '=' && std::exchange(named, false) && !changed_ && isAssigned(made_))
        equals = made_.size();
      piece();
    }
    const std::string_view text =
        changed_ ? std::string_view(texts_.emplace_front(made_)) : text_.substr(begin, at_ - begin);
    bare_ = changed_ ? std::string_view() : text;
    return {text, unknown_, equals};
  }

  void piece() {
    switch (peek()) {
      case '\'':
        return singleQuoted();
      case '"':
        return doubleQuoted();
      case '\\':
        return escaped();
      case '$':
        return dollar();
      case '`':
        return backquoted();
      case '~':
        unknown_ = unknown_ || made_.empty() || made_.ends_with('=') || made_.ends_with(':');
        [[fallthrough]];
      default:
        made_ += text_[at_++];
    }
  }

  // Nothing in it means anything to a shell. Kubernetes replaces $(NAME) and $$ before the shell sees it.
  void singleQuoted() {
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    const auto inside = text_.substr(at_ + 1, end - at_ - 1);
    unknown_ = unknown_ || inside.find("$(") != std::string_view::npos ||
               inside.find("$$") != std::string_view::npos;
    made_ += inside;
    at_ = std::min(end + 1, text_.size());
    changed_ = true;
  }

  void doubleQuoted() {
    changed_ = true;
    for (++at_; at_ < text_.size() && peek() != '"';) {
      if (peek() == '$') {
        dollar(true);
      } else if (peek() == '`') {
        backquoted();
      } else if (peek() == '\\' && at_ + 1 < text_.size()) {
        const char c = peek(1);
        if (c != '"' && c != '\\' && c != '$' && c != '`' && c != '\n') made_ += '\\';
        if (c != '\n') made_ += c;
        at_ += 2;
      } else {
        made_ += text_[at_++];
      }
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void escaped() {
    changed_ = true;
    if (++at_ < text_.size()) {
      if (peek() != '\n') made_ += peek();
      ++at_;
    }
  }

  // Kept as it is written; whoever reads the word knows that something else will stand there.
  void dollar(bool quoted = false) {
    unknown_ = true;
    const char c = peek(1);
    if (c == '\'' && !quoted) return ansiQuoted();
    const std::size_t begin = at_;
    at_ = c == '('   ? closed(text_, at_ + 2, '(', ')')
          : c == '{' ? closed(text_, at_ + 2, '{', '}', !quoted)
                     : at_ + 1;
    made_ += text_.substr(begin, at_ - begin);
  }

  // $'…' knows escapes of its own.
  void ansiQuoted() {
    changed_ = true;
    for (at_ += 2; at_ < text_.size() && peek() != '\''; ++at_) {
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      made_ += peek();
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void backquoted() {
    unknown_ = true;
    const std::size_t begin = at_;
    for (++at_; at_ < text_.size() && peek() != '`'; ++at_) {
      if (peek() == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
    made_ += text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  ShellTexts& texts_;
  ShellScript& script_;
  std::size_t at_ = 0;

  std::vector<ShellWord> words_;  // of the command that is being read
  std::size_t wordEnd_ = 0;       // where the last of them ended
  std::string_view target_;
  std::vector<HereDocument> awaited_;
  std::size_t placed_ = 0;  // of them, those whose command is known
  std::size_t constructs_ = 0, subshells_ = 0;
  bool afterFailure_ = false, doubtful_ = false, header_ = false, dropNext_ = false;

  std::string made_;       // of the word that is being read
  std::string_view bare_;  // the word that was read last, if it had no quotes
  bool changed_ = false, unknown_ = false;
};

}  // namespace

void readShell(std::string_view text, ShellTexts& texts, ShellScript& script) {
  Reader(text, texts, script).read();
}

}  // namespace driftbar::kube
