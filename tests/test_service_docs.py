#!/usr/bin/python3
"""The commands of the service's pages run when pasted: each block that starts a service of its own, and those that go on from one.

A folder stands for the project's, and its folder tmp for /tmp; the service has a free port.  Waiting for the start is
waiting until it is ready, as the test may run beside others.

usage: test_service_docs.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import unittest

from program import SEGUE, SOURCE, Folder

PAGES = sorted((SOURCE / "docs").glob("*.md"))
SAYS = {  # what a newcomer should see
    "audit.md": ["the same", "sound; 1 learner", "expected "],
    "constraints.md": ['"floor":0.02', '"probability":'],
    "effect.md": ['"grow":true', 'segue_control_share{learner="tutor"} 0.5'],
    "python-client.md": [" counted\n"],
    "monitoring.md": ['segue_learner_rewards{learner="demo"} '],
    "retention.md": ['"erased":"student-42"', '"hash":"'],
    "service.md": ['"decision":"', '"status":"counted"', "types    3", "saved    next.segue"],
    "shadow.md": ['"would_choose":"', '"verdict":"', '"status":"merged"'],
}
# Blocks of service.md that go on from a service, in this order.
CHANGES, AGGREGATE, RESTORE = '"control": 0.1', '"aggregate": "sum"', "segue store import"
# ... and what is between them: {port} and {blocks}.
SESSION = """
segue serve --store sqlite:state/segue.db --listen 127.0.0.1:{port} 2> serve.log &
until curl -sf 127.0.0.1:{port}/readyz > ready; do sleep 0.05; done
echo '{{"name": "tutor", "arms": ["A", "B"]}}' | segue learners --create -
{changes}
{aggregate}
segue store export --store sqlite:state/segue.db --file state/backup.jsonl
kill $!; wait
systemctl() {{ echo "systemctl $*"; }}
(set -e; {restore})
segue store check --store sqlite:state/segue.db
"""


def starts_a_service(block):
    """Starts a service of its own."""
    return bool(re.search(r"segue serve .*&$", block, re.M)) and "postgresql:" not in block


def is_run(page, block):
    """Whether this test runs a block of a page."""
    return starts_a_service(block) or page.name == "service.md" and any(part in block for part in (CHANGES, AGGREGATE, RESTORE))


def all_blocks(page):
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def blocks(page):
    """Those that start a service."""
    return [block for block in all_blocks(page) if starts_a_service(block)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@unittest.skipUnless(shutil.which("curl"), "curl is not installed: scripts/install-deps monitor")
class Pages(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/segue").symlink_to(SEGUE)
        (self.folder / "build/release/python").symlink_to(pathlib.Path(SEGUE).parent / "python")
        (self.folder / "tmp").mkdir()
        (self.folder / "logs").symlink_to(SOURCE / "logs")

    def adapted(self, block, port):
        block = re.sub(r"^make build\n", "", block).replace("/tmp/", f"{self.folder}/tmp/")
        block = re.sub(r"(segue serve [^&\n]*?)( --listen \S+)?( --[^&\n]*)? &", rf"\1\3 --listen 127.0.0.1:{port} &", block)
        block = re.sub(r"(localhost|127\.0\.0\.1):80\d\d", f"127.0.0.1:{port}", block)
        if "\nkill " not in block:
            block += "kill %1; wait\n"
        ready = f"until curl -sf 127.0.0.1:{port}/readyz > ready; do sleep 0.05; done; sleep"
        return re.sub(r"^sleep", ready, block, flags=re.M)

    def is_expected(self, line):
        """Of what is printed beside the results: what the service says, and what was written."""
        return line.startswith("segue serve: ") or " written to " in line

    def run_block(self, block):
        port = free_port()
        done = subprocess.run(["bash", "-c", self.adapted(block, port)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SEGUE_URL": f"http://127.0.0.1:{port}"}, timeout=120,
                              capture_output=True, text=True)
        self.assertNotIn('"error"', done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if not self.is_expected(line)], [])
        return done.stdout

    def test_blocks_run_and_print_what_the_page_is_about(self):
        found = {page.name: blocks(page) for page in PAGES}
        self.assertEqual({name for name, of in found.items() if of}, set(SAYS))
        for name, says in SAYS.items():
            with self.subTest(page=name):
                if name == "python-client.md" and not (self.folder / "build/release/python/segue").exists():
                    self.skipTest("this build has no Python package")
                printed = "".join(self.run_block(block) for block in found[name])
                for text in says:
                    self.assertIn(text, printed)

    def test_a_session_goes_on_and_is_restored(self):
        """Settings are changed, parts of a reward are told, and a backup replaces the store."""
        found = [next(block for block in all_blocks(SOURCE / "docs/service.md") if part in block) for part in (CHANGES, AGGREGATE, RESTORE)]
        changes, aggregate, restore = (block.replace("/var/lib/segue", "state") for block in found)
        ask = """DECISION=$(segue ask shop --task a | sed 's/.*"decision":"\\([^"]*\\)".*/\\1/')\n"""
        aggregate = aggregate.replace("segue tell", ask + "segue tell", 1)
        (self.folder / "state").mkdir()
        port = free_port()
        script = SESSION.format(port=port, changes=changes, aggregate=aggregate, restore=restore)
        done = subprocess.run(["bash", "-c", script.replace("localhost:8080", f"127.0.0.1:{port}")], cwd=self.folder, timeout=120,
                              env={**os.environ, "SEGUE_URL": f"http://127.0.0.1:{port}", "PATH": f"{self.folder}/build/release:{os.environ['PATH']}"},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((done.returncode, [line for line in done.stderr.splitlines() if not self.is_expected(line)]), (0, []), done.stdout)
        self.assertEqual(done.stdout.count('"status":"counted"'), 2, done.stdout)
        for text in ('"paused":true', "systemctl stop segue", "systemctl start segue", "segue.db: sound; 2 learners"):
            self.assertIn(text, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
