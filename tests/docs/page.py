"""A page of documentation as tests read it: its sections, its code blocks. Also leads to tests/cli/program.py."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

from program import SOURCE, Place, Serving  # noqa: E402,F401


class Page:
    def __init__(self, path):
        self.path = SOURCE / path
        self.text = self.path.read_text(encoding="utf-8")

    def blocks(self, language="", section=None):
        """The code blocks of a language, of the section with this heading or of all."""
        text = self.text if section is None else self.section(section)
        return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def section(self, heading):
        found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", unfenced(self.text), re.MULTILINE | re.DOTALL)
        if not found:
            raise AssertionError(f"{self.path.name} has no section `{heading}`")
        return self.text[found.start(1):found.end(1)]


def unfenced(text):
    """The same text, as long as it was, without a `#` inside of code."""
    return re.sub(r"^```.*?^```$", lambda block: block[0].replace("#", "."), text, flags=re.MULTILINE | re.DOTALL)


def documents(text):
    """The documents of a YAML stream, as text."""
    return [part.strip("\n") + "\n" for part in re.split(r"^---\n", text, flags=re.MULTILINE)]


def example_pod(name):
    """One pod of docs/examples/pods.yaml."""
    for text in documents((SOURCE / "docs/examples/pods.yaml").read_text(encoding="utf-8")):
        if f"\n  name: {name}\n" in text:
            return text
    raise AssertionError(f"there is no pod {name} in docs/examples/pods.yaml")
