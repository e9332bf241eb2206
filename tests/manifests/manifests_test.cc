// Published manifests against the index beside them: the pod templates are found where it says, and variables
// of NCCL in those files where it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kube/environment.h"
#include "kube/pod.h"
#include "support/shipped_kinds.h"
#include "workload/workload.h"
#include "yaml/yaml.h"

namespace driftbar {
namespace {

namespace fs = std::filesystem;

// Files that are no objects as they are published, with what is wrong with them.
const std::map<std::string, std::string> kRefused = {
    {"GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-a4.yaml",
     "the key `resources` is there twice"},
    {"GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-a4x-max-jobset.yaml",
     "the key `restartPolicy` is there twice"},
    {"GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-autopilot.yaml",
     "the key `resources` is there twice"},
    {"GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-imex-a4x.yaml",
     "the key `resources` is there twice"},
};

struct Indexed {
  std::string file, templates, nccl;
};

fs::path folder() {
  const char* named = std::getenv("DRIFTBAR_SHARED_DATA");
  const fs::path data =
      named != nullptr ? fs::path(named) : fs::path(DRIFTBAR_SOURCE_DIR).parent_path() / "shared/data";
  return data / "manifests";
}

std::vector<Indexed> index() {
  std::ifstream in(folder() / "index.tsv");
  std::vector<Indexed> rows;
  std::string line;
  for (bool header = true; std::getline(in, line); header = false) {
    std::vector<std::string> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    if (!header && columns.size() > 6) rows.push_back({columns[0], columns[5], columns[6]});
  }
  if (rows.empty()) std::cout << "there are no manifests in " << folder() << ", nothing was checked\n";
  return rows;
}

const workload::Kinds& kinds() {
  static const workload::Kinds all = workload::Kinds::builtIn().with(shipped::kinds());
  return all;
}

// `spec.a["x"].b[0]`, as the index writes it: `spec.a[].b[]`.
std::string withoutKeys(std::string_view place) {
  std::string out;
  for (std::size_t at = 0; at < place.size(); ++at) {
    out += place[at];
    if (place[at] == '[') at = place.find(']', at) - 1;
  }
  return out;
}

struct Found {
  std::set<std::string> templates;  // `Job:spec.template.spec`
  std::set<std::string> nccl;
};

void look(std::string_view kind, const workload::Template& each, Found& found) {
  found.templates.insert(std::string(kind) + ":" + withoutKeys(each.placeOf("spec")));
  for (const auto& container : kube::Pod(each.pod).containers()) {
    const auto environment = kube::Environment::of(container.json);
    for (const auto& setting : environment.settings()) {
      if (setting.name.starts_with("NCCL_")) found.nccl.insert(std::string(setting.name));
    }
  }
}

void look(Json object, Found& found) {
  const auto kind = object["kind"].text();
  const auto version = object["apiVersion"].text();
  const auto group = version.substr(0, version.find('/') == std::string_view::npos ? 0 : version.find('/'));
  workload::Template pod;
  pod.pod = object;
  if (kind == "Pod" && group.empty()) look(kind, pod, found);
  const workload::Kind* row = kinds().find(group, kind);
  if (row == nullptr) return;
  for (const auto& each : workload::templatesOf(*row, object)) look(kind, each, found);
}

std::set<std::string> listed(const std::string& cell) {
  std::set<std::string> all;
  std::istringstream in(cell);
  for (std::string word; in >> word;) {
    if (word != "|" && word != "-") all.insert(word);
  }
  return all;
}

TEST(Manifests, HaveTheirTemplatesAndVariablesWhereTheIndexSays) {
  for (const Indexed& row : index()) {
    SCOPED_TRACE(row.file);
    std::ostringstream content;
    content << std::ifstream(folder() / row.file).rdbuf();
    const auto documents = yaml::parse(makeSource(row.file, content.str()));
    if (const auto refused = kRefused.find(row.file); refused != kRefused.end()) {
      ASSERT_FALSE(documents.ok());
      EXPECT_THAT(render(documents.errors()), ::testing::HasSubstr(refused->second));
      continue;
    }
    ASSERT_TRUE(documents.ok()) << render(documents.errors());
    Found found;
    for (const auto& document : *documents) {
      const auto json = yaml::toJson(document);
      ASSERT_TRUE(json.ok());
      look(json->root(), found);
    }
    EXPECT_EQ(found.templates, listed(row.templates));
    EXPECT_EQ(!found.nccl.empty(), row.nccl.starts_with("y")) << ::testing::PrintToString(found.nccl);
  }
}

}  // namespace
}  // namespace driftbar
