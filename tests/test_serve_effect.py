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

from program import SEGUE, Folder
from api_client import ApiClient
from service import Service

ARMS = ["a", "b"]
MEANS = {"a": 0.8, "b": 0.3}
NAME = 'say "50\\50" {é}'  # what a label of Prometheus must escape, and what it must not
LOWEST, HIGHEST = -1, 3


def interval_of(transfer, control, width):
    """docs/math.md, "The effect of transfer"."""
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
