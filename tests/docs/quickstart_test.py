#!/usr/bin/env python3
"""docs/quickstart.md: its steps run as they stand, but for what only a cluster has.

Replaced, and nothing else: `kubectl get nodes,namespaces` prints the example's nodes; `pod.yaml`, which is the reader's
own, is a pod of the examples; `serve` gets those nodes as its inventory and free ports; curl's port is the one it got.
Step 4 is for a real API server, and tests/e2e registers the gate by this very text; here it is read.
"""

import re
import time
import unittest

from page import SOURCE, Page, Place, Serving, example_pod

QUICKSTART = Page("docs/quickstart.md")
STEPS = re.findall(r"^## (\d\. .*)$", QUICKSTART.text, re.MULTILINE)
KUBECTL = """kubectl() { [ "$*" = "get nodes,namespaces -o yaml" ] && cat "$DRIFTBAR/docs/examples/nodes.yaml"; }
"""


def heading(number):
    return next(text for text in STEPS if text.startswith(f"{number}."))


def commands(number):
    return QUICKSTART.blocks(section=heading(number))[0]


class Quickstart(unittest.TestCase):
    def place(self):
        return Place(links=())

    def begin(self, place):
        ran = place.shell("".join(QUICKSTART.blocks(section=heading(1))))
        self.assertEqual((ran.returncode, ran.stderr.decode()), (0, ""))
        return ran.stdout.decode()

    def test_it_has_four_steps(self):
        self.assertEqual([text[0] for text in STEPS], ["1", "2", "3", "4"])

    def test_step_1_the_policy_is_right(self):
        with self.place() as place:
            said = self.begin(place)
            self.assertTrue(said.startswith("1 policy with 3 rules and 1 test in 2 files: no errors\n"), said)
            self.assertRegex(said, r"\n\d+ passed, 0 failed\n$")

    def test_step_2_the_exit_codes_are_as_it_says(self):
        said = QUICKSTART.section(heading(2))
        for pod, code in (("bert-2", 0), ("bert-1", 1)):
            self.assertRegex(said, rf"\b{code}: {'allowed' if code == 0 else 'refused'}")
            with self.place() as place:
                self.begin(place)
                place.write("pod.yaml", example_pod(pod))
                ran = place.shell(KUBECTL + commands(2))
                self.assertEqual(ran.returncode, code, ran.stdout.decode() + ran.stderr.decode())
        self.assertRegex(said, r"\b2: something could not be read")
        with self.place() as place:
            self.begin(place)
            self.assertEqual(place.shell(KUBECTL + commands(2)).returncode, 2)

    def test_step_3_it_serves_and_a_change_is_in_force_within_seconds(self):
        command = commands(3).strip()
        self.assertIn("--listen 0.0.0.0:8443", command)
        command = command.replace("--listen 0.0.0.0:8443", "--listen 127.0.0.1:0")
        with self.place() as place:
            self.begin(place)
            nodes = place.write("inventory.yaml", (SOURCE / "docs/examples/nodes.yaml").read_text(encoding="utf-8"))
            with Serving(place, f"{command} --inventory {nodes} --ops-listen 127.0.0.1:0 --drain 0s") as serving:
                self.assertTrue((place.path / "certs/ca.crt").exists())
                status, text = serving.ask("/readyz?verbose")
                self.assertEqual(status, 200)
                self.assertIn("[+]policies ok: 1 policy with 3 rules", text)
                good = (place.path / "my-policies/policy.yaml").read_text(encoding="utf-8")
                place.write("my-policies/more.yaml", good.replace("name: training-nodes", "name: more"))
                self.until(serving, "[+]policies ok: 2 policies with 6 rules")
                place.write("my-policies/more.yaml", "nonsense\n")
                self.until(serving, "a change since then cannot be used: my-policies/more.yaml:1:1: ")
                self.assertIn("2 policies with 6 rules", serving.ask("/readyz?verbose")[1])
                code, log = serving.stop()
                self.assertEqual(code, 0, log)

    def until(self, serving, words):
        """Asks until it is ready with these words; a minute at most."""
        for _ in range(600):
            status, text = serving.ask("/readyz?verbose")
            self.assertEqual(status, 200)
            if words in text:
                return
            time.sleep(0.1)
        self.fail(f"not said: {words}\n{text}")

    def registration(self):
        return QUICKSTART.blocks("yaml", heading(4))[0]

    def test_step_4_the_configuration_is_an_object(self):
        with self.place() as place:
            self.begin(place)
            place.write("webhook.yaml", "---\n".join(QUICKSTART.blocks("yaml", heading(4))))
            ran = place.shell("driftbar review -p my-policies -f webhook.yaml")
            self.assertEqual(ran.stdout.decode(), "".join(
                f"ALLOW {kind}WebhookConfiguration driftbar (not judged: no policy is about such requests)\n"
                for kind in ("Validating", "Mutating")))

    def test_step_4_each_webhook_keeps_out_of_the_way(self):
        webhooks = self.registration().split("\n  - name: ")[1:]
        self.assertEqual([text.split()[0] for text in webhooks],
                         ["validate.driftbar.io", "nodes.driftbar.io", "sessions.driftbar.io"])
        for text in webhooks:
            for line in ("failurePolicy: Ignore", "sideEffects: None", "timeoutSeconds: 5", "admissionReviewVersions: [v1]",
                         "  url: https://gate.example.com:8443/validate"):
                self.assertEqual(text.count(f"    {line}\n"), 1, line)
            for word in ("objectSelector", "leases", "DELETE", "/*", "pods/status"):
                self.assertNotIn(word, text)

    # Left out: a ReplicaSet's Deployment and pods are judged; of a runtime alone no pod is made.
    def test_step_4_it_asks_for_every_kind_of_the_table(self):
        table = (SOURCE / "webhook/workload/kinds.cc").read_text(encoding="utf-8")
        kinds = {"".join(names) for names in re.findall(r'\.kind = "(\w+)"| kubeflow\("(\w+)"', table)}
        self.assertLessEqual({"Deployment", "PyTorchJob", "RayJob", "Job"}, kinds)
        asked = set(re.findall(r"[a-z]+", self.registration().split("namespaceSelector")[0].split("rules:")[1]))
        for kind in kinds - {"ReplicaSet", "TrainingRuntime", "ClusterTrainingRuntime"}:
            self.assertIn(kind.lower() + "s", asked)


if __name__ == "__main__":
    unittest.main()
