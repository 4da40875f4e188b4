#!/usr/bin/python3
"""Responses for the dashboard: versions, decisions, intervals, explanations.

usage: test_dashboard_api.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import random
import sys
import unittest

from program import SEGUE, Folder
from api_client import ApiClient
from service import Service, check_store, last_version

ARMS = ["a", "b", "c"]
KINDS = [[0.9, 0.2, 0.4], [0.1, 0.3, 0.8]]
STEPS = 6


class DashboardData(Folder):
    def setUp(self):
        super().setUp()
        self.service = Service(SEGUE, self.folder / "test.db")
        self.addCleanup(self.service.stop)
        self.rng = random.Random(1)

    def api(self):
        api = ApiClient(self.service.port)
        self.addCleanup(api.close)
        return api

    def learner(self, **settings):
        self.api().must("POST", "/v1/learners", {"name": "it", "arms": ARMS, "steps": STEPS, **settings})

    def play(self, tasks):
        api = self.api()
        for i in tasks:
            api.play("it", f"task {i}", dict(zip(ARMS, KINDS[i % 2])), STEPS, self.rng)
        return api

    def test_versions_are_few_and_the_same_after_any_end(self):
        self.learner()
        api = self.play(range(100))
        newest = last_version(lambda: api.fetch("/v1/learners/it"))
        before = api.fetch("/v1/learners/it/versions")["versions"]
        numbers = [v["version"] for v in before]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertLessEqual(len(numbers), 65)
        self.assertEqual(numbers[-1], newest["version"])
        self.assertEqual([(t["weight"], t["means"]) for t in before[-1]["types"]],
                         [(t["weight"], t["means"]) for t in newest["types"]])
        self.assertGreater(before[-1]["tasks"], before[0]["tasks"])
        for kill in (True, False):  # the event log is read again; and then a snapshot
            self.service.kill() if kill else self.service.stop()
            self.service.start()
            self.assertEqual(self.api().fetch("/v1/learners/it/versions")["versions"], before)
        self.service.stop()
        check_store(SEGUE, self.folder / "test.db")

    def test_types_have_intervals_around_their_means(self):
        self.learner()
        types = self.play(range(40)).fetch("/v1/learners/it")["types"]
        self.assertGreaterEqual(len(types), 1)
        for type in types:
            for low, mean, high in zip(type["low"], type["means"], type["high"]):
                self.assertTrue(0 <= low <= mean <= high <= 1)
                self.assertLess(low, high)

    def test_types_have_ids_that_stay(self):
        self.learner()
        api = self.play(range(60))
        before = [type["id"] for type in api.fetch("/v1/learners/it")["types"]]
        self.play(range(60, 68))
        after = [type["id"] for type in api.fetch("/v1/learners/it")["types"]]
        for ids in (before, after):
            self.assertGreater(min(ids), 0)
            self.assertEqual(len(set(ids)), len(ids))
        self.assertTrue(set(before) & set(after), (before, after))  # types merge, but not all at once

    def test_a_glance_at_all_learners_tells_what_one_does(self):
        self.learner(control=0.5)
        api = self.play(range(40))
        line, = api.fetch("/v1/learners")["learners"]
        learner = api.fetch("/v1/learners/it")
        self.assertEqual((line["effect"], line["no_type"], line["types"]),
                         (learner["effect"], learner["no_type"], len(learner["types"])))
        self.assertIsNotNone(line["effect"]["interval"])

    def test_decisions_are_the_last_with_a_reward(self):
        self.learner(steps=100, close_after=0)
        api, expected = self.api(), []
        self.assertEqual(api.fetch("/v1/learners/it/decisions"), {"decisions": []})
        for i in range(40):
            asked = api.must("POST", "/v1/learners/it/ask", {"task": f"task {i % 3}"})
            api.must("POST", "/v1/tell", {"decision": asked["decision"], "reward": i / 40})
            expected.insert(0, (f"task {i % 3}", asked["arm"], i / 40, asked["control"], asked["version"]))
        shown = api.fetch("/v1/learners/it/decisions")["decisions"]
        self.assertEqual([(d["task"], d["arm"], d["reward"], d["control"], d["version"]) for d in shown], expected[:32])
        times = [d["time"] for d in shown]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_open_tasks_are_listed_with_their_posterior(self):
        self.learner(control=0.5)
        api = self.play(range(40))
        for i in range(12):
            api.must("POST", "/v1/learners/it/ask", {"task": f"open {i}"})
        tasks = api.fetch("/v1/learners/it/tasks?open=true&explain=true")["tasks"]
        self.assertEqual([t["task"] for t in tasks], [f"open {i}" for i in reversed(range(12))])
        for task in tasks:
            alone = api.fetch(f"/v1/learners/it/tasks/{task['task'].replace(' ', '%20')}")
            self.assertEqual(task["explanation"], alone["explanation"])
            self.assertEqual(task["explanation"] is None, task["control"])
        self.assertNotIn("explanation", api.fetch("/v1/learners/it/tasks")["tasks"][0])
        closed = api.fetch("/v1/learners/it/tasks?open=false&explain=true")["tasks"]
        self.assertEqual({t["explanation"] for t in closed}, {None})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
