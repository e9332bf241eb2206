// What tests of the policy room stand on: policies from text, requests and nodes from JSON.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace driftbar::policy::testing {

inline constexpr std::string_view kNow = "2026-12-01T10:00:00Z";

inline std::string fileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline std::string inSource(std::string_view path) {
  return std::string(DRIFTBAR_SOURCE_DIR) + "/" + std::string(path);
}

// A Policy document of this spec, the spec indented by two.
inline std::string policyOf(std::string_view spec, std::string_view name = "p") {
  return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: " + std::string(name) +
         "}\nspec:\n" + std::string(spec);
}

// A policy `p` with one rule `r`: `verbs` is flow YAML such as `deny: {label: a}`.
inline std::string ruleOf(std::string_view verbs, std::string_view match = "{}") {
  return policyOf("  match: " + std::string(match) + "\n  rules:\n    - {name: r, " + std::string(verbs) +
                  "}\n");
}

inline Loaded loadText(std::string text, std::string name = "p.yaml") {
  return load({makeSource(std::move(name), std::move(text))});
}

// Fails the test where there is an error.
inline std::shared_ptr<const PolicySet> loaded(std::string text) {
  auto result = loadText(std::move(text));
  EXPECT_TRUE(result.set) << render(result.diagnostics);
  return result.set ? result.set : std::make_shared<const PolicySet>(std::vector<Policy>{});
}

// A request about a pod, and the facts of it.
class PodRequest {
 public:
  explicit PodRequest(std::string_view pod, std::string_view oldPod = {},
                      kube::Operation operation = kube::Operation::kCreate)
      : pod_(parsed(pod)), old_(parsed(oldPod.empty() ? "null" : oldPod)) {
    request_.uid = "u";
    request_.kind = {"", "v1", "Pod"};
    request_.resource = {"", "v1", "pods"};
    request_.ns = "ml";
    request_.operation = operation;
    request_.user.name = "alice";
    request_.user.groups = {"ml-users", "system:authenticated"};
    request_.object = pod_.root();
    if (!oldPod.empty()) request_.oldObject = old_.root();
    rootText_ = R"({"operation":"CREATE","userInfo":{"username":"alice"}})";
    root_ = std::make_unique<JsonDocument>(parsed(rootText_));
    request_.root = root_->root();
  }

  kube::Request& request() { return request_; }
  Facts facts() const {
    Facts facts = Facts::of(request_);
    facts.now = *parseInstant(kNow);
    return facts;
  }

  static JsonDocument parsed(std::string_view text) {
    auto document = JsonDocument::parse(text);
    EXPECT_TRUE(document) << text;
    return *std::move(document);
  }

 private:
  JsonDocument pod_, old_;
  std::string rootText_;
  std::unique_ptr<JsonDocument> root_;
  kube::Request request_;
};

// Nothing known but the time.
inline Facts factsAt(Instant now) {
  Facts facts;
  facts.now = now;
  return facts;
}

inline std::shared_ptr<const kube::Node> nodeOf(std::string_view json) {
  const auto document = PodRequest::parsed(json);
  auto node = kube::Node::parse(document.root());
  EXPECT_TRUE(node) << (node ? "" : render(node.errors()));
  return *node;
}

inline std::string_view shown(Truth truth) {
  return truth == Truth::kTrue ? "broken" : truth == Truth::kFalse ? "kept" : "unknown";
}

// `broken: PLACE=VALUE: SENTENCE, EXPECTED; …`, for rows of tests.
inline std::string shown(const Judgement& judgement) {
  std::string out(shown(judgement.broken));
  const char* between = ": ";
  for (const auto& e : judgement.evidence) {
    out += between + e.place + (e.absent ? "" : "=" + e.value) + ": " + e.sentence;
    if (!e.expected.empty()) out += ", " + e.expected;
    between = "; ";
  }
  return out;
}

}  // namespace driftbar::policy::testing
