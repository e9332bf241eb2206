#!/usr/bin/env python3
"""Every row of the tables says of its word what the loader takes beside it.

Beside each word, wherever it may stand, a sample of every form is written, and the document given to `driftbar lint`
and to the schema, which is made of the rows. What the schema refuses must not load; what it takes must load, or fail
for a reason that no row can say. And of each word at least one sample must load.
"""

import copy
import json
import unittest

from documents import OURS, Place, errors, lint, validator, wrong

LEAF = {"label": "a"}
ON_NODE = {"taint": "a"}
ELEMENT = {"field": "name", "equals": "a"}
OF_TAINT = {"field": "key", "equals": "a"}
SELECTOR = {"matchLabels": {"a": "b"}}

A_NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}
SAMPLES = [
    None, True, False, 0, 1, 5, 1.5, -1, "", "a", "5", "a b", "a/b", "*", "true", "True", "Unknown",
    [], ["a"], ["a", "b"], ["a/b"], [""], [5], [True], [None], [["a"]], [{}],
    {}, {"zzz": "a"}, {"a": 1}, [{"zzz": "a"}],
    "10m", "1h30m", "10", "2026-12-01T10:00:00Z", "2026-12-01", ">=1.2 <2", "1.2", "512Mi", "10%", "https://example.com",
    "name", "ports", "node.spec.taints", "spec.template", "pod.spec.hostNetwork", "node.metadata.labels", "pod.containers",
    ["pod.metadata.labels"], ["node.metadata.labels"],
    "enforce", "warn", "none", "any", "changes", "deny", "allow", "NoSchedule", "minor", "critical", "exec", "CREATE",
    "Delete", ["create", "Update"], "ranks", "object", "init", "pods", "training", "Job", "gpu", "drift", "unknown",
    "gpu.driver", "net.core.somaxconn", "nvidia.com/gpu", "/etc", "SYS_ADMIN", "pid", ["pid", "network"],
    "p/r", ["p/*"], "example.com", "RoundTable",
    OURS, "Policy", {"name": "the-only-one"}, {"rules": [{"name": "a", "deny": LEAF}]},
    LEAF, [LEAF], [LEAF, {"image": "a"}], ON_NODE, [ON_NODE], ELEMENT, [ELEMENT], OF_TAINT, {"exists": True}, [[LEAF]],
    SELECTOR, {"matchLabels": {"a": 1}}, {"matchLabels": ["a"]}, {"matchLabels": {}},
    {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
    {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "a", "operator": "In"}]},
    {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
    {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
    [{"key": "a", "operator": "Exists"}], [{"key": "a", "operator": "NotIn", "values": ["b"]}],
    {"users": "a"}, {"users": ["a"], "groups": []}, {"onOwnNode": True}, {"onOwnNode": False}, {"namespaces": "a"},
    [{"namespaces": "a"}], [{"names": ["a"]}, {}], {"resources": ["pods"]},
    {"key": "a", "value": 5}, {"key": "a", "effect": "NoExecute"}, {"effect": "No"}, [{"key": "a"}],
    {"class": "gpu", "severity": "minor"}, {"class": ["gpu"], "atLeast": "minor"}, {"class": "gpu"},
    {"path": "spec.replicas"}, {"path": "spec.replicas", "default": 2}, [2, {"path": "spec.replicas"}], [2, "spec.replicas"],
    [{"path": "spec.template"}], [{"path": "spec.template", "replicas": 3}],
    {"old": "a.yaml", "new": A_NAMESPACE}, {"old": "a.yaml", "new": {"kind": "Pod"}},
    {"old": "a.yaml"}, {"pod": "a.yaml", "subresource": "exec"},
    {"pod": "a.yaml", "node": "a"}, {"user": "a", "groups": ["b"]}, {"verdict": "deny"}, {"verdict": "deny", "rules": []},
    {"rules": []}, {"patched": {}}, {"atLeast": "major", "maxUnavailable": "10%"}, {"atLeast": "major", "maxUnavailable": 0},
    {"name": "a", "deny": LEAF}, [{"name": "a", "deny": LEAF}], [{"name": "a"}], [{"deny": LEAF}],
    [{"name": "a", "create": "a.yaml", "expect": {"verdict": "deny"}}], [{"name": "a", "create": "a.yaml"}],
    [dict(ON_NODE, drift={"class": "gpu", "severity": "minor"})],
]

# Reasons that go beyond the form of what stands beside a word.
BEYOND = {"never-matches", "bad-path", "bad-regex", "unknown-fact", "unknown-field", "unknown-rule", "wrong-subject",
          "no-resources", "contradiction", "workload-kind", "field-path", "duplicate-name", "bad-label-value"}

# Words beside which names stand that only a loader knows.
NAMES = {("match", "resources"), ("match", "workload")}


class Documents:
    """Documents with something at one place, each with names of its own."""

    def __init__(self):
        self.made = 0

    def name(self):
        self.made += 1
        return f"n{self.made}"

    def document(self, kind, spec):
        return {"apiVersion": OURS, "kind": kind, "metadata": {"name": self.name()}, "spec": spec}

    def policy(self, **spec):
        return self.document("Policy", {"rules": [{"name": "r", "deny": LEAF}]} | spec)

    def rule(self, **rule):
        return self.policy(rules=[{"name": "r"} | rule])

    def test(self, **spec):
        case = {"name": "c", "create": "a.yaml", "expect": {"verdict": "deny"}}
        return self.document("PolicyTest", {"cases": [case]} | spec)

    def case(self, **case):
        request = {} if set(case) & {"create", "update", "delete", "connect", "bind", "review"} else {"create": "a.yaml"}
        return self.test(cases=[{"name": "c", "expect": {"verdict": "deny"}} | request | case])

    def workload_class(self, **spec):
        return self.document("WorkloadClass", {"sensitiveTo": []} | spec)

    def workload_kind(self, **spec):
        return self.document("WorkloadKind", {"group": f"{self.name()}.example.com", "kind": "RoundTable",
                                              "templates": [{"path": "spec.template"}]} | spec)

    def exemption(self, **spec):
        return self.document("Exemption", {"reason": "a", "expires": "2999-01-01", "rules": ["*"],
                                           "match": {"namespaces": "a"}} | spec)

    def baseline(self, **spec):
        leaf = dict(ON_NODE, drift={"class": "gpu", "severity": "minor"})
        return self.document("NodeBaseline", {"nodes": {}, "expect": [leaf]} | spec)

    def expectation(self, **leaf):
        return self.baseline(expect=[{"drift": {"class": "gpu", "severity": "minor"}} | leaf])

    def whole(self, **keys):
        return self.policy() | keys


# What stands beside a word of a condition so that it makes sense; the subject is the word itself where it is one.
BESIDE = {
    "field": {"exists": True}, "rankEnv": {"agree": True}, "some": {"where": ELEMENT}, "every": {"where": ELEMENT},
    "where": {"some": "pod.containers"}, "agree": {"env": "A"}, "of": {"image": "a"}, "containers": {"image": "a"},
    "readOnly": {"hostPath": "/a"}, "keys": {"changed": "pod.metadata.labels"}, "notKeys": {"changed": "pod.metadata.labels"},
}
TESTS = {"exists", "equals", "notEquals", "in", "notIn", "matches", "notMatches", "startsWith", "endsWith", "contains",
         "atLeast", "atMost", "moreThan", "lessThan", "version", "agree", "for"}


def condition(word, sample, test_of, beside=None):
    own = BESIDE.get(word, {}) if word not in TESTS else {}
    if word in TESTS and word != "agree" or word == "agree" and test_of:
        own = dict(test_of)
    elif word == "agree":
        own = BESIDE["agree"]
    return {word: sample} | (beside or own)


def hosts(made):
    """For each definition of the schema: a document in which `word: sample` stands where the definition is meant."""
    def in_rule(word, sample):
        beside = {"deny": LEAF}
        if word in ("deny", "require", "avoidNodes"):
            beside = {}
        elif word in ("steer", "minSafe", "when", "staleInventory"):
            beside = {"avoidNodes": ON_NODE}
        return made.rule(**(beside | {word: sample}))

    def in_deny(word, sample):
        if word == "for":
            return made.policy(match={"resources": ["nodes"]},
                               rules=[{"name": "r", "deny": {"condition": "Ready", "for": sample}}])
        if word in ("taint", "condition", "fact", "drift"):
            return made.policy(match={"resources": ["nodes"]}, rules=[{"name": "r", "deny": {word: sample}}])
        if word == "requestedBy":
            return made.policy(match={"resources": ["pods"]}, rules=[{"name": "r", "deny": {word: sample}}])
        return made.rule(deny=condition(word, sample, LEAF if word != "agree" else None))

    def on_node(word, sample):
        own = {"condition": "Ready"} if word == "for" else {"fact": "gpu.driver"}
        beside = {"some": {"where": OF_TAINT}, "every": {"where": OF_TAINT}, "where": {"some": "node.spec.taints"}}
        return made.rule(avoidNodes=condition(word, sample, own, beside.get(word)))

    def on_element(word, sample):
        beside = {"where": {"some": "ports"}, "of": ELEMENT}
        leaf = condition(word, sample, {"field": "name"}, beside.get(word))
        return made.rule(deny={"some": "pod.containers", "where": leaf})

    def on_pod(word, sample):
        return made.workload_class(all=[condition(word, sample, LEAF if word != "agree" else None)])

    def in_class(word, sample):
        if word == "sensitiveTo":
            return made.workload_class(**(LEAF | {word: sample}))
        return made.workload_class(**condition(word, sample, LEAF if word != "agree" else None))

    def in_expectation(word, sample):
        if word == "drift":
            return made.expectation(**(ON_NODE | {word: sample}))
        if word in ("uniform", "absent"):
            return made.expectation(**({"label": "a"} | {word: sample}))
        own = {"condition": "Ready"} if word == "for" else {"fact": "gpu.driver"}
        return made.expectation(**condition(word, sample, own))

    def with_selector(word, sample):
        return made.policy(match={"labelSelector": {word: sample}})

    return {
        "": lambda word, sample: made.whole(**{word: sample}),
        "metadata": lambda word, sample: made.whole(metadata={"name": made.name()} | {word: sample}),
        "spec": lambda word, sample: made.policy(**{word: sample}),
        "match": lambda word, sample: made.policy(match={word: sample}),
        "rule": in_rule,
        "condition": in_deny,
        "conditionOnNode": on_node,
        "conditionOnElement": on_element,
        "conditionOnPod": on_pod,
        "labelSelector": with_selector,
        "requestedBy": lambda word, sample: made.policy(match={"requestedBy": {word: sample}}),
        "taint": lambda word, sample: made.rule(avoidNodes={"taint": {"key": "a"} | {word: sample}}),
        "drift": lambda word, sample: made.rule(avoidNodes={"drift": {word: sample}}),
        "specOfAPolicyTest": lambda word, sample: made.test(**{word: sample}),
        "case": lambda word, sample: made.case(**{word: sample}),
        "update": lambda word, sample: made.case(update={"old": "a.yaml", "new": "a.yaml"} | {word: sample}),
        "connect": lambda word, sample: made.case(connect={"pod": "a.yaml", "subresource": "exec"} | {word: sample}),
        "bind": lambda word, sample: made.case(bind={"pod": "a.yaml", "node": "a"} | {word: sample}),
        "as": lambda word, sample: made.case(**{"as": {word: sample}}),
        "expect": lambda word, sample: made.case(expect={word: sample}),
        "specOfAWorkloadClass": in_class,
        "specOfAWorkloadKind": lambda word, sample: made.workload_kind(**{word: sample}),
        "templates": lambda word, sample: made.workload_kind(templates=[{"path": "spec.template"} | {word: sample}]),
        "replicas": lambda word, sample: made.workload_kind(
            templates=[{"path": "spec.template", "replicas": {"path": "spec.replicas"} | {word: sample}}]),
        "specOfAnExemption": lambda word, sample: made.exemption(**{word: sample}),
        "specOfANodeBaseline": lambda word, sample: made.baseline(**{word: sample}),
        "nodes": lambda word, sample: made.baseline(nodes={word: sample}),
        "expectOfANodeBaseline": in_expectation,
        "driftOfAnExpectation": lambda word, sample: made.expectation(
            **(ON_NODE | {"drift": {"class": "gpu", "severity": "minor"} | {word: sample}})),
        "quarantine": lambda word, sample: made.baseline(
            quarantine={"atLeast": "minor", "maxUnavailable": 1} | {word: sample}),
    }


def places(schema):
    """The documents that definitions stand in, and the definitions, each by the name."""
    found, definitions = hosts(Documents()), {"": schema} | schema["definitions"]
    assert sorted(found) == sorted(definitions), set(found) ^ set(definitions)
    return found, definitions


def cases(schema):
    """(definition, word, sample, document) for every word of the schema and every sample."""
    found, definitions = places(schema)
    for place, definition in definitions.items():
        for word in definition["properties"]:
            for sample in SAMPLES:
                yield place, word, sample, found[place](word, copy.deepcopy(sample))


def elsewhere(schema, loaded):
    """The same for the words of conditions that one definition has and another lacks, each with something that loads
    where it is known; `loaded` is that by definition and word."""
    found, definitions = places(schema)
    conditions = {place: one["properties"] for place, one in definitions.items() if "exists" in one["properties"]}
    for place, known in conditions.items():
        for other, words in conditions.items():
            for word in sorted(set(words) - set(known)):
                sample = loaded[other, word]
                yield place, word, sample, found[place](word, copy.deepcopy(sample))


def with_of(schema, loaded):
    """The same for `of`, of which the words depend on the subject that it stands beside."""
    found, definitions = places(schema)
    for (place, word), sample in loaded.items():
        if "of" in definitions[place]["properties"] and word != "of":
            for of in definitions["condition"]["properties"]["of"]["enum"]:
                document = found[place](word, copy.deepcopy(sample))
                holder(document, word)["of"] = of
                yield place, f"{word} and of", of, document


def holder(value, word):
    """The innermost map that has the word."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    within = next((one for part in parts if (one := holder(part, word)) is not None), None)
    return value if within is None and isinstance(value, dict) and word in value else within


def said_of(documents):
    """What lint says of each document, judged in a file of its own, some hundred files a run."""
    said = {}
    for begin in range(0, len(documents), 400):
        with Place() as place:
            place.write("some/unnamed.yaml", json.dumps(Documents().policy(description="so that the folder has one")))
            for number, document in enumerate(documents[begin:begin + 400], begin):
                place.write(f"some/{number}.yaml", json.dumps(document))
            found = lint(place, "some")
        for name, findings in found.items():
            skipped = [one for one in findings if one["id"] == "other-api"]
            said[name] = [one["id"] + ": " + one["message"] for one in errors(findings) + skipped]
    return [said.get(f"{number}.yaml", []) for number in range(len(documents))]


class Samples(unittest.TestCase):
    maxDiff = None

    def judge(self, checked, rows):
        """Holds the schema's word on each document against the loader's; what loads, by definition and word."""
        loaded, differ = {}, []
        for (place, word, sample, document), problems in zip(rows, said_of([document for *_, document in rows])):
            against = wrong(checked, document)
            if not problems and not against:
                loaded.setdefault((place, word), sample)
            reasons = BEYOND | ({"unknown-word", "unknown-class"} if (place, word) in NAMES else set())
            beyond = all(one.split(":")[0] in reasons for one in problems)
            if against and not problems:
                differ.append(f"{place}.{word}: {json.dumps(sample)} loads, and the schema says {against[0]}")
            elif problems and not against and not beyond:
                differ.append(f"{place}.{word}: {json.dumps(sample)} is valid, and lint says {problems[0]}")
        self.assertEqual(differ, [])
        return loaded

    def test_the_loader_takes_what_the_rows_say(self):
        checked = validator()
        rows = list(cases(checked.schema))
        self.assertGreater(len(rows), 40000)
        loaded = self.judge(checked, rows)
        self.assertEqual(sorted({(place, word) for place, word, *_ in rows} - set(loaded)), [])

        foreign = list(elsewhere(checked.schema, loaded))
        self.assertGreater(len(foreign), 100)
        self.assertEqual(self.judge(checked, foreign), {})

        restricted = list(with_of(checked.schema, loaded))
        self.assertGreater(len(restricted), 500)
        self.assertGreater(len(self.judge(checked, restricted)), 20)


if __name__ == "__main__":
    unittest.main()
