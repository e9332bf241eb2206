// The committed fields of Kubernetes, as the program has them.
#include "schema/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "base/field_path.h"
#include "schema/kubernetes.h"

namespace driftbar::schema {
namespace {

const Shape* at(const Shape& root, std::initializer_list<std::string_view> names) {
  const Shape* shape = &root;
  for (const auto name : names) {
    while (shape->type == Type::kList || shape->type == Type::kMap) shape = shape->element;
    const auto* field = shape->field(name);
    if (field == nullptr) return nullptr;
    shape = field->shape;
  }
  return shape;
}

std::vector<std::string> wordsOf(const Shape& shape) {
  std::vector<std::string> words;
  for (const auto& word : shape.words) words.push_back(std::string(word.text) + (word.newer ? "*" : ""));
  return words;
}

// Each shape that can be reached, once, with a path that leads there.
void eachShape(const Shape& root, const std::function<void(const Shape&, const std::string&)>& seen) {
  std::set<const Shape*> done;
  const std::function<void(const Shape&, const std::string&)> go = [&](const Shape& shape,
                                                                       const std::string& path) {
    if (!done.insert(&shape).second && shape.type == Type::kObject) return;
    seen(shape, path);
    if (shape.element != nullptr) go(*shape.element, path + "[*]");
    for (const auto& field : shape.fields) go(*field.shape, path + "." + std::string(field.name));
  };
  go(root, std::string(root.name));
}

constexpr std::string_view kKinds[] = {"Pod",        "Node",    "Namespace", "ReplicationController",
                                       "Deployment", "Job",     "DaemonSet", "StatefulSet",
                                       "ReplicaSet", "CronJob", "Binding",   "Eviction",
                                       "ConfigMap",  "Service", "Scale",     "PodExecOptions"};

TEST(Shape, KindsAreFoundByGroupAndName) {
  EXPECT_EQ(kind("", "Pod"), &pod());
  EXPECT_EQ(kind("batch", "Job")->name, "Job");
  EXPECT_EQ(kind("", "Job"), nullptr);
  EXPECT_EQ(kind("kubeflow.org", "PyTorchJob"), nullptr);
  EXPECT_EQ(podTemplate().name, "PodTemplateSpec");
  EXPECT_EQ(nameSpace().name, "Namespace");
  for (const auto name : kKinds) EXPECT_NE(kind(name), nullptr) << name;
}

TEST(Shape, ResourcesLeadToTheKindThatTheirRequestsCarry) {
  EXPECT_EQ(resource("", "pods"), &pod());
  EXPECT_EQ(resource("", "pods/status"), &pod());
  EXPECT_EQ(resource("", "pods/exec")->name, "PodExecOptions");
  EXPECT_EQ(resource("", "pods/eviction")->name, "Eviction");
  EXPECT_EQ(resource("", "bindings"), resource("", "pods/binding"));
  EXPECT_EQ(resource("apps", "deployments/scale")->name, "Scale");
  EXPECT_EQ(resource("batch", "jobs"), kind("batch", "Job"));
  EXPECT_EQ(resource("", "jobs"), nullptr);
}

TEST(Shape, TypesAreThoseOfTheApi) {
  const struct {
    std::initializer_list<std::string_view> path;
    Type type;
  } rows[] = {
      {{"spec", "nodeName"}, Type::kText},
      {{"spec", "hostNetwork"}, Type::kBoolean},
      {{"spec", "priority"}, Type::kInteger},
      {{"spec", "nodeSelector"}, Type::kMap},
      {{"spec", "containers"}, Type::kList},
      {{"spec", "securityContext"}, Type::kObject},
      {{"metadata", "creationTimestamp"}, Type::kTime},
      {{"metadata", "managedFields", "fieldsV1"}, Type::kAny},
      {{"spec", "containers", "livenessProbe", "httpGet", "port"}, Type::kIntOrString},
  };
  for (const auto& row : rows) EXPECT_EQ(at(pod(), row.path)->type, row.type) << *(row.path.end() - 1);
  EXPECT_EQ(at(pod(), {"spec", "containers", "resources", "limits"})->element->type, Type::kQuantity);
  EXPECT_EQ(at(*kind("PodExecOptions"), {"command"})->element->type, Type::kText);
  EXPECT_EQ(at(request(), {"userInfo", "username"})->type, Type::kText);
  EXPECT_EQ(at(request(), {"object"})->type, Type::kAny);
}

TEST(Shape, ListsHaveTheirKeyAndTextsTheirWords) {
  EXPECT_EQ(at(pod(), {"spec", "containers"})->key, "name");
  EXPECT_EQ(at(pod(), {"spec", "tolerations"})->key, "");
  EXPECT_EQ(at(pod(), {"spec", "containers", "ports"})->key, "");  // it has two
  EXPECT_EQ(wordsOf(*at(pod(), {"spec", "restartPolicy"})),
            (std::vector<std::string>{"Always", "Never", "OnFailure"}));
  EXPECT_EQ(wordsOf(*at(pod(), {"spec", "volumes", "hostPath", "type"})).front(), "");
  EXPECT_EQ(wordsOf(*at(request(), {"operation"})),
            (std::vector<std::string>{"CONNECT", "CREATE", "DELETE", "UPDATE"}));
  EXPECT_TRUE(at(pod(), {"spec", "nodeName"})->words.empty());
}

TEST(Shape, WhatTheOlderReleaseLacksIsMarked) {
  EXPECT_EQ(release(), 37);
  EXPECT_EQ(olderRelease(), 35);
  EXPECT_TRUE(at(pod(), {"spec"})->field("schedulingGroup")->newer);
  EXPECT_FALSE(at(pod(), {"spec"})->field("containers")->newer);
  EXPECT_EQ(wordsOf(*at(*kind("StatefulSet"), {"spec", "updateStrategy", "type"})),
            (std::vector<std::string>{"OnDelete", "Recreate*", "RollingUpdate"}));
}

// Where a rule picks an element by its key (base/field_path.h), Kubernetes knows the element by the same one,
// or the list is one that it does not merge at all.
TEST(Shape, KeysByWhichPathsPickElementsAreThoseOfKubernetes) {
  for (const auto name : kKinds) {
    eachShape(*kind(name), [](const Shape& shape, const std::string& path) {
      for (const auto& field : shape.fields) {
        const auto key = mergeKey(field.name);
        const Shape& list = *field.shape;
        if (key.empty() || list.type != Type::kList || list.element->type != Type::kObject) continue;
        EXPECT_NE(list.element->field(key), nullptr) << path << "." << field.name;
        EXPECT_TRUE(list.key.empty() || list.key == key) << path << "." << field.name;
      }
    });
  }
}

// A word of the file that the reader does not know would become kAny, a type that the file lacks an empty
// one.
TEST(Shape, NothingInTheFileIsReadAsAnythingButWhatIsWrittenSo) {
  const std::set<std::string_view> known{"text",    "time",   "quantity", "int-or-string",
                                         "integer", "number", "boolean",  "any"};
  std::string_view rest = kubernetesText();
  rest.remove_prefix(rest.find(":\n") + 2);
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.ends_with(':')) continue;
    auto word = line.substr(line.find(' ') + 1);
    word = word.substr(word.find_first_not_of("[{"));
    word = word.substr(0, word.find_first_of("]};( "));
    EXPECT_TRUE(known.contains(word) || word.find('.') != std::string_view::npos) << line;
  }
  std::size_t count = 0;
  for (const auto name : kKinds) {
    eachShape(*kind(name), [&](const Shape& shape, const std::string& path) {
      EXPECT_TRUE(shape.type != Type::kObject || !shape.fields.empty()) << path;
      ++count;
    });
  }
  EXPECT_GT(count, 1000U);
}

