#!/usr/bin/python3
"""The verdicts of `segue replay` and `segue advise` on logs of known types, with few and with many rewards per task.

The truth: four types of six arms, weights 0.4, 0.3, 0.2 and 0.1.  In tasks of 60 steps types save 26 % of the regret of a
prior of each arm (segue simulate --policy tla,tla:cap=1 --steps 60 --tasks 1000 --runs 40, with these as its models).

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


class Verdict(Folder):
    def judge(self, text, *args):
        """JSON of `segue replay`; table and page must have the same verdict."""
        path, page = self.file(text, "log.csv"), self.folder / "page.html"
        options = ["--quiet", "--runs", 1, "--policy", "ts,la,tla", *args]
        found = json.loads(answer("replay", "--format", "json", *options, path))
        said = found["verdict"]["text"]
        table = answer("replay", "--html", page, *options, path)
        self.assertIn(said, " ".join(table.split()))
        shown = html.unescape(re.search(r'<p class="verdict">(.*?)</p>', page.read_text(), re.S)[1])
        self.assertEqual(said, " ".join(shown.split()))
        return found

    def cannot_tell(self, found, rewards, steps):
        said = found["verdict"]["text"]
        self.assertEqual(found["verdict"]["conclusion"], "unclear")
        self.assertRegex(said, rf"^Types cannot be judged from this log: arm '\w' has {rewards} rewards per task, {NEED}")
        self.assertIn(f"tasks of {steps}", said)
        for wrong in ("little to gain", "ne arm does", "transfer does not pay", "use "):
            self.assertNotIn(wrong, said)

    def test_ten_rewards_of_an_arm_are_too_few(self):
        found = self.judge(log(200, 60))
        self.cannot_tell(found, 10, "60 steps")
        self.assertEqual(found["log"]["rewards_of_rarest_arm"], 10)
        self.assertIn("resampling takes the luck of few rewards", " ".join(found["warnings"]))

    def test_a_replay_of_three_steps_says_so(self):
        self.cannot_tell(self.judge(log(400, 60, UNEQUAL), "--play", "replay"), r"[23](\.\d)?", "at most 3 steps")

    def test_a_replay_of_one_step_says_so(self):
        self.cannot_tell(self.judge(log(400, 8, (1 / 6,) * 6), "--play", "replay"), r"1\.\d", "at most 1 step,")

    def test_many_rewards_find_the_types(self):
        found = self.judge(log(400, 600), "--steps", 60)
        self.assertEqual((found["verdict"]["conclusion"], found["verdict"]["use"]), ("types", "tla"), found["verdict"])
        self.assertRegex(found["verdict"]["text"], "^In tasks of 60 steps, transfer would have given")
        self.assertNotIn("luck", " ".join(found["warnings"]))

    def test_the_steps_are_those_that_were_played(self):
        text = log(60, 200)
        for args, steps in ([], 200), (["--steps", 7, "--holdout", "[02468]$"], 7), (["--play", "replay"], 33):
            said = self.judge(text, *args)["verdict"]["text"]
            self.assertRegex(said, rf"tasks of (at most )?{steps} steps")

    def test_advise_on_few_rewards_judges_no_types(self):
        for rows, rewards in (8, r"1(\.\d)?"), (60, "10"):
            said = json.loads(answer("advise", "--format", "json", self.file(log(300, rows))))["verdict"]
            self.assertRegex(said, rf"^Types cannot be judged from this log, for tasks of {rows} steps: "
                                   rf"arm '\w' has {rewards} rewards per task, {NEED}")
            self.assertNotRegex(said, "one type|add little|not by type")

    def test_advise_on_many_rewards_does(self):
        said = json.loads(answer("advise", "--format", "json", self.file(log(100, 240))))["verdict"]
        self.assertIn("of 200 steps", said)
        self.assertIn("they may pay", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
