"""Documents of driftbar as a validator of JSON Schema takes them, and what the program says of them.

The validator and the reader of YAML are packages of scripts/deps.sh; a test that cannot import them fails.
"""

import json
import re
import sys
from pathlib import Path

import jsonschema
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

from program import SOURCE, Place  # noqa: E402,F401

OURS = "driftbar.io/v1alpha1"


class Reader(yaml.SafeLoader):
    """As Kubernetes reads YAML, where a time is text."""


Reader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def documents(text):
    """All documents of a text that are not empty; nothing where it is no YAML."""
    try:
        return [one for one in yaml.load_all(text, Reader) if one is not None]
    except (yaml.YAMLError, RecursionError):
        return []


def is_ours(document):
    return isinstance(document, dict) and document.get("apiVersion") == OURS


def printed_schema():
    with Place() as place:
        ran = place.shell("driftbar schema")
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


def validator():
    schema = json.loads(printed_schema())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def wrong(checked, document):
    """What the schema has against a document, a line each."""
    return [f"{error.json_path}: {error.message[:200]}" for error in checked.iter_errors(document)]


def lint(place, path):
    """What lint says of files, by the name of the file."""
    ran = place.shell(f"driftbar lint -o json {path} || test $? -eq 1")
    assert ran.returncode == 0, ran.stderr.decode()
    said = {}
    for finding in json.loads(ran.stdout):
        said.setdefault(Path(finding["file"]).name, []).append(finding)
    return said


def errors(findings):
    return [one for one in findings if one["severity"] == "error"]


def policy_of(rules):
    return {"apiVersion": OURS, "kind": "Policy", "metadata": {"name": "p"}, "spec": {"rules": rules}}


def blocks(page):
    """The documents that stand in a page of Markdown, and policies of the rules that stand there alone."""
    for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for one in documents(block):
            if isinstance(one, list) and all("name" in rule for rule in one):
                yield policy_of(one)
            elif is_ours(one):
                yield one
