#!/usr/bin/env python3
"""One shipped policy: policies/NAME has policy.yaml, policy_test.yaml and README.md, lints without a word, its tests
pass, and each of its rules is broken by one case and kept by another.

  shipped_test.py NAME
"""

import sys

from program import SOURCE, Place

FILES = ("policy.yaml", "policy_test.yaml", "README.md")
COMMANDS = ("driftbar lint policies/{name} --warnings-as-errors", "driftbar test policies/{name} --coverage")


def wrong_with(name):
    """Sentences."""
    wrong = [f"policies/{name} has no {file}" for file in FILES if not (SOURCE / "policies" / name / file).is_file()]
    with Place() as place:
        for command in COMMANDS:
            ran = place.shell(command.format(name=name))
            if ran.returncode != 0:
                wrong.append(f"{command.format(name=name)}: exit code {ran.returncode}\n{ran.stdout.decode()}{ran.stderr.decode()}")
    return wrong


if __name__ == "__main__":
    found = wrong_with(sys.argv[1])
    print("\n".join(found))
    sys.exit(1 if found else 0)
