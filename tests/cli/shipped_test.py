#!/usr/bin/env python3
"""One shipped policy: policies/NAME has policy.yaml and README.md, beside each file a test, lints without a word, its
tests pass, each of its rules is broken by one case and kept by another, and what its README shows is what the program says.

  shipped_test.py NAME      policies/NAME
  shipped_test.py FOLDER    any folder, from the root of the repository; without README.md
"""

import re
import sys

from program import SOURCE, Place

COMMANDS = ("driftbar lint {folder} --warnings-as-errors", "driftbar test {folder} --coverage")


def missing(folder, readme):
    files = [file.name for file in (SOURCE / folder).glob("*.yaml")]
    wanted = ["policy.yaml"] + (["README.md"] if readme else [])
    wanted += [file.replace(".yaml", "_test.yaml") for file in files if not file.endswith("_test.yaml")]
    return [f"{folder} has no {file}" for file in wanted if not (SOURCE / folder / file).is_file()]


def uncovered(coverage):
    """Rules that no case has broken, or none has kept."""
    rows = re.findall(r"^  (\S+/\S+) +(\d+) +(\d+)$", coverage, re.MULTILINE)
    return [f"{rule}: broken by {broken} cases, kept by {kept}" for rule, broken, kept in rows if "0" in (broken, kept)]


def shown(readme):
    """Of each console block the command and its output."""
    return re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def wrong_with(folder, readme):
    """Sentences."""
    wrong = missing(folder, readme)
    with Place() as place:
        for command in COMMANDS:
            ran = place.shell(command.format(folder=folder))
            if ran.returncode != 0:
                wrong.append(f"{command.format(folder=folder)}: exit code {ran.returncode}\n{ran.stdout.decode()}{ran.stderr.decode()}")
        wrong += uncovered(ran.stdout.decode())
        examples = shown((SOURCE / folder / "README.md").read_text(encoding="utf-8")) if readme else []
        if readme and not examples:
            wrong.append(f"{folder}/README.md shows no message")
        for command, output in examples:
            said = place.shell(command + " || true").stdout.decode()
            if said != output:
                wrong.append(f"{folder}/README.md: `{command}` says\n{said}")
    return wrong


if __name__ == "__main__":
    name = sys.argv[1]
    found = wrong_with(name, False) if "/" in name else wrong_with(f"policies/{name}", True)
    print("\n".join(found))
    sys.exit(1 if found else 0)
