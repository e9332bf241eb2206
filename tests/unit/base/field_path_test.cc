#include "base/field_path.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar {
namespace {

constexpr const char* kPod = R"({"spec":{"nodeName":"gpu-07","containers":[
  {"name":"trainer","env":[{"name":"NCCL_DEBUG","value":"INFO"}],"args":["a","b"]},{"name":"side.car"}],
  "nodeSelector":{"example.com/pool":"h100","zone":"a"}}})";

// What a path finds in kPod: `place=value; …`, `-` for a missing value.
std::string found(std::string_view text) {
  static const auto doc = JsonDocument::parse(kPod);
  const auto path = FieldPath::parse(text);
  if (!path) return std::to_string(path.errors()[0].where.column) + ": " + path.errors()[0].message;
  std::string out;
  path->each(doc->root(), [&](const std::string& place, Json value) {
    out += place + "=" + (value.exists() ? value.dump() : "-") + "; ";
  });
  return out;
}

struct Row {
  const char* path;
  const char* expected;
};

TEST(FieldPath, LeadsToPlacesAndValues) {
  for (const auto& row : {
           Row{"spec.nodeName", "spec.nodeName=\"gpu-07\"; "},
           Row{"spec.hostPID", "spec.hostPID=-; "},
           Row{"spec.containers[*].name",
               "spec.containers[\"trainer\"].name=\"trainer\"; "
               "spec.containers[\"side.car\"].name=\"side.car\"; "},
           Row{"spec.containers[\"trainer\"].env[\"NCCL_DEBUG\"].value",
               "spec.containers[\"trainer\"].env[\"NCCL_DEBUG\"].value=\"INFO\"; "},
           Row{"spec.containers[1].name", "spec.containers[1].name=\"side.car\"; "},
           Row{"spec.containers[*].args[*]",
               "spec.containers[\"trainer\"].args[0]=\"a\"; spec.containers[\"trainer\"].args[1]=\"b\"; "},
           Row{"spec.nodeSelector[\"example.com/pool\"]",
               "spec.nodeSelector[\"example.com/pool\"]=\"h100\"; "},
           Row{"spec.nodeSelector[*]",
               "spec.nodeSelector[\"example.com/pool\"]=\"h100\"; spec.nodeSelector.zone=\"a\"; "},
           Row{"spec.tolerations[*].key", ""},
           Row{"[*].nodeName", "spec.nodeName=\"gpu-07\"; "},
           Row{"spec.containers[*].env[*].valueFrom",
               "spec.containers[\"trainer\"].env[\"NCCL_DEBUG\"].valueFrom=-; "},
       }) {
    EXPECT_EQ(found(row.path), row.expected) << row.path;
  }
}

TEST(FieldPath, SaysWhatIsWrongAndWhere) {
  for (const auto& row : {
           Row{"", "0: a field path is empty"},
           Row{"spec..x", "5: a name is missing after `.`"},
           Row{"spec[", "4: `[` is not closed"},
           Row{"spec[\"a", "4: `[\"` is not closed"},
           Row{"spec[a]", "4: `[a]` is neither a number, `[*]` nor a key in double quotes"},
           Row{"spec.*.x", "5: `.*` is not a step"},
           Row{"spec[0]x", "7: expected `.` or `[` here"},
           Row{"spec[99999999999999999999]",
               "4: `[99999999999999999999]` is neither a number, `[*]` nor a key in double quotes"},
       }) {
    EXPECT_EQ(found(row.path), row.expected) << row.path;
  }
}

TEST(FieldPath, WritesItselfAsItCouldBeRead) {
  for (const char* text :
       {"spec.nodeName", "metadata.labels[\"example.com/pool\"]", "spec.containers[*].args[3]"}) {
    const auto path = FieldPath::parse(text);
    ASSERT_TRUE(path.ok());
    EXPECT_EQ(path->toString(), text);
  }
}

}  // namespace
}  // namespace driftbar
