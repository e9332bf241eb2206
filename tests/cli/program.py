"""The program as a person runs it, for tests: in a folder of its own, by a shell, with a time limit.

Place is that folder; it holds links to what examples name (docs, policies, tests), so that what the program prints
has the paths that the documentation has. Serving is `driftbar serve` on free ports of the loopback.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds; nothing here takes one


def program():
    """The program's path, from the environment that ctest sets."""
    return Path(os.environ["DRIFTBAR_BINARY"]).resolve()


def without_roots_rights():
    """In a child: what permissions forbid is forbidden, though root may run the tests."""
    drop_from_bounding_set, dac_override, dac_read_search = 24, 1, 2
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (dac_override, dac_read_search):
        if os.geteuid() == 0 and libc.prctl(drop_from_bounding_set, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot give up the right to read everything")


class Place:
    """A temporary folder with links to the repository's own, gone at the end of `with`."""

    LINKS = ("docs", "policies", "tests", "README.md")

    def __init__(self, links=LINKS):
        self.links = links

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="driftbar-test-"))
        for name in self.links:
            (self.path / name).symlink_to(SOURCE / name)
        (self.path / "tmp").mkdir()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def environment(self):
        kept = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}
        return kept | {"PATH": f"{program().parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.path), "LC_ALL": "C.UTF-8",
                       "TMPDIR": str(self.path / "tmp"), "DRIFTBAR": str(SOURCE)}

    def shell(self, script, stdin=b"", permitted_only=False):
        """Runs a script; returns its CompletedProcess with bytes."""
        return subprocess.run(["bash", "-euc", script], cwd=self.path, env=self.environment(), input=stdin,
                              capture_output=True, timeout=PATIENCE, check=False,
                              preexec_fn=without_roots_rights if permitted_only else None)

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Serving:
    """A shell command that ends in a `driftbar serve` which listens on ports of its own choice."""

    def __init__(self, place, command):
        self.process = subprocess.Popen(["bash", "-euc", "exec " + command], cwd=place.path, env=place.environment(),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def __enter__(self):
        line = self.process.stdout.readline().decode()
        told = re.fullmatch(r"driftbar listens on port (\d+), ops port (\d+)\n", line)
        if not told:
            _, err = self.process.communicate(timeout=PATIENCE)
            raise AssertionError(f"serve did not start: {line}{err.decode()}")
        self.port, self.ops = int(told[1]), int(told[2])
        return self

    def ask(self, path):
        """The status and text of a GET at the ops port."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ops}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def stop(self):
        """As a kubelet does; returns the exit code and what was logged."""
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err.decode()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=PATIENCE)
