#!/usr/bin/python3
"""Who is refused learns whether waiting helps, and the operator learns of refused logins.

usage: test_serve_refusals.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import resource
import sys
import unittest

from program import SEGUE, Folder
from service import Service
from stores import files_only

TOKEN = "a-token-that-is-long-enough"
TUTOR = {"name": "tutor", "arms": ["A", "B"], "steps": 20}


class Refusals(Folder):
    def start(self, *options):
        service = Service(SEGUE, str(self.folder / "test.db"), *options)
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        self.addCleanup(service.close_clients)
        return service

    def test_refused_logins_are_reported_once_a_minute_and_counted(self):
        service = self.start("--token-file", self.file(TOKEN + "\n", "tokens"))
        stranger, client = service.client("another-token-of-a-stranger"), service.client(TOKEN)
        for _ in range(50):
            self.assertEqual(stranger.get("/v1/learners")[0], 401)
        self.assertEqual(stranger.get("/healthz")[0], 200)
        text = client.raw("GET", "/metrics")[1].decode()
        self.assertIn("segue_refused_logins_total 50\n", text)
        self.assertEqual(service.stop(), 0)
        reported = [line for line in service.errors if "token" in line]
        self.assertEqual(reported, ["segue serve: 1 request without a valid token rejected, the last from 127.0.0.1; "
                                    "check the tokens of your clients\n"])

    def retry_after(self, client):
        return client.answer_headers["Retry-After"]

    def test_too_many_open_tasks_do_not_pass_by_waiting(self):
        client = self.start("--max-open", "1").client()
        client.post("/v1/learners", TUTOR)
        self.assertEqual(client.ask("tutor", "first")[0], 200)
        status, answer = client.ask("tutor", "second")
        self.assertEqual(status, 429)
        self.assertIn("close some", answer["error"]["message"])
        self.assertIsNone(self.retry_after(client))
        self.assertEqual(client.post("/v1/learners/tutor/tasks", {"task": "third"})[0], 429)
        self.assertIsNone(self.retry_after(client))

    def test_too_many_requests_do(self):
        client = self.start("--rate", "0.01").client()
        self.assertEqual(client.get("/v1/learners")[0], 200)
        self.assertEqual(client.get("/v1/learners")[0], 429)
        self.assertEqual(self.retry_after(client), "100")

    @files_only("the disk is its server's")
    def test_a_full_disk_does(self):
        """It is written to again as soon as there is room; RLIMIT_FSIZE stands for the disk."""
        service = self.start()
        client = service.client()
        client.post("/v1/learners", TUTOR)
        limits = 1, resource.RLIM_INFINITY  # of a byte: a checkpoint makes no room
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, limits)
        status, i = 200, 0
        while status == 200:
            status, i = client.ask("tutor", f"task-{i}")[0], i + 1
        self.assertEqual(status, 503)
        self.assertEqual(self.retry_after(client), "1")
        self.assertEqual(client.get("/readyz")[0], 503)
        self.assertEqual(self.retry_after(client), "1")

    def test_other_refusals_say_nothing_of_it(self):
        client = self.start().client()
        for status, path in ((404, "/v1/learners/none"), (400, "/v1/learners/a/tasks?limit=x"), (405, "/v1/tell")):
            self.assertEqual(client.raw("GET", path)[0], status)
            self.assertIsNone(self.retry_after(client))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
