#!/usr/bin/python3
"""The effect of transfer, as the API and the metrics show it.

The interval is computed once more here, from the closed tasks; tests/unit/core/test_confseq.c shows that it is a confidence sequence.

usage: test_serve_effect.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import math
import random
import re
import statistics
import sys
import unittest
import urllib.parse

from program import SEGUE, Folder, answer
from api_client import ApiClient
from service import Service
from stores import store_name

ARMS = ["a", "b"]
MEANS = {"a": 0.8, "b": 0.3}
NAME = 'say "50\\50" {é}'  # what a label of Prometheus must escape, and what it must not
LOWEST, HIGHEST = -1, 3


def interval_of(transfer, control, width):
    """docs/math.md, "The effect of transfer", with a constant control share."""
    n, m = len(transfer), len(control)
    squares = [statistics.pvariance(side) * len(side) for side in (transfer, control)]
    pooled = (sum(squares) + width * width) / (n + m - 2)
    v, w = max(squares[0] / (n - 1), pooled) / n, max(squares[1] / (m - 1), pooled) / m
    freedom = (v + w) ** 2 / (v * v / (n - 1) + w * w / (m - 1))
    pairs = n * m / (n + m)
    boundary = (1 + 25 / pairs) * math.log((1 + pairs / 25) / 0.05 ** 2)
    half = math.sqrt(freedom * math.expm1(boundary / freedom) * (v + w))
    difference = statistics.fmean(transfer) - statistics.fmean(control)
    return difference, max(difference - half, -width), min(difference + half, width)


def weighted_interval(tasks, width):
    """docs/effect.md, "The interval": tasks of (reward per step, control, share), in the order of closing."""
    sides = []
    for control in (False, True):
        x = [(r, 1 / (p if c else 1 - p)) for r, c, p in tasks if c == control]
        w, w2 = sum(v for _, v in x), sum(v * v for _, v in x)
        mean = sum(r * v for r, v in x) / w
        variance = max(sum(v * v * (r - mean) ** 2 for r, v in x) / w2, statistics.pvariance([r for r, _ in x]))
        sides.append((w * w / w2, mean, variance * w * w / w2))
    (n, a, s), (m, b, q) = sides
    pooled = (s + q + width * width) / (n + m - 2)
    v, w = max(s / (n - 1), pooled) / n, max(q / (m - 1), pooled) / m
    freedom = (v + w) ** 2 / (v * v / (n - 1) + w * w / (m - 1))
    spread = [p * (1 - p) for _, _, p in tasks]
    pairs = n * m / (n + m) * (spread[0] * statistics.fmean(1 / x for x in spread)) ** 2
    boundary = (1 + 25 / pairs) * math.log((1 + pairs / 25) / 0.05 ** 2)
    half = math.sqrt(freedom * math.expm1(boundary / freedom) * (v + w))
    return a - b, max(a - b - half, -width), min(a - b + half, width)


class Effect(Folder):
    def setUp(self):
        super().setUp()
        self.service = Service(SEGUE, self.folder / "test.db")
        self.addCleanup(self.service.stop)
        self.rng = random.Random(4)

    def api(self):
        api = ApiClient(self.service.port)
        self.addCleanup(api.close)
        return api

    def learner(self, name, control):
        self.api().must("POST", "/v1/learners", {"name": name, "arms": ARMS, "steps": 12, "control": control,
                                                 "range": [LOWEST, HIGHEST], "close_after": 0})

    def play(self, name, tasks):
        """Tasks of 1 to 12 steps, closed by hand where they are shorter."""
        api, path = self.api(), f"/v1/learners/{urllib.parse.quote(name, safe='')}"
        for i in range(tasks):
            steps = self.rng.randint(1, 12)
            api.play(name, f"task {i}", MEANS, steps, self.rng)
            if steps < 12:
                api.must("POST", f"{path}/tasks/task%20{i}/close", {})
        return api.fetch(path), api.fetch(f"{path}/tasks?limit=1000&open=false")["tasks"]

    def gauges(self):
        """{(name, label): value}"""
        status, raw = self.api().raw("GET", "/metrics")
        self.assertEqual(status, 200)
        text = raw.decode()
        for name in ("effect", "effect_low", "effect_high"):
            self.assertEqual(text.count(f"# TYPE segue_{name} gauge\n"), 1)
        found = re.findall(r'^segue_(effect\w*)\{learner="((?:[^"\\\n]|\\[\\"n])*)"\} (\S+)$', text, re.M)
        self.assertEqual(len(found), text.count("\nsegue_effect"))
        return {(name, re.sub(r"\\(.)", r"\1", label)): float(value) for name, label, value in found}

    def test_the_interval_is_the_confidence_sequence_of_the_closed_tasks(self):
        self.learner(NAME, 0.5)
        learner, tasks = self.play(NAME, 60)
        sides = [[t["reward_per_step"] for t in tasks if t["control"] == control] for control in (False, True)]
        self.assertGreater(min(map(len, sides)), 1)  # fewer: once in 2e16 stores
        expected = interval_of(*sides, HIGHEST - LOWEST)
        shown = [learner["effect"]["difference"], *learner["effect"]["interval"]]
        for ours, theirs in zip(expected, shown, strict=True):
            self.assertAlmostEqual(ours, theirs, 9)
        self.assertEqual(self.gauges(), {(name, NAME): value
                                         for name, value in zip(("effect", "effect_low", "effect_high"), shown)})
        line, = self.api().fetch("/v1/learners")["learners"]
        self.assertEqual(line["effect"], learner["effect"])
        self.service.kill()  # and it is made of the event log again
        self.service.start()
        again, = self.api().fetch("/v1/learners")["learners"]
        self.assertEqual(again["effect"], learner["effect"])

    def test_without_one_of_the_sides_there_is_no_interval(self):
        for name, control in (("none", 0), ("all", 1)):
            self.learner(name, control)
            learner, _ = self.play(name, 6)
            self.assertEqual((learner["effect"]["difference"], learner["effect"]["interval"]), (None, None))
        self.assertEqual(self.gauges(), {})

    def one_step(self, name, i, reward):
        """Play a task of one step; reward(control) is its reward."""
        api = self.api_once()
        decision = api.must("POST", f"/v1/learners/{name}/ask", {"task": f"task {i}"})
        api.must("POST", "/v1/tell", {"decision": decision["decision"], "reward": reward(decision["control"])})

    def api_once(self):
        if not getattr(self, "client", None):
            self.client = self.api()
        return self.client

    def create(self, name, **more):
        self.api().must("POST", "/v1/learners", {"name": name, "arms": ARMS, "steps": 1, **more})

    def test_with_a_share_that_falls_tasks_are_weighted(self):
        self.create("grows", control=0.05, grow=True)
        for i in range(150):
            self.one_step("grows", i, lambda control: int(self.rng.random() < (0.3 if control else 0.9)))
        learner = self.api().fetch("/v1/learners/grows")
        tasks = self.api().fetch("/v1/learners/grows/tasks?limit=1000&open=false")["tasks"]
        tasks = [(t["reward_per_step"], t["control"], t["control_share"]) for t in sorted(tasks, key=lambda t: int(t["task"][5:]))]
        self.assertEqual(tasks[0][2], 0.5)
        self.assertLess(tasks[-1][2], 0.5)
        effect = learner["effect"]
        for ours, theirs in zip(weighted_interval(tasks, 1), [effect["difference"], *effect["interval"]], strict=True):
            self.assertAlmostEqual(ours, theirs, 9)
        self.assertEqual((effect["tasks"], effect["stopped"], effect["stops"]), (150, False, 0))
        self.assertIsNotNone(effect["forecast"])
        text = self.api().raw("GET", "/metrics")[1].decode()
        self.assertIn('segue_transfer_stopped{learner="grows"} 0\n', text)
        self.assertIn('segue_control_share{learner="grows"} 0.', text)

    def test_harm_stops_transfer_until_it_is_resumed(self):
        self.create("harmed", control=0.5, stop_if_harmful=True)
        for i in range(400):
            self.one_step("harmed", i, int)
            effect = self.api_once().fetch("/v1/learners/harmed")["effect"]
            if effect["stopped"]:
                break
        self.assertLess(effect["interval"][1], 0)
        self.assertEqual((effect["stops"], effect["control_share"], effect["forecast"]), (1, 1, None))
        self.assertIn('segue_transfer_stopped{learner="harmed"} 1\n', self.api().raw("GET", "/metrics")[1].decode())
        self.service.kill()
        self.service.start()
        self.client = None
        again = self.api_once().fetch("/v1/learners/harmed")["effect"]
        self.assertEqual(again, effect)
        self.assertTrue(all(self.api_once().must("POST", "/v1/learners/harmed/ask", {"task": f"new {i}"})["control"]
                            for i in range(20)))
        self.assertFalse(self.api_once().must("POST", "/v1/learners/harmed/resume", {})["effect"]["stopped"])
        self.assertEqual(self.service.stop(), 0)
        done = answer("store", "check", "--store", store_name(self.folder / "test.db"))
        self.assertIn("sound", done)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
