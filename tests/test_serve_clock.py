#!/usr/bin/env python3
"""The service while its wall clock jumps a day ahead or back, under it and between two runs: no task
closes early, no default is counted early, rewards count; and what is due comes when it is due.
tests/support/clock_shim.c sets the clock of the service alone.

    tests/test_serve_clock.py PROGRAM SHIM

SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import sys
import time
import unittest

from service import Service, check_store, folder
from stores import query

DAY = 86400
TICKS = 1.2  # seconds: idle tasks are looked for once a second, deadlines ten times
PATIENCE = 60  # seconds until what is due must have come


class Clock(unittest.TestCase):
    options = ()

    def setUp(self):
        self.folder = folder()
        self.addCleanup(self.folder.cleanup)
        self.offset = pathlib.Path(self.folder.name) / "offset"
        self.jump(0)
        self.service = Service(SEGUE, os.path.join(self.folder.name, "test.db"), *self.options, before=self.preload)
        self.addCleanup(self.end)
        self.client = self.service.client()

    def preload(self):
        os.environ.update(LD_PRELOAD=SHIM, CLOCK_SHIM=str(self.offset))

    def end(self):
        if self.service.process.poll() is None:
            self.service.stop()

    def jump(self, seconds):
        """Set the wall clock of the service so far ahead of the machine's."""
        new = self.offset.with_suffix(".new")
        new.write_text(f"{seconds}\n")
        new.replace(self.offset)

    def restart(self, kill, seconds):
        self.service.close_clients()
        if kill:
            self.service.kill()
        else:
            self.assertEqual(self.service.stop(), 0)
        self.jump(seconds)
        self.service.start()
        self.client = self.service.client()

    def create(self, **more):
        status, body = self.client.post("/v1/learners", {"name": "l", "arms": ["A", "B"], "control": 0, **more})
        self.assertEqual(status, 201, body)

    def ask(self, task):
        status, body = self.client.ask("l", task)
        self.assertEqual(status, 200, body)
        return body["decision"]

    def tell(self, decision):
        status, body = self.client.tell(decision, 1.0)
        self.assertEqual((status, body.get("status")), (200, "counted"), body)

    def task(self, key):
        return self.client.get(f"/v1/learners/l/tasks/{key}")[1]

    def metric(self, name):
        text = self.client.raw("GET", "/metrics")[1].decode()
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))

    def until(self, holds, what):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def nothing_is_due(self, n_open):
        time.sleep(TICKS)
        self.assertEqual(self.metric("segue_open_tasks"), n_open)
        self.assertEqual(self.metric("segue_defaults_total"), 0)


class Jumps(Clock):
    """Deadlines of an hour, and a clock that jumps by a day and more."""

    def setUp(self):
        super().setUp()
        self.create(reward_deadline=3600, default_reward=0, idle=7200)
        self.decisions = [self.ask(f"s{i}") for i in range(10)]

    def rewards_count(self, key):
        for decision in self.decisions:
            self.tell(decision)
        self.tell(self.ask(key))
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.service.store)

    def test_the_clock_is_really_set(self):
        self.jump(DAY)
        self.ask("later")
        self.assertAlmostEqual(self.task("later")["opened"], time.time() + DAY, delta=PATIENCE)

    def test_a_jump_ahead_under_a_running_service(self):
        self.jump(DAY)
        self.nothing_is_due(10)
        self.rewards_count("new")

    def test_a_jump_back_under_a_running_service(self):
        self.jump(-DAY)
        self.ask("s0")
        self.nothing_is_due(10)
        self.jump(0)
        self.nothing_is_due(10)
        self.rewards_count("new")

    def test_jumps_between_two_runs(self):
        """By a kill what was asked is there after a second, and by an orderly end at once."""
        time.sleep(TICKS)
        for kill, seconds in ((False, DAY), (True, -DAY), (True, 400 * DAY)):
            self.restart(kill, seconds)
            self.decisions.append(self.ask("s0"))
            self.nothing_is_due(10)
        self.rewards_count("new")


class Due(Clock):
    """Short deadlines come, whatever the wall clock does."""

    def setUp(self):
        super().setUp()
        self.create(reward_deadline=0.3, default_reward=0.5, idle=0.6)

    def stored(self):
        return query(self.service.store, "SELECT count(*) FROM decision")[0][0] > 0

    def comes(self, keys):
        self.until(lambda: all(self.task(key)["rewards"] == 1 for key in keys), "the defaults were not counted")
        self.until(lambda: self.metric("segue_open_tasks") == 0, "the idle tasks were not closed")

    def test_under_a_clock_that_was_set_back(self):
        decision = self.ask("s")
        self.jump(-DAY)
        self.ask("t")
        self.comes("st")
        self.assertEqual(self.client.tell(decision, 1.0)[0], 410)

    def test_after_an_orderly_end(self):
        self.ask("s")
        self.restart(False, -DAY)
        self.comes("s")

    def test_after_a_kill(self):
        self.ask("s")
        self.until(lambda: self.stored(), "the decision was not stored")
        self.restart(True, -DAY)
        self.comes("s")


class Rate(Clock):
    options = ("--rate", "5")

    def test_a_bucket_fills_again_after_the_clock_was_set_back(self):
        def allowed():
            return self.client.get("/v1/learners")[0] == 200

        self.until(lambda: not allowed(), "the rate is not limited")
        self.jump(-DAY)
        for _ in range(6):
            self.until(allowed, "the bucket does not fill")
        self.jump(DAY)
        self.until(lambda: not allowed(), "the rate is not limited")


if __name__ == "__main__":
    SEGUE, SHIM = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
