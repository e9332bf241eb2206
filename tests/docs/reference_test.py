#!/usr/bin/env python3
"""docs/reference: every example of the language loads without a word, and what it says is not there is refused so."""

import json
import re
import unittest

from page import SOURCE, Page, Place

POLICY = Page("docs/reference/policy.md")
CLI = Page("docs/reference/cli.md")
# In enforce a rule that labels cannot say is told that it steers by name, which no example is about.
FRAME = """apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: example}
spec:
  mode: warn
  match: {resources: [pods]}
  rules:
"""
RULE = "    - {name: a, deny: {label: x}}\n"


SHIPPED = SOURCE / "policies/training-nodes/policy.yaml"


def whole(example):
    """An example is a document, or rules of one."""
    kind = re.search(r"^kind: (\w+)$", example, re.MULTILINE)
    if kind and kind[1] not in ("Policy", "PolicyTest"):
        # The others need a policy beside them, and an exemption one that ends some day.
        return example.replace("2026-12-24", "2999-12-24") + "---\n" + SHIPPED.read_text(encoding="utf-8")
    if kind:
        return example
    assert example.startswith("- name:"), example
    # Of what pods and nodes have alike, `match` says which are meant.
    frame = FRAME.replace("[pods]", "[nodes]") if "changed: node." in example else FRAME
    return frame + "".join(f"    {line}\n" for line in example.splitlines())


class Language(unittest.TestCase):
    def test_every_example_loads_without_a_word(self):
        examples = POLICY.blocks("yaml")
        self.assertGreater(len(examples), 4)
        for example in examples:
            with self.subTest(example.splitlines()[0]), Place() as place:
                place.write("policy.yaml", whole(example))
                ran = place.shell("driftbar lint policy.yaml -o json")
                told = [row["id"] for row in json.loads(ran.stdout)]
                self.assertEqual(told, ["not-judged"] if "kind: NodeBaseline" in example else [])

    def test_the_example_of_a_test_passes(self):
        (example,) = POLICY.blocks("yaml", "Tests of policies")
        with Place() as place:
            place.write("own/test.yaml", example)
            ran = place.shell("driftbar test own policies/training-nodes --run 'pinned to a drifted node'")
        self.assertEqual((ran.returncode, ran.stdout.decode()), (0, "2 passed, 0 failed\n"), ran.stderr.decode())

    def test_examples_of_subjects_and_tests_load(self):
        rows = re.findall(r"^\| `\w+` \| .* \| `(\{.*\})` \|$", POLICY.section("Subjects"), re.MULTILINE)
        self.assertGreater(len(rows), 4)
        for leaf in rows:
            of_nodes = re.match(r"\{(taint|condition|fact|drift|sysctl: net.core.rmem_max)\b", leaf)
            verb = "avoidNodes" if of_nodes else "deny"
            with self.subTest(leaf), Place() as place:
                place.write("policy.yaml", whole(f"- name: a\n  {verb}: {leaf}\n"))
                ran = place.shell("driftbar lint policy.yaml --warnings-as-errors")
                self.assertEqual(ran.returncode, 0, ran.stdout.decode())

    def test_what_is_not_there_is_refused_as_not_there(self):
        lines = [line for line in POLICY.section("Not in this version").splitlines() if line.startswith("- ")]
        words = {line[2:].split(":")[0]: re.findall(r"`(\w[\w-]*)`", line) for line in lines}
        texts = {
            "subjects": lambda word: whole(f"- name: a\n  deny: {{{word}: x}}\n"),
            "tests": lambda word: whole(f"- name: a\n  deny: {{label: x, {word}: true}}\n"),
            "beside subjects": lambda word: whole(f"- name: a\n  deny: {{label: x, {word}: y}}\n"),
            "in a rule": lambda word: whole(f"- name: a\n  deny: {{label: x}}\n  {word}: y\n"),
            "in spec": lambda word: FRAME.replace("  rules:", f"  {word}: x\n  rules:") + RULE,
            "in requestedBy": lambda word: whole(f"- name: a\n  deny: {{requestedBy: {{{word}: true}}}}\n"),
            "workload classes": lambda word: FRAME.replace("[pods]", f"[pods], workload: {word}") + RULE,
            "documents": lambda word: FRAME.replace("kind: Policy", f"kind: {word}") + RULE,
        }
        self.assertLessEqual(set(words), set(texts))
        for of, names in words.items():
            for word in names:
                with self.subTest(f"{of}: {word}"), Place() as place:
                    place.write("policy.yaml", texts[of](word))
                    ran = place.shell("driftbar lint policy.yaml")
                    self.assertIn("[not-yet]", ran.stdout.decode())


class CommandLine(unittest.TestCase):
    def test_the_keys_of_a_review_are_those_told(self):
        with Place() as place:
            ran = place.shell("driftbar review -p policies/training-nodes -f docs/examples/pods.yaml -o yaml")
        printed = set(re.findall(r"^[- ] (\w+):", ran.stdout.decode(), re.MULTILINE))
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", CLI.section("review"), re.MULTILINE)
        told = set(re.findall(r"`(\w+)`", " ".join(rows)))
        self.assertEqual(told, printed)

    def test_the_keys_of_an_explanation_are_those_told(self):
        with Place() as place:
            ran = place.shell("driftbar explain -p policies/training-nodes/policy.yaml -f docs/examples/pods.yaml -o json || true")
        printed = json.loads(ran.stdout)[0]
        of_review = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", CLI.section("review"), re.MULTILINE))))
        told = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", CLI.section("explain"), re.MULTILINE))
        self.assertEqual(set(told), set(printed) - of_review)
        self.assertLessEqual(set(printed["pods"][0]), set(re.findall(r"`(\w+)`", told["pods"])))
        self.assertEqual(set(printed["ruleStates"][0]), set(re.findall(r"`(\w+)`", told["ruleStates"])))

    def test_the_keys_of_a_test_are_those_told(self):
        with Place() as place:
            ran = place.shell("driftbar test tests/data/teams-failing -o json || true")
        printed = json.loads(ran.stdout)
        told = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", CLI.section("test"), re.MULTILINE))
        self.assertEqual(sorted(told), sorted(printed))
        for key in ("cases", "coverage"):
            names = sorted({name for row in printed[key] for name in row})
            self.assertEqual(sorted(re.findall(r"`(\w+)`", told[key])), names)

    def test_the_keys_of_a_finding_are_those_told(self):
        with Place() as place:
            place.write("a.yaml", "nonsense\n")
            ran = place.shell("driftbar lint a.yaml -o yaml")
        printed = re.findall(r"^[- ] (\w+):", ran.stdout.decode(), re.MULTILINE)
        self.assertIn("{" + ", ".join(printed) + "}", CLI.section("lint"))


if __name__ == "__main__":
    unittest.main()
