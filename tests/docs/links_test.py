#!/usr/bin/env python3
"""Links from one page to another lead somewhere, to the heading too."""

import re
import unittest

from page import SOURCE, unfenced

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages():
    found = [*SOURCE.glob("*.md")]
    for folder in ("docs", "policies", "tests", "charts"):
        found += (SOURCE / folder).rglob("*.md")
    return sorted(found)


def anchors(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", unfenced(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    """Relative ones, as (path, anchor)."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(prose):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield path, anchor


class Links(unittest.TestCase):
    def test_there_are_pages_with_links(self):
        self.assertGreater(sum(1 for page in pages() for _ in links(page)), 10)

    def test_each_leads_to_a_file_and_a_heading_of_it(self):
        for page in pages():
            for path, anchor in links(page):
                with self.subTest(f"{page.relative_to(SOURCE)}: {path}#{anchor}"):
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists())
                    self.assertTrue(SOURCE in target.parents or target == SOURCE, "leads out of the repository")
                    if anchor:
                        self.assertIn(anchor, anchors(target))


if __name__ == "__main__":
    unittest.main()
