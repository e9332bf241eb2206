// The functions of the rows of the table of subjects, by file: subject_pairs (label, annotation),
// subject_nodes (taint, condition), subject_facts (fact, a node's sysctl, drift), subject_env,
// subject_rank_env, subject_containers (image, capability, privileged), subject_host (hostPath, a pod's
// sysctl), subject_pods (canLandOn, resource, hostNamespace), subject_requests (field, changed, requestedBy).
// What each kind of function is for: SubjectRow.
#pragma once

#include "policy/subject_table.h"

namespace driftbar::policy::subjects {

#define DRIFTBAR_SUBJECT_PARSE(name) \
  std::optional<Argument> name(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems)
#define DRIFTBAR_SUBJECT_VALUES(name) void name(const Argument& argument, const Scope& scope, Seen& seen)
#define DRIFTBAR_SUBJECT_WORDS(name) \
  std::string name(const Argument& argument, const Value& value, const Scope& scope)
#define DRIFTBAR_SUBJECT_MUST(name) std::string name(const Argument& argument, bool holds)

// Labels and annotations.
DRIFTBAR_SUBJECT_PARSE(parsePairs);
DRIFTBAR_SUBJECT_VALUES(labelValues);
DRIFTBAR_SUBJECT_WORDS(labelPlace);
DRIFTBAR_SUBJECT_WORDS(labelNoun);
DRIFTBAR_SUBJECT_VALUES(annotationValues);
DRIFTBAR_SUBJECT_WORDS(annotationPlace);
DRIFTBAR_SUBJECT_WORDS(annotationNoun);

// Nodes.
DRIFTBAR_SUBJECT_PARSE(parseTaint);
DRIFTBAR_SUBJECT_VALUES(taintValues);
DRIFTBAR_SUBJECT_WORDS(taintPlace);
DRIFTBAR_SUBJECT_WORDS(taintNoun);
DRIFTBAR_SUBJECT_WORDS(taintSentence);
DRIFTBAR_SUBJECT_PARSE(parseCondition);
DRIFTBAR_SUBJECT_VALUES(conditionValues);
DRIFTBAR_SUBJECT_WORDS(conditionPlace);
DRIFTBAR_SUBJECT_WORDS(conditionNoun);

DRIFTBAR_SUBJECT_PARSE(parseFact);
DRIFTBAR_SUBJECT_VALUES(factValues);
DRIFTBAR_SUBJECT_WORDS(factPlace);
DRIFTBAR_SUBJECT_WORDS(factNoun);
DRIFTBAR_SUBJECT_WORDS(factSentence);
DRIFTBAR_SUBJECT_PARSE(parseNodeSysctl);
DRIFTBAR_SUBJECT_VALUES(nodeSysctlValues);
DRIFTBAR_SUBJECT_WORDS(nodeSysctlPlace);
DRIFTBAR_SUBJECT_WORDS(nodeSysctlSentence);
DRIFTBAR_SUBJECT_PARSE(parseDrift);
DRIFTBAR_SUBJECT_VALUES(driftValues);
DRIFTBAR_SUBJECT_WORDS(driftPlace);
DRIFTBAR_SUBJECT_WORDS(driftNoun);
DRIFTBAR_SUBJECT_MUST(driftMust);

// Pods.
DRIFTBAR_SUBJECT_PARSE(parseCanLandOn);
DRIFTBAR_SUBJECT_VALUES(canLandOnValues);
DRIFTBAR_SUBJECT_WORDS(canLandOnPlace);
DRIFTBAR_SUBJECT_WORDS(canLandOnNoun);
DRIFTBAR_SUBJECT_WORDS(canLandOnSentence);
DRIFTBAR_SUBJECT_MUST(canLandOnMust);

DRIFTBAR_SUBJECT_PARSE(parseResource);
DRIFTBAR_SUBJECT_VALUES(resourceValues);
DRIFTBAR_SUBJECT_WORDS(resourcePlace);
DRIFTBAR_SUBJECT_WORDS(resourceNoun);
DRIFTBAR_SUBJECT_WORDS(resourceSentence);
DRIFTBAR_SUBJECT_PARSE(parseHostNamespace);
DRIFTBAR_SUBJECT_VALUES(hostNamespaceValues);
DRIFTBAR_SUBJECT_WORDS(hostNamespaceNoun);
DRIFTBAR_SUBJECT_WORDS(hostNamespaceSentence);
DRIFTBAR_SUBJECT_MUST(hostNamespaceMust);
DRIFTBAR_SUBJECT_PARSE(parseHostPath);
DRIFTBAR_SUBJECT_VALUES(hostPathValues);
DRIFTBAR_SUBJECT_WORDS(hostPathNoun);
DRIFTBAR_SUBJECT_WORDS(hostPathSentence);
DRIFTBAR_SUBJECT_PARSE(parsePodSysctl);
DRIFTBAR_SUBJECT_VALUES(podSysctlValues);
DRIFTBAR_SUBJECT_WORDS(sysctlNoun);  // of pods and nodes
DRIFTBAR_SUBJECT_WORDS(podSysctlSentence);
DRIFTBAR_SUBJECT_MUST(podSysctlMust);

// Containers.
DRIFTBAR_SUBJECT_PARSE(parseEnv);
DRIFTBAR_SUBJECT_VALUES(envValues);
DRIFTBAR_SUBJECT_WORDS(envPlace);
DRIFTBAR_SUBJECT_WORDS(envNoun);
DRIFTBAR_SUBJECT_PARSE(parseRankEnv);
DRIFTBAR_SUBJECT_VALUES(rankEnvValues);
DRIFTBAR_SUBJECT_WORDS(rankEnvNoun);
DRIFTBAR_SUBJECT_PARSE(parseImage);
DRIFTBAR_SUBJECT_VALUES(imageValues);
DRIFTBAR_SUBJECT_WORDS(imageNoun);
DRIFTBAR_SUBJECT_MUST(nameMust);  // of subjects whose words are names of what is there
DRIFTBAR_SUBJECT_PARSE(parseCapability);
DRIFTBAR_SUBJECT_VALUES(capabilityValues);
DRIFTBAR_SUBJECT_WORDS(capabilityPlace);
DRIFTBAR_SUBJECT_WORDS(capabilityNoun);
DRIFTBAR_SUBJECT_WORDS(capabilitySentence);
DRIFTBAR_SUBJECT_MUST(capabilityMust);
DRIFTBAR_SUBJECT_PARSE(parsePrivileged);
DRIFTBAR_SUBJECT_VALUES(privilegedValues);
DRIFTBAR_SUBJECT_WORDS(privilegedNoun);
DRIFTBAR_SUBJECT_WORDS(privilegedSentence);
DRIFTBAR_SUBJECT_MUST(privilegedMust);

// Any object, and the request.
DRIFTBAR_SUBJECT_PARSE(parseField);
DRIFTBAR_SUBJECT_VALUES(fieldValues);
DRIFTBAR_SUBJECT_WORDS(trailPlace);  // of every subject whose values have a trail
DRIFTBAR_SUBJECT_WORDS(fieldSentence);
DRIFTBAR_SUBJECT_PARSE(parseChanged);
DRIFTBAR_SUBJECT_VALUES(changedValues);
DRIFTBAR_SUBJECT_WORDS(changedNoun);
DRIFTBAR_SUBJECT_WORDS(changedSentence);
DRIFTBAR_SUBJECT_MUST(changedMust);
DRIFTBAR_SUBJECT_PARSE(parseRequestedBy);
DRIFTBAR_SUBJECT_VALUES(requestedByValues);
DRIFTBAR_SUBJECT_WORDS(requestedByPlace);
DRIFTBAR_SUBJECT_WORDS(requestedByNoun);
DRIFTBAR_SUBJECT_WORDS(requestedBySentence);
DRIFTBAR_SUBJECT_MUST(requestedByMust);

// Shared by env and rankEnv: names or globs of variables, with `containers` and `of`.
std::optional<Argument> variablesBeside(const syntax::Leaf& leaf, std::string_view of,
                                        std::span<const std::string_view> ofWords, Problems& problems);

}  // namespace driftbar::policy::subjects
