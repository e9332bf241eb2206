// Needs: what judging wants to know beyond the request and the inventory, as values.
//
// Judging fetches nothing. It says what it needs; whoever may wait (webhook/lookup) finds that and hands back
// Found, and judging runs again on values. THE TABLE OF LOOK-UPS says for each kind where it comes from, how
// long it is kept, what it costs, which right it takes, and what its absence means for the verdict.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace driftbar::decision {

// One object. Made by the functions below, so that the same object is the same need whoever asks for it.
struct Need {
  // In the order of the table.
  enum class Kind { kPod, kOwner, kNode, kNamespace, kRuntime, kEnd };

  Kind kind = Kind::kPod;
  std::string group;    // "" of the core group
  std::string version;  // empty: whichever the group prefers
  std::string object;   // the object's kind: `ReplicaSet`
  std::string ns;       // of an owner, that of what it owns, though the owner may be in none
  std::string name;
  std::string uid;  // that it must have; empty: any

  auto operator<=>(const Need&) const = default;

  static Need pod(std::string_view ns, std::string_view name, std::string_view uid = {});
  // Of an element of metadata.ownerReferences of an object in this namespace.
  static Need owner(Json reference, std::string_view ns);
  static Need node(std::string_view name);
  static Need nameSpace(std::string_view name);
  // Of a TrainJob's spec.runtimeRef, which names no version; defaults as its API has them.
  static Need runtime(Json reference, std::string_view ns);
};

// `Pod ml/bert-0`, `Node gpu-01`; printable.
std::string shown(const Need& need);

// What came of a need. Cheap to copy.
class Answer {
 public:
  enum class State { kObject, kNotFound, kNone };
  // Why there is no answer. Only a read that failed says something of the cluster.
  enum class Silence { kBusy, kLate, kForbidden, kFailed, kStopped };

  // `keep` owns what `object` looks at; `bytes` is about what it holds in memory.
  static Answer found(Json object, std::shared_ptr<const void> keep, std::size_t bytes);
  static Answer found(JsonDocument document, std::size_t bytes);
  static Answer notFound();
  static Answer none(Silence why, std::string reason);

  State state() const { return state_; }
  bool isObject() const { return state_ == State::kObject; }
  Json object() const { return object_; }  // missing unless there is one
  std::size_t bytes() const { return bytes_; }
  Silence silence() const { return silence_; }           // only of kNone
  const std::string& reason() const { return reason_; }  // of kNone, in words for a message, printable

 private:
  State state_ = State::kNotFound;
  Silence silence_ = Silence::kFailed;
  Json object_;
  std::shared_ptr<const void> keep_;
  std::size_t bytes_ = 0;
  std::string reason_;
};

// `found`, `not-found`, or why there is none: `busy`, `late`, `forbidden`, `failed`, `stopped`.
std::string_view toString(const Answer& answer);

// The answer, or kNotFound where it is an object with another uid than the one that is needed. An object that
// has no uid (people wrote it) may be any.
Answer ofThatUid(const Need& need, Answer answer);

// Everything that has been looked up for one request. A value: whoever judges gets it finished.
class Found {
 public:
  void add(Need need, Answer answer) { answers_.insert_or_assign(std::move(need), std::move(answer)); }
  // Takes what the other has too.
  void add(const Found& more);

  // Null where it has not been looked up.
  const Answer* answer(const Need& need) const;
  // The object, or a missing value whatever the reason.
  Json object(const Need& need) const;
  bool has(const Need& need) const { return answers_.contains(need); }
  std::size_t size() const { return answers_.size(); }
  const std::map<Need, Answer>& all() const { return answers_; }

 private:
  std::map<Need, Answer> answers_;
};

// --- the table ---

struct NeedRow {
  Need::Kind kind;
  std::string_view name;    // in metrics and messages
  std::string_view asked;   // when it is needed
  std::string_view source;  // besides an inventory file, which stands in for all of them
  Duration keepsFound;      // how long an object that was read serves for more requests
  Duration keepsNotFound;
  std::string_view cost;
  std::string_view rights;    // verb and resources
  std::string_view notFound;  // what it means for the verdict
  std::string_view noAnswer;
};

std::span<const NeedRow> needTable();
const NeedRow& rowOf(Need::Kind kind);

}  // namespace driftbar::decision
