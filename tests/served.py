"""A service under test in a folder of its own, with a client that has the token.
SPDX-License-Identifier: Apache-2.0"""
import json

from program import SEGUE, Folder
from service import Service

TOKEN = "this-is-the-token-of-a-test"
FEW = "the limit of open files is too low"  # where the machine allows few
TUTOR = {"name": "tutor", "arms": ["A", "B", "C"], "steps": 20}


class Served(Folder):
    options, before, create = (), None, True
    reports = (FEW,)  # of what may be on its standard error

    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.log = self.folder / "log"
        self.service = Service(SEGUE, self.store, "--access-log", str(self.log), *self.options_of(),
                               before=self.before)
        self.client = self.service.client(TOKEN)
        self.addCleanup(self.end)
        if self.create:
            self.assertEqual(self.client.post("/v1/learners", TUTOR)[0], 201)

    def options_of(self):
        return self.options

    def end(self):
        self.client.close()
        if self.service.process.poll() is None:
            self.assertEqual(self.service.stop(), 0)
        self.assertEqual([line for line in self.service.errors if not any(says in line for says in self.reports)], [])

    def refused_call(self, status, says, method, path, body=None, **headers):
        code, raw = self.client.raw(method, path, body, **headers)
        self.assertEqual(code, status, raw)
        self.assertIn(says, json.loads(raw)["error"]["message"])
