#!/usr/bin/python3
"""The program and bad input: files, options, disks and streams.

usage: test_cli_input.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import resource
import signal
import sys
import unittest

from program import PAPER, Folder, run

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

# Wrong usage: what the error must say, and the arguments.
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
    ("the mean is 0.9; these rewards need 0 to 0.5", *SIMULATE, "--rewards", "twopoint:0.5"),
    ("--costs has 2 numbers and the tasks 7 arms; need one for each", *SIMULATE, "--costs", "0,1"),
    ("--costs: 'x' is not a number", *SIMULATE, "--costs", "0,0,0,x,0,0,0"),
    ("a cost is -1; need 0 to 1e+06", *SIMULATE, "--costs", "0,0,0,0,0,0,-1"),
    ("--switch-cost: -1 is out of range", *SIMULATE, "--switch-cost", "-1"),
    ("--ignore-costs needs --costs or --switch-cost", *SIMULATE, "--ignore-costs"),
    ("'exp3' knows no costs", *SIMULATE, "--policy", "exp3", "--switch-cost", "0.1"),
    ("'tucb' knows no costs", *SIMULATE, "--policy", "tucb", "--tasks", 3, "--switch-cost", "0.1"),
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

    def test_an_error_about_a_long_path_still_has_its_reason(self):
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
        """The reader of the output has closed it, as in `segue ... | head`: the program ends by SIGPIPE, in silence."""
        out = self.folder / "curve.csv"
        for arguments in (("help",), ("version",), SIMULATE, (*SIMULATE, "--tasks", 2, "--curve", out)):
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = run(*arguments, stdout=write_end)
            os.close(write_end)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""), arguments)
        self.assertTrue(out.read_text().startswith("policy,task,mean,se\n"))

    def test_a_wrong_policy_at_the_end_stops_before_the_first_plays(self):
        self.refused(2, "needs a known model set", "simulate", "--uniform", 5, "--steps",
                     1000000000, "--policy", "ucb,mts")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
