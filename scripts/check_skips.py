#!/usr/bin/env python3
"""Fails when a test was skipped or not run without a word on why: check_skips.py REPORT.xml ALLOWED.txt

REPORT is what `ctest --output-junit` writes. Each line of ALLOWED is `NAME: reason`; `#` starts a comment.
"""

import sys
import xml.etree.ElementTree as xml


def allowed(path):
    names = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            name, colon, reason = line.partition(":")
            if not colon or not reason.strip():
                sys.exit(f"{path}:{number}: a line is `NAME: reason`")
            names[name.strip()] = reason.strip()
    return names


def skipped(report):
    cases = xml.parse(report).getroot().iter("testcase")
    return [case.get("name") for case in cases
            if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None]


def main():
    report, allow = sys.argv[1:3]
    names = allowed(allow)
    wrong = [name for name in skipped(report) if name not in names]
    for name in wrong:
        print(f"skipped without a reason in {allow}: {name}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
