// Shapes: what a value in a built-in kind of Kubernetes looks like. Its type, a map's fields, a list's key,
// the words of an enumeration.
//
// They come from kubernetes.txt, which scripts/schemas.sh writes from an API server's own OpenAPI, and from
// defaults.txt, from Kubernetes' own defaulting; both are read when someone first asks. All shapes live as
// long as the program and never change. What has no shape (custom resources, kinds that the file leaves out)
// is a null pointer: nothing is known of it. Whether a value is required, or fits beside others, is not here.
#pragma once

#include <string_view>
#include <vector>

namespace driftbar::schema {

enum class Type {
  kText,
  kTime,      // text: RFC 3339
  kQuantity,  // text, or a number as it is written by people
  kIntOrString,
  kInteger,
  kNumber,
  kBoolean,
  kList,
  kMap,     // any key
  kObject,  // fields
  kAny
};

// One of the texts that a field may hold.
struct Word {
  std::string_view text;
  bool newer = false;  // the older release does not have it
};

struct Shape {
  struct Field {
    std::string_view name;
    const Shape* shape = nullptr;
    bool newer = false;
    std::string_view absent =
        {};  // what absence means, in JSON: `{}` of an object; empty: nothing in particular
  };

  Type type = Type::kAny;
  std::string_view name;           // of an object: `Container`
  const Shape* element = nullptr;  // of a list or map
  std::string_view key;            // of a list that Kubernetes merges by one key
  std::vector<Field> fields;       // of an object, by name
  std::vector<Word> words;         // of text; empty: any text

  const Field* field(std::string_view fieldName) const;  // null where there is none
  std::vector<std::string_view> fieldNames() const;
};

// `a list`, `text`, `a boolean`.
std::string_view describe(Type type);

// The kind of a group ("" is the core group); null where it is not known.
const Shape* kind(std::string_view group, std::string_view kind);
// The kind of that name, if only one group has it.
const Shape* kind(std::string_view kind);
// The type of that full name, as the files have it (`core.v1.Container`); null where it is not known.
const Shape* type(std::string_view name);
// The kind that requests to a resource or subresource carry: of `pods/exec` it is PodExecOptions.
const Shape* resource(std::string_view group, std::string_view resource);

const Shape& pod();
const Shape& podTemplate();
const Shape& node();
const Shape& nameSpace();
const Shape& request();  // of an AdmissionReview; its objects are of any shape

// The minors of the release that the shapes are of (37), and of the older one that `newer` looks at.
int release();
int olderRelease();

}  // namespace driftbar::schema
