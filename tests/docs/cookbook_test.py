#!/usr/bin/env python3
"""docs/cookbook.md shows exactly the policies of docs/examples/cookbook, each below its test. (That they load and that
their tests pass is checked folder by folder: ctest's `cookbook.*`.)"""

import re
import unittest

from page import SOURCE, Page

PAGE = Page("docs/cookbook.md")
FOLDER = SOURCE / "docs/examples/cookbook"


def recipes():
    """Of each section the folder that it links to, and its YAML."""
    sections = re.split(r"^## .*\n", PAGE.text, flags=re.MULTILINE)[1:]
    for text in sections:
        folders = re.findall(r"\(examples/cookbook/([^/)]+)/policy_test\.yaml\)", text)
        yield folders, re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Cookbook(unittest.TestCase):
    def test_each_section_shows_the_policy_that_its_test_tries(self):
        for folders, blocks in recipes():
            with self.subTest(folders):
                self.assertEqual((len(folders), len(blocks)), (1, 1))
                self.assertEqual(blocks[0], (FOLDER / folders[0] / "policy.yaml").read_text(encoding="utf-8"))

    def test_each_folder_is_shown_once(self):
        shown = [folder for folders, _ in recipes() for folder in folders]
        self.assertGreater(len(shown), 10)
        self.assertEqual(sorted(shown), sorted(path.name for path in FOLDER.iterdir()))


if __name__ == "__main__":
    unittest.main()
