// Workload: which kinds of objects make pods, and where in them the templates of those pods sit.
//
// Kinds is the way in: ONE TABLE (kinds.cc), to which documents of kind WorkloadKind add rows. A row is made
// of plain words (KindWords) by Kind::of, which says everything that is wrong with them; after that nothing
// can fail. templatesOf() reads an object by its row.
//
// Not here: the YAML of those documents, and what comes of a template. An object that takes its templates
// from another one (TrainJob) has none; `runtimeOf` says where they are to be looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_path.h"
#include "base/json.h"
#include "base/result.h"

namespace driftbar::workload {

// A number that counts pods, in words: `value` is a number, or the path where the object has it. A path may
// lead through the same lists and maps as the template's (`spec.roles[*].replicas` beside
// `spec.roles[*].template`) and then means the same element.
struct FactorWords {
  std::string value;
  std::uint64_t otherwise = 1;  // where nothing is written at the path: the API's default
  std::string atLeast = {};     // paths of bounds: what is written there, if anything
  std::string atMost = {};
  std::string lessOneWith = {};  // a path: one less where something is there
};

struct TemplateWords {
  std::string path;                        // of a pod template, or of a bare pod spec
  std::vector<FactorWords> replicas = {};  // multiplied: the pods that run at once; none: nobody can tell
  bool ranks = true;                       // false: a launcher, a submitter, a Ray head
  std::vector<std::string> notRanks = {};  // roles among them that are no ranks all the same
  std::string ranksWhen =
      {};                 // a path: where it says true, those are ranks too (MPIJob's runLauncherAsWorker)
  std::string role = {};  // a word, or a path (it has a dot); default: the key or name on the way
};

// Which object holds the templates of one that has none, and what the API takes for granted of it.
struct RuntimeWords {
  std::string path;  // of a map with `name`, and perhaps `apiGroup` and `kind`
  std::string group, kind;
};

struct KindWords {
  std::string group, kind;
  std::string resource = {};  // default: the usual plural
  std::vector<TemplateWords> templates = {};
  std::vector<std::string> suspend = {};  // paths of booleans: of the object, and of what it makes
  std::string minAvailable = {};          // the path of how many pods must start together, if not all
  bool startsTogether = false;            // its pods start together or not at all
  bool blueprint = false;                 // others are made of it: no pod comes of itself
  std::optional<RuntimeWords> runtime = {};
};

// A path below the object that shares its first steps with the template's path.
class Beside {
 public:
  static Result<Beside> of(std::string_view path, const FieldPath& templatePath);
  // `way` is what the steps of the template's path led to, the object first.
  Json in(std::span<const Json> way) const;

 private:
  std::size_t shared_ = 0;
  FieldPath below_;
};

class Factor {
 public:
  static Result<Factor> of(const FactorWords& words, const FieldPath& templatePath);
  // Nothing where what is written is no number of pods.
  std::optional<std::uint64_t> in(std::span<const Json> way) const;

 private:
  std::uint64_t otherwise_ = 1;
  std::optional<Beside> at_, atLeast_, atMost_, lessOneWith_;
};

struct TemplateAt {
  FieldPath path;
  std::vector<Factor> replicas;
  bool ranks = true;
  std::vector<std::string> notRanks;
  std::optional<Beside> ranksWhen;
  std::string role;
  std::optional<Beside> roleAt;

  // An error has in `path` which of the words it is about (`replicas[0].atMost`), and in `where.column` the
  // byte of a path, from 0.
  static Result<TemplateAt> of(const TemplateWords& words);
};

struct Kind {
  std::string group, kind, resource;
  std::string document;  // the name of the document that declares it; of a row shipped with the program empty
  std::vector<TemplateAt> templates;
  std::vector<FieldPath> suspend;
  std::optional<FieldPath> minAvailable;
  bool startsTogether = false;
  bool blueprint = false;
  std::optional<FieldPath> runtime;
  std::string runtimeGroup, runtimeKind;

  // Errors as those of TemplateAt, with `templates[1].` before.
  static Result<Kind> of(const KindWords& words);
};

// The resource that a kind has by Kubernetes' habit: `RayJob` → `rayjobs`, `Proxy` → `proxies`.
std::string usualPlural(std::string_view kind);

class Kinds {
 public:
  static const Kinds& builtIn();
  // These, and `added`, each of which takes the place of a row of its group and kind.
  Kinds with(std::vector<Kind> added) const;

  const Kind* find(std::string_view group, std::string_view kind) const;
  const Kind* ofResource(std::string_view group, std::string_view resource) const;
  std::span<const Kind> all() const { return kinds_; }

 private:
  std::vector<Kind> kinds_;
};

struct Template {
  Json pod;           // with `metadata` and `spec`, as a pod has them
  std::string place;  // spec.replicatedJobs["workers"].template.spec.template
  std::string role;   // Worker, Launcher, workers, head; empty where a kind has one template
  bool ranks = true;
  std::optional<std::uint64_t>
      replicas;  // pods that run at once; nothing: as many as there are nodes, or unknown
  std::shared_ptr<const JsonDocument> own;  // holds `pod` where a bare pod spec had to be wrapped

  bool bare() const { return own != nullptr; }
  // Where in the object something of the pod is: `spec.containers` is below the template, and in a bare pod
  // spec at `containers`.
  std::string placeOf(std::string_view inPod) const;
};

// In the order of the table and of the object. The templates look into `object`'s document.
std::vector<Template> templatesOf(const Kind& kind, Json object);

// The paths at which the object should have a pod template and has none, for a field on the way is missing or
// of another type: none where it has a template at any path, or where a list on the way is just empty.
std::vector<std::string> pathsWithoutTemplate(const Kind& kind, Json object);

// Whether no pod comes of it for now: any of the kind's booleans says so.
bool suspended(const Kind& kind, Json object);

// How many pods must start together at least, where the object says so; 0 says nothing (Volcano's default).
std::optional<std::uint64_t> minAvailable(const Kind& kind, Json object);

struct Runtime {
  std::string_view group, kind, name;
};
// The object to look up for the templates of this one; views into `kind` and `object`.
std::optional<Runtime> runtimeOf(const Kind& kind, Json object);

}  // namespace driftbar::workload
