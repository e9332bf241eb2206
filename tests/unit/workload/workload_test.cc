// What a row may say, and what is read by it.
#include "workload/workload.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::workload {
namespace {

std::string wrong(const KindWords& words) {
  const auto kind = Kind::of(words);
  std::string out;
  if (kind) return out;
  for (const auto& each : kind.errors())
    out += each.path + " (" + std::to_string(each.where.column) + "): " + each.message + "\n  " + each.help +
           "\n";
  return out;
}

TEST(KindWords, AreAllChecked) {
  EXPECT_EQ(wrong({.group = "Sim.example.com",
                   .kind = "roundTable",
                   .templates = {{.path = "spec..x"},
                                 {.path = "spec.roles[*].template",
                                  .replicas = {{.value = "-1"},
                                               {.value = "2x"},
                                               {.value = "spec.[", .atMost = "spec.others[*].most"}},
                                  .ranksWhen = "spec.x[",
                                  .role = "spec.others[*].name"}},
                   .suspend = {"spec.suspend[*]"},
                   .minAvailable = "spec.\"least"}),
            R"(group (0): `Sim.example.com` is not an API group
  write what stands before the `/` in `apiVersion`, such as `batch.volcano.sh`
kind (0): `roundTable` is not a kind
  write it as in `kind:` of such an object, such as `RayJob`
templates[0].path (5): a name is missing after `.`
  
templates[1].replicas[0] (0): `-1` is neither a number of pods nor a path
  write a whole number such as `1`, or a path such as `spec.replicas`
templates[1].replicas[1] (0): `2x` is neither a number of pods nor a path
  write a whole number such as `1`, or a path such as `spec.replicas`
templates[1].replicas[2] (5): a name is missing after `.`
  
templates[1].replicas[2].atMost (0): `spec.others[*].most` leads through a `[*]` that the template's path `spec.roles[*].template` does not lead through
  write the path beside the template, with the same lists and maps before it
templates[1].ranksWhen (6): `[` is not closed
  close it with `]`
templates[1].role (0): `spec.others[*].name` leads through a `[*]` that the template's path `spec.roles[*].template` does not lead through
  write the path beside the template, with the same lists and maps before it
suspend[0] (0): `spec.suspend[*]` leads to many values
  write a path without `[*]`
minAvailable (5): a name is missing after `.`
  
)");
  EXPECT_EQ(wrong({.group = "", .kind = "Empty"}),
            "templates (0): a kind without templates makes no pods\n"
            "  list the path of each pod template, such as `spec.template`\n");
}

TEST(KindWords, HaveTheUsualPlural) {
  EXPECT_EQ(usualPlural("RoundTable"), "roundtables");
  EXPECT_EQ(usualPlural("Policy"), "policies");
  EXPECT_EQ(usualPlural("Relay"), "relays");
  EXPECT_EQ(usualPlural("Ingress"), "ingresses");
  EXPECT_EQ(usualPlural("Batch"), "batches");
}

TEST(KindWords, PathsBeginInsideOfTheObject) {
  EXPECT_EQ(
      wrong({.group = "sim.example.com",
             .kind = "SwarmJob",
             .resource = "SwarmJob",
             .templates = {{.path = "object.spec.roles[*].template", .replicas = {{.value = "$.spec.n"}}},
                           {.path = "spec.template", .replicas = {{.value = ".spec.n"}}}},
             .suspend = {"object.spec.suspend"}}),
      R"(resource (0): `SwarmJob` is not a resource
  resources are plural and in lower case: `swarmjobs`
templates[0].path (0): `object.spec.roles[*].template` begins outside of the object
  paths begin inside of the object: write `spec.roles[*].template`
templates[1].replicas[0] (0): `.spec.n` begins outside of the object
  paths begin inside of the object: write `spec.n`
suspend[0] (0): `object.spec.suspend` begins outside of the object
  paths begin inside of the object: write `spec.suspend`
)");
}

// What is missing for want of a field is told; what is just empty, or there at another path, is not.
TEST(Template, ThatIsMissingIsToldByItsPath) {
  const auto missing = [](std::vector<std::string> paths, std::string_view object) {
    KindWords words{.group = "sim.example.com", .kind = "SwarmJob"};
    for (auto& path : paths) words.templates.push_back({.path = std::move(path)});
    const auto kind = Kind::of(words);
    const auto document = JsonDocument::parse(object);
    std::string out;
    for (const auto& path : pathsWithoutTemplate(*kind, document->root())) out += path + "\n";
    return out;
  };
  constexpr std::string_view kList = R"({"spec":{"roles":[{"template":{"spec":{}}}]}})";
  constexpr std::string_view kMap = R"({"spec":{"roles":{"a":{"template":{"containers":[]}}}}})";
  EXPECT_EQ(missing({"spec.roles[*].template"}, kList), "");
  EXPECT_EQ(missing({"spec.roles[*].template"}, kMap), "");
  EXPECT_EQ(missing({"spec.roles[0].template"}, kList), "");
  EXPECT_EQ(missing({"spec.roles.template"}, kList), "spec.roles.template\n");
  EXPECT_EQ(missing({"spec.roles[0].template"}, kMap), "spec.roles[0].template\n");
  EXPECT_EQ(missing({"spec.roles[*]"}, kList), "spec.roles[*]\n");
  EXPECT_EQ(missing({"spec.role[*].template"}, kList), "spec.role[*].template\n");
  EXPECT_EQ(missing({"spec.role[*].template", "spec.template"}, kList),
            "spec.role[*].template\nspec.template\n");
  EXPECT_EQ(missing({"spec.role[*].template", "spec.roles[*].template"}, kList), "");
  EXPECT_EQ(missing({"spec.roles[*].template"}, R"({"spec":{"roles":[]}})"), "");
  EXPECT_EQ(missing({"spec.roles[*].template"}, R"({"spec":{"roles":{}}})"), "");
  EXPECT_EQ(missing({"spec.roles[*].template"}, R"({"spec":{"roles":"none"}})"), "spec.roles[*].template\n");
}

class Read : public testing::Test {
 protected:
  std::vector<Template> read(const TemplateWords& words, std::string_view object) {
    auto kind = Kind::of({.group = "sim.example.com", .kind = "RoundTable", .templates = {words}});
    EXPECT_TRUE(kind.ok()) << render(kind.errors());
    documents_.push_back(JsonDocument::parse(object).value());
    return templatesOf(*kind, documents_.back().root());
  }
  std::vector<JsonDocument> documents_;
};

TEST_F(Read, AnotherListIsKeyedByNumberAndNamedByName) {
  const auto found =
      read({.path = "spec.roles[*].template", .replicas = {{.value = "spec.roles[*].replicas"}}},
           R"({"spec":{"roles":[{"name":"knight","replicas":3,"template":{}},{"template":{}},
                              {"name":"none"},{"name":"null","template":null},"text"]}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].place, "spec.roles[0].template");
  EXPECT_EQ(found[0].role, "knight");
  EXPECT_EQ(found[0].replicas, 3U);
  EXPECT_EQ(found[1].role, "1");
  EXPECT_EQ(found[1].replicas, 1U);
}

