#!/usr/bin/python3
"""Types have the same numbers in `segue estimate`, `segue replay` and the service.

A service gets rewards of tasks of three hidden types with unequal shares; they are written down as a log, too.

usage: test_serve_types.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import random
import sys
import unittest

from api_client import ApiClient
from program import SEGUE, Folder, answer
from service import Service

ARMS = ["a", "b", "c"]
TYPES = ({"a": 0.1, "b": 0.3, "c": 0.9}, {"a": 0.9, "b": 0.2, "c": 0.3}, {"a": 0.3, "b": 0.9, "c": 0.1})
COUNTS = (30, 20, 80)  # the third type is the heaviest
STEPS = 30


class Numbers(Folder):
    def setUp(self):
        super().setUp()
        service = Service(SEGUE, self.folder / "test.db")
        self.addCleanup(service.stop)
        self.api = ApiClient(service.port)
        self.addCleanup(self.api.close)
        self.rng = random.Random(17)

    def play(self):
        """Play all tasks, the last one not to its end; returns the path of the log.  It is the same in each run: one arm after
        the other is eligible.  What a service chooses depends on when its refits end."""
        kinds = [kind for kind, count in zip(TYPES, COUNTS) for _ in range(count)]
        self.rng.shuffle(kinds)
        kinds[-1] = TYPES[0]
        rows, tell = ["task,arm,reward"], {}
        self.api.must("POST", "/v1/learners", {"name": "x", "arms": ARMS, "steps": STEPS, "control": 0, "seed": 5})
        for number, means in enumerate(kinds):
            for step in range(STEPS - (number == len(kinds) - 1)):
                arm = ARMS[step % len(ARMS)]
                got = self.api.must("POST", "/v1/learners/x/ask", {"task": f"t{number}", "eligible": [arm], **tell})
                reward = int(self.rng.random() < means[got["arm"]])
                rows.append(f"t{number},{got['arm']},{reward}")
                tell = {"tell": {"decision": got["decision"], "reward": reward}}
        self.api.must("POST", "/v1/tell", tell["tell"])
        return self.file("\n".join(rows) + "\n", "log.csv")

    def best(self, means, names):
        return names[max(range(len(means)), key=means.__getitem__)]

    def test_the_three_agree(self):
        """130 tasks of 30 steps, types 0.6 apart on their best arms.  The heaviest type has 80 tasks and the
        others 30 and 20: the order of weights is certain, and so is the best arm of each type.  The service samples
        its types, and may have a few more, of one or two tasks."""
        log = self.play()
        served = self.api.fetch("/v1/learners/x")
        estimated = json.loads(answer("estimate", "--method", "types", "--format", "json", log))
        replayed = json.loads(answer("replay", "-q", "--runs", 1, "--steps", 5, "--format", "json", log))
        names = estimated["arms"]
        shown = [(self.best(kind["means"], ARMS), kind["weight"]) for kind in served["types"]]
        self.assertEqual([arm for arm, _ in shown[:3]], ["b", "c", "a"], shown)
        self.assertLessEqual(len(shown), 6, shown)
        self.assertLess(sum(weight for _, weight in shown[3:]), 0.1, shown)
        self.assertEqual([self.best([arm["mean"] for arm in kind["arms"]], names) for kind in estimated["types"]],
                         ["b", "c", "a"])
        self.assertEqual([self.best(kind["means"], names) for kind in replayed["types"]["list"]], ["b", "c", "a"])
        for kinds in (served["types"], estimated["types"], replayed["types"]["list"]):
            weights = [kind["weight"] for kind in kinds[:3]]  # small ones change places as tasks close
            self.assertEqual(weights, sorted(weights, reverse=True))
        self.check_explanation(log)

    def check_explanation(self, log):
        """The open task is of the second type; --assign gives it the same number."""
        task = self.api.fetch(f"/v1/learners/x/tasks/t{sum(COUNTS) - 1}")
        weights = {entry["type"]: entry["weight"] for entry in task["explanation"]["types"]}
        self.assertEqual(max(weights, key=weights.get), 2)
        rows = answer("estimate", "--assign", "--format", "csv", log).splitlines()
        name, kind, probability = rows[-1].split(",")
        self.assertEqual((name, kind), (f"t{sum(COUNTS) - 1}", "2"))
        self.assertGreater(float(probability), 0.9)
        self.assertGreater(weights[2], 0.5)  # the other types, sampled, are similar to the second in some samples


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
