// Builder: makes nodes of yaml-cpp's events, document by document.
//
// Events and not YAML::Node, since there an alias is its anchor: its own place is gone, a cycle is a loop,
// and a bomb costs nothing until someone walks it. Here an alias is a copy with a place of its own, paid from
// kAliasBudget. What cannot be gone on from is thrown as a Refusal, through yaml-cpp, to parse().
#pragma once

#include <yaml-cpp/eventhandler.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "yaml/extent.h"
#include "yaml/places.h"
#include "yaml/yaml.h"

namespace driftbar::yaml {

struct Refusal {
  Diagnostic why;
};

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const Places& places) : places_(places) {}

  std::vector<Node> takeDocuments() { return std::move(documents_); }
  Diagnostics takeProblems() { return std::move(problems_); }
  // Where the innermost `[` or `{` stands that is not closed yet.
  std::optional<std::size_t> openBracket() const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  // The children of a node by number; of a map, key and value of an entry have two numbers in a row. Nodes
  // move while their parents grow, their paths do not.
  using Path = std::vector<std::size_t>;

  // A list or map that is being read.
  struct Open {
    Node node;
    std::size_t offset = 0;
    bool flow = false;
    std::size_t number = 0;   // of this child in its parent
    std::optional<Node> key;  // whose value comes next
    std::unordered_map<std::string, Location> seen;
  };

  std::size_t offsetOf(const YAML::Mark& mark) const;
  bool expectsKey() const;
  std::size_t nextNumber() const;
  void remember(YAML::anchor_t anchor);
  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style);
  void close();
  void add(Node node);
  void addKey(Node node);
  void checkKey(const Node& key, std::size_t end);
  void checkIndentation(std::size_t offset) const;
  // The node that an anchor names; null while it is still being read.
  const Node* behind(const Path& path) const;
  Node scalarNode(const Extent& extent, const std::string& tag, const std::string& value) const;

  const Places& places_;
  std::vector<Node> documents_;
  Diagnostics problems_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Path> anchors_;
  std::size_t documentsStarted_ = 0;
  std::size_t spent_ = 0;  // of kAliasBudget
};

}  // namespace driftbar::yaml
