// THE TABLE OF COMMANDS.
#include "cli/commands.h"

namespace driftbar::cli {
namespace {

constexpr Command kCommands[] = {
    {"demo", "the main job on this machine, no cluster", "driftbar demo", declareDemo},
    {"explain", "where an object's pods could land, node by node, and what became of each rule",
     "driftbar explain -p policies/training-nodes/policy.yaml --inventory docs/examples/nodes.yaml \\\n"
     "    -f docs/examples/pods.yaml",
     declareExplain},
    {"explain-language", "what a word of the policy language means", "driftbar explain-language avoidNodes",
     declareExplainLanguage},
    {"lint", "loads policies and prints every error and warning",
     "driftbar lint policies/training-nodes/policy.yaml", declareLint},
    {"review", "what the gate would answer to objects or recorded reviews",
     "driftbar review -p policies/training-nodes/policy.yaml --inventory "
     "docs/examples/nodes.yaml \\\n"
     "    -f docs/examples/pods.yaml",
     declareReview},
    {"schema", "the JSON Schema of policies and the other documents, for editors", "driftbar schema",
     declareSchema},
    {"serve", "the webhook",
     "driftbar serve --policies policies/training-nodes/policy.yaml --inventory "
     "docs/examples/nodes.yaml "
     "\\\n    --self-signed /tmp/driftbar-certs --listen 127.0.0.1:8443 --ops-listen 127.0.0.1:8080",
     declareServe},
    {"test", "runs the PolicyTests beside policies", "driftbar test policies/training-nodes", declareTest},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace driftbar::cli
