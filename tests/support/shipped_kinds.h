// The documents of policies/workload-kinds as rows of the table, for tests that stand below the room that
// checks documents: here only what Kind::of finds is checked.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "workload/workload.h"
#include "yaml/yaml.h"

namespace driftbar::shipped {

inline std::string textOf(Json value) {
  return value.isText() || !value.exists() ? std::string(value.text()) : value.dump();
}

inline workload::FactorWords factorWords(Json json) {
  if (!json.isMap()) return {.value = textOf(json)};
  return {.value = textOf(json["path"]),
          .otherwise = static_cast<std::uint64_t>(json["default"].asInteger().value_or(1)),
          .atLeast = textOf(json["atLeast"]),
          .atMost = textOf(json["atMost"])};
}

inline workload::TemplateWords templateWords(Json json) {
  workload::TemplateWords words{.path = textOf(json["path"]),
                                .ranks = json["ranks"].asBool().value_or(true),
                                .role = textOf(json["role"])};
  const Json replicas = json["replicas"];
  for (const Json factor : replicas.items()) words.replicas.push_back(factorWords(factor));
  if (replicas.exists() && !replicas.isList()) words.replicas.push_back(factorWords(replicas));
  for (const Json role : json["notRanks"].items()) words.notRanks.push_back(textOf(role));
  return words;
}

inline workload::KindWords kindWords(Json spec) {
  workload::KindWords words{.group = textOf(spec["group"]),
                            .kind = textOf(spec["kind"]),
                            .resource = textOf(spec["resource"]),
                            .minAvailable = textOf(spec["minAvailable"]),
                            .startsTogether = spec["startsTogether"].isTrue(),
                            .blueprint = spec["blueprint"].isTrue()};
  const Json suspend = spec["suspend"];
  for (const Json path : suspend.items()) words.suspend.push_back(textOf(path));
  if (suspend.isText()) words.suspend.push_back(textOf(suspend));
  for (const Json each : spec["templates"].items()) words.templates.push_back(templateWords(each));
  return words;
}

// All shipped documents; a failure for each that is wrong.
inline std::vector<workload::Kind> kinds() {
  std::vector<workload::Kind> all;
  const std::filesystem::path folder = std::string(DRIFTBAR_SOURCE_DIR) + "/policies/workload-kinds";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    std::ostringstream content;
    content << std::ifstream(file.path()).rdbuf();
    const auto documents = yaml::parse(makeSource(file.path().filename().string(), content.str()));
    EXPECT_TRUE(documents.ok()) << file.path();
    for (const auto& document : *documents) {
      const auto json = yaml::toJson(document);
      auto kind = workload::Kind::of(kindWords(json->root()["spec"]));
      EXPECT_TRUE(kind.ok()) << file.path() << (kind ? "" : render(kind.errors()));
      if (kind) all.push_back(*std::move(kind));
    }
  }
  return all;
}

}  // namespace driftbar::shipped
