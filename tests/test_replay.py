#!/usr/bin/python3
"""`segue replay`: outputs, what is refused, bytes that do not depend on threads.
SPDX-License-Identifier: Apache-2.0"""
import base64
import csv
import gzip
import html as markup
import io
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import sys
import unittest
from xml.etree import ElementTree

from program import Folder, answer, run
from replay_rows import paper_rows, randomised, rows, text


class Replay(Folder):
    def setUp(self):
        super().setUp()
        self.log = self.file(text(rows()), "log.csv")

    def play(self, *args, log=None):
        if "rows" in args:
            return json.loads(answer("replay", "--format", "json", "--quiet", "--runs", 2, "--steps", 20, *args,
                                     log or self.log))
        return json.loads(answer("replay", "--format", "json", "--quiet", "--runs", 2, "--replicates", 4,
                                 "--steps", 20, *args,
                                 log or self.log))

    def test_tells_who_would_have_won_what(self):
        found = self.play()
        names = [result["policy"] for result in found["results"]]
        self.assertEqual(names, ["ts", "ts-prior", "la", "tts", "tla", "tla:cap=1", "always a"])
        self.assertEqual((found["play"]["method"], found["play"]["types"], found["play"]["replicates"]), ("urn", 2, 4))
        self.assertEqual((found["log"]["tasks"], found["log"]["played"], found["play"]["scored"]), (60, 60, 30))
        result = dict(zip(names, found["results"]))
        for one in result.values():
            for name in ("reward", "regret"):
                self.assertLessEqual(one[name]["low"], one[name]["mean"])
                self.assertLessEqual(one[name]["mean"], one[name]["high"])
            # what the best arms pay is what it won and what it lost
            self.assertAlmostEqual(one["reward"]["mean"] + one["regret"]["mean"] / 20, found["best_arms"]["mean"])
            self.assertGreaterEqual(one["runs_se"], 0)
            self.assertGreater(one["logged"], 0.9)  # of 20 steps, with 30 rewards of every arm
        self.assertGreater(max(one["runs_se"] for one in result.values()), 0)
        ts, tla = result["ts"], result["tla"]
        self.assertAlmostEqual(tla["over_ts"]["mean"], tla["reward"]["mean"] / ts["reward"]["mean"] - 1)
        self.assertAlmostEqual(tla["gap_closed"]["mean"], 1 - tla["regret"]["mean"] / ts["regret"]["mean"])
        self.assertGreater(tla["over_ts"]["low"], 0)
        self.assertEqual(len(found["types"]["list"]), 2)
        for one in found["types"]["list"]:
            self.assertEqual(len({task[0] for task in one["typical"]}), 1, "tasks of one type")

    def test_types_that_differ_in_their_best_arm_pay(self):
        log = self.file(text(paper_rows()), "paper.csv")
        found = self.play("--runs", 8, "--replicates", 10, "--steps", 100, "--policy", "ts,la,tla", log=log)
        self.assertEqual((found["verdict"]["conclusion"], found["verdict"]["use"]), ("types", "tla"), found["verdict"]["text"])

    def test_prints_a_table_for_people(self):
        table = answer("replay", "--quiet", "--steps", 20, "--replicates", 4, self.log)
        lines = [line for line in table.splitlines() if not line.startswith("Next:")]  # a command to paste
        self.assertLessEqual(max(map(len, lines)), 80, table)
        for texts in ("Urn", "scored: tasks 31 to 60", "tla", "2 types", "tasks of 20 steps"):
            self.assertIn(texts, table)

    def test_csv_has_one_row_per_policy(self):
        lines = list(csv.DictReader(io.StringIO(answer("replay", "--format", "csv", "--policy", "tts", "--quiet",
                                                       self.log))))
        self.assertEqual([line["policy"] for line in lines], ["tts", "ts", "ts-prior", "tla:cap=1", "always a"])
        self.assertEqual([line["carries"] for line in lines], ["types", "nothing", "prior", "prior", "arm"])
        self.assertLess(float(lines[0]["reward_low"]), float(lines[0]["reward_high"]))

    def test_the_curve_has_one_row_per_policy_and_task(self):
        curve = self.folder / "curve.csv"
        self.play("--curve", curve)
        lines = list(csv.DictReader(io.StringIO(curve.read_text())))
        self.assertEqual(len(lines), 7 * 60)
        self.assertEqual([int(line["task"]) for line in lines[:60]], list(range(1, 61)))

    def test_tasks_without_a_step_do_not_decide_which_policy_is_ahead(self):
        curve = self.folder / "curve.csv"
        short = self.file(text(randomised(stated=False, n=2)), "short.csv")
        found = self.play("--play", "rows", "--steps", 1, "--runs", 1, "--curve", curve, log=short)
        paid = {}
        for row in csv.DictReader(io.StringIO(curve.read_text())):
            paid.setdefault(row["policy"], []).append(float(row["reward"]) if row["reward"] else None)
        self.assertIn(None, paid["ts"])
        for result in found["results"]:
            total, ahead = 0, None
            for position, (one, ts) in enumerate(zip(paid[result["policy"]], paid["ts"], strict=True), 1):
                if one is not None and ts is not None:
                    total += one - ts
                    ahead = None if total <= 0 else ahead or position
            self.assertEqual(result["ahead_from"], ahead, result["policy"])

    def test_the_same_seed_gives_the_same_bytes_on_any_threads(self):
        randomly = self.file(text(randomised(), "task,arm,reward,probability"), "random.csv")
        short = ["--replicates", 5, "--runs", 3, "--steps", 10]
        for log, args in ((self.log, short), (self.log, [*short, "--order", "file", "--holdout", "[05]$"]),
                          (randomly, ["--play", "rows"])):
            command = ["replay", "--format", "json", "--quiet", *args, log]
            one = [answer(*command, "--threads", t) for t in (1, 2, 5)]
            self.assertEqual(len(set(one)), 1, args)
            self.assertNotEqual(one[0], answer(*command, "--seed", 2))

    def test_reads_compressed_json_lines(self):
        lines = "".join(json.dumps({"task": t, "arm": a, "reward": r}) + "\n" for t, a, r in rows())
        packed = self.file(gzip.compress(lines.encode()), "log.jsonl.gz")
        one, other = self.play(), self.play(log=packed)
        self.assertEqual(one["results"], other["results"])

    def test_rewards_keep_their_range(self):
        stars = self.file(text((t, a, 1 + 4 * r) for t, a, r in rows()), "stars.csv")
        one, other = self.play(), self.play("--range", "1,5", log=stars)
        for a, b in zip(one["results"], other["results"]):
            self.assertAlmostEqual(1 + 4 * a["reward"]["mean"], b["reward"]["mean"])
            self.assertAlmostEqual(4 * a["regret"]["mean"], b["regret"]["mean"])
        self.assertAlmostEqual(1 + 4 * one["log"]["reward"], other["log"]["reward"])

    def test_held_out_tasks_are_scored_and_the_others_learned_from(self):
        found = self.play("--holdout", "^x")
        self.assertEqual((found["play"]["learned"], found["play"]["scored"]), (30, 30))
        self.assertEqual(found["play"]["order"], "shuffle")
        # all held-out tasks have the same best arm: the fixed one is theirs
        self.assertEqual(found["results"][-1]["policy"], "always a")
        self.assertEqual(self.play("--holdout", "^y")["results"][-1]["policy"], "always b")

    def test_the_best_single_arm_is_that_of_the_scored_tasks(self):
        # a pays in the first 40 tasks, b in the 20 behind them
        turned = self.file(text((f"t{i}", arm, int(arm == ("a" if i < 40 else "b"))) for i in range(60)
                                for arm in "abc" * 4), "turned.csv")
        for args, best in [(["--order", "file", "--from", 41], "b"), (["--order", "file", "--from", 2], "a"),
                           (["--order", "shuffle", "--from", 41], "a"), (["--holdout", "^t[0-3]?.$"], "a"),
                           (["--holdout", "^t[45].$", "--order", "shuffle"], "b")]:
            with self.subTest(args=args):
                found = self.play("--policy", "ts", *args, log=turned)
                self.assertEqual(found["results"][-1]["policy"], f"always {best}")

    def test_tasks_go_by_time(self):
        late_first = [(*row, 100 - int(row[0][1:])) for row in rows()]
        by_time = self.play("--order", "time", log=self.file(text(late_first, "task,arm,reward,time"), "time.csv"))
        backwards = sorted(rows(), key=lambda row: -int(row[0][1:]))
        by_file = self.play("--order", "file", log=self.file(text(backwards), "back.csv"))
        means = [[result["reward"]["mean"] for result in found["results"]]
                 for found in (by_time, by_file, self.play("--order", "file"))]
        for one, other in zip(*means[:2]):
            self.assertAlmostEqual(one, other)
        self.assertNotAlmostEqual(means[0][0], means[2][0])

    def test_tasks_that_lack_arms_are_played_too(self):
        lines = [*rows(), ("z", "a", 1), ("z", "b", 1)]
        self.assertEqual(self.play(log=self.file(text(lines), "more.csv"))["log"]["played"], 61)

    def test_with_fewer_than_two_rewards_per_arm_and_task_there_are_no_regrets(self):
        for each, known in (1, False), (2, True):
            log = self.file(text(rows(each=each)), "few.csv")
            found = self.play(log=log)
            for result in found["results"]:
                self.assertEqual([result[name]["mean"] is not None for name in ("reward", "over_ts", "over_fixed")], 3 * [True])
                self.assertEqual({result[name][part] is not None for name in
                                  ("regret", "gap_closed", "saved", "saved_over_prior") for part in ("mean", "low", "high")},
                                 {known})
            self.assertEqual(found["best_arms"]["mean"] is not None, known)
            table = answer("replay", "--quiet", "--runs", 2, "--replicates", 2, "--steps", 20, log)
            self.assertEqual("This log cannot tell if transfer pays in tasks of 20 steps: it has 1 rewards per arm and task"
                             in " ".join(table.split()), not known)

    def test_replays_what_was_drawn_at_random(self):
        stated = self.file(text(randomised(), "task,arm,reward,probability"), "stated.csv")
        alike = self.file(text(randomised(stated=False)), "alike.csv")
        for log, accepted in (stated, 0.6), (alike, 1.0):
            found = json.loads(answer("replay", "--play", "rows", "--format", "json", "--quiet", log))
            self.assertEqual((found["play"]["method"], found["warnings"]), ("rows", []))
            self.assertAlmostEqual(found["play"]["rows_accepted"], accepted, delta=0.05)
            self.assertGreater(found["play"]["reached"], 0.3)
        uneven = self.file(text(line[:3] for line in randomised()), "uneven.csv")
        found = json.loads(answer("replay", "--play", "rows", "--format", "json", "--quiet", uneven))
        self.assertIn("did not draw its arms uniformly", " ".join(found["warnings"]))

    def test_independent_draws_raise_no_alarm(self):
        """Arms drawn with unequal probabilities repeat often; the test is against their frequencies."""
        draw, share = random.Random(7), (0.5, 0.2, 0.1, 0.1, 0.05, 0.05)
        lines = [(f"t{task}", arm, int(draw.random() < (0.2 + 0.1 * arm if task % 2 else 0.7 - 0.1 * arm)), share[arm])
                 for task in range(200) for arm in draw.choices(range(6), share, k=60)]
        stated = self.file(text(lines, "task,arm,reward,probability"), "stated.csv")
        unstated = self.file(text(line[:3] for line in lines), "unstated.csv")
        for log, args, says in ((stated, ["--play", "rows"], []), (stated, [], []), (unstated, [], []),
                                (unstated, ["--play", "rows"], ["did not draw its arms uniformly"])):
            found = self.play("--policy", "ts", "--steps", 2, *args, log=log)
            self.assertEqual(len(found["warnings"]), len(says), found["warnings"])
            for one, wanted in zip(found["warnings"], says):
                self.assertIn(wanted, one)

    def test_rewards_that_change_within_tasks_are_warned_of(self):
        draw = random.Random(8)

        def drifts(by):
            """60 tasks whose arms take turns, and whose means fall by so much in the second half."""
            return [(f"t{task}", "abc"[i % 3], int(draw.random() < 0.6 - by * (i >= 30))) for task in range(60) for i in range(60)]

        def thompson():
            """Arms chosen by their rewards: the last ones of an arm are bad without any drift."""
            for task in range(150):
                won, lost = [1, 1, 1], [1, 1, 1]
                for _ in range(40):
                    arm = max(range(3), key=lambda a: draw.betavariate(won[a], lost[a]))
                    reward = int(draw.random() < (0.7, 0.5, 0.3)[(arm + task) % 3])
                    won[arm] += reward
                    lost[arm] += 1 - reward
                    yield f"t{task}", arm, reward

        for lines, warned in (drifts(0.2), True), (drifts(0), False), (thompson(), False):
            found = self.play("--policy", "ts", "--steps", 2, log=self.file(text(lines), "drift.csv"))
            self.assertEqual("rewards change within tasks" in " ".join(found["warnings"]), warned, found["warnings"])

    def test_rows_out_of_the_order_of_time_are_warned_of(self):
        for step, warned in (1, False), (-1, True):
            lines = [(*row, step * i) for i, row in enumerate(rows())]
            found = self.play("--policy", "ts", "--steps", 2, log=self.file(text(lines, "task,arm,reward,time"), "time.csv"))
            self.assertEqual("the rows of 60 tasks are not in the order of their times" in " ".join(found["warnings"]), warned)

    def test_texts_are_utf8_whatever_the_names_are(self):
        # a name of 41 bytes, of which a warning tells 40; one that a verdict has no room for; and that of a file
        for name in "x" + 20 * "é", "x" + 500 * "é":
            arms = {"a": name, "b": "b", "c": "c"}
            log = self.file(text((t, arms[a], r) for t, a, r, _ in randomised()), "uneven.csv")
            found = self.play("--play", "rows", "--policy", "ts", log=log)
            self.assertIn("'x" + 19 * "é" + "' has", " ".join(found["warnings"]))
            best = self.file(text((t, arms[a], int(a == "a")) for t, a, _ in rows()), "best.csv")
            said = self.play("--policy", "ts", log=best)["verdict"]
            self.assertEqual(said["use"], f"always {name}")
            self.assertLess(len(said["text"].encode()), 1200)
        path = os.fsencode(self.folder) + b"/\xff.csv"
        shutil.copy(self.log, path)
        self.assertEqual(self.play("--policy", "ts", log=os.fsdecode(path))["log"]["path"], f"{self.folder}/?.csv")
        self.assertIn("?.csv", json.loads(answer("replay", "--dry-run", "--format", "json", os.fsdecode(path)))["next"])

    def test_probabilities_may_be_rounded(self):
        for stated, warnings in (0.333333, 0), (0.333, 0), (0.3, 1):
            log = self.file(text(((*line, stated) for line in randomised(stated=False)), "task,arm,reward,probability"),
                            f"{stated}.csv")
            found = json.loads(answer("replay", "--play", "rows", "--policy", "ts", "--runs", 1, "--format", "json",
                                      "--quiet", log))
            self.assertEqual(len([one for one in found["warnings"] if "cannot be right" in one]), warnings, stated)

    def test_a_log_without_any_reward_is_played(self):
        found = self.play(log=self.file(text((t, a, 0) for t, a, _ in rows()), "zeros.csv"))
        self.assertEqual(found["verdict"]["conclusion"], "arm")
        self.assertEqual({result["over_ts"]["mean"] for result in found["results"]}, {None})
        self.assertNotIn("nan", found["verdict"]["text"])

    def test_rewards_that_are_all_alike_teach_nothing(self):
        log = self.file(text((t, a, 1) for t, a, _ in rows()), "ones.csv")
        table = answer("replay", "--quiet", "--steps", 5, "--runs", 1, log)
        self.assertIn("All rewards of the log are equal, 1: nothing can be learned", table)
        self.assertNotIn("differ", table)
        self.assertEqual(self.play(log=log)["types"]["list"], [])
        table = answer("replay", "--dry-run", log)
        self.assertIn("All rewards of the log are equal, 1: nothing can be learned", table)
        self.assertNotIn("Types", table)

    def test_arms_that_take_turns_are_warned_of(self):
        found = self.play("--play", "rows", "--steps", 5)
        self.assertIn("repeat the arm before", " ".join(found["warnings"]))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_page_holds_all_it_needs(self):
        page, again = self.folder / "page.html", self.folder / "again.html"
        figures = self.folder / "figures"  # replay makes it
        odd = self.file(text((f"<{t}&", a.replace("a", "a'"), r) for t, a, r in rows()), "it's <odd>.csv")
        for path, args in (page, ["--figures", figures]), (again, []):
            answer("replay", "--quiet", "--runs", 1, "--replicates", 2, "--steps", 10, "--html", path, *args, odd)
        html = page.read_text()
        self.assertEqual(html, again.read_text())
        self.assertEqual(html.count("<figure"), 3)
        self.assertNotIn("<x0&", html)
        self.assertFalse(re.findall(r"(?:src|href)=\"(?!data:|#)", html))
        for found in re.findall(r"image/svg\+xml;base64,([^\"]+)", html):
            self.assertIn(b"<svg", base64.b64decode(found))
        self.assertEqual(len(list(figures.glob("replay-*.svg"))), 6)
        command = shlex.split(markup.unescape(re.search("<pre>(.*)</pre>", html).group(1)))
        self.assertEqual((command[:2], command[-1]), (["segue", "replay"], odd))  # for a shell, word by word

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_names_of_arms_are_no_commands_for_gnuplot(self):
        ran, page, figures = self.folder / "ran", self.folder / "page.html", self.folder / "figures"
        name = {"a": f"`touch {ran}` it's @_^{{}} <&>", "b": "100% %d %n", "c": 64 * "é"}
        odd = self.file(text((t, name[a], r) for t, a, r in rows()), "odd.csv")
        answer("replay", "--quiet", "--runs", 1, "--replicates", 2, "--steps", 10, "--html", page, "--figures", figures, odd)
        self.assertFalse(ran.exists())
        labels = [e.text for e in ElementTree.parse(figures / "replay-types.svg").iter() if e.tag.endswith("}text")]
        self.assertLessEqual({name["a"][:9] + "…" + name["a"][-6:], "100% %d %n", 9 * "é" + "…" + 6 * "é"}, {*labels})
        best = self.file(text((t, name["cba"["abc".index(a)]], r) for t, a, r in rows()), "best.csv")
        answer("replay", "--quiet", "--runs", 1, "--replicates", 2, "--steps", 10, "--html", page, "--figures", figures, best)
        titles = [e.text for e in ElementTree.parse(figures / "replay-regret.svg").iter() if e.tag.endswith("}text")]
        self.assertIn("always " + 56 * "é", titles)  # a title has room for 119 bytes

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_long_names_do_not_squeeze_a_figure(self):
        """Slanted names of 80 bytes would take all of it.  Short forms stay distinct: by the end, or by a number."""
        stem = 75 * "n"
        name = {"a": stem + "-2024", "b": stem + "-2025", "c": "n" + stem + "-2025"}
        long = self.file(text((t, name[a], r) for t, a, r in rows()), "long.csv")
        heights = {}
        for log in long, self.log:
            figures = self.folder / pathlib.Path(log).stem
            answer("replay", "--quiet", "--runs", 1, "--replicates", 2, "--steps", 10, "--policy", "ts", "--html", self.folder / "page.html",
                   "--figures", figures, log)
            svg = (figures / "replay-types.svg").read_text()
            grid = [float(y) for y in re.findall(r"class=\"gridline\"\s+d='M[\d.]+,([\d.]+) L[\d.]+,\1", svg)]
            heights[log] = max(grid) - min(grid)
            labels = re.findall(r"nnnn.*?(?=</tspan>|</text>)", svg)
            self.assertEqual(sorted(labels), ["nnnnnnnnn… (2)", "nnnnnnnnn… (3)", "nnnnnnnnn…n-2024"] if log == long else [])
        self.assertGreater(heights[long], 0.7 * heights[self.log])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_a_folder_that_cannot_be_created_is_an_error_before_anything_is_written(self):
        page, out = self.folder / "page.html", self.folder / "out.json"
        for folder in self.log, self.folder / "no" / "folder":
            self.refused(2, "folder", "replay", "--quiet", "--html", page, "--out", out, "--figures", folder, self.log)
            self.assertFalse(page.exists() or out.exists())

    def test_refuses_what_it_cannot_play(self):
        one_task = self.file(text(rows(tasks=1)), "one.csv")
        one_arm = self.file(text(rows(arms="a")), "arm.csv")
        for says, *args in [
                ("give a log",),
                ("there is only one task", one_task),
                ("only one arm", one_arm),
                ("is no extended regular expression", "--holdout", "(", self.log),
                ("matches none of the 60 tasks", "--holdout", "nothing", self.log),
                ("matches all of the 60 tasks", "--holdout", ".", self.log),
                ("--from and --holdout both select the scored tasks; give one", "--holdout", "x", "--from", 3, self.log),
                ("has no column 'time'", "--order", "time", self.log),
                ("--order: there is no 'random'", "--order", "random", self.log),
                ("--play: there is no 'again'", "--play", "again", self.log),
                ("after the last of 60 tasks", "--from", 61, self.log),
                ("no task has more than 90 rows", "--play", "rows", "--steps", 91, self.log),
                ("--replicates needs --play urn", "--play", "rows", "--replicates", 2, self.log),
                ("--replicates", "--replicates", 1, self.log),
                ("needs a known model set", "--policy", "ts,mucb", self.log),
                ("no policy 'nothing'", "--policy", "nothing", self.log),
                ("would overwrite the log", "--out", self.log, self.log),
                ("name the same file", "--curve", "a.csv", "--html", "a.csv", self.log),
                ("--curve needs a file", "--curve", "-", self.log),
                ("--html needs a file", "--html", "-", self.log),
                ("--figures", "--figures", ".", self.log),
                ("--runs", "--runs", 0, self.log),
                ("log.csv", self.folder / "no" / "log.csv")]:
            self.refused(2, says, "replay", "--quiet", *args)