// What may stand in defaults.txt for a value of a type.
bool isValueOf(const Shape& shape, std::string_view json) {
  const bool text = json.size() >= 2 && json.front() == '"' && json.back() == '"';
  const bool number = json.find_first_not_of("0123456789") == std::string_view::npos;
  const auto word = text ? json.substr(1, json.size() - 2) : std::string_view();
  const auto isThis = [&](const Word& known) { return known.text == word; };
  switch (shape.type) {
    case Type::kText:
      return text && (word.empty() || shape.words.empty() ||
                      std::any_of(shape.words.begin(), shape.words.end(), isThis));
    case Type::kBoolean:
      return json == "true" || json == "false";
    case Type::kInteger:
      return number;
    case Type::kObject:
      return json == "{}";
    default:
      return false;
  }
}

TEST(Shape, EveryAbsenceIsOfAFieldThatIsThereAndMeansAValueOfItsType) {
  std::size_t lines = 0;
  std::istringstream text{std::string(defaultsText())};
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#')) continue;
    ++lines;
    std::istringstream words(line);
    std::string name, field, value;
    words >> name >> field >> value;
    ASSERT_NE(type(name), nullptr) << line;
    const auto* there = type(name)->field(field);
    ASSERT_NE(there, nullptr) << line;
    EXPECT_EQ(there->absent, value);
    EXPECT_TRUE(isValueOf(*there->shape, value)) << line;
    EXPECT_EQ(value.find('\\'), std::string::npos) << line << ": it is read without unescaping";
  }
  EXPECT_GT(lines, 300u);
}

}  // namespace
}  // namespace driftbar::schema
