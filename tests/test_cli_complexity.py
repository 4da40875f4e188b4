#!/usr/bin/python3
"""`segue complexity`: the numbers of the paper, bounds, and estimated sets.

usage: test_cli_complexity.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import io
import json
import math
import pathlib
import sys
import unittest

from program import PAPER, Folder, answer


class Complexity(Folder):
    def test_complexity_of_the_paper(self):
        data = json.loads(answer("complexity", "--models", PAPER, "--format", "json"))
        first = data["models"][0]
        self.assertEqual((first["model"], first["best_arm"], first["best_value"]), (1, 1, 0.9))
        table = {"ucb": [22.31, 23.32, 33.91, 17.91, 35.41, 26.57],
                 "ucb+": [14.87, 15.58, 25.21, 11.17, 8.74, 15.11],
                 "mucb": [2.33, 8.48, 2.08, 3.48, 0, 3.27]}
        for name, values in table.items():
            seen = [model[name] for model in data["models"]] + [data["average"][name]]
            self.assertEqual([int(x * 100) / 100 for x in seen], values)
        self.assertEqual(round(data["sigma_min"], 4), 0.0039)
        self.assertEqual(round(data["gamma_sigma"], 4), 0.0038)
        self.assertEqual(data["models"][1]["optimistic_models"], [1, 2, 5])

    def test_complexity_of_estimates(self):
        args = ("complexity", "--models", PAPER, "--estimated", PAPER)
        exact = json.loads(answer(*args, "--eps", 0, "--format", "json"))
        self.assertAlmostEqual(exact["average"]["tucb"], exact["average"]["mucb"], 9)
        vague = json.loads(answer(*args, "--eps", 2, "--format", "json"))
        self.assertAlmostEqual(vague["average"]["tucb"], vague["average"]["ucb"], 9)
        self.assertEqual(vague["models"][0]["estimated"]["a2"], [1, 2, 3, 4, 5, 6, 7])

    def test_averages_are_by_the_weights(self):
        rows = pathlib.Path(PAPER).read_text().splitlines()
        weights = [0.1, 0.4, 0, 0.3, 0.2]
        text = "\n".join([rows[0]] + [f"{w},{row.split(',', 1)[1]}"
                                      for w, row in zip(weights, rows[1:])])
        data = json.loads(answer("complexity", "--models", self.file(text), "--format", "json"))
        for name in ("ucb", "ucb+", "mucb"):
            average = sum(w * model[name] for w, model in zip(weights, data["models"]))
            self.assertAlmostEqual(data["average"][name], average, 9)

    def test_bounds_are_those_of_the_theorems(self):
        for args, n, delta in (((), 5000, 1 / 5000), (("--steps", 300, "--delta", 0.05), 300, 0.05)):
            data = json.loads(answer("complexity", "--models", PAPER, "--estimated", PAPER, "--eps",
                                     0.05, "--format", "json", *args))
            log_known = math.log(5 * n * n / delta)
            log_estimated = math.log(2 * 5 * 7 * n * n / delta)
            self.assertAlmostEqual(data["delta"], delta, 12)
            for model in data["models"]:
                for name in ("ucb", "ucb+", "mucb"):
                    self.assertAlmostEqual(model["bounds"][name], 7 + 2 * log_known * model[name], 6)
                forced = 3 * sum(model["gaps"])
                self.assertAlmostEqual(model["estimated"]["bound_umucb"],
                                       7 + 2 * log_estimated * model["estimated"]["tucb"] + forced, 6)
            bounds = [model["estimated"]["bound_umucb"] for model in data["models"]]
            self.assertAlmostEqual(data["run_bound"], 5000 * sum(bounds) / 5, 3)
            self.assertEqual(data["largest_error"], 0)
        self.assertEqual(data["best_arms"], [1, 2, 3, 4, 5])

    def test_umucb_keeps_its_bound_where_the_forced_pulls_are_all(self):
        models = self.file("a,b,c,d\n1,0,0,0\n0,.5,0,0\n")
        data = json.loads(answer("complexity", "--models", models, "--estimated", models, "--eps", 0,
                                 "--format", "json"))
        played = json.loads(answer("simulate", "--models", models, "--policy", "umucb", "--runs", 20,
                                   "--format", "json"))
        for bound, seen in zip(data["models"], played["results"][0]["by_model"]):
            self.assertLessEqual(seen["mean"], bound["estimated"]["bound_umucb"])

    def test_estimates_that_are_further_off_than_eps_are_reported(self):
        truth = self.file("a,b\n.3,.4\n.9,.1\n", "truth.csv")
        wild = self.file("a,b\n.9,.8\n.2,.7\n", "wild.csv")
        text = answer("complexity", "--models", truth, "--estimated", wild, "--eps", 0.01)
        self.assertIn("largest error is 0.7: the bounds do not hold", text)

    def test_a_tiny_delta_gives_finite_bounds(self):
        data = json.loads(answer("simulate", "--models", PAPER, "--policy", "ucb:delta=1e-301",
                                 "--steps", 100, "--runs", 5, "--format", "json"))
        self.assertGreater(data["results"][0]["regret"]["se"], 0)

    def test_csv_of_complexity_agrees_with_json(self):
        data = json.loads(answer("complexity", "--models", PAPER, "--format", "json"))
        rows = list(csv.DictReader(io.StringIO(answer("complexity", "--models", PAPER, "--format",
                                                      "csv"))))
        for row, model in zip(rows, data["models"]):
            self.assertEqual(float(row["mucb"]), model["mucb"])
            self.assertAlmostEqual(float(row["bound_ucb"]), model["bounds"]["ucb"], 9)
        self.assertEqual(rows[-1]["model"], "")
        self.assertEqual(float(rows[-1]["ucb"]), data["average"]["ucb"])

    def test_the_constant_of_theorem_2_as_printed_and_corrected(self):
        data = json.loads(answer("complexity", "--models", PAPER, "--c1", 0.5, "--format", "json"))
        p, low, gap = data["perturbation"], data["sigma_min"], data["gamma_sigma"]
        high, five = p["sigma_max"], math.sqrt(5)
        self.assertAlmostEqual(p["lambda_min"], five, 12)
        self.assertAlmostEqual(p["lambda_max"], five, 12)
        root = five * math.sqrt(high / low ** 3)
        self.assertAlmostEqual(p["constant"] / (root * (high / gap + 1 / low + 1 / high)), 1, 9)
        self.assertAlmostEqual(p["constant_corrected"] / (root * (1 / gap + 1 / low)), 1, 9)
        self.assertAlmostEqual(p["error_corrected"] / p["error"], p["constant_corrected"] / p["constant"], 12)
        self.assertAlmostEqual(p["min_tasks_tensor"] / p["min_tasks_tensor_corrected"], 7 * 0.5, 9)
        text = answer("complexity", "--models", PAPER)
        for row in ("C(Theta), as printed", "C(Theta), corrected", "lambda_min", "lambda_max"):
            self.assertIn(row, text)

    def test_second_bound_and_sets_of_theorem_1(self):
        data = json.loads(answer("complexity", "--models", PAPER, "--estimated", PAPER, "--eps", 0,
                                 "--format", "json"))
        for model in data["models"]:
            arms = [i for i in model["optimistic_arms"] if model["gaps"][i - 1] > 0]
            second = sum(1 / model["model_gaps"][i - 1] for i in arms)
            self.assertAlmostEqual(model["bounds"]["mucb_second"], 7 + 2 * math.log(5 * 5000 ** 3) * second, 6)
            self.assertGreaterEqual(model["bounds"]["mucb_second"], model["bounds"]["mucb"])
            self.assertEqual(sorted(sum(model["optimistic_by_arm"], [])), model["optimistic_models"])
            self.assertEqual(model["estimated"]["optimistic_by_arm"], model["optimistic_by_arm"])
            self.assertEqual(model["faster_arms"], [])  # the remark's condition holds on this set

    def test_a_set_that_a_test_can_tell_apart(self):
        path = pathlib.Path(PAPER).with_name("testable.csv")
        data = json.loads(answer("complexity", "--models", path, "--format", "json"))
        test = data["hypothesis_test"]
        self.assertAlmostEqual(test["model_gap"], 0.25, 12)
        self.assertAlmostEqual(test["threshold"], 2 * math.log(2 * 5000) / 0.25 ** 2, 9)
        self.assertAlmostEqual(test["tau"], 4 * test["threshold"], 9)
        for model in data["models"]:
            self.assertAlmostEqual(model["gamma_min"], 0.25, 12)
            self.assertLess(model["bounds"]["ucb_test"], model["bounds"]["ucb"])
        paper = json.loads(answer("complexity", "--models", PAPER, "--format", "json"))
        self.assertEqual(paper["hypothesis_test"], {"model_gap": 0, "threshold": None, "tau": None})

    def test_no_gap_is_null(self):
        one = self.file("a,b\n0.6,0.8\n")
        data = json.loads(answer("complexity", "--models", one, "--format", "json"))
        self.assertIsNone(data["gamma_sigma"])
        self.assertAlmostEqual(data["sigma_min"], 1.0)
        flat = self.file("a,b,c\n.1,.2,.3\n.4,.5,.6\n.7,.8,.9\n", "flat.csv")
        data = json.loads(answer("complexity", "--models", flat, "--format", "json"))
        self.assertEqual(data["sigma_min"], 0)
        self.assertIsNone(data["perturbation"]["error"])
        many = self.file("a,b\n0.6,0.8\n0.1,0.2\n0.5,0.5\n")
        data = json.loads(answer("complexity", "--models", many, "--format", "json"))
        self.assertIsNone(data["sigma_min"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
