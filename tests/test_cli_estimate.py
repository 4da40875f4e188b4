#!/usr/bin/python3
"""`segue estimate`: models and types from a log.

usage: test_cli_estimate.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import random
import sys
import unittest

from paper_log import PaperLog
from program import answer


class Estimate(PaperLog):
    def test_an_estimate_comes_back_as_a_model_set(self):
        log, out = self.log(), self.folder / "models.csv"
        text = answer("estimate", "--types", 3, log)
        self.assertIn("skipped: 1 tasks with fewer than three rewards of some arm (short)", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        answer("estimate", "--types", 3, "--format", "csv", "--out", out, log)
        self.assertTrue(out.read_text().startswith("weight,arm 1,arm 2,"))
        answer("complexity", "--models", out)
        answer("simulate", "--models", out, "--steps", 20, "--runs", 2)
        data = json.loads(answer("estimate", "--types", 3, "--format", "json", log))
        self.assertEqual((data["tasks"], data["skipped"], data["skipped_names"]),
                         (301, 1, ["short"]))
        self.assertEqual(len(data["diagnostics"]["eigenvalues"]), 7)
        self.assertRegex(data["diagnostics"]["verdict"], "^(good|weak)")
        self.assertEqual(data["arms"], [str(i) for i in range(1, 8)])

    def test_every_method_finds_models_that_are_far_apart(self):
        """Two models far apart, 300 tasks of 40 pulls: every method is within 0.1 of each mean,
        which is over ten standard errors (0.5 / sqrt(150 * 40) < 0.007)."""
        rng = random.Random(8)
        models = [[0.9, 0.1, 0.5], [0.2, 0.8, 0.4]]
        rows = ["task,arm,reward"]
        for task in range(300):
            for arm, mean in enumerate(models[task % 2]):
                rows += [f"{task},{arm},{int(rng.random() < mean)}" for _ in range(40)]
        log = self.file("\n".join(rows) + "\n", "log.csv")
        for method in ("rtp", "algorithm-b", "eca", "em"):
            data = json.loads(answer("estimate", "--types", 2, "--method", method, "--format",
                                     "json", log))
            means = sorted((model["means"] for model in data["models"]), reverse=True)
            for seen, truth in zip(means, models):
                for x, y in zip(seen, truth):
                    self.assertAlmostEqual(x, y, delta=0.1)
            for model in data["models"]:
                self.assertAlmostEqual(model["weight"], 0.5, delta=0.1)
            self.assertGreaterEqual(data["models"][0]["weight"], data["models"][1]["weight"])

    def test_em_prints_its_likelihood_and_uses_short_tasks(self):
        log = self.log(tasks=100, pulls=20)
        text = answer("estimate", "--types", 5, "--method", "em", log)
        self.assertRegex(text, "(good|weak): 5 models distinguish 101 tasks with .* % certainty\n"
                               "log-likelihood -[0-9.]+, [0-9]+ iterations from 9 starts\n")
        self.assertNotIn("skipped", text)
        data = json.loads(answer("estimate", "--types", 5, "--method", "em", "--window", 40,
                                 "--format", "json", log))
        self.assertEqual(data["diagnostics"]["tasks"], 40)
        self.assertLess(data["diagnostics"]["log_likelihood"], 0)
        self.assertEqual(data["diagnostics"]["lambdas"], [])
        self.assertIn("only the last 40 of 101 tasks were fitted",
                      answer("estimate", "--types", 5, "--method", "em", "-w", 40, log))
        self.assertIn("none: 3 tasks are fewer than 5 models",
                      answer("estimate", "--types", 5, "--method", "em", self.log(tasks=2)))

    def types(self, *means, tasks=200, pulls=30):
        """A log of tasks that have these means in turn."""
        rng = random.Random(9)
        rows = ["task,arm,reward"]
        for task in range(tasks):
            for arm, mean in zip("abc", means[task % len(means)]):
                rows += [f"t{task},{arm},{2 + 4 * int(rng.random() < mean)}" for _ in range(pulls)]
        return self.file("\n".join(rows) + "\n", "types.csv")

    def test_types_are_found_and_come_back_as_a_model_set(self):
        """Three types far apart, 2,000 pulls of each arm: their means are within 0.1, nine standard
        errors (0.5 / sqrt(2000) < 0.0112), and every task is assigned to its own type."""
        means = [[0.9, 0.1, 0.5], [0.2, 0.8, 0.4], [0.5, 0.4, 0.9]]
        log, out = self.types(*means), self.folder / "models.csv"
        args = ("estimate", "--method", "types", "--range", "2,6")
        text = answer(*args, log)
        self.assertIn("3 types from 18000 rewards, 200 tasks, 3 arms", text)
        self.assertRegex(text, "good: 3 types explain 200 tasks; [0-9.e-]+ % fit none")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        answer(*args, "--format", "csv", "--out", out, log)
        answer("complexity", "--models", out)
        rows = sorted([float(x) for x in row.split(",")]
                      for row in out.read_text().splitlines()[1:])
        self.assertAlmostEqual(sum(row[0] for row in rows), 1)
        data = json.loads(answer(*args, "--types", 3, "--format", "json", log))
        self.assertAlmostEqual(sum(kind["tasks"] for kind in data["types"]) +
                               data["no_type"]["tasks"], 200)
        for task, posterior in enumerate(data["posteriors"]):
            self.assertEqual(posterior["task"], f"t{task}")
            self.assertAlmostEqual(sum(posterior["probabilities"]), 1)
            kind = data["types"][posterior["type"] - 1]
            for arm, mean in zip(kind["arms"], means[task % 3]):
                self.assertAlmostEqual(arm["mean"], 2 + 4 * mean, delta=0.4)
                self.assertTrue(arm["low"] < arm["mean"] < arm["high"])
                self.assertLess(arm["spread"], 0.4)

    def test_tasks_are_assigned_to_types(self):
        """The tasks of test_types_are_found; --assign alone chooses the method."""
        means = [[0.9, 0.1, 0.5], [0.2, 0.8, 0.4], [0.5, 0.4, 0.9]]
        args = ("estimate", "--assign", "--range", "2,6")
        log = self.types(*means)
        rows = [row.split(",") for row in answer(*args, "--format", "csv", log).splitlines()]
        self.assertEqual(rows[0], ["task", "type", "probability"])
        self.assertEqual([row[0] for row in rows[1:]], [f"t{task}" for task in range(200)])
        self.assertEqual(len({(task % 3, row[1]) for task, row in enumerate(rows[1:])}), 3)
        data = json.loads(answer(*args, "--method", "types", "--format", "json", log))
        full = json.loads(answer("estimate", "--method", "types", *args[2:], "--format", "json", log))
        for row, entry, posterior in zip(rows[1:], data["assignments"], full["posteriors"], strict=True):
            self.assertEqual((row[0], int(row[1])), (entry["task"], entry["type"]))
            self.assertEqual(entry["probability"], max(posterior["probabilities"]))
            self.assertAlmostEqual(float(row[2]), entry["probability"], 12)
        lines = answer(*args, log).splitlines()
        self.assertEqual((lines[0].split(), len(lines)), (rows[0], 201))

    def test_logs_without_types_have_a_verdict(self):
        args = ("estimate", "--method", "types", "--range", "2,6")
        self.assertIn("none: only one type; the means of 100 tasks differ by 0",
                      answer(*args, self.types([0.9, 0.1, 0.5], tasks=100)))
        few = self.types([0.9, 0.1, 0.5], tasks=7)
        self.assertIn("none: 7 tasks are too few for types; need 8", answer(*args, few))
        self.refused(2, "no model set to print: 7 tasks are too few", *args, "--format", "csv", few)
        self.refused(2, "no type to assign: 7 tasks are too few", *args, "--assign", few)
        data = json.loads(answer(*args, "--format", "json", few))
        self.assertEqual((data["types"], data["diagnostics"]["found"]), ([], False))

    def test_no_estimate_is_a_verdict_and_no_csv(self):
        log = self.log(tasks=4)
        self.assertIn("none: 4 tasks are fewer than 5 models",
                      answer("estimate", "--types", 5, log))
        self.refused(2, "there is no model set to print: none: 4 tasks", "estimate", "--types", 5,
                     "--format", "csv", log)

    def test_wrong_usage_of_estimate(self):
        log = self.log(tasks=2)
        for says, *args in (("give a log", "--types", 5), ("give --types", log),
                            ("--types: 0 is out of range", "--types", 0, log),
                            ("no estimator 'magic'; need rtp, algorithm-b, eca or em, or types", "--types", 2, "--method", "magic", log),
                            ("--views: there is no 'all'", "--types", 2, "--views", "all", log),
                            ("--batches: there is no 'all'; need interleaved or consecutive", "--types", 2,
                             "--batches", "all", log),
                            ("--alpha0 needs --method eca; rtp does not use it", "--types", 2, "--alpha0", 1, log),
                            ("--assign needs --method types; em does not use it", "--types", 2, "--assign", "-M", "em", log),
                            ("--window needs --method em or types; rtp does not use it", "--types", 2, "-w", 99, log),
                            ("--starts needs --method rtp or em; eca does not use it", "--types", 2, "-L", 9, "-M", "eca", log),
                            *((f"--{option} needs --method", "--method", "types", f"--{option}", value, log)
                              for option, value in (("starts", 9), ("steps", 9), ("views", "paper"), ("batches", "consecutive"),
                                                    ("weights", "lambda"), ("alpha0", 1))),
                            ("give --types", "--method", "em", log),
                            ("--window: 15 is out of range", "--method", "types", "-w", 15, log),
                            ("at most 16 with --method types", "--method", "types", "--types", 17,
                             log),
                            ("--out would overwrite the log", "--types", 2, "--out", log, log),
                            ("--range: 3,1 is empty", "--types", 2, "--range", "3,1", log),
                            ("'more' is not an option", "--types", 2, log, "more"),
                            ("cannot be opened", "--types", 2, "no.csv")):
            self.refused(2, says, "estimate", *args)

    def test_an_arm_that_cannot_head_a_model_set(self):
        log = self.file("task,arm,reward\n" + "1,weight,1\n1,b,0\n" * 9 + "2,weight,0\n2,b,1\n" * 9)
        answer("estimate", "--types", 1, log)
        self.refused(2, "arm 'weight' cannot head a model set", "estimate", "--types", 1,
                     "--format", "csv", log)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
