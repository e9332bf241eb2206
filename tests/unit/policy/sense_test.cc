// What sense must not say: rules that look like a mistake and are none, each beside the mistake that it
// resembles. The mistakes themselves are rows of tests/golden/lint.
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

struct Right {
  std::string_view what;
  std::string_view spec;
};

constexpr Right kRight[] = {
    {"another value of the condition",
     "  rules: [{name: a, deny: {label: x}}, {name: b, deny: {label: w}}]\n"},
    {"another verb", "  rules: [{name: a, deny: {label: x}}, {name: b, require: {label: x}}]\n"},
    {"more safe nodes in a warning",
     "  rules:\n    - {name: a, avoidNodes: {label: x}}\n"
     "    - {name: b, mode: warn, avoidNodes: {label: x}, minSafe: 3}\n"},
    {"unknown values in another way",
     "  rules:\n    - {name: a, deny: {label: x}, onUnknown: deny}\n"
     "    - {name: b, mode: warn, deny: {label: x}, onUnknown: allow}\n"},
    {"a warning beside a record",
     "  rules:\n    - {name: a, mode: warn, deny: {label: x}}\n"
     "    - {name: b, mode: audit, deny: {label: x}}\n"},
    {"an exception that is narrower",
     "  match: {namespaces: [\"ml-*\"]}\n  except: [{namespaces: [ml-a]}, {namespaces: [\"ml-*-x\"]}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of fewer people",
     "  match: {requestedBy: {groups: [a, b]}}\n  except: [{requestedBy: {groups: [a]}}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of all namespaces, where some things have none",
     "  except: [{namespaces: [\"*\"]}]\n  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of all resources, which have no exec",
     "  match: {resources: [pods/exec]}\n  except: [{resources: [\"*\"]}]\n"
     "  rules: [{name: a, require: {requestedBy: {groups: [oncall]}}}]\n"},
    {"an exception of one operation",
     "  except: [{operations: [create]}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"two labels", "  rules: [{name: a, deny: [{label: x, equals: a}, {label: w, equals: b}]}]\n"},
    {"labels of two objects",
     "  rules: [{name: a, deny: [{label: x, equals: a}, {label: x, of: namespace, equals: b}]}]\n"},
    {"lists that share a value",
     "  rules: [{name: a, deny: [{label: x, in: [a, b]}, {label: x, in: [b, c]}]}]\n"},
    {"a list less some of it",
     "  rules: [{name: a, deny: [{label: x, in: [a, b]}, {label: x, notEquals: a}]}]\n"},
    {"there, and another one", "  rules: [{name: a, deny: {label: x, exists: true, notEquals: done}}]\n"},
    {"absent or another one",
     "  rules: [{name: a, deny: {any: [{label: x, exists: false}, {label: x, notEquals: a}]}}]\n"},
    {"two values, either of them",
     "  rules: [{name: a, deny: {any: [{label: x, equals: a}, {label: x, equals: b}]}}]\n"},
    {"two values, of containers of which there are many",
     "  rules:\n    - name: a\n      deny:\n"
     "        - {field: \"pod.spec.containers[*].image\", equals: a}\n"
     "        - {field: \"pod.spec.containers[*].image\", equals: b}\n"},
    {"two values, of globs that stand for many labels",
     "  rules: [{name: a, deny: [{label: \"x/*\", equals: a}, {label: \"x/*\", equals: b}]}]\n"},
    {"not written, and the default",
     "  rules:\n    - name: a\n      deny:\n        - {field: pod.spec.hostNetwork, exists: false}\n"
     "        - {field: pod.spec.hostNetwork, equals: false}\n"},
    {"one number in two forms",
     "  rules:\n    - name: a\n      deny:\n        - {field: pod.spec.priority, equals: 8}\n"
     "        - {field: pod.spec.priority, equals: \"8\"}\n"},
    {"a name that a template does not have",
     "  rules: [{name: a, deny: {field: pod.metadata.name, exists: true}}]\n"},
    {"a container that may be missing",
     "  rules: [{name: a, require: {field: 'pod.spec.containers[\"trainer\"].name', exists: true}}]\n"},
    {"init containers that may be missing",
     "  rules: [{name: a, deny: {field: \"pod.spec.initContainers[*].name\", exists: true}}]\n"},
    {"what is always there, and more of it",
     "  rules:\n    - name: a\n      deny: [{field: pod.spec.containers, exists: true}, {label: x}]\n"},
    {"one kind of what is always there",
     "  rules: [{name: a, deny: {field: \"pod.containers[*].name\", equals: trainer}}]\n"},
};

TEST(Sense, SaysNothingOfWhatIsRight) {
  for (const auto& row : kRight) EXPECT_EQ(render(loadText(policyOf(row.spec)).diagnostics), "") << row.what;
}

// Rules from the cookbook, without the words that this version does not have (breakGlass, set, steer).
constexpr std::string_view kCookbook[] = {
    R"(  match: {workload: training}
  rules:
    - name: bad-node
      avoidNodes:
        any:
          - {label: health, equals: bad}
          - {condition: GPUMissing, equals: "True", for: 10m}
)",
    R"(  mode: warn
  match: {workload: training}
  rules:
    - name: prefer-healthy
      avoidNodes: {label: driftbar.io/drift, exists: true}
)",
    R"(  match: {resources: [nodes], labelSelector: {matchLabels: {pool: h100}}}
  except:
    - requestedBy: {serviceAccounts: [gpu-operator/gpu-operator], groups: [node-admins]}
  rules:
    - name: labels
      deny: {changed: node.metadata.labels, keys: ["nvidia.com/*", pool]}
    - name: taints
      deny: {changed: node.spec.taints}
)",
    R"(  match: {namespaces: ["ml-*"]}
  except:
    - podServiceAccounts: [ml-tools/profiler]
  rules:
    - name: privileged
      require: {privileged: false}
)",
    R"(  match: {workload: training}
  rules:
    - name: host-paths
      require: {hostPath: [/mnt/data*, /dev/shm*]}
    - name: registry
      require: {image: "registry.corp.example/*"}
)",
    R"(  match: {workload: rdma-training}
  rules:
    - name: hca
      require: {env: NCCL_IB_HCA}
    - name: debug-left-on
      mode: warn
      deny: {env: NCCL_DEBUG, matches: "(?i)info|trace"}
    - name: same-on-every-rank
      require: {rankEnv: ["NCCL_*", "FI_*"], agree: true}
    - name: same-image
      require: {field: "ranks[*].spec.containers[0].image", agree: true}
)",
    R"(  match: {workload: training}
  rules:
    - name: driver
      avoidNodes: {not: {fact: gpu.driver, version: ">=550.54 <560"}}
      steer: required
)",
    R"(  match: {resources: [pods/exec, pods/attach], workload: training}
  rules:
    - name: exec
      require: {requestedBy: {groups: [oncall]}}
      fix: "ask #oncall, or set driftbar.io/break-glass on the pod if you are in sre"
)",
    R"(  mode: warn
  match: {workload: training}
  rules:
    - name: whole-node
      deny:
        - canLandOn: {matchLabels: {pool: h100}}
        - {resource: nvidia.com/gpu, lessThan: 8}
)",
    R"(  match: {resources: [pods]}
  except:
    - requestedBy: {groups: [node-admins]}
  rules:
    - name: host-shell
      deny:
        - {field: pod.spec.nodeName, exists: true}
        - any:
            - hostNamespace: [pid, ipc, network]
            - hostPath: [/, "/etc*", "/proc*", "/sys*", "/var/lib/kubelet*"]
)",
    R"(  match: {namespaces: ["ml*"]}
  rules:
    - name: tolerates-all
      deny:
        some: pod.spec.tolerations
        where:
          - {field: operator, equals: Exists}
          - {field: key, in: [""]}
)",
    R"(  except:
    - namespaces: [kube-system, gpu-operator, network-operator]
  rules:
    - name: sysctl-write
      deny:
        some: pod.containers
        where:
          - {field: securityContext.privileged, equals: true}
          - {field: command, contains: sysctl}
    - name: unsafe-sysctl
      deny: {sysctl: unsafe}
)",
    R"(  match: {kinds: [JobSet, PyTorchJob, RayJob], namespaces: ["research-*"]}
  rules:
    - name: whole-nodes
      require: {resource: nvidia.com/gpu, equals: 8, of: ranks}
    - name: cost-centre
      require: {label: cost-center, of: object}
)",
    R"(  match: {workload: training}
  rules:
    - name: upgrading
      avoidNodes: {label: nvidia.com/gpu-driver-upgrade-state, exists: true, notEquals: upgrade-done}
)",
    R"(  mode: warn
  match: {workload: training}
  rules:
    - name: few-left
      avoidNodes: {drift: {atLeast: major}}
      minSafe: 3
)",
    R"(  match: {workload: training}
  rules:
    - name: transports-off
      deny: {env: ["NCCL_P2P_DISABLE", "NCCL_IB_DISABLE"], containers: ["*"]}
      onUnknown: allow
)"};

TEST(Sense, SaysNothingOfTheCookbook) {
  std::vector<Source> sources;
  for (const auto spec : kCookbook) {
    const std::string number = std::to_string(sources.size());
    sources.push_back(makeSource(number + ".yaml", policyOf(spec, "p" + number)));
  }
  EXPECT_EQ(render(load(sources).diagnostics), "");
}

TEST(Sense, TellsRulesOfTwoPoliciesApartByWhatTheyLookAt) {
  const std::string rule = "  rules: [{name: r, deny: {label: x}}]\n";
  const auto said = [&](std::string_view match, std::string_view except) {
    const auto text = policyOf("  match: {workload: training}\n" + rule, "a") + "---\n" +
                      policyOf(std::string(match) + std::string(except) + rule, "b");
    return loadText(text).diagnostics.size();
  };
  EXPECT_EQ(said("  match: {workload: training}\n", ""), 1U);
  EXPECT_EQ(said("  match: {workload: rdma-training}\n", ""), 0U);
  EXPECT_EQ(said("", ""), 0U);
  EXPECT_EQ(said("  match: {workload: training}\n", "  except: [{namespaces: [a]}]\n"), 0U);
}

}  // namespace
}  // namespace driftbar::policy
