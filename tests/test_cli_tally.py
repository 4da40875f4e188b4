#!/usr/bin/python3
"""`segue tally`, `segue merge` of tallies, and tallies in place of logs.

usage: test_cli_tally.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import gzip
import json
import random
import shutil
import subprocess
import sys
import unittest

from program import SEGUE, Folder, answer, run

MEANS = ((0.9, 0.2, 0.4), (0.3, 0.8, 0.4), (0.2, 0.3, 0.9))
HEAD = "task,arm,reward"


class Tally(Folder):
    def rows(self, tasks=90, pulls=30, graded=False):
        """Rows of tasks of three types, shuffled: each task is spread over the whole log."""
        source = random.Random(5)
        rows = []
        for task in range(tasks):
            means = MEANS[source.randrange(3)]
            for _ in range(pulls):
                arm = source.randrange(3)
                reward = int(source.random() < means[arm])
                rows.append(f"u{task},{'xyz'[arm]},{0.1 + 0.7 * reward if graded else reward}")
        source.shuffle(rows)
        return rows

    def log(self, rows, name="log.csv"):
        return self.file("\n".join([HEAD, *rows]) + "\n", name)

    def whole(self, *options, **about):
        """The tally of a log in one part."""
        out = self.folder / "one.tally"
        answer("tally", self.log(self.rows(**about)), "--out", out, *options)
        return out

    def parts(self, rows, count):
        """Tally `count` parts, four at a time, as xargs would on one machine; returns their paths."""
        folder = self.folder / f"parts-{count}"
        folder.mkdir()
        for i in range(count):
            (folder / f"{i}.csv").write_text("\n".join([HEAD, *rows[i::count]]) + "\n")
        subprocess.run(["xargs", "-P", "4", "-I", "{}", SEGUE, "tally", "{}.csv", "--out", "{}.tally"], cwd=folder,
                       input="\n".join(map(str, range(count))), text=True, check=True, capture_output=True)
        return [folder / f"{i}.tally" for i in range(count)]

    def test_any_number_of_parts_gives_the_same_bytes(self):
        for graded in (False, True):
            expected = self.whole(graded=graded).read_bytes()
            rows = self.rows(graded=graded)
            for count in (1, 3, 64):
                parts = self.parts(rows, count)
                out = self.folder / "sum.tally"
                for seed in (1, 2):
                    random.Random(seed).shuffle(parts)
                    answer("merge", *parts, "--out", out)
                    self.assertEqual(out.read_bytes(), expected, (graded, count))
                shutil.rmtree(parts[0].parent)

    def test_sums_can_be_added_again(self):
        parts = self.parts(self.rows(), 6)
        left, right, out = (self.folder / name for name in ("left", "right", "out"))
        answer("merge", *parts[:2], "--out", left)
        answer("merge", *parts[2:], "--out", right)
        answer("merge", right, left, "--out", out)
        self.assertEqual(out.read_bytes(), self.whole().read_bytes())

    def test_the_summary(self):
        data = json.loads(answer("tally", self.log(self.rows()), "--out", self.folder / "a.tally", "--format", "json"))
        self.assertEqual((data["rows"], data["rows_skipped"], data["tasks"], data["arms"], data["binary"]),
                         (2700, 0, 90, 3, True))
        self.assertEqual(data["bytes"], (self.folder / "a.tally").stat().st_size)
        missing = self.log(["a,x,1", "a,y,", "b,x,0"], "missing.csv")
        done = run("tally", missing, "--missing", "skip", "--out", self.folder / "b.tally", "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["rows_skipped"]), (0, 1), done.stderr)
        self.assertIn("1 row skipped: 1 without a reward", done.stderr)

    def test_standard_output_and_compressed_files(self):
        whole = self.whole()
        done = subprocess.run([SEGUE, "tally", self.folder / "log.csv", "--out", "-"], capture_output=True, check=True)
        self.assertEqual(done.stdout, whole.read_bytes())
        packed = self.file(gzip.compress(done.stdout), "packed.tally.gz")
        self.assertEqual(answer("estimate", "--method", "types", packed), answer("estimate", "--method", "types", whole))

    def test_an_estimate_is_that_of_the_sorted_log(self):
        """A tally has its tasks and arms in the order of their names; so has the sorted log."""
        rows = self.rows()
        whole, log = self.whole(), self.log(sorted(rows), "sorted.csv")
        for args in (("--method", "types"), ("--assign",)):
            ours, theirs = (json.loads(answer("estimate", *args, "--format", "json", path)) for path in (whole, log))
            self.assertEqual((ours.pop("input"), theirs.pop("input")), ("tally", "log"))
            self.assertEqual(ours, theirs)
            self.assertEqual(*(answer("estimate", *args, "--format", "csv", path) for path in (whole, log)))
        ours, theirs = (json.loads(answer("estimate", "--method", "em", "--types", 3, "--format", "json", path))
                        for path in (whole, log))
        self.assertEqual(ours["models"], theirs["models"])

    def test_views_are_drawn_for_both_forms_of_batches(self):
        """Three models 0.4 apart or more, 90 tasks of 10 pulls per arm: about 30 tasks per model, so that a mean has the
        standard error sqrt(0.25 / 300) = 0.029, and RTP some times as much; 0.25 tells the models apart."""
        whole = self.whole()
        for batches in ("interleaved", "consecutive"):
            text = answer("estimate", "--types", 3, "--batches", batches, whole)
            self.assertIn("a tally has no order of rewards: they went to batches at random", text)
            data = json.loads(answer("estimate", "--types", 3, "--batches", batches, "--format", "json", whole))
            for means in MEANS:
                self.assertTrue(any(max(abs(a - b) for a, b in zip(model["means"], means)) < 0.25
                                    for model in data["models"]), (batches, means, data["models"]))

    def test_graded_rewards_have_sums_only(self):
        """Means of counts are those of the log."""
        whole = self.whole("--range", "0,2", graded=True)
        log = self.log(sorted(self.rows(graded=True)), "sorted.csv")
        ours, theirs = (json.loads(answer("estimate", "--method", "types", "--format", "json", *more))
                        for more in ((whole,), (log, "--range", "0,2")))
        self.assertEqual(len(ours["types"]), len(theirs["types"]))
        for a, b in zip(ours["types"], theirs["types"]):
            for x, y in zip(a["arms"], b["arms"]):
                self.assertAlmostEqual(x["mean"], y["mean"], 9)
        answer("estimate", "--method", "em", "--types", 3, whole)
        self.refused(2, "its rewards are not all 0 or 2", "estimate", "--types", 3, whole)
        for command in (("replay", whole), ("learn", whole, "--out", self.folder / "no.segue"), ("simulate", "--log", whole)):
            self.refused(2, "give the log itself", *command)
        self.assertFalse((self.folder / "no.segue").exists())

    def test_a_replay_takes_rewards_in_random_order(self):
        """The same bytes for any parts; rewards and types are those of the log, whose order is random, too.  An interval
        is about four standard errors wide: two independent rewards differ by one and a half of it, 4.2 standard errors of the
        difference, once in 37,000; these are of one log, and differ less."""
        rows = self.rows(tasks=120)
        whole, log, out = self.folder / "one.tally", self.log(rows), self.folder / "sum.tally"
        answer("tally", log, "--out", whole)
        answer("merge", *self.parts(rows, 5), "--out", out)
        args = ("replay", "-q", "--policy", "ts,tla", "--runs", 8, "--replicates", 6, "--format", "json")
        ours, sums, theirs = (json.loads(answer(*args, path)) for path in (whole, out, log))
        for data, path in ((ours, whole), (sums, out)):
            self.assertIn(f" {path} --out learner.segue", data["verdict"].pop("next"))
        self.assertEqual({**ours, "log": None}, {**sums, "log": None})
        self.assertEqual((ours["log"]["input"], theirs["log"]["input"]), ("tally", "log"))
        self.assertEqual(ours["log"]["rows"], 3600)
        self.assertIn("a tally has no order of rewards", ours["warnings"][0])
        best = [[max(zip(kind["means"], data["log"]["arms"]))[1] for kind in data["types"]["list"]] for data in (ours, theirs)]
        self.assertEqual(*best)
        self.assertEqual(sorted(best[0]), ["x", "y", "z"])
        for a, b in zip(ours["results"], theirs["results"], strict=True):
            width = max(x["reward"]["high"] - x["reward"]["low"] for x in (a, b))
            self.assertEqual(a["policy"], b["policy"])
            self.assertLess(abs(a["reward"]["mean"] - b["reward"]["mean"]), 1.5 * width)
        self.assertIn("120", answer("replay", "--dry-run", whole))

    def test_learn_and_simulate_as_from_a_log(self):
        """All rewards of an arm in a task are equal, so their order does not matter: the bytes are those of the log, sorted."""
        source = random.Random(9)
        rows = [f"u{task:03},{arm},{reward}" for task in range(60) for arm in "xyz"
                for reward in [source.randrange(2)] for _ in range(4)]
        whole, log = self.folder / "one.tally", self.log(rows)
        answer("tally", self.log(source.sample(rows, len(rows)), "mixed.csv"), "--out", whole)
        saved = []
        for path in (whole, log):
            answer("learn", path, "--out", self.folder / "a.segue", "--method", "tla")
            saved.append((self.folder / "a.segue").read_bytes())
        self.assertEqual(*saved)
        for more in ((), ("--tasks", 40, "--least", 2)):
            args = ("simulate", "--policy", "ts,ucb", "--steps", 20, "--runs", 3, *more, "--format", "json", "--log")
            self.assertEqual(answer(*args, whole), answer(*args, log))

    def test_of_very_many_tasks_some_are_drawn(self):
        whole = self.folder / "one.tally"
        answer("tally", self.log([f"u{task},{arm},{task % 2}" for task in range(20003) for arm in "xy"]), "--out", whole)
        done = run("simulate", "--log", whole, "--policy", "ts", "--steps", 2, "--runs", 2)
        self.assertIn("one.tally: 20000 of its 20003 tasks were drawn at random", done.stderr)

    def test_a_part_may_have_one_arm(self):
        one = self.folder / "a.tally", self.folder / "b.tally"
        for path, arm in zip(one, "xy"):
            answer("tally", self.log([f"t,{arm},1"], f"{arm}.csv"), "--out", path)
        self.refused(2, "there is only one arm, 'x'; need at least 2", "estimate", "--method", "types", one[0])
        answer("merge", *one, "--out", self.folder / "c.tally")
        answer("estimate", "--method", "types", self.folder / "c.tally")

    def test_wrong_inputs(self):
        whole, log, out = self.whole(), str(self.folder / "log.csv"), self.folder / "out.tally"
        other = self.folder / "other.tally"
        answer("tally", log, "--out", other, "--range", "0,5")
        data = whole.read_bytes()
        cut, bad = self.file(data[:-9], "cut.tally"), self.file(data[:99] + bytes([data[99] ^ 1]) + data[100:], "bad.tally")
        newer = self.file(data[:8] + b"\2" + data[9:], "newer.tally")
        for says, *args in (
                ("give a log", "tally", "--out", out),
                ("give --out FILE", "tally", log),
                ("--out would overwrite the log", "tally", log, "--out", log),
                ("--time: a tally has none of them", "tally", log, "--out", out, "--time", "t"),
                ("--probability: a tally has none of them", "tally", log, "--out", out, "--probability", "p"),
                ("is a tally; 'segue merge' adds tallies", "tally", whole, "--out", out),
                ("cannot be opened", "tally", "no.csv", "--out", out),
                ("there is no 'xml'", "tally", log, "--out", out, "--format", "xml"),
                ("give the file of an experiment, or tallies", "merge", "--out", out),
                ("give --out FILE, the sum of the tallies", "merge", whole),
                ("one of the tallies; name another file", "merge", whole, "--out", whole),
                ("are one file, which would count twice", "merge", whole, whole, "--out", out),
                ("is not a tally; 'segue tally' makes one", "merge", whole, log, "--out", out),
                ("is no tally; give one experiment, or tallies alone", "merge", log, whole, "--out", out),
                ("--seed is for shards", "merge", whole, "--seed", 1, "--out", out),
                ("--variant is for shards", "merge", whole, "--variant", "x", "--out", out),
                ("tally all parts with one --range", "merge", whole, other, "--out", out),
                ("it is cut off", "merge", cut, "--out", out),
                ("its checksum is wrong", "merge", bad, "--out", out),
                ("has format version 2; this program reads 1", "merge", newer, "--out", out),
                ("cannot be opened", "merge", whole, self.folder / "no.tally", "--out", out),
                ("its checksum is wrong", "estimate", "--method", "types", bad),
                ("--play rows: ", "replay", "--play", "rows", whole),
                ("which has no order of tasks", "replay", "--order", "time", whole),
                ("which has no order of tasks", "replay", "--order", "file", whole),
                ("--range is for logs", "replay", "--range", "0,5", whole),
                ("its checksum is wrong", "replay", bad),
                ("it is cut off", "replay", "--dry-run", cut),
                ("which has no order of tasks; give the log, or --order shuffle", "simulate", "--log", whole, "--order",
                 "file", "--tasks", 9),
                ("--delimiter is for logs", "simulate", "--log", whole, "--delimiter", "tab"),
                ("its checksum is wrong", "simulate", "--log", bad),
                ("which has no order of tasks; give the log, or remove it", "learn", whole, "--out", out, "--order", "file"),
                ("which has no order of tasks; give the log, or remove it", "learn", whole, "--out", out, "--order", "time"),
                ("--range is for logs", "learn", whole, "--out", out, "--range", "0,5"),
                ("it is cut off", "learn", cut, "--out", out),
                ("--range is for logs", "estimate", "--method", "types", "--range", "0,5", whole),
                ("--task is for logs", "estimate", "--method", "types", "--task", "user", whole)):
            self.refused(2, says, *args)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
