#!/usr/bin/env python3
"""`driftbar schema` at a real validator: what loads is valid, what is of the wrong form is not."""

import unittest

import jsonschema
from documents import SOURCE, Place, blocks, documents, errors, is_ours, lint, printed_schema, validator, wrong

GOLDEN = SOURCE / "tests/golden/lint"
COPY = SOURCE / "docs/driftbar.schema.json"

# Mistakes that the form of a document does not show, by the reason.
UNSEEN = {
    "no YAML that a validator could be given": [
        "duplicate-key", "empty-file", "message-that-begins-with-a-brace", "name-without-blank", "nul-byte",
        "only-comments", "star-without-quotes", "tab", "too-deep",
    ],
    "a field path is text to a schema": [
        "bad-paths", "field-misspelt", "field-misspelt-in-an-element", "field-of-a-workload", "keys-in-single-quotes",
        "list-without-each", "map-as-a-list", "path-in-braces", "path-that-is-not-kept", "paths-of-other-systems", "some-without-a-list",
        "test-paths-that-are-none",
    ],
    "what a field can hold is not told by the policy": [
        "boolean-with-text", "field-of-a-single-value", "keys-of-a-single-value", "minutes-in-a-field-of-seconds", "test-on-another-type", "word-that-cannot-be",
    ],
    "a regular expression is text to a schema": [
        "bad-regex",
    ],
    "a message is text to a schema": [
        "nodes-in-a-rule-on-nodes", "placeholders-of-other-systems",
    ],
    "names are told by Kubernetes, not by the form": [
        "account-without-namespace", "glob-in-values", "impossible-label", "kind-with-bad-group-and-kind",
        "kinds-that-are-nearly-known", "resource-of-quotas", "resource-with-a-version",
        "annotation-that-is-no-version",
    ],
    "facts have names with brackets": [
        "fact-mistakes",
    ],
    "what `match` says decides": [
        "avoid-nodes-of-nodes", "kinds-in-the-place-of-resources", "node-subjects-in-deny", "nodes-and-pods-together",
        "nodes-of-a-workload", "only-the-request", "operations-that-cannot-be", "resources-of-all-kinds",
    ],
    "other documents, or other parts of this one, decide": [
        "class-without-pods", "documents-of-one-name", "duplicate-names", "exemption-of-unknown-rules",
        "kind-told-twice", "test-rule-of-a-policy-that-does-not-judge", "test-same-names",
        "test-unknown-policy", "test-unknown-rule", "test-verdict-and-rules-disagree",
    ],
    "each part is right, and together they make no sense": [
        "impossible-together",
    ],
}


def files(*folders):
    return sorted(path for folder in folders for path in (SOURCE / folder).rglob("*.yaml"))


class Schema(unittest.TestCase):
    maxDiff = 4000

    def test_the_schema_is_one(self):
        jsonschema.Draft7Validator.check_schema(validator().schema)

    def test_the_copy_that_editors_are_pointed_at_is_what_the_program_prints(self):
        self.assertTrue(printed_schema() == COPY.read_text(encoding="utf-8"),
                        f"`driftbar schema > {COPY.relative_to(SOURCE)}` writes it anew")

    def test_what_loads_is_valid(self):
        checked, seen = validator(), 0
        with Place() as place:
            for path in files("policies", "docs", "tests"):
                found = [one for one in documents(path.read_text(encoding="utf-8", errors="replace")) if is_ours(one)]
                said = lint(place, path)
                if not found or errors([one for of in said.values() for one in of]):
                    continue
                for document in found:
                    seen += 1
                    with self.subTest(path.relative_to(SOURCE)):
                        self.assertEqual(wrong(checked, document), [])
        self.assertGreater(seen, 40)

    def test_words_are_described_as_explain_language_does(self):
        schema = validator().schema
        places = {"": schema} | schema["definitions"]
        del places["labelSelector"]  # has Kubernetes' words
        described = [(f"{place}.{word}", word, one["description"].split("\n\n"))
                     for place, definition in places.items() for word, one in definition["properties"].items()]
        with Place() as place:
            explained = {word: place.shell(f"driftbar explain-language {word}").stdout.decode().splitlines()
                         for word in sorted({word for _, word, _ in described})}
        explained = {word: {line.strip() for line in lines} for word, lines in explained.items()}
        self.assertGreater(len(explained), 100)
        self.assertEqual([where for where, word, said in described if not explained[word].issuperset(said)], [])

    def test_what_the_documentation_shows_is_valid(self):
        checked, seen = validator(), 0
        for page in sorted((SOURCE / "docs").rglob("*.md")) + [SOURCE / "README.md"] + sorted(
                (SOURCE / "policies").rglob("*.md")):
            for document in blocks(page):
                seen += 1
                with self.subTest(f"{page.relative_to(SOURCE)}: {document['metadata']['name']}"):
                    self.assertEqual(wrong(checked, document), [])
        self.assertGreater(seen, 3)

    def test_mistakes_of_form_are_found(self):
        checked, found = validator(), set()
        with Place() as place:
            for folder in sorted(GOLDEN.iterdir()):
                if not errors([one for of in lint(place, folder / "policy.yaml").values() for one in of]):
                    continue
                text = (folder / "policy.yaml").read_text(encoding="utf-8", errors="replace")
                valid = all(not wrong(checked, one) for one in documents(text))
                if valid:
                    found.add(folder.name)
        self.assertEqual(sorted(found), sorted(case for unseen in UNSEEN.values() for case in unseen))


if __name__ == "__main__":
    unittest.main()
