#!/usr/bin/env python3
"""The README: its policy loads and refuses as it shows, its commands run."""

import re
import unittest

from page import SOURCE, Page, Place, Serving, example_pod

README = Page("README.md")


def policy():
    (text,) = README.blocks("yaml", "A policy")
    return text


def refused():
    """The lines that kubectl shows, without the command."""
    (text,) = README.blocks(section="A refused pod")
    command, answer = text.split("\n", 1)
    assert command == "$ kubectl apply -f bert-1.yaml", command
    return answer


class Readme(unittest.TestCase):
    def test_the_policy_loads_without_a_word(self):
        with Place() as place:
            place.write("policy.yaml", policy())
            ran = place.shell("driftbar lint policy.yaml --warnings-as-errors")
        self.assertEqual((ran.returncode, ran.stdout.decode()), (0, "1 policy with 1 rule in 1 file: no errors\n"))

    def test_the_policy_refuses_the_pod_as_shown(self):
        with Place() as place:
            place.write("policy.yaml", policy())
            place.write("bert-1.yaml", example_pod("bert-1"))
            ran = place.shell("driftbar review -p policy.yaml --inventory docs/examples/nodes.yaml -f bert-1.yaml")
        self.assertEqual(ran.returncode, 1, ran.stderr.decode())
        message = re.sub(r"^  ", "", ran.stdout.decode().split("\n", 1)[1], flags=re.MULTILINE)
        prefix = 'Error from server (Forbidden): error when creating "bert-1.yaml": admission webhook "validate.driftbar.io" denied the request: '
        self.assertEqual(refused(), prefix + message)

    def test_the_policy_is_a_part_of_the_shipped_one(self):
        shipped = (SOURCE / "policies/training-nodes/policy.yaml").read_text(encoding="utf-8")
        rule = policy().split("  rules:\n")[1]
        self.assertIn(rule, shipped)

    def test_the_demo_shows_the_refusal(self):
        with Place() as place:
            ran = place.shell("driftbar demo")
        self.assertIn(refused(), ran.stdout.decode())

    def test_the_two_commands_are_there(self):
        (text,) = README.blocks(section="Two commands")
        for line in text.splitlines():
            script = SOURCE / line.split()[0]
            self.assertTrue(script.stat().st_mode & 0o100, script)

    # serve watches a cluster, which is not here: it gets an inventory and free ports.
    def test_the_commands_of_use_it_run(self):
        (text,) = README.blocks(section="Use it")
        lint, test, review, explain, serve = [line.split("#")[0].strip() for line in text.splitlines()]
        with Place() as place:
            place.write("nodes.yaml", (SOURCE / "docs/examples/nodes.yaml").read_text(encoding="utf-8"))
            for command, code in ((lint, 0), (test, 0), (review, 1), (explain, 1)):
                ran = place.shell(command)
                self.assertEqual(ran.returncode, code, command + ran.stderr.decode())
            more = " --inventory nodes.yaml --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0 --drain 0s"
            with Serving(place, "driftbar serve --policies policies/ --self-signed ." + more) as serving:
                serving.stop()  # it has made tls.crt and tls.key
            with Serving(place, serve + more) as serving:
                self.assertEqual(serving.ask("/readyz"), (200, "ok\n"))
                self.assertEqual(serving.stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
