// Environment: which variables a container's programs find set, from its `env` and from its command line.
//
// Environment::of is the way in. Of the command line it reads `export`, assignments before a command, `env`
// and `sudo`, the options by which MPI's launchers pass variables on, and the shells' -c, through up to
// kNestedScripts scripts inside of scripts, all with the container's own variables in the place of `$(NAME)`.
// Nothing is run: a value that comes from elsewhere is there and unknown. Cost: one pass over the text for
// each script around it, and a sort; what variables put in is bounded.
//
// Not read: files that a script sources, what a program sets for itself, the image's own variables.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/shell.h"

namespace driftbar::kube {

// `sh -c "mpirun … bash -c '…'"` in a here-document is three deep. What is deeper is left unread, and said to
// be.
inline constexpr int kNestedScripts = 4;

struct Setting {
  enum class In { kEnv, kCommand, kArgs };

  std::string_view name;
  std::optional<std::string_view> value;  // nothing: it is set, and to what cannot be told
  In in = In::kEnv;
  std::size_t index = 0;  // in that list

  // Below the container: env["NCCL_DEBUG"].value, command[2], args[0].
  std::string place() const;
};

class Environment {
 public:
  // Looks into `container`'s document, which must live as long.
  static Environment of(Json container);

  Environment(Environment&&) = default;
  Environment& operator=(Environment&&) = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // By name. Where one setting certainly replaces another, only the later is here; else all that may hold
  // are, in the order of the container (env, then the command line).
  std::span<const Setting> settings() const { return settings_; }
  std::span<const Setting> of(std::string_view name) const;

  // A whole ConfigMap or Secret is read (`envFrom`): any variable may be set that is not here.
  bool fromElsewhere() const { return fromElsewhere_; }
  // A script sources a file or evaluates text, or is nested deeper than is read: so may others be.
  bool unread() const { return unread_; }

 private:
  Environment() = default;
  class Reading;

  std::vector<Setting> settings_;
  ShellTexts texts_;  // what views of settings_ that are not in the document look at
  bool fromElsewhere_ = false;
  bool unread_ = false;
};

// What Kubernetes makes of a text in `env`, `command` or `args`: `$$` becomes `$`. Nothing if it refers to a
// variable, `$(NAME)`. The text itself where there is no `$`; else it is written into `texts`. Source:
// k8s.io/kubernetes third_party/forked/golang/expansion.
std::optional<std::string_view> expanded(std::string_view text, ShellTexts& texts);

// Whether people may be shown the value of a variable of this name: one of the communication libraries, and
// none that by its name holds a secret.
bool mayBeShown(std::string_view name);

// Whether ranks of one job may have different values of it: what names a host's own interface or file, or
// says which rank it is.
bool mayDifferByHost(std::string_view name);

}  // namespace driftbar::kube
