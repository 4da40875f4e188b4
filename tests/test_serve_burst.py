#!/usr/bin/env python3
"""Decisions that wait for a default, asked faster than a disk may take them, then a kill after the
time in which docs/service.md promises to have them stored: all are there, and get their defaults.
A kill before that loses defaults, but neither rewards that were told nor those told afterwards.

    tests/test_serve_burst.py PROGRAM

SPDX-License-Identifier: Apache-2.0"""
import os
import sys
import threading
import time
import unittest

from service import SHORT, Service, check_store, folder
from stores import query

PROMISED = 10 if SHORT else 1  # seconds; the sanitizers are slower, and are not promised anything
DECISIONS = 40000 if SHORT else 400000
SOON = 3000  # decisions whose deadline comes soon
CLIENTS = 4
PATIENCE = 120


class Burst(unittest.TestCase):
    def setUp(self):
        self.folder = folder()
        self.addCleanup(self.folder.cleanup)
        self.service = Service(SEGUE, os.path.join(self.folder.name, "test.db"))
        self.addCleanup(self.end)
        self.client = self.service.client()
        for name, wait in (("later", 3600), ("soon", 4)):
            status, body = self.client.post("/v1/learners", {"name": name, "arms": ["A", "B"], "method": "tts",
                                                             "reward_deadline": wait, "default_reward": 0.5, "control": 0})
            self.assertEqual(status, 201, body)
        self.refused = 0

    def end(self):
        if self.service.process.poll() is None:
            self.service.stop()

    def ask(self, client, learner, task):
        """A thousand decisions, again and again if too many are not stored yet."""
        for _ in range(1000):
            status, body = client.ask(learner, task, count=1000)
            if status == 200:
                return
            self.assertEqual(status, 503, body)
            self.assertIn("not stored yet", body["error"]["message"])
            self.assertEqual(client.answer_headers["Retry-After"], "1")
            self.refused += 1
            time.sleep(0.02)
        self.fail("refused a thousand times")

    def burst(self, number):
        client = self.service.client()
        for i in range(DECISIONS // CLIENTS // 1000):
            self.ask(client, "later", f"s{number}-{i % 5}")
        self.done[number] = True

    def stored(self, learner):
        return query(self.service.store, "SELECT count(*) FROM decision JOIN task ON task.id = decision.task JOIN learner ON "
                                         f"learner.id = task.learner WHERE learner.name = '{learner}'")[0][0]

    def test_all_are_stored_within_the_promised_time(self):
        self.done = [False] * CLIENTS
        for _ in range(SOON // 1000):
            self.ask(self.client, "soon", "s")
        threads = [threading.Thread(target=self.burst, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(self.done))
        time.sleep(PROMISED)
        self.service.kill()
        self.assertEqual(self.stored("later"), DECISIONS)
        self.service.start()
        client = self.service.client()
        deadline = time.monotonic() + PATIENCE
        while client.get("/v1/learners/soon/tasks/s")[1]["rewards"] < SOON:
            self.assertLess(time.monotonic(), deadline, "the defaults were not counted")
            time.sleep(0.05)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.service.store)

    def test_a_kill_before_that_loses_defaults_alone(self):
        decisions, rewarded = [], []
        for i in range(SOON // 500):
            status, body = self.client.ask("later", "s", count=500)
            self.assertEqual(status, 200, body)
            decisions += [made["decision"] for made in body["decisions"]]
            rewarded.append(decisions[-1])
            self.assertEqual(self.client.tell(rewarded[-1], 1.0)[0], 200)
        self.service.kill()
        lost = len(decisions) - self.stored("later")
        print(f"killed at once: {len(decisions)} decisions, {lost} not stored, 0 of {len(rewarded)} rewards lost", flush=True)
        self.service.start()
        client = self.service.client()
        self.assertEqual([client.tell(decision, 1.0)[1]["status"] for decision in rewarded], ["duplicate"] * len(rewarded))
        late = [decision for decision in decisions if decision not in rewarded][-100:]  # the last ones asked
        self.assertEqual([client.tell(decision, 1.0)[1]["status"] for decision in late], ["counted"] * len(late))
        self.assertEqual(client.get("/v1/learners/later/tasks/s")[1]["rewards"], len(rewarded) + len(late))
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.service.store)


if __name__ == "__main__":
    SEGUE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
