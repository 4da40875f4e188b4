#!/usr/bin/python3
"""`segue plan`: its outputs, what is refused, bytes that do not depend on threads.

usage: test_plan.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import functools
import html as markup
import io
import json
import os
import random
import re
import shlex
import shutil
import sys
import unittest

from program import Folder, answer, run

GUESS = ("--types", 2, "--arms", 3, "--steps", 12, "--effect", 0.5, "--base", 0.2)
SMALL = ("--runs", 12, "--simulated", 80, "--tasks", 2000)
SHARES = (2, 5, 10, 20, 50)


@functools.cache
def planned(*args):
    return answer("plan", "-q", "--format", "json", *GUESS, *SMALL, *args)


class Plan(Folder):
    def plan(self, *args):
        return json.loads(planned(*args))

    def test_says_from_which_task_on_and_how_to_show_it(self):
        found = self.plan()
        self.assertEqual((found["types"], found["arms"], found["steps"], found["log"]), (2, 3, 12, None))
        self.assertTrue(found["verdict"].startswith("With 3 arms, 12 steps per task and 2 types, transfer pays from task "))
        self.assertIn("80 % power", found["verdict"])
        over = found["over_" + found["without_transfer"]]["pays_from"]
        self.assertLessEqual(over["low"], over["mean"])
        self.assertIn(f"from task {over['mean']:.0f} on", found["verdict"])
        needed = {row["control"]: row["tasks"]["mean"] for row in found["control"]}
        self.assertEqual(list(needed), [share / 100 for share in SHARES])
        self.assertLessEqual(needed[found["recommended"]], 2 * needed[found["fastest"]])
        self.assertEqual(needed[found["fastest"]], min(tasks for tasks in needed.values() if tasks))

    def test_the_gain_lies_between_nothing_and_all_that_can_be_won(self):
        """Knowing the type, a task pays at most its best arm's mean in each step; the mean of the best of a task's arms is a
        little larger, by its spread of 0.04."""
        found = self.plan()
        self.assertGreater(found["over_ts"]["per_task"]["low"], 0)
        self.assertLess(found["over_ts"]["per_task"]["mean"] + found["ts_reward"], 12 * 0.75)
        self.assertGreater(found["ts_reward"], 12 * (0.2 + 0.5 / 3))  # ts is better than arms at random

    def test_rows_agree_with_each_other(self):
        found = self.plan()
        for row in found["results"]:
            for name, interval in row.items():
                if name != "tasks":
                    self.assertLessEqual(interval["low"], interval["mean"] + 1e-12, name)
                    self.assertLessEqual(interval["mean"], interval["high"] + 1e-12, name)
        for share in found["control"]:
            name = f"power_{100 * share['control']:.0f}"
            enough = [row["tasks"] for row in found["results"] if row[name]["mean"] >= 0.8]
            if share["tasks"]["mean"] and enough:
                self.assertLessEqual(share["tasks"]["mean"], enough[0])
        late = [row for row in found["results"] if row["tasks"] >= 100]
        growth = late[-1]["over_ts"]["mean"] - late[0]["over_ts"]["mean"]
        self.assertAlmostEqual(growth, (late[-1]["tasks"] - late[0]["tasks"]) * found["over_ts"]["per_task"]["mean"], 6)

    def test_a_larger_effect_needs_fewer_tasks(self):
        large = self.plan()["control"][-1]["tasks"]["mean"]
        small = self.plan("--effect", 0.3)["control"][-1]["tasks"]["mean"]
        self.assertLess(large, small)

    def test_money_is_the_gain_times_tasks_and_value(self):
        found = self.plan("--value", 2.5, "--tasks-per-day", 40)
        for end in ("mean", "low", "high"):
            per_task, per_year = (found["over_ts"][name][end] for name in ("per_task", "per_year"))
            self.assertAlmostEqual(per_year, 365 * 40 * 2.5 * per_task, 6)
        self.assertIn("per year", found["verdict"])
        self.assertIn("days", found["verdict"])
        days = self.plan("--tasks-per-day", 40)
        self.assertIsNone(days["over_ts"]["per_year"])
        self.assertIn("days", days["verdict"])
        self.assertNotIn("per year", days["verdict"])

    def test_formats_agree(self):
        found = self.plan()
        lines = list(csv.DictReader(io.StringIO(answer("plan", "-q", "--format", "csv", *GUESS, *SMALL))))
        self.assertEqual(len(lines), len(found["results"]))
        for line, row in zip(lines, found["results"]):
            self.assertEqual(float(line["power_10_high"]), row["power_10"]["high"])
            self.assertEqual(float(line["over_prior_low"]), row["over_prior"]["low"])
        table = answer("plan", "-q", *GUESS, *SMALL)
        self.assertLessEqual(max(map(len, table.splitlines())), 80)
        self.assertIn(found["verdict"][:60], " ".join(table.split()))

    def test_bytes_do_not_depend_on_threads(self):
        one, three = (answer("plan", "-q", *GUESS, *SMALL, "--format", "json", "--threads", n) for n in (1, 3))
        self.assertEqual(one, three)
        self.assertNotEqual(one, answer("plan", "-q", *GUESS, *SMALL, "--format", "json", "--seed", 2))

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_the_page_has_figure_tables_and_the_command_that_repeats_it(self):
        first, second, figures = self.folder / "a.html", self.folder / "b.html", self.folder / "figures"
        table = answer("plan", "-q", *GUESS, *SMALL, "--html", first, "--figures", figures)
        page = first.read_text()
        self.assertEqual({path.name for path in figures.iterdir()},
                         {"plan-power" + end for end in (".csv", ".gp", ".svg", "-narrow.svg", ".pdf")})
        self.assertTrue("data:image/svg+xml" in page)
        verdict = re.search(r'<p class="verdict">(.*?)</p>', page, re.S)[1]
        self.assertIn(markup.unescape(verdict)[:80], " ".join(table.split()))
        command = markup.unescape(re.findall(r"<pre>(.*?)</pre>", page)[-1]).split()
        answer(*command[1:], "-q", "--html", second, "--threads", 1)
        self.assertEqual(page, second.read_text())

    def test_other_learners_can_be_planned(self):
        for learner in ("tts", "auto", "ts-prior", "tucb", "tla:cap=2"):
            self.assertEqual(self.plan("--policy", learner)["policy"], learner)

    def test_an_effect_that_cannot_be_shown_is_named(self):
        found = self.plan("--effect", 0.001, "--tasks", 100)
        self.assertIsNone(found["recommended"])
        self.assertIn("100 tasks are too few", found["verdict"])


def make_log(tasks=60, rows=24, header="task,arm,reward", high=1, seed=4):
    """A log of two types and three arms, drawn at random."""
    source = random.Random(seed)
    lines = [header]
    for task in range(tasks):
        means = source.choice(((0.8, 0.2, 0.3), (0.2, 0.8, 0.3)))
        for _ in range(rows):
            arm = source.randrange(3)
            lines.append(f"u{task},a{arm},{high * (source.random() < means[arm])}")
    return "\n".join(lines) + "\n"


class FromLog(Folder):
    def plan(self, *args):
        return json.loads(answer("plan", "-q", "--format", "json", "--runs", 20, "--simulated", 60, "--tasks", 2000, *args))

    def test_types_come_from_the_log(self):
        path = self.file(make_log(), "log.csv")
        found = self.plan(path)
        self.assertEqual((found["log"], found["types"], found["arms"], found["steps"]), (path, 2, 3, 24))
        self.assertGreater(found["over_ts"]["per_task"]["low"], 0)
        self.assertLess(found["over_ts"]["per_task"]["high"], 24 * 0.6)  # best arm minus the worst
        self.assertEqual(self.plan("--steps", 7, path)["steps"], 7)

    def test_columns_and_range_are_named(self):
        plain = self.plan(self.file(make_log(), "a.csv"))
        named = self.plan("--task", "user", "--arm", "variant", "--reward", "stars", "--range", "0,5",
                          self.file(make_log(header="user,variant,stars", high=5), "b.csv"))
        for part in ("low", "mean", "high"):  # in units of reward
            self.assertAlmostEqual(named["over_ts"]["per_task"][part], 5 * plain["over_ts"]["per_task"][part], 6)
        self.assertEqual(named["control"][-1]["tasks"], plain["control"][-1]["tasks"])

    @unittest.skipIf(os.environ.get("SEGUE_TEST_SHORT"), "takes as long as all others, and runs the same code")
    def test_more_tasks_in_the_log_tell_more(self):
        """Intervals include what the log does not tell.  Widths of three logs have 27 degrees of freedom; the variance with 640
        tasks is about 0.18 of that with 20 (noise of the play remains): above 0.7 once in 3,000 by F(27, 27)."""
        def squares(tasks):
            found = [self.plan("--runs", 100, "--tasks", 100, self.file(make_log(tasks, seed=seed), "log.csv"))["over_ts"]
                     for seed in (4, 5, 6)]
            return sum((gain["per_task"]["high"] - gain["per_task"]["low"]) ** 2 for gain in found)
        self.assertLess(squares(640), 0.7 * squares(20))

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_the_page_repeats_itself(self):
        path = self.file(make_log(header="user,variant,click"), "my log.csv")
        first, second = self.folder / "a.html", self.folder / "b.html"
        answer("plan", "-q", "--runs", 20, "--simulated", 30, "--task", "user", "--arm", "variant", "--reward", "click",
               "--value", 0.3, "--tasks-per-day", 7, "--html", first, path)
        command = shlex.split(markup.unescape(re.findall(r"<pre>(.*?)</pre>", first.read_text())[-1]))
        answer(*command[1:], "-q", "--html", second)
        self.assertTrue(first.read_text() == second.read_text())

    def test_a_log_that_shows_no_types_is_refused(self):
        few = self.file(make_log(7), "few.csv")
        self.refused(2, "few.csv has 7 tasks; need 8 or more", "plan", few)
        same = self.file(make_log(high=0), "same.csv")
        self.refused(2, "same.csv: all rewards are equal; log rewards that differ", "plan", same)
        single = self.file("task,arm,reward\n" + "".join(f"t{i},a,{i % 2}\n" for i in range(20)), "single.csv")
        self.refused(2, "arm", "plan", single)
        self.refused(2, "none.csv", "plan", self.folder / "none.csv")

    def test_a_log_and_a_guess_exclude_each_other(self):
        path = self.file(make_log(), "log.csv")
        for option, value in zip(GUESS[0::2], GUESS[1::2]):
            if option != "--steps":
                self.refused(2, f"{option} is part of a guess", "plan", option, value, path)
        self.refused(2, "--range needs a log", "plan", *GUESS, "--range", "0,5")
        self.refused(2, "--runs", "plan", "--runs", 1, path)
        self.refused(2, "runs of a plan: 10; need 20", "plan", "--runs", 10, path)
        self.refused(2, "would overwrite the log", "plan", "--out", path, path)


class Refusals(Folder):
    def refuses(self, says, *args):
        self.refused(2, says, "plan", *args)

    def test_a_guess_must_be_whole(self):
        self.refuses("give a log, or a guess: --types 3 --arms 6 --steps 30 --effect 0.1")
        for i in range(0, 8, 2):
            left = GUESS[:i] + GUESS[i + 2:]
            self.refuses(f"{GUESS[i]} is missing", *left)

    def test_a_guess_must_be_possible(self):
        self.refuses("need at most as many types", *GUESS, "--types", 4)
        self.refuses("--base 0.8 and --effect 0.5", *GUESS, "--base", 0.8)
        for option, value in (("--effect", 0), ("--effect", -0.1), ("--effect", "nan"), ("--base", 1.5), ("--types", 0),
                              ("--arms", 1), ("--steps", 0), ("--runs", 1), ("--spread", 0), ("--simulated", 1),
                              ("--tasks", 5)):
            self.refuses(option, *GUESS, option, value)

    def test_money_must_be_positive(self):
        for option in ("--value", "--tasks-per-day"):
            for value in (0, -3, "nan", "inf", "much"):
                self.refuses(option, *GUESS, option, value)
        self.refuses("--value needs --tasks-per-day", *GUESS, "--value", 3)

    def test_the_policy_must_learn_from_task_to_task(self):
        self.refuses("need a learner, such as tla", *GUESS, "--policy", "ts")
        self.refuses("segue help policies", *GUESS, "--policy", "ucb")
        self.refuses("nonsense", *GUESS, "--policy", "tla:nonsense=3")

    def test_files_are_checked_before_the_simulation(self):
        self.refuses("--figures needs --html", *GUESS, "--figures", self.folder)
        self.refuses("--format", *GUESS, "--format", "xml")
        done = run("plan", *GUESS, "--html", self.folder / "no" / "page.html")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("page.html", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
