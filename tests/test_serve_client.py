#!/usr/bin/python3
"""The program as a client of the service: addresses that it takes, and those that it does not.

usage: test_serve_client.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import subprocess
import sys
import unittest

from program import SEGUE, Folder
from service import Service

# A machine whose names nobody resolves; the resolver's files are hidden.
NAMELESS = """
set -e
for file in /etc/hosts /etc/resolv.conf /etc/nsswitch.conf; do
    if [ -e "$file" ]; then mount --bind "$0" "$file"; fi
done
exec "$@"
"""


class Addresses(Folder):
    def test_https_is_refused_with_the_next_step(self):
        for url in ("https://decide.example.org", "https://127.0.0.1:8443/", "HTTPS://x"):
            self.refused(2, "segue speaks only http; need the service's own address", "learners", "--url", url)
        self.refused(2, "is not the address of a service", "learners", "--url", "ftp://127.0.0.1")

    def test_localhost_needs_no_resolver(self):
        empty = self.file("", "empty")
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        nameless = [*unshare, "sh", "-c", NAMELESS, empty]
        try:
            here = subprocess.run([*nameless, "getent", "hosts", "localhost"], capture_output=True, timeout=60)
        except FileNotFoundError:
            self.skipTest("there is no unshare")
        if here.returncode != 2:  # not found
            self.skipTest(f"the resolver's files cannot be hidden here: {here.stderr.decode().strip()}")
        service = Service(SEGUE, str(self.folder / "test.db"))
        self.addCleanup(service.stop)
        for name in ("localhost", "LOCALHOST", "http://localhost", "127.0.0.1"):
            done = subprocess.run([*nameless, SEGUE, "learners", "--url", f"{name}:{service.port}"],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout), {"learners": []})

    def test_nobody_at_localhost_is_told(self):
        self.refused(1, "nobody answers: Connection refused", "learners", "--url", "localhost:9")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
