#!/usr/bin/env python3
"""What an editor shows of a document: yaml-language-server with the schema that the program prints.

The server is the npm package that scripts/deps.sh puts into build/tools; it speaks over its standard input and
output, and has nothing to fetch.
"""

import json
import queue
import re
import subprocess
import threading
import unittest

from documents import SOURCE, Place, printed_schema

SERVER = SOURCE / "build/tools/node/node_modules/yaml-language-server/bin/yaml-language-server"
QUICKSTART = SOURCE / "docs/quickstart.md"
PATIENCE = 60  # seconds; an answer takes a few hundredths of one


class Server:
    """A running language server that knows the schema."""

    def __init__(self, place):
        if not SERVER.exists():
            raise AssertionError(f"{SERVER.relative_to(SOURCE)} is missing: scripts/deps.sh test puts it there")
        schema = place.write("driftbar.schema.json", printed_schema())
        self.folder, self.asked, self.opened = place.path, 0, 0
        self.settings = {"yaml": {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False},
                                  "schemas": {schema.as_uri(): "*.yaml"}}}
        self.process = subprocess.Popen(["node", str(SERVER), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=place.path)
        self.came = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.ask("initialize", {"processId": None, "rootUri": place.path.as_uri(), "capabilities": {}})
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": self.settings})

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.kill()
        self.reader.join()
        self.process.__exit__(*what)

    def _read(self):
        out = self.process.stdout
        while True:
            length = 0
            while (line := out.readline().strip()):
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if length == 0:
                return
            self.came.put(json.loads(out.read(length)))

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def wait(self, wanted):
        """The first message that is wanted; what the server asks on the way is answered."""
        while True:
            message = self.came.get(timeout=PATIENCE)
            if "id" in message and "method" in message:
                settings = [self.settings.get(one.get("section")) for one in message["params"].get("items", [])] \
                    if message["method"] == "workspace/configuration" else None
                self._send({"id": message["id"], "result": settings})
            elif wanted(message):
                return message

    def ask(self, method, params):
        self.asked += 1
        number = self.asked
        self._send({"id": number, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == number)["result"]

    def open(self, text, ending="yaml"):
        """Opens a new document; returns its address and what the server finds in it, as (line, message). The settings
        name the schema for the ending `yaml` alone."""
        self.opened += 1
        uri = (self.folder / f"my-policies/document-{self.opened}.{ending}").as_uri()
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        found = self.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics" and
                          message["params"]["uri"] == uri)
        return uri, [(one["range"]["start"]["line"] + 1, one["message"]) for one in found["params"]["diagnostics"]]

    def at(self, uri, line, column):
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}


RIGHT = """apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata:
  name: training-nodes
spec:
  match:
    workload: training
  rules:
    - name: drifted
      avoidNodes:
        any:
          - label: driftbar.io/drift
            exists: true
          - condition: RdmaHealthy
            in: ["False", Unknown]
"""

WRONG = """apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata:
  name: training-nodes
spec:
  mode: enforced
  rules:
    - name: drifted
      avoidNodes:
        lable: pool
    - name: two-verbs
      deny: {label: a}
      require: {label: b}
    - name: wrong-test
      deny:
        label: pool
        for: 10m
    - name: no-subject
      deny:
        exists: true
    - name: no-verb
"""


class Editor(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server(self.enterContext(Place(()))))

    def test_a_right_document_is_not_underlined(self):
        self.assertEqual(self.server.open(RIGHT)[1], [])

    def test_mistakes_are_underlined_in_their_lines(self):
        _, found = self.server.open(WRONG)
        found = [(line, said.split(" stand `of`")[0]) for line, said in found]
        self.assertEqual(sorted(found), [
            (6, 'Value is not accepted. Valid values: "enforce", "warn", "audit".'),
            (10, "Property lable is not allowed."),
            (12, "this means nothing beside `require`"),
            (13, "this means nothing beside `deny`"),
            (17, "beside `label`"),
            (19, "the condition says not what it is about: begin it with a subject"),
            (21, "a rule needs `deny`, `require` or `avoidNodes`"),
        ])

    def test_the_first_line_that_the_quickstart_writes_names_the_schema(self):
        self.assertEqual(self.server.open(WRONG, "yml")[1], [])
        line = re.search("# yaml-language-server: [^']+", QUICKSTART.read_text(encoding="utf-8")).group()
        self.assertEqual(len(self.server.open(f"{line}\n{WRONG}", "yml")[1]), 7)

    def test_hovering_over_a_word_shows_its_documentation(self):
        uri, _ = self.server.open(RIGHT)
        for line, column, said in [(10, 8, "broken when the pod can land only on nodes for which the condition holds"),
                                   (12, 14, "a label of the node"), (13, 14, "whether it is written"),
                                   (7, 6, "a workload class or a list")]:
            with self.subTest(said):
                shown = self.server.ask("textDocument/hover", self.server.at(uri, line, column))
                self.assertIn(said, shown["contents"]["value"])

    def offered(self, text):
        """What is offered at the end of a text."""
        uri, _ = self.server.open(text)
        lines = text.split("\n")
        answer = self.server.ask("textDocument/completion", self.server.at(uri, len(lines), len(lines[-1])))
        return {item["label"] for item in answer["items"]}

    def test_a_rule_is_offered_its_verbs(self):
        offered = self.offered(RIGHT[:RIGHT.index("      avoidNodes")] + "      ")
        self.assertLessEqual({"deny", "require", "avoidNodes", "onUnknown", "message"}, offered)
        self.assertFalse(offered & {"label", "set", "name"}, offered)

    def test_a_condition_is_offered_what_it_can_be_about(self):
        offered = self.offered(RIGHT[:RIGHT.index("        any:")] + "        ")
        self.assertLessEqual({"label", "taint", "condition", "any", "all", "not"}, offered)
        self.assertFalse(offered & {"image", "env", "requestedBy"}, offered)

    def test_a_word_is_offered_its_values(self):
        begin = RIGHT[:RIGHT.index("  match:")]
        self.assertEqual(self.offered(begin + "  mode: "), {"enforce", "warn", "audit"})
        self.assertEqual(self.offered("apiVersion: driftbar.io/v1alpha1\nkind: "),
                         {"Policy", "NodeBaseline", "WorkloadClass", "WorkloadKind", "Exemption", "PolicyTest"})

    def test_a_spec_is_offered_what_its_kind_has(self):
        offered = self.offered("apiVersion: driftbar.io/v1alpha1\nkind: Exemption\nspec:\n  ")
        self.assertLessEqual({"reason", "expires", "rules", "match"}, offered)
        self.assertFalse(offered & {"except", "cases", "templates"}, offered)


if __name__ == "__main__":
    unittest.main()