class Next(Folder):
    def next(self, lines, *args):
        log = self.file(text(lines), "log 1.csv")
        found = json.loads(answer("replay", "-q", "--format", "json", "--runs", 4, "--steps", 10, "--policy", "ts,tla", *args, log))
        return found["verdict"]

    def test_the_verdict_names_the_command_that_learns(self):
        """The command runs, and learns the method that the verdict names."""
        verdict = self.next(rows(tasks=200), "--range", "0,1")
        name, *command = shlex.split(verdict["next"])
        self.assertEqual(name, "segue")
        self.assertEqual(command[:5], ["learn", "--method", verdict["use"], "--steps", "10"])
        self.assertEqual(command[-2:], ["--out", "learner.segue"])
        self.assertIn("200 tasks", answer(*command[:-1], self.folder / "learner.segue"))

    def test_a_log_that_cannot_tell_has_none(self):
        verdict = self.next(rows(tasks=10, each=1), "--replicates", 4)
        self.assertEqual((verdict["conclusion"], verdict["next"]), ("unclear", None))


class Money(Folder):
    """The gain per year: 365 days, tasks per day, and the value of a unit of reward."""

    def play(self, log, *args):
        return json.loads(answer("replay", "-q", "--format", "json", "--runs", 1, "--replicates", 2, "--steps", 10, *args, log))

    def check(self, found, value, per_day):
        use, per_year = found["verdict"]["use"], found["verdict"]["per_year"]
        reward = {result["policy"]: result["reward"]["mean"] for result in found["results"]}
        factor = 365 * per_day * value * found["play"]["steps"]
        self.assertAlmostEqual(per_year["over_ts"]["mean"] / factor, reward[use] - reward["ts"], 9)
        self.assertAlmostEqual(per_year["over_log"]["mean"] / factor, reward[use] - found["log"]["reward"], 9)
        over_ts = next(result["over_ts"] for result in found["results"] if result["policy"] == use)
        if use != "ts":  # the same relative error
            for end in ("low", "high"):
                self.assertAlmostEqual(per_year["over_ts"][end] / per_year["over_ts"]["mean"], over_ts[end] / over_ts["mean"], 9)

    def test_is_the_gain_times_steps_tasks_and_value(self):
        log = self.file(text(rows()), "log.csv")
        self.check(self.play(log, "--value", 2.5, "--tasks-per-day", 40), 2.5, 40)
        self.assertIsNone(self.play(log)["verdict"]["per_year"])

    def test_is_in_units_of_reward(self):
        for low, high in (-1, 1), (1, 5):
            log = self.file(text((t, a, low + (high - low) * r) for t, a, r in rows()), "log.csv")
            self.check(self.play(log, "--range", f"{low},{high}", "--value", 3, "--tasks-per-day", 7), 3, 7)

    def test_is_in_the_text(self):
        log = self.file(text(rows()), "log.csv")
        table = answer("replay", "-q", "--runs", 1, "--replicates", 2, "--value", 3, "--tasks-per-day", 7, log)
        self.assertIn("Per year, with 7 tasks per day and 3 for each unit of reward,", " ".join(table.split()))

    def test_nonsense_is_refused(self):
        log = self.file(text(rows()), "log.csv")
        for option in ("--value", "--tasks-per-day"):
            for value in (0, -1, "nan", "inf", "money"):
                self.refused(2, option, "replay", option, value, log)
        self.refused(2, "--value needs --tasks-per-day", "replay", "--value", 3, log)
        self.refused(2, "--tasks-per-day needs --value", "replay", "--tasks-per-day", 3, log)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
