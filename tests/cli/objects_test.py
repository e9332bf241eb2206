#!/usr/bin/env python3
"""Objects that others made go through `driftbar review`: no crash, nothing misread, and an error only where an API
server would refuse too.

  objects_test.py recorded    tests/data/reviews: reviews from our own control plane
  objects_test.py shared      reviews and manifests that are not part of the repository, from ../shared/data beside it or
                              from where DRIFTBAR_SHARED_DATA says; without them it passes and says that there were none

The policy is training-nodes, the inventory that of docs/examples. Pods that reach their hosts are also judged by
privileged-pods: DaemonSets that do it for a reason pass, shells on nodes do not.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import SOURCE, Place

DUPLICATE = ("a key twice in a map: with fieldValidation=Strict an API server (v1.37) refuses this very text with 400, `strict "
             "decoding error: … key already set in map`. kubectl reads it itself first and keeps the last of the two in silence")
# What is expected to be refused: file, what the error says, and why that is right.
REFUSED = {
    "GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-a4.yaml":
        ("the key `resources` is there twice", DUPLICATE),
    "GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-a4x-max-jobset.yaml":
        ("the key `restartPolicy` is there twice", DUPLICATE),
    "GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-autopilot.yaml":
        ("the key `resources` is there twice", DUPLICATE),
    "GoogleCloudPlatform__container-engine-accelerators__gpudirect-rdma__nccl-test-imex-a4x.yaml":
        ("the key `resources` is there twice", DUPLICATE),
}


# What a rule that says nothing of resources can be about, with the subresources that go with it.
JUDGED = {"pods.": ("", "ephemeralcontainers", "resize", "status"), "nodes.": ("", "status")} | {
    resource: ("",)
    for resource in ("replicationcontrollers.", "deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps",
                     "jobs.batch", "cronjobs.batch", "jobsets.jobset.x-k8s.io", "pytorchjobs.kubeflow.org",
                     "mpijobs.kubeflow.org", "leaderworkersets.leaderworkerset.x-k8s.io", "rayclusters.ray.io",
                     "jobs.batch.volcano.sh")
}


def reviewed(place, path, policy="policies/training-nodes/policy.yaml"):
    return place.shell(f"driftbar review -p {policy} --inventory docs/examples/nodes.yaml -o json -f '{path}'")


def named(request):
    """What a reader of the file would call the object of a request."""
    metadata = (request.get("object") or request.get("oldObject") or {}).get("metadata") or {}
    generated = metadata.get("generateName")
    name = metadata.get("name") or (generated and generated + "*") or request.get("name", "")
    return {"kind": request["kind"]["kind"], "namespace": request.get("namespace", ""), "name": name}


def wrong_with_answers(answers):
    for answer in answers:
        response, denied = answer["response"], answer["verdict"] == "deny"
        if denied == response["allowed"] or denied != bool(answer["rules"]):
            return f"verdict, rules and response disagree: {answer}"
        if denied and (response["status"]["code"], response["status"]["reason"]) != (403, "Forbidden"):
            return f"a refusal that kubectl does not show: {response}"
    return None


def wrong_with_review(path, ran):
    """None, or a sentence."""
    request = json.loads(path.read_text(encoding="utf-8"))["request"]
    if ran.returncode not in (0, 1):
        return f"exit code {ran.returncode}: {ran.stderr.decode()}"
    answers = json.loads(ran.stdout)
    if [answer["object"] for answer in answers] != [named(request)]:
        return f"misread: {answers[0]['object']}, and not {named(request)}"
    if answers[0]["response"]["uid"] != request["uid"]:
        return "the answer has another uid"
    resource = request["resource"]["resource"] + "." + request["resource"]["group"]
    judged = request.get("subResource", "") in JUDGED.get(resource, ())
    if answers[0]["judged"] != judged:
        return f"judged is {answers[0]['judged']}"
    return wrong_with_answers(answers)


def wrong_with_manifest(path, ran, row):
    if path.name in REFUSED:
        said = REFUSED[path.name][0]
        fine = ran.returncode == 2 and said in ran.stderr.decode() and not ran.stdout
        return None if fine else f"expected the error `{said}`, exit code {ran.returncode}: {ran.stderr.decode()}"
    if ran.returncode not in (0, 1):
        return f"exit code {ran.returncode}: {ran.stderr.decode()}"
    answers = json.loads(ran.stdout)
    kinds = sorted({answer["object"]["kind"] for answer in answers})
    if "kinds" in row and kinds != sorted(set(row["kinds"].split(","))):
        return f"kinds are {kinds}, and not {row['kinds']}"
    if row.get("expected") == "allow" and ran.returncode != 0:
        return f"refused: {ran.stdout.decode()}"
    return wrong_with_answers(answers)


def wrong_with_host_access(path, ran, expected):
    """Of what privileged-pods says: `expected` begins with the verdict and may ask for a record."""
    if ran.returncode not in (0, 1):
        return f"exit code {ran.returncode}: {ran.stderr.decode()}"
    answers = json.loads(ran.stdout)
    if {answer["verdict"] for answer in answers if answer["judged"]} != {expected.split()[0].strip(";")}:
        return f"expected {expected}: {ran.stdout.decode()}"
    if "audit" in expected and not any(answer["audited"] for answer in answers):
        return f"nothing is on record: {ran.stdout.decode()}"
    return None


def host_access(folder):
    """How many DaemonSets and debug pods are judged wrongly by privileged-pods."""
    rows = index(folder / "privileged-daemonsets")
    wanted = {folder / "privileged-daemonsets" / name: row["expected"] for name, row in rows.items()}
    wanted |= {folder / "reviews" / name: "deny" for name in ("pod-debug-node.json", "pod-debug-node-sysadmin.json")}
    wanted |= {folder / "reviews" / name: "allow" for name in ("pod-debug-copy.json", "pod-ephemeralcontainers.json")}
    wanted = {path: row for path, row in wanted.items() if path.is_file()}
    return check(list(wanted), lambda path, ran: wrong_with_host_access(path, ran, wanted[path]), "policies/privileged-pods")


def index(folder):
    if not (folder / "index.tsv").is_file():
        return {}
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text(encoding="utf-8").splitlines()]
    return {row[0]: dict(zip(rows[0], row)) for row in rows[1:]}


def check(paths, judge, *policy):
    """Reviews all of them; prints what is wrong and returns how many are."""
    with Place() as place, ThreadPoolExecutor(2) as pool:
        told = [(path, judge(path, ran)) for path, ran in zip(paths, pool.map(lambda p: reviewed(place, p, *policy), paths))]
    for path, wrong in told:
        if wrong:
            print(f"{path}: {wrong}")
    return sum(1 for _, wrong in told if wrong)


def recorded():
    paths = sorted((SOURCE / "tests/data/reviews").glob("*.json"))
    print(f"{len(paths)} reviews")
    return check(paths, wrong_with_review) if paths else 1


def shared():
    folder = Path(os.environ.get("DRIFTBAR_SHARED_DATA") or SOURCE.parent / "shared/data")
    reviews = sorted((folder / "reviews").glob("*.json"))
    manifests = {path: {} for path in sorted(folder.glob("*/*.yaml"))}
    for kind in {path.parent for path in manifests}:
        rows = index(kind)
        manifests.update({path: rows.get(path.name, {}) for path in manifests if path.parent == kind})
    print(f"inputs from outside of the repository: {len(reviews) + len(manifests)}")
    wrong = check(reviews, wrong_with_review) + host_access(folder)
    return wrong + check(list(manifests), lambda path, ran: wrong_with_manifest(path, ran, manifests[path]))


if __name__ == "__main__":
    sys.exit(1 if {"recorded": recorded, "shared": shared}[sys.argv[1]]() else 0)
