#!/usr/bin/python3
"""`segue replay --dry-run`: the summary of a log, and what it lacks for a verdict.

usage: test_replay_dry_run.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import io
import json
import random
import re
import shlex
import sys
import unittest

from program import Folder, answer, run
from replay_rows import rows, text


class DryRun(Folder):
    def describe(self, *args):
        return json.loads(answer("replay", "--dry-run", "--format", "json", *args))

    def test_summarises_a_log_and_gives_the_next_command(self):
        log = self.file(text(rows()), "log.csv")
        printed = answer("replay", "--dry-run", log)
        self.assertLessEqual(len(printed.splitlines()), 24)
        self.assertLessEqual(max(map(len, printed.splitlines()[1:-2])), 80, printed)
        for texts in ("Tasks            60", "Types            2 fitted", f"Next:  segue replay {log}\n", f"Plan:  segue plan {log}\n"):
            self.assertIn(texts, printed)
        found = self.describe(log)
        self.assertEqual((found["tasks"], found["arms"], found["types"], found["rewards_per_arm_and_task"]), (60, 3, 2, 30))
        self.assertEqual(found["eigenvalues_above_noise"], 2)
        self.assertAlmostEqual(sum(found["type_weights"]), 1, 9)
        self.assertIn("Nothing is missing for a verdict", found["missing"])
        lines = dict(csv.reader(io.StringIO(answer("replay", "--dry-run", "--format", "csv", log))))
        self.assertEqual(lines["rewards_per_task"], "90")

    def test_the_order_of_a_file_is_no_change(self):
        log = self.file(text(sorted(rows(tasks=200), key=lambda row: row[0][0])))
        self.assertEqual(self.describe(log)["types"], 2)

    def test_the_next_command_is_one_for_a_shell(self):
        stars = text((t, a, 0.2 + 4 * r) for t, a, r in rows())
        for name in ("my log's $HOME;*.csv", "plain-1.csv", "-n.csv"):
            self.file(stars, name)
            printed = run("replay", "--dry-run", "--range", "0.2,4.2", "--format", "json", "--", name, cwd=self.folder).stdout
            texts = shlex.split(json.loads(printed)["next"])
            self.assertEqual(texts[2:-1], ["--range", "0.2,4.2"])
            played = run(*texts[1:], "--quiet", "--runs", 1, "--replicates", 2, "--steps", 5, "--policy", "ts", cwd=self.folder)
            self.assertEqual(played.returncode, 0, played.stderr)
        with open(self.file(text(rows())), encoding="utf-8") as log:
            printed = run("replay", "--dry-run", "-", stdin=log).stdout
        self.assertIn("Next:  segue replay LOG\n", printed)

    def test_names_what_a_log_lacks(self):
        few = self.file(text(rows(tasks=3)), "few.csv")
        self.assertIn("log at least 5 more", answer("replay", "--dry-run", few))
        sparse = self.file(text([(t, "ab"[r], r) for t, a, r in rows(each=1)] + [("z", "c", 1)]), "sparse.csv")
        self.assertIn("2 or more are needed to see each task's best arm, so 6 rewards per task", " ".join(answer("replay", "--dry-run", sparse).split()))
        self.assertIn("it needs tasks with three rewards", answer("replay", "--dry-run", sparse))
        equal = self.file(text((t, a, 1) for t, a, _ in rows()), "equal.csv")
        self.assertIn("All rewards of the log are equal, 1", self.describe(equal)["missing"])
        self.assertIsNone(self.describe(equal)["next"])
        wide = self.file(text((f"t{t}", f"a{a}", (t + a + i) % 2) for t in range(3) for a in range(201) for i in range(3)))
        self.assertIn("unknown: of more than 200 arms it takes long", answer("replay", "--dry-run", wide))
        self.refused(2, "give a log", "replay", "--dry-run")
        self.refused(2, "would overwrite the log", "replay", "--dry-run", "--out", few, few)
        self.refused(2, "--format", "replay", "--dry-run", "--format", "xml", few)
        self.refused(2, "--html needs a replay", "replay", "--dry-run", "--html", "a.html", few)
        self.refused(2, "--curve needs a replay", "replay", "--dry-run", "--curve", "a.csv", few)

    def test_the_best_arm_of_a_log_that_followed_its_rewards(self):
        """An arm is left after its first 0, so that the averages of tasks are too low: 0.9 and 0.2 in 600 and 400 of 1,000 tasks
        are 0.62.  The fit sees 1,000 first pulls, whose standard error is 0.011 (each type has its exact share)."""
        draw = random.Random(8)
        lines, averages = [], []
        for task in range(1000):
            mean, rewards = (0.9 if task % 5 < 3 else 0.2), []
            while len(rewards) < 20 and 0 not in rewards:
                rewards.append(int(draw.random() < mean))
            averages.append(sum(rewards) / len(rewards))
            lines += [(task, "a", reward) for reward in rewards]
            lines += [(task, "b", int(draw.random() < 0.3)) for _ in range(20 - len(rewards))]
        self.assertLess(sum(averages) / 1000, 0.55)
        log = self.file(text(lines), "adaptive.csv")
        self.assertAlmostEqual(self.describe(log)["best_arm"], 0.62, delta=0.05)
        self.assertIn("best for all tasks by the types: a, 0.6", answer("replay", "--dry-run", log))
        few = self.file(text(lines[:60]), "few.csv")
        self.assertIn("best for all tasks, by tasks' averages: a, ", answer("replay", "--dry-run", few))

    def test_few_rewards_of_many_arms_have_two_digits(self):
        """Three rewards per task and 200 arms are 0.015 rewards per arm and task."""
        log = self.file(text((t, a, (t + a) % 2) for t in range(200) for a in (t, (t + 7) % 200, (t + 9) % 200)), "wide.csv")
        self.assertIn("it has 0.015 rewards per arm and task", self.describe(log)["missing"])

    def test_it_says_what_a_replay_says_without_playing(self):
        """The reason that a log cannot tell is the same with and without a replay."""
        sparse = self.file(text([(t, "ab"[r], r) for t, a, r in rows(each=1)] + [("z", "c", 1)]), "sparse.csv")
        verdict = json.loads(answer("replay", "-q", "--runs", 1, "--replicates", 2, "--policy", "ts", "--format", "json",
                                    sparse))["verdict"]["text"]
        reason = re.search(r": (it has .* rewards per task)\.", self.describe(sparse)["missing"])[1]
        self.assertIn(reason, verdict)

    def test_a_dry_run_has_all_tasks_and_a_replay_a_sample(self):
        draw = random.Random(9)
        log = self.file(text((t, a, int(draw.random() < 0.5)) for t in range(20100) for a in "ab"), "many.csv")
        self.assertEqual(self.describe(log)["tasks"], 20100)
        play = ("replay", "-q", "--play", "rows", "--runs", 1, "--policy", "ts", "--format", "json", log)
        printed = answer(*play, "--threads", 1)
        self.assertEqual(printed, answer(*play, "--threads", 3))
        found = json.loads(printed)
        self.assertEqual([found["log"][key] for key in ("tasks", "played", "drawn_from", "rows")], [20000, 20000, 20100, 40000])
        self.assertIn("20000 of the 20100 tasks of the log were drawn at random", found["warnings"])

    def test_the_command_that_it_replaces_is_named(self):
        self.refused(2, "use 'segue replay --dry-run'", "advise", "log.csv")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
