#include "kube/command_line.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "kube/environment.h"
#include "kube/secret_names.h"

namespace driftbar::kube {
namespace {

// By these words a whole environment is given as one text, in JSON or YAML (Ray).
constexpr std::string_view kWholeEnvironments[] = {"env_vars", "runtime-env", "runtime_env"};
// Options of Hydra: the next word is a name, the one after it the value.
constexpr std::string_view kNameThenValue[] = {"-env", "-genv"};

template <std::size_t N>
bool isOneOf(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isOfName(char c) {
  return isLetter(c) || (c >= '0' && c <= '9');
}

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool endsWord(char c) {
  return isBlank(c) || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == ')';
}

// Where a name may begin: not in the middle of an option, a path, a variable or a dotted key.
bool mayPrecedeName(char c) {
  return !isOfName(c) && c != '-' && c != '.' && c != '/' && c != '$' && c != '{';
}

bool isQuote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

// Of what stands before the `=` of an option or of a setting of a program.
bool isOfKey(char c) {
  return isOfName(c) || c == '-' || c == '.' || c == '/' || c == '+' || c == '~' || c == '@';
}

// Whether it is an option whose name speaks of a key, a token or the like.
bool takesSecret(std::string_view option) {
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  return option.starts_with('-') && soundsSecret(name);
}

class Masking {
 public:
  explicit Masking(std::string_view text) : text_(text) {}

  std::string read() {
    for (const auto word : kWholeEnvironments) {
      if (text_.find(word) != std::string_view::npos) return std::string(kHiddenValue);
    }
    while (at_ < text_.size()) {
      const bool hid =
          (startsName() && (assignment() || option())) || (startsWord() && (setting() || secretOption()));
      if (!hid) out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  bool startsName() const { return at_ == 0 || mayPrecedeName(text_[at_ - 1]); }

  bool startsWord() const { return at_ == 0 || isBlank(text_[at_ - 1]) || isQuote(text_[at_ - 1]); }

  std::string_view nameAt(std::size_t from) const {
    if (from >= text_.size() || !isLetter(text_[from])) return {};
    std::size_t end = from;
    while (end < text_.size() && isOfName(text_[end])) ++end;
    return text_.substr(from, end - from);
  }

  // NAME= or NAME+=; where it may be shown, the value is gone through like all else.
  bool assignment() {
    const auto name = nameAt(at_);
    const auto rest = text_.substr(at_ + name.size());
    if (name.empty() || !(rest.starts_with('=') || rest.starts_with("+="))) return false;
    const bool whole = at_ == 0;
    take(name.size() + (rest[0] == '+' ? 2 : 1));
    if (!mayBeShown(name)) hide(whole ? text_.size() : endOfWord(at_));
    return true;
  }

  bool option() {
    const auto rest = text_.substr(at_);
    const auto word =
        std::find_if(std::begin(kNameThenValue), std::end(kNameThenValue), [&](std::string_view each) {
          return rest.starts_with(each) && rest.size() > each.size() && isBlank(rest[each.size()]);
        });
    if (word == std::end(kNameThenValue)) return false;
    take(word->size());
    blanks();
    const auto name = nameAt(at_);
    take(name.size());
    if (mayBeShown(name) || at_ == text_.size() || !isBlank(text_[at_])) return true;
    blanks();
    hide(endOfWord(at_));
    return true;
  }

  // NAME=VALUE. Tokens in base64 end with `=`.
  bool isAssignment() const {
    const auto name = nameAt(at_);
    const auto value = at_ + name.size() + 1;
    if (name.empty() || value >= text_.size() || text_[value - 1] != '=') return false;
    return text_[value] != '=' && !isQuote(text_[value]) && !endsWord(text_[value]);
  }

  // What a word sets that is no variable: `--token=abc`, and `trainer.lr=0.1` of Hydra. What it sets in a
  // variable (`--env=TOKEN=abc`) is gone through by itself.
  bool setting() {
    std::size_t end = at_;
    while (end < text_.size() && isOfKey(text_[end])) ++end;
    if (end == at_ || text_[at_] == '/' || !text_.substr(end).starts_with('=')) return false;
    if (text_.substr(end).starts_with("==")) return false;
    const bool whole = at_ == 0, secret = takesSecret(text_.substr(at_, end - at_));
    take(end + 1 - at_);
    if (secret || !isAssignment()) hide(whole ? text_.size() : endOfWord(at_));
    return true;
  }

  // The value of `--token abc` is the next word.
  bool secretOption() {
    if (!text_.substr(at_).starts_with('-')) return false;
    std::size_t end = at_;
    while (end < text_.size() && isOfKey(text_[end])) ++end;
    if (!takesSecret(text_.substr(at_, end - at_)) || end == text_.size() || !isBlank(text_[end]))
      return false;
    take(end - at_);
    blanks();
    if (at_ < text_.size() && text_[at_] != '-') hide(endOfWord(at_));
    return true;
  }

  // The end of a word, quotes and $(…) within it included. One that is escaped is taken for one of a script
  // inside of a script. A quote that nothing closes goes to the end.
  std::size_t endOfWord(std::size_t at) const {
    while (at < text_.size() && !endsWord(text_[at])) {
      const std::size_t escaped = text_[at] == '\\' ? 1 : 0;
      const char c = at + escaped < text_.size() ? text_[at + escaped] : ' ';
      if (c == '"' || c == '\'' || c == '`' || c == '(') {
        const auto closing = c == '(' ? std::string_view(")") : text_.substr(at, escaped + 1);
        const auto close = text_.find(closing, at + escaped + 1);
        if (close == std::string_view::npos) return text_.size();
        at = close + closing.size();
      } else {
        at = std::min(at + escaped + 1, text_.size());
      }
    }
    return at;
  }

  void take(std::size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }
  void blanks() {
    while (at_ < text_.size() && isBlank(text_[at_])) take(1);
  }
  void hide(std::size_t to) {
    if (to > at_) out_ += kHiddenValue;
    at_ = to;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string withoutValues(std::string_view text) {
  return Masking(text).read();
}

std::string withoutValues(Json words) {
  std::string out = "[";
  std::string_view before, option;  // the two words before this one
  for (const Json word : words.items()) {
    if (out.size() > 1) out += ',';
    const bool secret = takesSecret(before) && !word.text().starts_with('-');
    const bool value = secret || (isOneOf(kNameThenValue, option) && !mayBeShown(before));
    out += value ? quoted(kHiddenValue) : word.isText() ? quoted(withoutValues(word.text())) : word.dump();
    option = before;
    before = word.text();
  }
  return out + "]";
}

}  // namespace driftbar::kube
