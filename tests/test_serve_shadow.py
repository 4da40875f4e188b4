#!/usr/bin/python3
"""Shadow mode and merges of a served learner, by the client commands; both survive a kill.

usage: test_serve_shadow.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import random
import subprocess
import sys
import unittest

from program import SEGUE, Folder
from service import Service, check_store


class Shadow(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.service = Service(SEGUE, self.store)
        self.addCleanup(self.service.stop)

    def segue(self, *args, stdin=None, code=0):
        """Run a client command; its response, or what it says on standard error."""
        done = subprocess.run([SEGUE, *args, "-u", f"http://127.0.0.1:{self.service.port}"], input=stdin, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def create(self, name, **more):
        self.segue("learners", "--create", "-", stdin=json.dumps({"name": name, "arms": ["A", "B"], "steps": 4, "control": 0, **more}))

    def test_the_caller_chooses_until_the_learner_does(self):
        self.create("tutor", mode="shadow")
        self.assertIn("in which the caller chooses", self.segue("ask", "tutor", "--task", "t", code=2))
        rng = random.Random(1)
        for task in range(5):
            for _ in range(4):
                answer = self.segue("ask", "tutor", "--task", f"t{task}", "--chosen", rng.choice("AB"), "--chosen-probability", "0.5",
                                    "--probability")
                self.assertIn(answer["would_choose"], ("A", "B"))
                self.assertGreater(answer["would_choose_probability"], 0)
                self.segue("tell", answer["decision"], "--reward", str(int(answer["arm"] == "A")))
        before = self.segue("learners", "tutor", "--shadow")
        self.assertEqual((before["tasks"], before["caller"]["steps"], before["verdict"]), (5, 20, "not_known_yet"))
        self.service.kill()
        self.service.start()
        self.assertEqual(self.segue("learners", "tutor", "--shadow"), before)
        client = self.service.client()
        self.addCleanup(client.close)
        status, _ = client.call("PATCH", "/v1/learners/tutor", {"mode": "active"})
        self.assertEqual(status, 200)
        self.assertIn("'chosen' is for tasks of shadow mode", self.segue("ask", "tutor", "--task", "u", "--chosen", "A", code=2))
        self.assertNotIn("would_choose", self.segue("ask", "tutor", "--task", "u"))
        check_store(SEGUE, self.store)

    def test_a_learner_is_merged_once(self):
        self.create("north")
        self.create("all")
        client = self.service.client()
        self.addCleanup(client.close)
        for task in range(3):
            for _ in range(4):
                _, answer = client.ask("north", f"t{task}")
                client.tell(answer["decision"], 1)
        export = self.folder / "north.json"
        export.write_text(json.dumps(self.segue("learners", "north", "--export")))
        self.assertEqual(self.segue("learners", "all", "--merge", str(export))["tasks"], 3)
        self.service.kill()
        self.service.start()
        self.assertEqual(self.segue("learners", "all", "--merge", str(export))["status"], "duplicate")
        self.assertIn("would count twice", self.segue("learners", "north", "--merge", str(export), code=2))
        self.assertEqual(self.segue("learners", "all", "--merge", str(export), "--force")["merges"], 2)
        self.segue("learners", "all", "--force", code=2)
        self.segue("learners", "--export", code=2)
        check_store(SEGUE, self.store)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
