#include "yaml/yaml.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "yaml/builder.h"
#include "yaml/encoding.h"
#include "yaml/json_reader.h"
#include "yaml/mistakes.h"
#include "yaml/scalar.h"

namespace driftbar::yaml {
namespace {

// Every exception of yaml-cpp and of the builder ends here.
void readDocuments(const Places& places, Builder& builder, Diagnostics& problems) {
  try {
    std::istringstream in{std::string(places.text())};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    problems.push_back(refusal.why);
  } catch (const YAML::Exception& e) {
    const auto offset = static_cast<std::size_t>(std::max(e.mark.pos, 0)) + places.markBytes();
    problems.push_back(
        inOurWords({e.msg, std::min(offset, places.text().size()), builder.openBracket()}, places));
  } catch (const std::exception& e) {
    problems.push_back(errorAt(places.at(0), "yaml-syntax", std::string("this cannot be read: ") + e.what()));
  }
}

}  // namespace

bool Node::isTrue() const {
  return kind == Kind::kBool && resolve(scalar).json == "true";
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.key.scalar == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Result<std::vector<Node>> parse(const Source& source) {
  const Places places(source);
  if (auto wrong = wrongEncoding(places)) return *std::move(wrong);
  if (looksLikeJson(places)) return readJson(places);
  Builder builder(places);
  Diagnostics syntax;
  readDocuments(places, builder, syntax);
  Diagnostics problems = builder.takeProblems();
  problems.insert(problems.end(), syntax.begin(), syntax.end());
  if (!problems.empty()) return problems;
  return builder.takeDocuments();
}

std::string_view describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kBool:
      return "true or false";
    case Node::Kind::kInteger:
    case Node::Kind::kReal:
      return "a number";
    case Node::Kind::kText:
      return "text";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

}  // namespace driftbar::yaml
