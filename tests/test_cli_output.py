#!/usr/bin/python3
"""Output of the program: formats, files, terminals and help.

usage: test_cli_output.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import unittest

from program import PAPER, SEGUE, SOURCE, Folder, answer, candidates, run


def on_terminal_of(stream, *arguments, **more):
    """Return what a command writes to a terminal; read while it runs, since a terminal holds 4 kB."""
    parent, child = pty.openpty()
    text = b""
    with subprocess.Popen([SEGUE, *map(str, arguments)], **{stream: child, **more}) as process:
        os.close(child)
        try:
            while piece := os.read(parent, 65536):
                text += piece
        except OSError:  # the program has ended, and so has its terminal
            pass
    os.close(parent)
    assert process.returncode == 0, arguments
    return text


SIMULATE = ("simulate", "--models", PAPER, "--steps", 50, "--runs", 2)


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
                      "complexity", "estimate", "tally", "replay", "plan", "plot", "learn", "help", "version", "policies", "logs",
                      "models", "results"):
            text = answer("help", *filter(None, [topic]))
            self.assertLessEqual(max(map(len, text.splitlines())), 80, topic)
        for command in ("simulate", "run", "merge", "complexity", "estimate", "tally", "replay", "plan"):
            text = answer(command, "--help")
            self.assertEqual(text, answer("help", command))
            for word in candidates(command, "--"):
                self.assertIn(word, text)

    def test_version_prints_build_and_blas(self):
        text = answer("version")
        self.assertRegex(text, r"^segue \d+\.\d+\.\d+\nbuild: .+\nblas:  OpenBLAS.*\nmpi:   .+\n$")
        self.assertEqual(text, answer("--version"))

    def test_a_dash_is_the_standard_output(self):
        self.assertEqual(answer(*SIMULATE, "--out", "-"), answer(*SIMULATE))

    def test_the_terminals_name_is_the_standard_output(self):
        path = self.folder / "old.txt"
        path.write_text("old\n")
        with path.open("a") as out:
            self.assertEqual(run(*SIMULATE, "--out", "/dev/stdout", stdout=out).returncode, 0)
        self.assertTrue(path.read_text().startswith("old\nRegret per task"))

    def test_the_longest_name_of_an_arm_is_printed(self):
        out = self.folder / ("x" * 250)
        answer(*SIMULATE, "--out", out)
        self.assertTrue(out.read_text().startswith("Regret per task"))
        self.assertEqual(len(os.listdir(self.folder)), 1)

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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
