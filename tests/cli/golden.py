#!/usr/bin/env python3
"""Runs the program as tests/golden/cli/CASE says, and compares all that it answers.

  golden.py CASE          the folder's name; DRIFTBAR_BINARY is the program

A case is a folder:
  cmd             a script of bash, run in a folder that has docs, policies and tests; `driftbar` is the program.
                  A first line `# without root's rights` takes the right to read everything from it
  stdin           what it reads; may be missing
  expected.out    standard output; expected.err: standard error; expected.code: the exit code

What differs from one run to the next is masked: PORT, TMP (the folder for temporary files), TIME.
DRIFTBAR_REWRITE_GOLDEN=1 writes what came in the place of what was expected.
"""

import difflib
import os
import re
import sys

from program import SOURCE, Place

GOLDEN = SOURCE / "tests/golden/cli"


def masked(text, place):
    text = text.replace(str(place.path / "tmp"), "TMP").replace(str(place.path), "HERE")
    text = re.sub(r"(localhost|127\.0\.0\.1):\d+", r"\1:PORT", text)
    text = re.sub(r"\bport \d+", "port PORT", text)
    return re.sub(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)


def answered(case):
    """What came, by the name of the file that expects it."""
    script = (case / "cmd").read_text(encoding="utf-8")
    stdin = (case / "stdin").read_bytes() if (case / "stdin").exists() else b""
    with Place() as place:
        ran = place.shell(script, stdin, script.startswith("# without root's rights\n"))
        return {"expected.out": masked(ran.stdout.decode(), place), "expected.err": masked(ran.stderr.decode(), place),
                "expected.code": f"{ran.returncode}\n"}


def compare(case, came):
    wrong = False
    for name, text in came.items():
        path = case / name
        expected = path.read_text(encoding="utf-8") if path.exists() else None
        if text == expected:
            continue
        wrong = True
        sys.stdout.writelines(difflib.unified_diff((expected or "").splitlines(True), text.splitlines(True),
                                                   str(path.relative_to(SOURCE)), "what came"))
        if expected is None:
            print(f"{path.relative_to(SOURCE)} is missing")
    if wrong:
        print("If what came is right: DRIFTBAR_REWRITE_GOLDEN=1 and the same command, then look at the difference.")
    return 1 if wrong else 0


def main():
    case = GOLDEN / sys.argv[1]
    came = answered(case)
    if os.environ.get("DRIFTBAR_REWRITE_GOLDEN") == "1":
        for name, text in came.items():
            (case / name).write_text(text, encoding="utf-8")
        return 0
    return compare(case, came)


if __name__ == "__main__":
    sys.exit(main())
