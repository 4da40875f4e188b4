#!/usr/bin/python3
"""The description of the service: no linter finds fault with it, and a client made of it compiles and plays a task.

usage: test_openapi.py SEGUE SOURCE [unittest options]
scripts/install-openapi-tools installs the linter, the generator and the compiler; without them these tests are
skipped, unless SEGUE_REQUIRE_OPENAPI is set.
SPDX-License-Identifier: Apache-2.0"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import SEGUE, SOURCE
from service import Service

DESCRIPTION = SOURCE / "src/service/api/openapi.json"
TOOLS = SOURCE / "build/openapi"
TOKEN = "a-token-of-the-test-0123456789"
REASON = "the tools are not installed: run scripts/install-openapi-tools"
MISSING = not (TOOLS / "done").exists() and not os.environ.get("SEGUE_REQUIRE_OPENAPI")


class Names(unittest.TestCase):
    def setUp(self):
        self.text = json.loads(DESCRIPTION.read_text())

    def test_no_two_differ_only_by_case(self):
        """They would be one file where a generated client is compiled."""
        names = collections.Counter(name.lower() for kind in self.text["components"].values() for name in kind)
        self.assertEqual([name for name, count in names.items() if count > 1], [])
        self.assertGreater(len(names), 20)

    def test_operations_have_names_of_their_own(self):
        ids = [operation["operationId"].lower() for path in self.text["paths"].values()
               for method, operation in path.items() if method != "parameters"]
        self.assertEqual(len(ids), len(set(ids)))

    def test_what_may_be_null_has_a_type(self):
        def walk(node, where):
            if isinstance(node, dict):
                self.assertTrue("type" in node or not node.get("nullable"), where)
            for key, value in node.items() if isinstance(node, dict) else enumerate(node):
                if isinstance(value, (dict, list)):
                    walk(value, f"{where}/{key}")
        walk(self.text, "")


@unittest.skipIf(MISSING, REASON)
class Tools(unittest.TestCase):
    def run_node(self, *args):
        done = subprocess.run(["node", *map(str, args)], cwd=TOOLS, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_no_linter_finds_fault(self):
        self.run_node(SOURCE / "tests/openapi/lint.mjs", DESCRIPTION)

    def test_a_generated_client_compiles_and_plays_a_task(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            self.run_node(TOOLS / "node_modules/openapi-typescript-codegen/bin/index.js", "--input", DESCRIPTION,
                          "--output", out / "client", "--client", "fetch", "--useOptions")
            self.assertTrue((out / "client/models/Learner.ts").exists())
            shutil.copy(SOURCE / "tests/openapi/play.ts", out)
            self.run_node(TOOLS / "node_modules/typescript/bin/tsc", "--strict", "--target", "es2020", "--module", "commonjs",
                          "--moduleResolution", "node", "--lib", "es2020,dom", "--outDir", out / "compiled",
                          "--forceConsistentCasingInFileNames", out / "play.ts")
            self.play(out)

    def play(self, folder):
        (folder / "tokens").write_text(f"{TOKEN}\n")
        (folder / "tokens").chmod(0o600)
        service = Service(SEGUE, folder / "test.db", "--token-file", str(folder / "tokens"))
        try:
            self.run_node(folder / "compiled/play.js", f"http://127.0.0.1:{service.port}", TOKEN)
            status, learner = service.client(TOKEN).get("/v1/learners/generated")
        finally:
            service.stop()
        self.assertEqual((status, learner["tasks"]["closed"], learner["rewards"]), (200, 1, 5))


if __name__ == "__main__":
    if MISSING:
        print(f"skipped in part: {REASON}")
    program = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False)
    failed = not program.result.wasSuccessful()
    sys.exit(1 if failed else 77 if MISSING else 0)
