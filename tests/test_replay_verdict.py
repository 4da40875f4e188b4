#!/usr/bin/python3
"""The verdicts of `segue replay` on logs of known types, with few and with many rewards per task.

The truth: four types of six arms, weights 0.4, 0.3, 0.2 and 0.1.  In tasks of 60 steps types save 25 % of the regret of a
prior of each arm (segue simulate --policy tla,tla:cap=1 --steps 60 --tasks 2000 --runs 24, with these as its models).

usage: test_replay_verdict.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import html
import json
import random
import re
import sys
import unittest

from program import Folder, answer

ARMS = "ABCDEF"
TYPES = [(0.78, 0.42, 0.30, 0.25, 0.35, 0.20), (0.25, 0.78, 0.40, 0.30, 0.20, 0.35),
         (0.35, 0.25, 0.78, 0.42, 0.30, 0.20), (0.20, 0.30, 0.25, 0.35, 0.40, 0.78)]
WEIGHTS = (0.4, 0.3, 0.2, 0.1)
UNEQUAL = (0.5, 0.2, 0.1, 0.1, 0.05, 0.05)
NEED = "and 30 are needed"
TRUE_SAVING = 0.252  # of tla over tla:cap=1, from task 41 of 2,000 on; standard error 0.01
SIGMAS = 2.5  # half widths of a 95 % interval: 4.9 standard errors, exceeded by luck once in a million


def log(tasks, rows, probability=None, seed=11):
    """A CSV log: every arm in turn, or drawn with probabilities that are logged."""
    draw = random.Random(seed)
    lines = ["task,arm,reward" + (",probability" if probability else "")]
    for task in range(tasks):
        means = draw.choices(TYPES, WEIGHTS)[0]
        for row in range(rows):
            arm = draw.choices(range(6), probability)[0] if probability else row % 6
            line = f"u{task},{ARMS[arm]},{int(draw.random() < means[arm])}"
            lines.append(line + (f",{probability[arm]}" if probability else ""))
    return "\n".join(lines) + "\n"


def rare_log(rare, tasks=300, seed=13):
    """Ten rewards per arm and task.  The first tasks are of a rare type."""
    draw = random.Random(seed)
    lines = ["task,arm,reward"]
    for task in range(tasks):
        means = (0.3, 0.2, 0.4, 0.25, 0.3, 0.8) if task < rare else (0.6, 0.45, 0.3, 0.4, 0.35, 0.2)
        lines += [f"u{task},{ARMS[row % 6]},{int(draw.random() < means[row % 6])}" for row in range(60)]
    return "\n".join(lines) + "\n"


class Verdict(Folder):
    def judge(self, text, *args, only_json=False):
        """JSON of `segue replay`; table and page must have the same verdict."""
        path, page = self.file(text, "log.csv"), self.folder / "page.html"
        options = ["--quiet", "--runs", 2, "--policy", "ts,la,tla", *([] if "rows" in args else ["--replicates", 4]), *args]
        found = json.loads(answer("replay", "--format", "json", *options, path))
        if only_json:
            return found
        said = found["verdict"]["text"]
        table = answer("replay", "--html", page, *options, path)
        self.assertIn(said, " ".join(table.split()))
        shown = html.unescape(re.search(r'<p class="verdict">(.*?)</p>', page.read_text(), re.S)[1])
        self.assertEqual(said, " ".join(shown.split()))
        return found

    def cannot_tell(self, found, why, steps):
        said = found["verdict"]["text"]
        self.assertEqual(found["verdict"]["conclusion"], "unclear")
        self.assertRegex(said, rf"^This log cannot tell if transfer pays in tasks of {steps}")
        self.assertRegex(said, why)
        for wrong in ("add little", "is enough", "does not pay", "Use "):
            self.assertNotIn(wrong, said)

    def test_ten_rewards_of_an_arm_show_what_types_save(self):
        for rows in 60, 240:
            found = self.judge(log(2000, rows), "--steps", 60, "--runs", 4, "--replicates", 8, only_json=rows > 60)
            saved = {one["policy"]: one for one in found["results"]}["tla"]["saved_over_prior"]
            half = (saved["high"] - saved["low"]) / 2
            self.assertLess(half, TRUE_SAVING)  # wider, it could not tell the truth from nothing
            self.assertLess(abs(saved["mean"] - TRUE_SAVING), SIGMAS * half, rows)
            self.assertIn(found["verdict"]["conclusion"], ("types", "unclear"))
            self.assertEqual(found["play"]["types"], 4)

    def test_a_type_of_few_tasks_does_not_make_one_arm_enough(self):
        """A learner finds some gain, or the verdict says that the type is too rare to tell: never that one arm is enough."""
        found = self.judge(rare_log(7), "--steps", 60, "--replicates", 7, "--runs", 6, only_json=True)
        verdict = found["verdict"]
        saved = {one["policy"]: one for one in found["results"]}["tla"]["saved_over_prior"]
        self.assertGreater(saved["high"], 0.1)  # another log of the population has 14 such tasks, and types save a fifth
        self.assertNotEqual(verdict["conclusion"], "arm", verdict["text"])
        if "cannot tell if learning pays" in verdict["text"]:
            self.assertRegex(verdict["text"], "for about [5-9] of its 300 tasks arm 'F' seems best, not always A")

    def test_eight_rows_per_task_are_too_few(self):
        found = self.judge(log(300, 8))
        self.cannot_tell(found, "it has 1.33? rewards per arm and task, and 2 or more are needed to see each task.s best arm, so 12 rewards per task", "8 steps")
        self.assertIsNone(found["best_arms"]["mean"])

    def test_a_replay_of_three_steps_says_so(self):
        self.cannot_tell(self.judge(log(400, 60, UNEQUAL), "--play", "rows"),
                         rf"by row replay: arm '\w' has [23](\.\d)? rewards per task, {NEED}", "at most 3 steps")

    def test_a_replay_of_one_step_says_so(self):
        self.cannot_tell(self.judge(log(400, 8, (1 / 6,) * 6), "--play", "rows"), "1.3 rewards per arm and task",
                         "at most 1 step:")

    def test_the_steps_are_those_that_were_played(self):
        text = log(60, 200)
        for args, steps in ([], 200), (["--steps", 7, "--holdout", "[02468]$"], 7), (["--play", "rows"], 33):
            said = self.judge(text, *args)["verdict"]["text"]
            self.assertRegex(said, rf"tasks of (at most )?{steps} steps")

    def test_a_dry_run_on_few_rewards_judges_nothing(self):
        said = json.loads(answer("replay", "--dry-run", "--format", "json", self.file(log(300, 8))))["missing"]
        self.assertRegex(said, r"^This log cannot tell if transfer pays: it has 1\.\d rewards per arm and task")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
