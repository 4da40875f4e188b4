#!/usr/bin/python3
"""`segue simulate --log`: tasks of a log, whose rewards are resampled.

usage: test_cli_log.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import gzip
import json
import pathlib
import random
import re
import sys
import unittest

from program import PAPER, Folder, answer, run

SIMULATE = ("simulate", "--models", PAPER, "--steps", 50, "--runs", 2)


class Resampling(Folder):
    """`simulate --log`: tasks of a log, whose rewards are drawn again."""

    def log(self, tasks=30, each=20, name="log.csv"):
        """Two kinds of task and three arms; the first tasks of the file are of the first kind.  One task
        more has two rewards of one arm only."""
        rng = random.Random(11)
        rows = ["task,arm,reward", "short,0,1", "short,0,0"]
        for task in range(tasks):
            means = (0.9, 0.2, 0.5) if 2 * task < tasks else (0.1, 0.6, 0.5)
            rows += [f"t{task},{arm},{int(rng.random() < means[arm])}" for arm in range(3) for _ in range(each)]
        return self.file("\n".join(rows) + "\n", name)

    def test_skipped_tasks_are_counted(self):
        args = ("simulate", "--log", self.log(), "--steps", 20, "--runs", 5)
        self.assertIn("30 logged tasks; 1 more skipped: fewer than 1 rewards", answer(*args))
        data = json.loads(answer(*args, "--least", 3, "--format", "json"))
        self.assertEqual(data["log"], {"tasks": 30, "skipped": 1})
        self.assertEqual((data["arms"], data["models"]), (3, 0))
        self.assertEqual([result["policy"] for result in data["results"]], ["ucb", "ts"])
        self.assertNotIn("log", json.loads(answer(*SIMULATE, "--runs", 2, "--format", "json")))

    def test_means_are_the_averages(self):
        """round-robin pulls each arm seven times, so its regret tells the means."""
        log = self.log()
        sums = {}
        for row in pathlib.Path(log).read_text().splitlines()[3:]:
            task, arm, reward = row.split(",")
            sums.setdefault(task, [0, 0, 0])[int(arm)] += int(reward)
        curve = self.folder / "curve.csv"
        answer("simulate", "--log", log, "--order", "file", "--tasks", 30, "--runs", 1, "--policy", "round-robin",
               "--steps", 21, "--curve", curve)
        regrets = [float(row["mean"]) for row in csv.DictReader(curve.read_text().splitlines())]
        for regret, ones in zip(regrets, sums.values(), strict=True):
            self.assertAlmostEqual(regret, 7 * sum(max(ones) - x for x in ones) / 20, 9)

    def test_threads_and_kernels_do_not_change_a_byte(self):
        log = self.log()
        for *more, policies in (("ucb,ts,la,kl-ucb,ucb1",), ("--tasks", 30, "ts,la,tts,tla,ts-prior,sw-ucb")):
            args = ("simulate", "--log", log, *more, "--policy", policies, "--steps", 40, "--runs", 150 if not more else 8,
                    "--format", "json")
            one = answer(*args, "--threads", 1)
            self.assertEqual(answer(*args, "--threads", 2), one)
            self.assertEqual(answer(*args, "--threads", 2, "--kernel", "plain"), one)
            self.assertNotEqual(answer(*args, "--seed", 2), one)

    def test_the_order_is_another_in_each_run_or_that_of_the_file(self):
        """Round robin loses about 7.7 in a task of the first half of the file, and 4.2 in one of the second.
        Shuffled, the halves of 40 runs differ by 0.1 (one standard deviation)."""
        def difference(*more):
            curve = self.folder / "curve.csv"
            answer("simulate", "--log", self.log(), *more, "--tasks", 30, "--runs", 40, "--policy", "round-robin",
                   "--steps", 21, "--curve", curve)
            regrets = [float(row["mean"]) for row in csv.DictReader(curve.read_text().splitlines())]
            return (sum(regrets[:15]) - sum(regrets[15:])) / 15
        self.assertGreater(difference("--order", "file"), 2.0)
        self.assertLess(abs(difference()), 1.0)

    def test_a_learner_is_saved_and_goes_on(self):
        log, state = self.log(), self.folder / "state"
        args = ("simulate", "--log", log, "--policy", "tts", "--runs", 1, "--steps", 30)
        answer(*args, "--tasks", 20, "--save", state)
        answer(*args, "--tasks", 10, "--load", state)
        self.refused(2, "a run would have 31 tasks, and the log has 30", *args, "--tasks", 11, "--load", state)

    def test_other_ranges_are_mapped(self):
        log = pathlib.Path(self.log())
        wide = self.file(re.sub(r",([01])\n", lambda m: f",{-3 + 8 * int(m[1])}\n", log.read_text()), "wide.csv")
        args = ("--steps", 30, "--runs", 20, "--format", "json")
        self.assertEqual(answer("simulate", "--log", wide, "--range", "-3,5", *args),
                         answer("simulate", "--log", log, *args))

    def test_a_log_comes_from_standard_input(self):
        log = self.log()
        with open(log, encoding="utf-8") as file:
            done = run("simulate", "--log", "-", "--runs", 5, "--steps", 20, "--format", "json", stdin=file)
        self.assertEqual(done.stdout, answer("simulate", "--log", log, "--runs", 5, "--steps", 20, "--format", "json"))

    def test_wrong_usage(self):
        log = self.log()
        for says, *args in (
                ("exclude each other", "--log", log, "--models", PAPER),
                ("exclude each other", "--log", log, "--uniform", 3),
                ("--least needs --log FILE", "--models", PAPER, "--least", 3),
                ("--order needs --log FILE", "--models", PAPER, "--order", "file"),
                ("--range needs --log FILE", "--uniform", 3, "--range", "0,3"),
                ("--rewards cannot be used with --log", "--log", log, "--rewards", "bernoulli"),
                ("spread, mixed and switch need a model set", "--log", log, "--spread", 3),
                ("--order: there is no order 'random'; need shuffle or file", "--log", log, "--order", "random"),
                ("the order of the log needs tasks", "--log", log, "--order", "file"),
                ("--least: 0 is out of range", "--log", log, "--least", 0),
                ("log.csv: none of the 31 tasks has 21 rewards or more of every arm", "--log", log, "--least", 21),
                ("a run would have 31 tasks, and the log has 30 that can be played", "--log", log, "--tasks", 31),
                ("policy 'mucb' needs a known model set", "--log", log, "--policy", "mucb"),
                ("policy 'mla' needs a known model set", "--log", log, "--policy", "mla"),
                ("tucb needs the number of models, as in tucb:models=5", "--log", log, "--policy", "tucb", "--tasks", 5),
                ("--out and --log name the same file", "--log", log, "--out", log),
                ("--range: 2,2 is empty", "--log", log, "--range", "2,2"),
                ("cannot be opened", "--log", self.folder / "nowhere.csv"),
                ("is a directory", "--log", self.folder)):
            self.refused(2, says, "simulate", *args)

    def test_other_formats_of_a_log_give_the_same(self):
        plain = pathlib.Path(self.log())
        rows = [row.split(",") for row in plain.read_text().splitlines()[1:]]
        lines = "".join(json.dumps({"arm": arm, "time": None, "task": task, "reward": int(reward)}) + "\n"
                        for task, arm, reward in rows)
        for command in (("simulate", "--runs", 5, "--steps", 20, "--format", "json", "--log"),
                        ("estimate", "--types", 2, "--format", "json")):
            expected = answer(*command, plain)
            for text, name in ((lines.encode(), "log.jsonl"), (gzip.compress(plain.read_bytes()), "log"),
                               (gzip.compress(lines.encode()[:999]) + gzip.compress(lines.encode()[999:]), "log.gz")):
                path = self.file(text, name)
                self.assertEqual(answer(*command, path), expected, name)
                with open(path, "rb") as file:
                    done = run(*command, "-", stdin=file)
                self.assertEqual(done.stdout, expected, (name, done.stderr))

    def test_bad_logs(self):
        cut = gzip.compress(b"task,arm,reward\n" + b"1,a,1\n1,b,0\n" * 9)[:-4]
        self.refused(2, "bad.gz:20: the gzip data end too early", "estimate", "--types", 2, self.file(cut, "bad.gz"))
        self.refused(2, "bad.jsonl:1: there is no 'reward'", "estimate", "--types", 2,
                     self.file('{"task": 1, "arm": 2}\n', "bad.jsonl"))
        for text, says in (("", "the file is empty"), ("task,arm\n1,2\n", "no column 'reward'"),
                           ("task,arm,reward\n1,a,1\n1,b,2\n", ":3: field 'reward': 2 is out of range"),
                           ("task,arm,reward\n1,a,1\n1,b,x\n", ":3: field 'reward'"),
                           ("task,arm,reward\n1,a,1\n2,b,0\n", "none of the 2 tasks has 1 rewards")):
            self.refused(2, says, "simulate", "--log", self.file(text, "bad.csv"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
