#!/usr/bin/env python3
"""The layering check finds each kind of wrong include, and nothing in a right tree."""

import pathlib
import tempfile
import unittest

import check_layers

ROOMS = check_layers.read_rooms("webhook/base:0,webhook/kube:1,webhook/yaml:1,certs:5")


class CheckLayers(unittest.TestCase):
    def findings(self, files):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            for name, text in files.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text, encoding="utf-8")
            return check_layers.check(source, ROOMS)

    def test_downwards_and_within_is_right(self):
        self.assertEqual([], self.findings({
            "webhook/base/a.h": "#include <string>\n",
            "webhook/kube/b.h": '#include "base/a.h"\n',
            "webhook/kube/b.cc": '#include "kube/b.h"\n',
            "certs/c.cc": '#include "base/a.h"\n#include "certs/c.h"\n',
            "certs/c.h": "",
        }))

    def test_upwards(self):
        self.assertEqual(["webhook/base/a.h: webhook/base (layer 0) may not include webhook/kube (layer 1)"],
                         self.findings({"webhook/base/a.h": '#include "kube/b.h"\n', "webhook/kube/b.h": ""}))

    def test_sideways(self):
        self.assertEqual(["webhook/kube/b.h: webhook/kube (layer 1) may not include webhook/yaml (layer 1)"],
                         self.findings({"webhook/kube/b.h": '#include "yaml/y.h"\n', "webhook/yaml/y.h": ""}))

    def test_folder_without_a_room(self):
        self.assertEqual(["webhook/new/x.cc: lies in no room of cmake/rooms.cmake"],
                         self.findings({"webhook/new/x.cc": ""}))

    def test_header_that_is_not_there(self):
        self.assertEqual(['webhook/base/a.h: includes "gone.h", which is in no room (system headers take < >)'],
                         self.findings({"webhook/base/a.h": '#include "gone.h"\n'}))


if __name__ == "__main__":
    unittest.main()
