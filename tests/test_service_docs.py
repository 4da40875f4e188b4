#!/usr/bin/python3
"""The commands of the service's pages run when pasted: each block that starts a service of its own.

A folder stands for the project's, and /tmp is that folder, too; the service has a free port.  Waiting for the start is
waiting until it is ready, as the test may run beside others.

usage: test_service_docs.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest

from program import SEGUE, SOURCE, Folder

PAGES = sorted((SOURCE / "docs").glob("*.md"))
SAYS = {  # what a newcomer should see
    "audit.md": ["the same", "sound; 1 learner"],
    "constraints.md": ['"floor":0.02', '"probability":'],
    "effect.md": ['"grow":true', 'segue_control_share{learner="tutor"} 0.5'],
    "monitoring.md": ['segue_learner_rewards{learner="demo"} '],
    "retention.md": ['"erased":"student-42"', '"hash":"'],
    "service.md": ['"decision":"', '"status":"counted"'],
    "shadow.md": ['"would_choose":"', '"verdict":"', '"status":"merged"'],
}


def starts_a_service(block):
    """Starts a service and ends it."""
    return bool(re.search(r"segue serve .*&$", block, re.M) and "\nkill " in block)


def blocks(page):
    """Those that start a service and end it."""
    found = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [block for block in found if starts_a_service(block)]


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
        (self.folder / "logs").symlink_to(SOURCE / "logs")

    def adapted(self, block, port):
        block = re.sub(r"^make build\n", "", block).replace("/tmp/", f"{self.folder}/")
        block = re.sub(r"(segue serve [^&\n]*?)( --listen \S+)?( --[^&\n]*)? &", rf"\1\3 --listen 127.0.0.1:{port} &", block)
        block = re.sub(r"(localhost|127\.0\.0\.1):80\d\d", f"127.0.0.1:{port}", block)
        ready = f"until curl -sf 127.0.0.1:{port}/readyz > ready; do sleep 0.05; done; sleep"
        return re.sub(r"^sleep", ready, block, flags=re.M)

    def run_block(self, block):
        port = free_port()
        done = subprocess.run(["bash", "-c", self.adapted(block, port)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SEGUE_URL": f"http://127.0.0.1:{port}"}, timeout=120,
                              capture_output=True, text=True)
        self.assertNotIn('"error"', done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if not line.startswith("segue serve: ")], [])
        return done.stdout

    def test_blocks_run_and_print_what_the_page_is_about(self):
        found = {page.name: blocks(page) for page in PAGES}
        self.assertEqual({name for name, of in found.items() if of}, set(SAYS))
        for name, says in SAYS.items():
            with self.subTest(page=name):
                printed = "".join(self.run_block(block) for block in found[name])
                for text in says:
                    self.assertIn(text, printed)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
