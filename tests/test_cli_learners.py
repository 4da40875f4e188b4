#!/usr/bin/python3
"""Learners in `segue simulate`: saved, loaded, explained, and the same on any number of threads.

usage: test_cli_learners.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import sys
import unittest

from paper_log import PaperLog
from program import PAPER, answer, run


class Learners(PaperLog):
    def test_a_learner_goes_on_from_its_file(self):
        """60 tasks, saved; then 40 more from the file, twice: the same bytes, and not those of a
        fresh learner."""
        saved, a, b = (self.folder / name for name in ("saved", "a", "b"))
        args = ("simulate", "--models", PAPER, "--policy", "tucb", "--runs", 1, "--steps", 300,
                "--format", "csv")
        answer(*args, "--tasks", 60, "--save", saved)
        first = answer(*args, "--tasks", 40, "--load", saved, "--save", a)
        self.assertEqual(first, answer(*args, "--tasks", 40, "--load", saved, "--save", b))
        self.assertEqual(a.read_bytes(), b.read_bytes())
        self.assertNotEqual(first, answer(*args, "--tasks", 40))
        curve = self.folder / "curve.csv"
        answer(*args, "--tasks", 3, "--load", saved, "--save", saved, "--curve", curve)
        self.assertEqual([row.split(",")[1] for row in curve.read_text().split()[1:]],
                         ["61", "62", "63"])

    def test_the_last_task_is_explained(self):
        """A line a step and one more; weights that sum to 1; the same on any number of threads, with
        the results that come without it, and from both kernels, but for the sampler's, which draws
        other numbers than the plain form that is explained."""
        first, again = self.folder / "first", self.folder / "again"
        for policy, kernel in ("tla", "fast"), ("tts", "plain"), ("auto", "fast"):
            args = ("simulate", "--models", PAPER, "--policy", policy, "--runs", 3, "--steps", 100,
                    "--tasks", 40, "--format", "csv", "--kernel", kernel)
            plain = answer(*args, "--explain", first, "--threads", 1)
            self.assertEqual(plain, answer(*args, "--explain", again, "--kernel", "plain"))
            self.assertEqual(plain, answer(*args))
            self.assertEqual(first.read_bytes(), again.read_bytes())
            *steps, last = [json.loads(line) for line in first.read_text().splitlines()]
            self.assertEqual([step["step"] for step in steps], list(range(1, 101)))
            for step in steps:
                self.assertIn(step["arm"], range(1, 8))
                self.assertIn(step["reward"], (0, 1))
                self.assertAlmostEqual(step["no_type"] + sum(step["types"]), 1)
                self.assertRegex(step["for"], r"^(exploit|explore|draw|distinguish type \d+ from (\d+|no type))$")
            self.assertIn("exploit", [step["for"] for step in steps])
            self.assertAlmostEqual(last["no_type"] + sum(last["types"]), 1)
            weights = {"no type": last["no_type"],
                       **{f"type {i + 1}": x for i, x in enumerate(last["types"])}}
            self.assertEqual(last["likeliest"], max(weights, key=weights.get))

    def test_a_learner_goes_on_with_its_reasons(self):
        saved, reasons = self.folder / "saved", self.folder / "reasons"
        args = ("simulate", "--models", PAPER, "--policy", "tla", "--runs", 1, "--steps", 50,
                "--tasks", 20)
        answer(*args, "--save", saved)
        answer(*args, "--load", saved, "--explain", reasons)
        self.assertEqual(len(reasons.read_text().splitlines()), 51)

    def test_a_learner_with_em_is_played_saved_and_loaded(self):
        saved, a, b = (self.folder / name for name in ("saved", "a", "b"))
        args = ("simulate", "--models", PAPER, "--runs", 1, "--steps", 300, "--format", "csv",
                "--tasks", 60, "--policy")
        em, plain = "tucb:estimator=em,C=0", ("--kernel", "plain")
        self.assertEqual(answer(*args, em, "--save", saved), answer(*args, em, *plain))
        self.assertEqual(answer(*args, "tucb", "--load", saved, "--save", a),
                         answer(*args, "tucb", "--load", saved, "--save", b, *plain))
        self.assertEqual(a.read_bytes(), b.read_bytes())
        self.refused(2, "window", "simulate", "--models", PAPER, "--tasks", 3, "--policy",
                     "tucb:estimator=em,window=3")

    def test_one_step_tasks_are_played(self):
        answer("simulate", "--models", PAPER, "--policy", "tucb,ucb", "--tasks", 3, "--runs", 2,
               "--steps", 1)

    def test_wrong_usage_of_learners(self):
        other = self.file("a,b\n0.1,0.2\n0.3,0.1\n", "two.csv")
        saved = self.folder / "saved"
        args = ("simulate", "--models", PAPER, "--steps", 50, "--runs", 1, "--tasks", 5)
        answer(*args, "--policy", "tucb", "--save", saved)
        for says, *more in (("need one learner", *args, "--policy", "ucb", "--save", saved),
                            ("need one learner", *args, "--policy", "tucb,ucb", "--save", saved),
                            ("need one learner", *args, "--policy", "tucb", "--runs", 2, "--load",
                             saved),
                            ("is a learner of 7 arms; need one of 2", "simulate", "--models", other,
                             "--steps", 50, "--runs", 1, "--tasks", 5, "--policy", "tucb", "--load",
                             saved),
                            ("tasks of 50 steps, not of 60", *args, "--policy", "tucb", "--steps",
                             60, "--load", saved),
                            ("the options come from the file: give --policy tucb", *args,
                             "--policy", "tucb:C=1", "--load", saved),
                            ("give --seed 1", *args, "--policy", "tucb", "--load", saved, "--seed",
                             2),
                            ("--out and --load name the same file", *args, "--policy", "tucb",
                             "--load", saved, "--out", saved),
                            ("is not a learner file", *args, "--policy", "tucb", "--load",
                             other),
                            ("learns across tasks", "simulate", "--models", PAPER, "--policy",
                             "tucb"),
                            ("tucb needs the number of models, as in tucb:models=5", "simulate", "--uniform", 3,
                             "--policy", "tucb", "--tasks", 3),
                            ("learner 'tucb' has no option 'D'", *args, "--policy", "tucb:D=1")):
            self.refused(2, says, *more)

    def test_tucb_takes_the_number_of_models_as_an_option(self):
        """Five are what it is given where there are five; an option goes before, is saved, and is all there
        is without a model set."""
        saved, log = self.folder / "saved", self.log(tasks=40)
        args = ("simulate", "--steps", 200, "--runs", 1, "--tasks", 40, "--format", "json")

        def regret(*arguments):
            return json.loads(answer(*args, *arguments))["results"][0]["regret"]
        paper = ("--models", PAPER, "--policy")
        self.assertEqual(regret(*paper, "tucb:C=0.1,models=5"), regret(*paper, "tucb:C=0.1"))
        self.assertNotEqual(regret(*paper, "tucb:C=0.1,models=2"), regret(*paper, "tucb:C=0.1"))
        answer(*args, *paper, "tucb:models=2", "--save", saved)
        answer(*args, *paper, "tucb", "--load", saved)
        answer(*args, "--uniform", 5, "--policy", "tucb:models=5")
        answer("simulate", "--log", log, "--tasks", 5, "--runs", 1, "--steps", 20, "--policy", "tucb:models=3")
        answer("replay", "--policy", "tucb:models=3", "--runs", 1, "--quiet", log)
        self.refused(2, "as in tucb:models=5", "replay", "--policy", "tucb", log)
        given = self.file(json.dumps({"name": "given", "environment": {"models": {"means": [[0.9, 0.1], [0.2, 0.8]]}},
                                     "policies": ["tucb:models=1", "tucb:models=2"], "steps": 50, "tasks": 20,
                                     "runs": 2, "every": 5}), "experiment.json")
        cells = json.loads(answer("run", given, "--out", self.folder, "--format", "json", "--quiet"))["results"]
        self.assertEqual([{"error", "eps"} <= cell["over_tasks"].keys() for cell in cells], [False, True])

    def test_threads_do_not_change_a_learner(self):
        args = ("simulate", "--models", PAPER, "--policy", "tucb:C=0,tucb:estimator=eca", "--tasks",
                12, "--runs", 16, "--steps", 120, "--format", "json")
        one = answer(*args, "--threads", 1)
        for threads in (2, 7):
            self.assertEqual(answer(*args, "--threads", threads), one)
        self.assertIn("violations", json.loads(one)["results"][0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
