#!/usr/bin/python3
"""Errors name the next step: the option that helps, what was found, how to convert a file.

usage: test_cli_errors.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import shlex
import subprocess
import sys
import unittest

from program import PAPER, Folder, answer, run

ROWS = "task,arm,reward\nu,a,1\nu,b,0\nv,a,0\nv,b,1\n"
# Every command that reads a log, up to its name.
READERS = (("replay", "--dry-run"), ("replay", "-q"), ("estimate", "--types", 2), ("simulate", "--policy", "ts", "--log"))


class Options(Folder):
    def test_a_learner_without_tasks(self):
        for learner in ("tucb", "tla", "tts", "ts-prior", "auto", "tucb:C=1"):
            self.refused(2, f"'{learner}' learns across tasks: add --tasks N, for example --tasks 200",
                         "simulate", "--models", PAPER, "--policy", f"ucb,{learner}")

    def test_the_tasks_that_it_suggests_are_enough(self):
        answer("simulate", "--models", PAPER, "--policy", "tucb", "--steps", 5, "--runs", 1, "--tasks", 200)

    def test_an_option_of_a_policy(self):
        for arguments in (("--delta", "0.05"), ("--delta=0.05",)):
            self.refused(2, "there is no option '--delta'; policies take options as in "
                         "'--policy ucb:delta=VALUE'; see 'segue help policies'",
                         "simulate", "--models", PAPER, *arguments)
        self.refused(2, "'--policy sw-ucb:xi=VALUE'", "simulate", "--models", PAPER, "--xi", 1)

    def test_an_option_of_a_learner(self):
        self.refused(2, "'--policy tucb:C=VALUE'", "simulate", "--models", PAPER, "--C", 1)
        self.refused(2, "'--policy auto:cap=VALUE'", "replay", "--cap", 1, "log.csv")

    def test_a_command_without_policies_does_not_speak_of_them(self):
        self.refused(2, "there is no option '--xi'; see 'segue help'\n", "complexity", "--models", PAPER, "--xi", 1)

    def test_a_mistyped_option_is_guessed(self):
        self.refused(2, "did you mean '--steps'?", "simulate", "--models", PAPER, "--stepz", 1)


class Logs(Folder):
    """Logs that every command rejects."""

    def refused_log(self, text, *says):
        path = self.file(text, "log.csv")
        for command in READERS:
            done = run(*command, path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (command, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1)
            for part in says:
                self.assertIn(part, done.stderr, command)

    def test_the_sound_log_that_these_are_made_of(self):
        answer("simulate", "--log", self.file(ROWS, "log.csv"), "--policy", "ts", "--runs", 1, "--steps", 2)

    def test_a_reward_out_of_range(self):
        self.refused_log(ROWS + "v,b,4\n", ":6: field 'reward': 4 is out of range; need 0 to 1; give --range 0,5 "
                         "if that is the scale")

    def test_the_options_that_it_names_help(self):
        log = self.file("task,arm,reward\n" + "".join(f"u{i},{a},{i % 5}\n" for i in range(40) for a in "ab" * 3),
                        "log.csv")
        for command in READERS:
            answer(*command, log, "--range", "0,5",
                   *(("--steps", 3, "--runs", 1) if command[0] == "simulate" else ()))

    def test_a_reward_out_of_range_in_an_experiment(self):
        self.file(ROWS + "v,b,4\n", "log.csv")
        spec = {"name": "x", "environment": {"log": "log.csv"}, "policies": ["ts"], "steps": 2, "runs": 1}
        self.refused(2, "(in an experiment: lowest and highest)", "run", self.file(json.dumps(spec), "x.json"),
                     "--out", self.folder / "out")

    def test_an_experiment_of_a_learner_without_tasks(self):
        spec = {"name": "x", "environment": {"uniform": 3}, "policies": ["tla"], "steps": 2, "runs": 1}
        self.refused(2, "learns across tasks, and tasks is 0; need 1 or more", "run",
                     self.file(json.dumps(spec), "x.json"), "--out", self.folder / "out")

    def test_a_reward_that_is_missing(self):
        self.refused_log(ROWS + "v,b,\n", ":6: field 'reward': is empty; give --missing skip")

    def test_a_reward_in_quotes(self):
        self.refused_log('{"task": "u", "arm": "a", "reward": "1"}\n',
                         ":1: field 'reward': need a number, true or false, without quotes")

    def test_another_word_is_no_number(self):
        self.refused_log(ROWS + "v,b,much\n", ":6: field 'reward': 'much' is not a finite decimal number")

    def test_other_columns(self):
        self.refused_log("user,variant,click\nu,a,1\n", ":1: the header has no column 'task'; it has 'user', "
                         "'variant' and 'click'", "--task user --arm variant --reward click")
        self.refused_log("task,arm\nu,a\n", "no column 'reward'", "it has 'task' and 'arm'")
        self.refused_log(",".join("abcdefghijkl") + "\n", "it has 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', ...;")

    def test_no_header(self):
        self.refused_log("u,a,1\nu,b,0\n", "it has 'u', 'a' and '1', which looks like data: put a line with the "
                         "names of the columns before it")

    def test_a_strange_header_is_shown_safely(self):
        self.refused_log(b"\x1b[31mred,\xff\xfe\xfd,x" + "ä".encode() * 300 + b"\nu,a,1\n", "it has '?[31mred', '???' and 'xääää")

    def test_utf_16(self):
        for kind in ("utf-16", "utf-16-le", "utf-16-be"):
            for text in (ROWS, '{"task": "u", "arm": "a", "reward": 1}\n'):
                self.refused_log(text.encode(kind), ":1: the file is UTF-16; need text, UTF-8", "iconv -f UTF-16")

    def test_the_iconv_that_it_names_works(self):
        for kind in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            path = self.file(ROWS.encode(kind), "log.csv")
            advice = run("replay", "--dry-run", path).stderr
            convert = shlex.split(advice[advice.index("iconv"):].replace("FILE", path).split("|")[0])
            done = subprocess.run(convert, capture_output=True, check=True)
            self.assertEqual(done.stdout.decode(), ROWS, kind)

    def test_a_nul_byte_alone_is_not_utf_16(self):
        done = run("replay", "--dry-run", self.file(ROWS.encode() + b"v,b\0,1\n", "log.csv"))
        self.assertIn(":6: the line contains a NUL byte; need text", done.stderr)


class Experiments(Folder):
    def refused_spec(self, says, **fields):
        spec = {"name": "x", "environment": {"uniform": 3}, "policies": ["ts"], "steps": 2, "runs": 1, **fields}
        path = self.file(json.dumps({key: value for key, value in spec.items() if value}), "x.json")
        self.refused(2, says, "run", path, "--out", self.folder / "out")

    def test_a_field_that_is_missing(self):
        self.refused_spec("field 'policies': is missing; need a list", policies=None)

    def test_a_whole_number_may_be_written_with_a_point(self):
        """3.0 is 3, since not all that write JSON tell them apart; 3.5 is none."""
        self.refused_spec("field 'steps': ", steps=3.5)
        spec = '{"name": "x", "environment": {"uniform": 3}, "policies": ["ts"], "steps": 3.0, "runs": 1}'
        answer("run", self.file(spec, "x.json"), "-q", "--out", self.folder / "out")


class Files(Folder):
    def test_a_file_of_ours_that_is_not_here(self):
        """Typed as in the documentation, but in another folder: the error names where it is."""
        for arguments in (("run", "experiments/lengths.json"), ("merge", "experiments/lengths.json"),
                      ("simulate", "--models", "models/paper.csv"), ("complexity", "--models=paper.csv")):
            name = arguments[-1].rpartition("/")[2].rpartition("=")[2]
            done = run(*arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"No such file or directory; try '/.*/{name}'\n$")

    def test_a_file_that_nobody_has(self):
        self.refused(2, "No such file or directory\n", "run", "experiments/none.json", cwd=self.folder)

    def test_help_names_where_they_are(self):
        self.assertRegex(answer("help"), r"experiments: +/.*/experiments\n +models: +/.*/models\n +logs: +/.*/logs\n +docs: +/.*/docs\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
