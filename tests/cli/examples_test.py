#!/usr/bin/env python3
"""Every command that `driftbar --help` lists has help of its own, and the example in it runs as it stands there.

`serve` runs until it is stopped, so it is started and stopped, and its ports and its folder for certificates, which
other programs may have, are replaced by free ones. Nothing else is changed.
"""

import re
import unittest

from program import Place, Serving

STANDS = {"lint": 0, "review": 1, "explain": 1, "demo": 0, "test": 0, "explain-language": 0,
          "schema": 0}  # the examples of review and explain show a refusal


def commands():
    with Place() as place:
        text = place.shell("driftbar --help").stdout.decode()
    listed = text.split("\ncommands\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def example(command):
    with Place() as place:
        ran = place.shell(f"driftbar {command} --help")
    assert ran.returncode == 0, ran
    return ran.stdout.decode().split("\nexample\n")[1]


class Examples(unittest.TestCase):
    def test_there_is_one_for_every_command_and_a_way_to_run_it(self):
        self.assertEqual(sorted(commands()), sorted([*STANDS, "serve"]))

    def test_run(self):
        for command, code in STANDS.items():
            with self.subTest(command), Place() as place:
                ran = place.shell(example(command))
                self.assertEqual(ran.returncode, code, ran.stderr.decode())
                self.assertEqual(ran.stderr.decode(), "")
                self.assertNotEqual(ran.stdout, b"")

    def test_serve(self):
        text = example("serve").rstrip("\n")
        free = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:0", text).replace("/tmp/", "tmp/")
        self.assertNotEqual(free, text)
        with Place() as place, Serving(place, free.strip() + " --drain 0s") as serving:
            self.assertEqual(serving.ask("/readyz"), (200, "ok\n"))
            code, log = serving.stop()
            self.assertEqual(code, 0, log)


if __name__ == "__main__":
    unittest.main()