TEST_F(Read, ElementsOfOneNameAreReadOneByOne) {
  const auto found = read(
      {.path = "spec.tasks[*].template", .replicas = {{.value = "spec.tasks[*].replicas"}}},
      R"({"spec":{"tasks":[{"name":"w","replicas":3,"template":{}},{"name":"w","replicas":4,"template":{}}]}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].replicas, 4U);
}

TEST_F(Read, ABarePodSpecIsWrapped) {
  const auto found =
      read({.path = "spec.pod"}, R"({"spec":{"pod":{"containers":[{"name":"a"}],"nodeName":"n"}}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].bare());
  EXPECT_EQ(found[0].pod["spec"]["nodeName"].text(), "n");
  EXPECT_EQ(found[0].placeOf("spec.containers[\"a\"].image"), "spec.pod.containers[\"a\"].image");
  EXPECT_EQ(found[0].placeOf("spec"), "spec.pod");
  EXPECT_EQ(found[0].placeOf(""), "spec.pod");
}

TEST_F(Read, PlacesBeginWithTheTemplates) {
  const auto found = read({.path = "spec.by[\"a/b\"][1].template"},
                          R"({"spec":{"by":{"a/b":[{},{"template":{"spec":{}}}]}}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].bare());
  EXPECT_EQ(found[0].placeOf("spec.containers[\"a\"].image"),
            "spec.by[\"a/b\"][1].template.spec.containers[\"a\"].image");
}

TEST_F(Read, NumbersThatAreNoneAreUnknown) {
  const TemplateWords words{.path = "template", .replicas = {{.value = "a"}, {.value = "b"}}};
  const auto replicas = [&](std::string_view object) { return read(words, object)[0].replicas; };
  EXPECT_EQ(replicas(R"({"a":2,"b":3,"template":{}})"), 6U);
  EXPECT_EQ(replicas(R"({"a":2,"b":-3,"template":{}})"), std::nullopt);
  EXPECT_EQ(replicas(R"({"a":"2","template":{}})"), std::nullopt);
  EXPECT_EQ(replicas(R"({"a":2.5,"template":{}})"), std::nullopt);
  EXPECT_EQ(replicas(R"({"a":9000000000000000000,"b":9000000000000000000,"template":{}})"), UINT64_MAX);
}

TEST_F(Read, ObjectsOfAnotherShapeHaveNoTemplates) {
  for (const auto object : {"{}", "[]", "1", R"({"spec":[]})", R"({"spec":{"roles":{}}})",
                            R"({"spec":{"roles":[[]]}})", R"({"spec":{"roles":[{"template":[1]}]}})"})
    EXPECT_TRUE(read({.path = "spec.roles[*].template"}, object).empty()) << object;
}

}  // namespace
}  // namespace driftbar::workload
