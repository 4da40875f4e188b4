#!/usr/bin/python3
"""The program as a person meets it: output, bad input, the same bytes, no half-written file.

usage: test_cli.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import gzip
import io
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

from program import PAPER, SEGUE, SOURCE, Folder, answer, run


def on_terminal_of(stream, *words, **more):
    """What a command writes to a stream that is a terminal, read as it comes: a terminal holds 4 kB."""
    parent, child = pty.openpty()
    text = b""
    with subprocess.Popen([SEGUE, *map(str, words)], **{stream: child, **more}) as process:
        os.close(child)
        try:
            while piece := os.read(parent, 65536):
                text += piece
        except OSError:  # the program has ended, and so has its terminal
            pass
    os.close(parent)
    assert process.returncode == 0, words
    return text


SIMULATE = ("simulate", "--models", PAPER, "--steps", 50, "--runs", 2)

# Files that are no model sets: the bytes, and what the error must say after the path.
BAD_FILES = [
    ("a mean above 1", "a,b\n0.5,1.2\n", ":2: field 'b': the mean 1.2 is out of range"),
    ("a negative mean", "a,b\n0.5,-0.2\n", ":2: field 'b': the mean -0.2 is out of range"),
    ("nan", "a,b\nnan,0.2\n", ":2: field 'a': 'nan' is not a finite decimal number"),
    ("inf", "a,b\n0.1,inf\n", ":2: field 'b': 'inf'"),
    ("a word", "a,b\n0.1,much\n", ":2: field 'b': 'much'"),
    ("a hexadecimal number", "a,b\n0.1,0x1p-3\n", ":2: field 'b': '0x1p-3'"),
    ("an empty field", "a,b\n0.1,\n", ":2: field 'b': ''"),
    ("an empty file", "", ": the file is empty"),
    ("only a header", "a,b\n", ": there is no model below the header"),
    ("a short row", "a,b,c\n0.1,0.2,0.3\n0.1,0.2\n", ":3: the row has 2 fields; the header has 3"),
    ("a long row", "a,b\n0.1,0.2,0.3\n", ":2: the row has 3 fields"),
    ("a duplicate arm", "a,b,a\n0.1,0.2,0.3\n", ":1: two arms are named 'a'"),
    ("an arm without a name", "a,,c\n0.1,0.2,0.3\n", ":1: field 2: an arm has no name"),
    ("no header", "0.1,0.2\n0.3,0.4\n", ":1: the header is missing"),
    ("a NUL byte", b"a,b\n0.1,0.\x002\n", ":2: the line contains a NUL byte"),
    ("10 MB on one line", b"x" * 10_000_000, ":1: the line is longer than 1048576 bytes"),
    ("no arm", "weight\n1\n", ":1: the header names 0 arms; need 2 to 10000"),
    ("one arm", "a\n0.5\n", ":1: the header names 1 arm; need 2 to 10000"),
    ("10,001 arms", ",".join(f"a{i}" for i in range(10001)) + "\n", ":1: the header names 10001"),
    ("1,001 models", "a,b\n" + "0.1,0.2\n" * 1001, ":1002: more than 1000 models"),
    ("a negative weight", "weight,a,b\n-1,0.1,0.2\n", ":2: field 'weight': -1 is negative"),
    ("weights all zero", "weight,a,b\n0,0.1,0.2\n0,0.1,0.2\n", ": the weights sum to 0"),
    ("an infinite weight", "weight,a,b\n1e999,0.1,0.2\n", ":2: field 'weight': '1e999'"),
    ("a mistyped weight", "Weight,a,b\n0.3,0.9,0.1\n", ":1: field 1: is it the 'weight' column?"),
    ("a blank around a name", "a, b\n0.9,0.1\n", ":1: field 2: the name begins or ends"),
    ("an escape in a name", "a,\033[31mb\n0.9,0.1\n", ":1: field 2: the name has a control"),
    ("weight not first", "a,weight,b\n0.1,1,0.2\n", ":1: field 2: 'weight' must be the first"),
    ("an open quote", 'a,"b\n0.1,0.2\n', ":1: field 2: a quote is not closed"),
    ("binary rubbish", bytes(range(1, 256)) * 20, ""),
]

# Wrong usage: what the error must say, and the words.
BAD_USAGE = [
    ("need one from 1 to", *SIMULATE[:3], "--steps", "-5"),
    ("out of range", *SIMULATE[:3], "--steps", "0"),
    ("is not a whole number", *SIMULATE[:3], "--steps", "1e30"),
    ("out of range", *SIMULATE[:3], "--steps", "99999999999999999999999"),
    ("is not a whole number", *SIMULATE[:3], "--steps", ""),
    ("--threads: 0 is out of range", *SIMULATE, "--threads", "0"),
    ("--threads: 1025 is out of range", *SIMULATE, "--threads", "1025"),
    ("--runs: 0 is out of range", *SIMULATE[:3], "--runs", "0"),
    ("--tasks: 0 is out of range", *SIMULATE, "--tasks", "0"),
    ("--seed: '-1' is not", *SIMULATE, "--seed", "-1"),
    ("no policy 'mcub'; did you mean 'mucb'?", *SIMULATE, "--policy", "ucb,mcub"),
    ("no policy 'zzz'", *SIMULATE, "--policy", "zzz"),
    ("of policies is empty", *SIMULATE, "--policy", "ucb,,ts"),
    ("of policies is empty", *SIMULATE, "--policy", ""),
    ("has no option 'gamma'; it has delta, log", *SIMULATE, "--policy", "ucb:gamma=1"),
    ("delta is 2", *SIMULATE, "--policy", "ucb:delta=2"),
    ("delta is given twice", *SIMULATE, "--policy", "ucb:delta=.1,delta=.2"),
    ("there is no option '--polcy'; did you mean '--policy'?", *SIMULATE, "--polcy", "ucb"),
    ("there is no option '-z'", *SIMULATE, "-z"),
    ("the option '--steps' needs a value", "simulate", "--steps"),
    ("'extra' is not an option", *SIMULATE, "extra"),
    ("there is no 'xml'; need table, csv or json", *SIMULATE, "--format", "xml"),
    ("there are no rewards 'poisson'", *SIMULATE, "--rewards", "poisson"),
    ("need a parameter", *SIMULATE, "--rewards", "beta"),
    ("a mean of 0.9 cannot come from rewards 0 and 0.5", *SIMULATE, "--rewards", "twopoint:0.5"),
    ("--spread: 0 is out of range", *SIMULATE, "--spread", "0"),
    ("--spread: 'nan' is not", *SIMULATE, "--spread", "nan"),
    ("spread and mixed exclude each other", *SIMULATE, "--spread", "5", "--mixed", "1"),
    ("--models and --uniform exclude each other", *SIMULATE, "--uniform", "4"),
    ("--uniform: 1 is out of range", "simulate", "--uniform", "1"),
    ("policy 'mucb' needs a known model set", "simulate", "--uniform", "4", "--policy", "ts,mucb"),
    ("must be told each task's model", *SIMULATE, "--mixed", "1", "--policy", "told-ucb"),
    ("'--s' could be --steps, --seed", *SIMULATE, "--s", "5"),
    ("no policy 'UCB'; did you mean 'ucb'?", *SIMULATE, "--policy", "UCB"),
    ("the name of the file is empty", "complexity", "--models", ""),
    ("--out and --models name the same file", *SIMULATE, "--out", PAPER),
    ("--curve and --models name the same file", *SIMULATE, "--tasks", "2", "--curve", PAPER),
    ("--save and --models name the same file", *SIMULATE, "--tasks", "2", "--policy", "tucb",
     "--save", PAPER),
    ("--out and --save name the same file", *SIMULATE, "--tasks", "2", "--out", "x", "--save",
     "./x"),
    ("--explain needs a file", *SIMULATE, "--tasks", "2", "--explain", "-"),
    ("--explain and --models name the same file", *SIMULATE, "--tasks", "2", "--explain", PAPER),
    ("--explain needs one learner", *SIMULATE, "--policy", "tla,tts", "--tasks", "2", "--explain", "x"),
    ("--explain needs one learner", *SIMULATE, "--policy", "tla", "--explain", "x"),
    ("'tucb' knows no types", *SIMULATE, "--policy", "tucb", "--tasks", "2", "--explain", "x"),
    ("'ts-prior' knows no types", *SIMULATE, "--policy", "ts-prior", "--tasks", "2", "--explain", "x"),
    ("'ts' knows no types", *SIMULATE, "--policy", "ts", "--tasks", "2", "--explain", "x"),
    ("--save needs a file", *SIMULATE, "--tasks", "2", "--save", "-"),
    ("--curve needs a file; '-' is not one", *SIMULATE, "--tasks", "2", "--curve", "-"),
    ("--save needs a file", "bench", "--save", "-"),
    ("--out and --models name the same file", "bench", "--models", PAPER, "--out", PAPER),
    ("--save and --models name the same file", "bench", "--models", PAPER, "--save", PAPER),
    ("--out and --save name the same file", "bench", "--out", "x", "--save", "./x"),
    ("--out and --models name the same file", "complexity", "--models", PAPER, "--out", PAPER),
    ("--out and --estimated name the same file", "complexity", "--models", "-", "--estimated", PAPER, "--eps", "0",
     "--out", PAPER),
    ("--out and --curve name the same file", *SIMULATE, "--tasks", "2", "--out", "x", "--curve",
     "x"),
    ("the option '--timing' takes no value", *SIMULATE, "--timing=3"),
    ("there is no option '--bogus'", "simulate", "stray", "--bogus"),
    ("--switch-at needs --tasks", *SIMULATE, "--switch-at", "3", "--switch-to", PAPER),
    ("is after the last of 5 tasks; need a task from 1 to 5", *SIMULATE, "--tasks", "5", "--switch-at", "9",
     "--switch-to", PAPER),
    ("a switch needs both", *SIMULATE, "--tasks", "5", "--switch-at", "3"),
    ("--curve is over tasks", *SIMULATE, "--curve", "curve.csv"),
    ("give --models FILE", "simulate"),
    ("give --models FILE", "complexity"),
    ("--estimated needs --eps", "complexity", "--models", PAPER, "--estimated", PAPER),
    ("--eps needs --estimated FILE", "complexity", "--models", PAPER, "--eps", "0.1"),
    ("--eps: -1 is out of range", "complexity", "--models", PAPER, "--eps", "-1"),
    ("there is no command 'simulat'; did you mean 'simulate'?", "simulat"),
    ("there is no command 'dance'", "dance"),
    ("help takes one topic", "help", "simulate", "complexity"),
    ("there is no command 'polices'", "help", "polices"),
]


class BadInput(Folder):
    def test_files_that_are_no_model_sets(self):
        for name, text, says in BAD_FILES:
            with self.subTest(name):
                path = self.file(text)
                self.refused(2, path + says if says else path, "complexity", "--models", path)
                self.refused(2, says, "simulate", "--models", path, "--steps", 5)

    def test_wrong_usage(self):
        for says, *args in BAD_USAGE:
            with self.subTest(args=args):
                self.refused(2, says, *args)

    def test_a_missing_file(self):
        self.refused(2, "no.csv: cannot be opened", "complexity", "--models", "no.csv")

    def test_a_directory_for_a_file(self):
        self.refused(2, "is a directory", "complexity", "--models", self.folder)
        self.refused(2, "is a directory", *SIMULATE, "--out", self.folder)

    def test_sets_of_other_sizes(self):
        other = self.file("a,b\n0.1,0.2\n")
        self.refused(2, "has 1 models of 2 arms", "complexity", "--models", PAPER, "--estimated",
                     other, "--eps", 0.1)
        self.refused(2, "has 2 arms, the first has 7", *SIMULATE, "--tasks", 5, "--switch-at", 2,
                     "--switch-to", other)

    def test_an_estimate_that_is_far_off(self):
        far = self.file("a,b\n1e200,0.2\n", "far.csv")
        near = self.file("a,b\n0.1,0.2\n", "near.csv")
        self.refused(2, "need a number from -1e+06 to 1e+06", "complexity", "--models", near,
                     "--estimated", far, "--eps", 0.1)

    def test_a_long_path_leaves_room_for_the_reason(self):
        path = "/".join(["a-rather-long-name"] * 40)
        self.refused(2, "cannot be opened: No such file", "complexity", "--models", path)

    def test_an_unwritable_out(self):
        self.refused(2, "cannot be written", *SIMULATE, "--out", self.folder / "no" / "out.csv")
        if os.geteuid() != 0:  # root may write anywhere
            self.folder.chmod(0o500)
            self.refused(2, "cannot be written", *SIMULATE, "--out", self.folder / "out.csv")
            self.folder.chmod(0o700)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_full_disk(self):
        self.refused(1, "No space left", *SIMULATE, "--out", "/dev/full")
        with open("/dev/full", "w") as full:
            for args in (SIMULATE, ("complexity", "--models", PAPER), ("help",), ("version",)):
                done = run(*args, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertIn("No space left", done.stderr)

    def test_a_disk_that_fills_up_leaves_the_old_file(self):
        """A limit on the size of files stands in for the full disk."""
        out = self.folder / "out.json"
        out.write_text("old")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.refused(1, "writing failed: File too large", *SIMULATE, "--format", "json", "--out",
                     out, preexec_fn=limit)
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["out.json"])

    def test_a_closed_stdout(self):
        for args in (SIMULATE, ("complexity", "--models", PAPER), ("help",)):
            done = run(*args, stdout=None, preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output failed", done.stderr)

    def test_a_closed_stdout_does_not_spill_into_a_file(self):
        curve = self.folder / "curve.csv"
        done = run(*SIMULATE, "--tasks", 2, "--curve", curve, stdout=None,
                   preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 1)
        self.assertTrue(curve.read_text().startswith("policy,task,mean,se\n"))

    def test_a_reader_that_has_gone(self):
        """Nobody reads what is printed, as in `segue ... | head`: an end by SIGPIPE, without a word."""
        out = self.folder / "curve.csv"
        for words in (("help",), ("version",), SIMULATE, (*SIMULATE, "--tasks", 2, "--curve", out)):
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = run(*words, stdout=write_end)
            os.close(write_end)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""), words)
        self.assertTrue(out.read_text().startswith("policy,task,mean,se\n"))

    def test_a_wrong_policy_at_the_end_stops_before_the_first_plays(self):
        self.refused(2, "needs a known model set", "simulate", "--uniform", 5, "--steps",
                     1000000000, "--policy", "ucb,mts")


class Output(Folder):
    def test_json_has_the_promised_form(self):
        data = json.loads(answer(*SIMULATE, "--policy", "ucb,mucb", "--format", "json"))
        self.assertEqual((data["seed"], data["arms"], data["models"]), (1, 7, 5))
        result = data["results"][1]
        self.assertEqual([result[key] for key in ("policy", "steps", "tasks", "runs")],
                         ["mucb", 50, 1, 2])
        self.assertEqual([entry["model"] for entry in result["by_model"]], [1, 2, 3, 4, 5])
        mean = sum(entry["mean"] for entry in result["by_model"]) / 5
        self.assertAlmostEqual(result["regret"]["mean"], mean, 9)
        self.assertGreater(result["regret"]["se"], 0)
        self.assertNotIn("seconds", result)

    def test_csv_and_json_agree(self):
        args = (*SIMULATE, "--policy", "ucb,sw-ucb:window=20,xi=0.5")
        data = json.loads(answer(*args, "--format", "json"))
        rows = list(csv.DictReader(io.StringIO(answer(*args, "--format", "csv"))))
        self.assertEqual(list(rows[0]), "policy,model,steps,tasks,runs,mean,se".split(","))
        self.assertEqual(len(rows), 12)
        for result in data["results"]:
            own = [row for row in rows if row["policy"] == result["policy"]]
            self.assertEqual(float(own[0]["mean"]), result["regret"]["mean"])
            self.assertEqual([row["model"] for row in own], ["", "1", "2", "3", "4", "5"])
        self.assertEqual(data["results"][1]["policy"], "sw-ucb:window=20,xi=0.5")

    def test_tables_fit_80_columns(self):
        wide = self.file(",".join(f"a rather long name {i}" for i in range(40)) + "\n" +
                         (",".join(["0.5"] * 40) + "\n") * 30)
        for models in (PAPER, wide):
            for args in (("simulate", "--models", models, "--steps", 20, "--runs", 2, "--timing"),
                         ("complexity", "--models", models),
                         ("complexity", "--models", models, "--estimated", models, "--eps", 0.1)):
                longest = max(map(len, answer(*args).splitlines()))
                self.assertLessEqual(longest, 80, args)

    def test_help_fits_80_columns_and_names_every_option(self):
        for topic in ("", "paper", "run", "merge", "bench", "serve", "learners", "ask", "tell", "close", "store", "simulate",
                      "complexity", "estimate", "replay", "advise", "help", "version", "policies"):
            text = answer("help", *filter(None, [topic]))
            self.assertLessEqual(max(map(len, text.splitlines())), 80, topic)
        for command in ("simulate", "run", "merge", "complexity", "estimate", "replay", "advise"):
            text = answer(command, "--help")
            self.assertEqual(text, answer("help", command))
            for word in answer("help", "--words", command).split():
                self.assertIn(word, text)

    def test_version_tells_build_and_blas(self):
        text = answer("version")
        self.assertRegex(text, r"^segue \d+\.\d+\.\d+\nbuild: .+\nblas:  OpenBLAS.*\nmpi:   .+\n$")
        self.assertEqual(text, answer("--version"))

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

    def test_estimates_that_are_further_off_than_eps_are_told(self):
        truth = self.file("a,b\n.3,.4\n.9,.1\n", "truth.csv")
        wild = self.file("a,b\n.9,.8\n.2,.7\n", "wild.csv")
        text = answer("complexity", "--models", truth, "--estimated", wild, "--eps", 0.01)
        self.assertIn("off by up to 0.7: the bounds do not hold", text)

    def test_a_tiny_delta_is_no_trap(self):
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

    def test_a_dash_is_the_standard_output(self):
        self.assertEqual(answer(*SIMULATE, "--out", "-"), answer(*SIMULATE))

    def test_the_terminals_name_is_the_standard_output(self):
        path = self.folder / "kept.txt"
        path.write_text("kept\n")
        with path.open("a") as out:
            self.assertEqual(run(*SIMULATE, "--out", "/dev/stdout", stdout=out).returncode, 0)
        self.assertTrue(path.read_text().startswith("kept\nRegret per task"))

    def test_a_name_as_long_as_names_can_be(self):
        out = self.folder / ("x" * 250)
        answer(*SIMULATE, "--out", out)
        self.assertTrue(out.read_text().startswith("Regret per task"))
        self.assertEqual(len(os.listdir(self.folder)), 1)

    def test_no_gap_is_null(self):
        one = self.file("a,b\n0.6,0.8\n")
        data = json.loads(answer("complexity", "--models", one, "--format", "json"))
        self.assertIsNone(data["gamma_sigma"])
        self.assertAlmostEqual(data["sigma_min"], 1.0)
        flat = self.file("a,b,c\n.1,.2,.3\n.4,.5,.6\n.7,.8,.9\n", "flat.csv")
        data = json.loads(answer("complexity", "--models", flat, "--format", "json"))
        self.assertEqual(data["sigma_min"], 0)
        self.assertIsNone(data["recovery"]["error"])
        many = self.file("a,b\n0.6,0.8\n0.1,0.2\n0.5,0.5\n")
        data = json.loads(answer("complexity", "--models", many, "--format", "json"))
        self.assertIsNone(data["sigma_min"])

    def test_models_from_the_standard_input(self):
        with open(PAPER) as models:
            done = run("complexity", "--models", "-", stdin=models)
        self.assertEqual(done.stdout, answer("complexity", "--models", PAPER))

    def test_out_and_curve_are_written(self):
        out, curve = self.folder / "out.csv", self.folder / "curve.csv"
        args = (*SIMULATE, "--policy", "ucb,ts", "--tasks", 4, "--format", "csv")
        self.assertEqual(answer(*args, "--out", out, "--curve", curve), "")
        self.assertEqual(out.read_text(), answer(*args))
        rows = list(csv.DictReader(io.StringIO(curve.read_text())))
        self.assertEqual([(row["policy"], row["task"]) for row in rows],
                         [(policy, str(task)) for policy in ("ucb", "ts") for task in range(1, 5)])
        self.assertEqual(sorted(os.listdir(self.folder)), ["curve.csv", "out.csv"])

    def test_bold_only_on_a_terminal_without_no_color(self):
        def on_terminal(**env):
            return on_terminal_of("stdout", "complexity", "--models", PAPER,
                                  env={**os.environ, "TERM": "xterm", **env})

        os.environ.pop("NO_COLOR", None)
        self.assertIn(b"\033[1m", on_terminal())
        self.assertNotIn(b"\033", on_terminal(NO_COLOR="1"))
        self.assertNotIn("\033", answer("complexity", "--models", PAPER))

    def test_progress_only_on_a_terminal_and_not_if_quiet(self):
        def stderr_of(*args):
            return on_terminal_of("stderr", "simulate", "--models", PAPER, "--policy", "kl-ucb", "--runs", 150,
                                  "--threads", 1, *args, stdout=subprocess.DEVNULL)

        self.assertIn(b"s left", stderr_of())
        self.assertEqual(stderr_of("--quiet"), b"")
        self.assertEqual(run(*SIMULATE).stderr, "")

    def test_bash_completion_offers_words(self):
        self.file("", "a-log")
        cases = (("segue sim", "simulate"), ("segue simulate --st", "--steps"),
                 ("segue simulate --policy ucb,kl", "ucb,kl-ucb"), ("segue simulate --format = j", "json"),
                 ("segue simulate --curve a", "a-log"), ("segue simulate --explain a", "a-log"),
                 ("segue simulate --runs ''", ""), ("segue replay --order t", "time"), ("segue replay -q a", "a-log"),
                 ("segue ask x --explain --ta", "--task"), ("segue store export -f a", "a-log"),
                 ("segue store ex", "export"), ("segue bench --long --sa", "--save"), ("segue bench -L --sa", "--save"),
                 ("segue help poli", "policies"))
        script = f"PATH={os.path.dirname(SEGUE)}:$PATH; source {SOURCE}/completions/segue.bash\n" + "".join(
            f'COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _segue; echo "${{COMPREPLY[@]}}"\n'
            for words, _ in cases)
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=self.folder)
        for (words, expected), offered in zip(cases, done.stdout.split("\n")):
            self.assertEqual(offered, expected, words)


class Learning(Folder):
    def log(self, tasks=300, pulls=40):
        """A log of the paper's models, by round robin, with a task that has too few rewards."""
        rng = random.Random(7)
        models = [[float(x) for x in row.split(",")[1:]]
                  for row in pathlib.Path(PAPER).read_text().splitlines()[1:]]
        rows = ["task,arm,reward"]
        for task in range(tasks):
            model = rng.choice(models)
            rows += [f"t{task},{arm + 1},{int(rng.random() < mean)}"
                     for _ in range(pulls) for arm, mean in enumerate(model)]
        rows += ["short,1,1", "short,2,0"]
        return self.file("\n".join(rows) + "\n", "log.csv")

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

    def test_the_methods_find_what_stands_out(self):
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

    def test_em_tells_its_likelihood_and_takes_short_tasks(self):
        log = self.log(tasks=100, pulls=20)
        text = answer("estimate", "--types", 5, "--method", "em", log)
        self.assertRegex(text, "(good|weak): 5 models tell 101 tasks apart with .* % certainty\n"
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
        errors (0.5 / sqrt(2000) < 0.0112), and every task is taken for its own."""
        means = [[0.9, 0.1, 0.5], [0.2, 0.8, 0.4], [0.5, 0.4, 0.9]]
        log, out = self.types(*means), self.folder / "models.csv"
        args = ("estimate", "--method", "types", "--lowest", 2, "--highest", 6)
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
        for task, taken in enumerate(data["posteriors"]):
            self.assertEqual(taken["task"], f"t{task}")
            self.assertAlmostEqual(sum(taken["probabilities"]), 1)
            kind = data["types"][taken["type"] - 1]
            for arm, mean in zip(kind["arms"], means[task % 3]):
                self.assertAlmostEqual(arm["mean"], 2 + 4 * mean, delta=0.4)
                self.assertTrue(arm["low"] < arm["mean"] < arm["high"])
                self.assertLess(arm["spread"], 0.4)

    def test_types_that_are_not_there(self):
        args = ("estimate", "--method", "types", "--lowest", 2, "--highest", 6)
        self.assertIn("none: only one type; the means of 100 tasks differ by 0",
                      answer(*args, self.types([0.9, 0.1, 0.5], tasks=100)))
        few = self.types([0.9, 0.1, 0.5], tasks=7)
        self.assertIn("none: 7 tasks are too few for types; need 8", answer(*args, few))
        self.refused(2, "no model set to print: 7 tasks are too few", *args, "--format", "csv", few)
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
                            ("--alpha0 needs --method eca; rtp does not use it", "--types", 2, "--alpha0", 1, log),
                            ("--window needs --method em or types; rtp does not use it", "--types", 2, "-w", 99, log),
                            ("--starts needs --method rtp or em; eca does not use it", "--types", 2, "-L", 9, "-M", "eca", log),
                            *((f"--{option} needs --method", "--method", "types", f"--{option}", value, log)
                              for option, value in (("starts", 9), ("steps", 9), ("views", "paper"),
                                                    ("weights", "lambda"), ("alpha0", 1))),
                            ("give --types", "--method", "em", log),
                            ("--window: 15 is out of range", "--method", "types", "-w", 15, log),
                            ("at most 16 with --method types", "--method", "types", "--types", 17,
                             log),
                            ("--out would overwrite the log", "--types", 2, "--out", log, log),
                            ("need a growing range", "--types", 2, "--lowest", 3, log),
                            ("'more' is not an option", "--types", 2, log, "more"),
                            ("cannot be opened", "--types", 2, "no.csv")):
            self.refused(2, says, "estimate", *args)

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

    def test_an_arm_that_cannot_head_a_model_set(self):
        log = self.file("task,arm,reward\n" + "1,weight,1\n1,b,0\n" * 9 + "2,weight,0\n2,b,1\n" * 9)
        answer("estimate", "--types", 1, log)
        self.refused(2, "arm 'weight' cannot head a model set", "estimate", "--types", 1,
                     "--format", "csv", log)

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
                            ("is not the file of a learner", *args, "--policy", "tucb", "--load",
                             other),
                            ("learns across tasks", "simulate", "--models", PAPER, "--policy",
                             "tucb"),
                            ("must know the number of models", "simulate", "--uniform", 3,
                             "--policy", "tucb", "--tasks", 3),
                            ("learner 'tucb' has no option 'D'", *args, "--policy", "tucb:D=1")):
            self.refused(2, says, *more)

    def test_tucb_can_be_told_how_many_models_there_are(self):
        """Five are what it is told where there are five; an option goes before, is saved, and is all there
        is without a model set."""
        saved, log = self.folder / "saved", self.log(tasks=40)
        args = ("simulate", "--steps", 200, "--runs", 1, "--tasks", 40, "--format", "json")

        def regret(*words):
            return json.loads(answer(*args, *words))["results"][0]["regret"]
        paper = ("--models", PAPER, "--policy")
        self.assertEqual(regret(*paper, "tucb:C=0.1,models=5"), regret(*paper, "tucb:C=0.1"))
        self.assertNotEqual(regret(*paper, "tucb:C=0.1,models=2"), regret(*paper, "tucb:C=0.1"))
        answer(*args, *paper, "tucb:models=2", "--save", saved)
        answer(*args, *paper, "tucb", "--load", saved)
        answer(*args, "--uniform", 5, "--policy", "tucb:models=5")
        answer("simulate", "--log", log, "--tasks", 5, "--runs", 1, "--steps", 20, "--policy", "tucb:models=3")
        answer("replay", "--policy", "tucb:models=3", "--runs", 1, "--quiet", log)
        self.refused(2, "as in tucb:models=5", "replay", "--policy", "tucb", log)
        told = self.file(json.dumps({"name": "told", "environment": {"models": {"means": [[0.9, 0.1], [0.2, 0.8]]}},
                                     "policies": ["tucb:models=1", "tucb:models=2"], "steps": 50, "tasks": 20,
                                     "runs": 2, "every": 5}), "experiment.json")
        cells = json.loads(answer("run", told, "--out", self.folder, "--format", "json", "--quiet"))["results"]
        self.assertEqual([{"error", "eps"} <= cell["over_tasks"].keys() for cell in cells], [False, True])

    def test_threads_do_not_change_a_learner(self):
        args = ("simulate", "--models", PAPER, "--policy", "tucb:C=0,tucb:estimator=eca", "--tasks",
                12, "--runs", 16, "--steps", 120, "--format", "json")
        one = answer(*args, "--threads", 1)
        for threads in (2, 7):
            self.assertEqual(answer(*args, "--threads", threads), one)
        self.assertIn("violations", json.loads(one)["results"][0])


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
        self.assertIn("Of 30 logged tasks; 1 are skipped, with fewer than 1 rewards", answer(*args))
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
        self.assertEqual(answer("simulate", "--log", wide, "--lowest", -3, "--highest", 5, *args),
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
                ("--lowest or --highest needs --log FILE", "--uniform", 3, "--highest", 3),
                ("--rewards cannot be used with --log", "--log", log, "--rewards", "bernoulli"),
                ("spread, mixed and switch need a model set", "--log", log, "--spread", 3),
                ("--order: there is no order 'random'; need shuffle or file", "--log", log, "--order", "random"),
                ("the order of the log needs tasks", "--log", log, "--order", "file"),
                ("--least: 0 is out of range", "--log", log, "--least", 0),
                ("log.csv: none of the 31 tasks has 21 rewards or more of every arm", "--log", log, "--least", 21),
                ("a run would have 31 tasks, and the log has 30 that can be played", "--log", log, "--tasks", 31),
                ("policy 'mucb' needs a known model set", "--log", log, "--policy", "mucb"),
                ("policy 'mla' needs a known model set", "--log", log, "--policy", "mla"),
                ("must know the number of models", "--log", log, "--policy", "tucb", "--tasks", 5),
                ("--out and --log name the same file", "--log", log, "--out", log),
                ("need a growing range", "--log", log, "--lowest", 2),
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


class SameBytes(Folder):
    ENVIRONMENTS = [
        (200, "--models", PAPER),
        (150, "--models", PAPER, "--tasks", 6),
        (200, "--models", PAPER, "--tasks", 4, "--spread", 20, "--rewards", "beta:20"),
        (800, "--models", PAPER, "--mixed", 0.5, "--rewards", "normal:0.2"),
        (150, "--models", PAPER, "--tasks", 6, "--switch-at", 3, "--switch-to", PAPER),
        (200, "--models", PAPER, "--rewards", "twopoint:0.95"),
        (800, "--uniform", 5),
    ]

    def test_threads_do_not_change_a_byte(self):
        """Work is handed out in batches of about 5,000 steps; every case has more than seven."""
        for runs, *environment in self.ENVIRONMENTS:
            policies = "ucb,ts,kl-ucb,sw-ucb,d-ucb,carried-ucb,ucb1"
            if environment[0] == "--models":
                policies += ",ucb+,mucb,umucb:eps=0.05,mts,ucb-test"
            if environment[0] == "--models" and "--mixed" not in environment:
                policies += ",told-ucb"
            args = ("simulate", *environment, "--policy", policies, "--steps", 60, "--runs", runs)
            one = answer(*args, "--format", "json", "--threads", 1)
            for threads in (2, 7):
                self.assertEqual(answer(*args, "--format", "json", "--threads", threads), one)

    def test_another_seed_gives_other_numbers(self):
        seeds = {answer(*SIMULATE, "--format", "csv", "--seed", seed) for seed in (1, 2, 3)}
        self.assertEqual(len(seeds), 3)

    def test_a_run_is_what_it_was(self):
        """These numbers change only with the streams or a policy; CHANGELOG then says so."""
        for kernel, expected in (("fast", GOLDEN), ("plain", GOLDEN_PLAIN)):
            data = json.loads(answer("simulate", "--models", PAPER, "--policy", "ucb,mucb,ts", "--steps", 200,
                                     "--runs", 20, "--format", "json", "--kernel", kernel))
            seen = [round(result["regret"]["mean"], 6) for result in data["results"]]
            self.assertEqual(seen, expected)
        data = json.loads(answer("simulate", "--models", PAPER, "--policy", "told-ucb,mts", "--steps",
                                 100, "--runs", 10, "--tasks", 5, "--spread", 20, "--rewards",
                                 "beta:10", "--format", "json"))
        seen = [round(result["regret"]["mean"], 6) for result in data["results"]]
        self.assertEqual(seen, GOLDEN_TASKS)


class Bench(Folder):
    @unittest.skipIf(os.environ.get("SEGUE_TEST_SHORT"), "under a sanitizer times mean nothing, and are long")
    def test_bench_tells_ratios_and_compare_finds_what_got_slower(self):
        path = self.folder / "new.json"
        answer("bench", "--rounds", 1, "--save", path, "--label", "abc", "--quiet")
        data = json.loads(path.read_text())
        self.assertEqual((data["label"], data["rounds"]), ("abc", 1))
        by_name = {b["name"]: b for b in data["benchmarks"]}
        self.assertEqual(by_name["limit: a Bernoulli draw"]["of_limit"], 1.0)
        for name, benchmark in by_name.items():
            self.assertGreater(benchmark["ns"], 0, name)
        self.assertIsNone(by_name["kl-ucb, n = 5000"]["ratio"])
        compare = SOURCE / "bench" / "compare"
        same = subprocess.run([compare, path, path], stdout=subprocess.PIPE, text=True, check=True)
        self.assertIn("the same", same.stdout)
        by_name["mucb, n = 5000"]["ratio"] *= 0.5
        slow = self.file(json.dumps(data), "slow.json")
        done = subprocess.run([compare, path, slow], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"mucb, n = 5000 .*slower")
        self.assertEqual(done.stdout.count(": slower"), 1)
        done = subprocess.run([compare, path, self.file("{}", "bad.json")], stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertIn("is no result of 'segue bench", done.stderr)

    def test_bench_refuses_what_it_cannot_do(self):
        self.refused(2, "--rounds", "bench", "--rounds", 100)
        self.refused(2, "cannot be opened", "bench", "--models", self.folder / "nowhere.csv")
        self.refused(2, "there is no 'xml'", "bench", "--format", "xml")
        self.refused(2, "--kernel: there is no 'slow'; need fast or plain", *SIMULATE, "--kernel", "slow")


GOLDEN = [34.86025, 21.83575, 19.0284]
GOLDEN_PLAIN = [34.86025, 21.83575, 19.1482]  # ts draws other numbers of the same law
GOLDEN_TASKS = [16.610736, 3.851898]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
