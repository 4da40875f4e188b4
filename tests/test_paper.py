#!/usr/bin/python3
"""Experiments and the report: broken files, the same bytes however they were run, claims that are
computed.

usage: test_paper.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PAPER, SEGUE, SOURCE, Folder, answer, run

STUDIES = ["lengths", "baselines", "tucb-lengths", "tucb-tasks", "tucb-choices", "related", "ours", "probes",
           "probes-tasks", "identify"]

GOOD = {"name": "try", "environment": {"models": PAPER}, "policies": ["ucb", "mucb"],
        "steps": [50, 100], "runs": 3, "seed": 7}

# Changes to a good experiment that break it, and what the error must say behind the path.
BROKEN = [
    ("no name", {"name": None}, "field 'name': is missing; need a text"),
    ("a name that is no file name", {"name": "../x"}, "field 'name': is '../x'; need 1 to 60 of a-z"),
    ("a name that is a number", {"name": 3}, "field 'name': is a whole number; need a text"),
    ("an unknown field", {"polcies": []}, "field 'polcies': is not known; did you mean 'policies'?"),
    ("a title that is a list", {"title": []}, "field 'title': is a list; need a text"),
    ("no environment", {"environment": None}, "field 'environment': is missing; need an object"),
    ("an empty list of environments", {"environment": []}, "field 'environment': is a list; need"),
    ("an environment of nothing", {"environment": {}}, "field 'environment.models': give it, or 'uniform' or 'log'"),
    ("both kinds of environment", {"environment": {"models": PAPER, "uniform": 5}},
     "field 'environment.models': give it, or 'uniform' or 'log': one of the three"),
    ("an unknown field of it", {"environment": {"models": PAPER, "rewrds": "beta:2"}},
     "field 'environment.rewrds': is not known; did you mean 'rewards'?"),
    ("a set that is not there", {"environment": {"models": "nowhere.csv"}},
     "nowhere.csv: cannot be opened"),
    ("means out of range", {"environment": {"models": {"means": [[0.5, 1.5]]}}},
     "field 'environment.models': "),
    ("rows of unequal length", {"environment": {"models": {"means": [[0.5, 0.1], [0.2]]}}},
     "field 'environment.models': a list has 1 numbers; need 2"),
    ("means that are texts", {"environment": {"models": {"means": [["a", "b"]]}}},
     "holds a text; need numbers"),
    ("too many weights", {"environment": {"models": {"means": [[0.5, 0.1]], "weights": [1, 2]}}},
     "a list has 2 numbers; need 1"),
    ("an unknown law", {"environment": {"models": PAPER, "rewards": "gamma:2"}},
     "field 'environment.rewards': "),
    ("a spread of 0", {"environment": {"models": PAPER, "spread": 0}},
     "field 'environment.spread': is 0; need a number above 0"),
    ("a switch to nothing", {"environment": {"models": PAPER, "switch-at": 5}}, "field 'environment': "),
    ("two environments of one name",
     {"environment": [{"name": "a", "uniform": 3}, {"name": "a", "uniform": 4}], "policies": ["ucb"]},
     "field 'environment[1].name': is 'a' a second time"),
    ("no policies", {"policies": []}, "field 'policies': is a list of none; need a list of 1 to 1000"),
    ("policies that are a text", {"policies": "ucb"}, "field 'policies': is a text; need a list"),
    ("a title of two lines", {"title": "a\nb"}, "field 'title': is a text; need a text of one line"),
    ("a name that would colour the terminal", {"environment": {"name": "\x1b[31m", "uniform": 3}, "policies": ["ucb"]},
     "field 'environment.name': is a text; need a text of one line"),
    ("an unknown policy", {"policies": ["ucb", "mucbb"]}, "field 'policies[1]': "),
    ("a policy that is a number", {"policies": [1]}, "field 'policies[0]': is a whole number; need a text"),
    ("a policy twice", {"policies": ["ucb", "ucb"]}, "field 'policies[1]': is 'ucb' a second time"),
    ("a wrong option", {"policies": ["ucb:delta=2"]}, "field 'policies[0]': "),
    ("a learner without tasks", {"policies": ["tucb"]}, "learns across tasks, and tasks is 0; need 1 or more"),
    ("known models where there are none", {"environment": {"uniform": 5}}, "field 'policies[1]': 'mucb' in"),
    ("no steps", {"steps": None}, "field 'steps': is missing; need a whole number from 1 to"),
    ("steps of 0", {"steps": 0}, "field 'steps': is 0; need a whole number from 1 to 1000000000000"),
    ("broken steps", {"steps": [50, 2.5]}, "field 'steps[1]': is a decimal number; need a whole"),
    ("steps twice", {"steps": [50, 50]}, "field 'steps[1]': is 50 a second time"),
    ("an empty list of steps", {"steps": []}, "field 'steps': has 0 numbers; need 1 to 1000"),
    ("negative tasks", {"tasks": -1}, "field 'tasks': is -1; need a whole number from 1"),
    ("too many tasks", {"tasks": 10**10}, "field 'tasks': is 10000000000; need"),
    ("no runs", {"runs": None}, "field 'runs': is missing; need a whole number from 1"),
    ("runs as a list", {"runs": [1, 2]}, "field 'runs': is a list; need a whole number"),
    ("more runs than fit", {"runs": 10**9}, "asks for too many runs"),
    ("a negative seed", {"seed": -1}, "field 'seed': is -1; need a whole number from 0"),
    ("points without tasks", {"every": 5}, "field 'every': is over tasks, and needs the field 'tasks'"),
    ("every of 0", {"every": 0, "tasks": 5}, "field 'every': is 0; need"),
    ("variants that are a list", {"variants": []}, "field 'variants': is a list; need an object"),
    ("a variant that is a number", {"variants": {"quick": 3}}, "'quick' is a whole number; need an object"),
    ("a variant of another model set", {"variants": {"quick": {"environment": {}}}},
     "field 'variants.quick.environment': is not known; need one of policies, steps"),
]


def rows_of(path):
    """The rows of a CSV file."""
    return list(csv.DictReader(path.read_text().splitlines()))


class Broken(Folder):
    def test_broken_experiments_are_refused_with_file_and_field(self):
        for name, change, says in BROKEN:
            with self.subTest(name):
                experiment = {k: v for k, v in {**GOOD, **change}.items() if v is not None}
                path = self.file(json.dumps(experiment), "broken.json")
                self.refused(2, says, "run", path, "--out", self.folder)
                if "runs" not in change or change["runs"] != 10**9:
                    self.refused(2, "broken.json", "run", path, "--out", self.folder)
        self.assertEqual(os.listdir(self.folder), ["broken.json"])

    def test_what_is_no_json_is_refused_with_its_line(self):
        for text, says in [("", "bad.json:1: is not JSON"), ("[1]", "bad.json: holds a list; need an object"),
                           ('{"name": "a",\n "name": "b"}', "bad.json:2: is not JSON: duplicate"),
                           ('{"name": "a"} x', "bad.json:1: is not JSON"), (b'{"name": "\xff"}', "bad.json:1:"),
                           ('{"name": "a",\n', "bad.json:2: is not JSON")]:
            with self.subTest(text=text):
                self.refused(2, says, "run", self.file(text, "bad.json"), "--out", self.folder)
        self.refused(2, "is a directory", "run", self.folder)
        self.refused(2, "cannot be opened", "run", self.folder / "nowhere.json")
        self.refused(2, "give the file of an experiment", "run")

    def test_options_that_do_not_fit_are_refused(self):
        path = self.file(json.dumps({**GOOD, "variants": {"small": {"runs": 2}}}), "try.json")
        self.refused(2, "there is no variant 'quick'; it has small", "run", path, "--variant", "quick")
        self.refused(2, "exclude each other", "run", path, "--resume", "--fresh")
        self.refused(2, "the folder cannot be created", "run", path, "--out", self.folder / "a" / "b")
        self.refused(2, "is not a folder", "run", path, "--out", path)
        self.refused(2, "exclude each other", "paper", "--resume", "--fresh")
        self.refused(2, "plays nothing", "paper", "--redraw", "--quick")
        self.refused(2, "plays nothing", "paper", "--redraw", "--threads", 2)
        self.refused(2, "cannot be opened", "paper", "--experiments", self.folder, "--out", self.folder)
        self.refused(2, "cannot be opened", "paper", "--redraw", "--out", self.folder)
        self.refused(2, "cannot be opened", "paper", "--redraw", "--out", self.folder / "typo")
        self.assertEqual(os.listdir(self.folder), ["try.json"])
        bare = {**os.environ, "PATH": str(self.folder)}
        self.refused(2, "gnuplot is not installed", "paper", "--quick", "--out", self.folder, env=bare)


class Run(Folder):
    def test_it_finds_what_simulate_finds(self):
        experiment = {**GOOD, "policies": ["ucb", "mucb"], "steps": 200, "runs": 5}
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder,
                                  "--format", "json"))
        other = json.loads(answer("simulate", "--models", PAPER, "--policy", "ucb,mucb", "--steps", 200,
                                  "--runs", 5, "--seed", 7, "--format", "json"))
        for cell, result in zip(found["results"], other["results"], strict=True):
            self.assertEqual(cell["regret"]["mean"], result["regret"]["mean"])
            self.assertEqual(cell["regret"]["se"], result["regret"]["se"])
            self.assertEqual([m["mean"] for m in cell["by_model"]], [m["mean"] for m in result["by_model"]])
        experiment = {**GOOD, "policies": ["tucb", "ts"], "steps": 100, "tasks": 20, "runs": 3, "every": 7}
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh",
                                  "--format", "json"))
        curve = self.folder / "curve.csv"
        other = json.loads(answer("simulate", "--models", PAPER, "--policy", "tucb,ts", "--steps", 100,
                                  "--runs", 3, "--tasks", 20, "--seed", 7, "--format", "json", "--curve", curve))
        rows = rows_of(curve)
        for cell, result in zip(found["results"], other["results"], strict=True):
            self.assertEqual(cell["regret"]["mean"], result["regret"]["mean"])
            self.assertEqual(cell["regret"]["se"], result["regret"]["se"])
            for key in ("mean", "se"):  # models by tasks, too: one that no task has is null
                self.assertEqual([m[key] for m in cell["by_model"]], [m[key] for m in result["by_model"]])
            self.assertEqual(len(cell["by_model"]), 5)
            tasks = [float(row["mean"]) for row in rows if row["policy"] == cell["policy"]]
            points = [sum(run[p] for run in cell["over_tasks"]["regret"]) / 3 for p in range(3)]
            for point, part in zip(points, (tasks[:7], tasks[7:14], tasks[14:]), strict=True):
                self.assertAlmostEqual(point, sum(part) / len(part), places=9)

    def test_results_repeat_from_what_they_hold(self):
        experiment = {**GOOD, "tasks": [4, 9], "every": 3, "policies": ["tucb", "ucb", "ts"], "seed": 3,
                      "environment": [{"name": "one", "models": PAPER, "rewards": "beta:20", "spread": 50},
                                      {"name": "two", "models": {"means": [[0.1, 0.9, 0.3], [0.8, 0.2, 0.4]],
                                                                 "weights": [3, 1]}}]}
        answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder)
        found = json.loads((self.folder / "try.json").read_text())
        first = {p.name: p.read_bytes() for p in self.folder.glob("try*")}
        self.assertEqual(sorted(first), ["try-curve.csv", "try.csv", "try.json"])
        again = self.file(json.dumps(found["experiment"]), "again.json")
        answer("run", again, "--out", self.folder, "--fresh")
        self.assertEqual(first, {p.name: p.read_bytes() for p in self.folder.glob("try*")})
        other = self.folder / "other"  # or from the results themselves
        answer("run", self.folder / "try.json", "--out", other)
        self.assertEqual(first, {p.name: p.read_bytes() for p in other.iterdir()})
        self.assertEqual(len(found["results"]), 2 * 3 * 2 * 2)

    def test_results_repeat_to_the_last_bit(self):
        means = [[1 / 3, 0.1 + 0.2, k / 7] for k in range(7)]
        self.file("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in means), "long.csv")
        variants = {"small": {"policies": ["mucb", "tucb"], "steps": 40, "tasks": 5}}
        path = self.file(json.dumps({**GOOD, "environment": {"models": "long.csv", "spread": 1e3 / 7},
                                     "variants": variants}), "a.json")
        first, second = self.folder / "first", self.folder / "second"
        answer("run", path, "--variant", "small", "--out", first)
        found = json.loads((first / "try.json").read_text())["experiment"]
        self.assertEqual((found["environment"]["models"]["means"], found["variant"]), (means, "small"))
        answer("run", first / "try.json", "--out", second)
        for name in os.listdir(first):
            self.assertEqual((first / name).read_text(), (second / name).read_text())
        wrong = self.file(json.dumps({**GOOD, "variant": 3}), "wrong.json")
        self.refused(2, "field 'variant': is a whole number", "run", wrong, "--out", first)

    def test_results_do_not_take_the_place_of_what_it_was_read_from(self):
        models, log = pathlib.Path(PAPER).read_text(), "task,arm,reward\n" + "".join(
            f"{t},{a},{(t + a) % 2}\n" for t in range(4) for a in (0, 1, 0, 1))
        for name, place in [("try.csv", {"models": "try.csv"}), ("try-curve.csv", {"models": "try-curve.csv"}),
                            ("try.csv", {"models": PAPER, "switch-to": "try.csv", "switch-at": 2}),
                            ("try.csv", {"log": "try.csv", "least": 1})]:
            with self.subTest(place=place):
                held = log if "log" in place else models
                path = self.file(json.dumps({**GOOD, "environment": place, "policies": ["ts"], "tasks": 3}), "a.json")
                file = pathlib.Path(self.file(held, name))
                self.refused(2, f"{name}: the results would take its place", "run", path, "--out", self.folder)
                self.assertEqual(file.read_text(), held)
                file.unlink()
        path = self.file(json.dumps(GOOD), "a.json")
        other = pathlib.Path(self.file("mine\n", "try-curve.csv"))
        answer("run", path, "--out", self.folder)
        self.assertEqual(other.read_text(), "mine\n")  # no curve of ours
        curve = self.file(json.dumps({**GOOD, "tasks": 2, "every": 1}), "curve.json")
        answer("run", curve, "--out", self.folder, "--fresh")
        self.assertTrue(other.read_text().startswith("experiment,"))
        answer("run", path, "--out", self.folder, "--fresh")
        self.assertFalse(other.exists())

    def test_a_log_is_an_environment(self):
        log = "task,arm,reward\n" + "".join(f"{task},{arm},{(task * arm + i) % 3 / 2}\n" for task in range(9)
                                            for arm in range(3) for i in range(4 + task % 2)) + "9,0,1\n"
        self.file(log, "log.csv")
        place = {"name": "logged", "log": "log.csv", "least": 4, "order": "file"}
        experiment = {**GOOD, "policies": ["ts", "tts"], "environment": place, "tasks": 9, "steps": 30, "every": 4}
        path = self.file(json.dumps(experiment), "a.json")
        found = json.loads(answer("run", path, "--out", self.folder, "--format", "json"))
        other = json.loads(answer("simulate", "--log", self.folder / "log.csv", "--least", 4, "--order", "file",
                                  "--policy", "ts,tts", "--steps", 30, "--runs", 3, "--tasks", 9, "--seed", 7,
                                  "--format", "json"))
        for cell, result in zip(found["results"], other["results"], strict=True):
            self.assertEqual(cell["regret"]["mean"], result["regret"]["mean"])
        told = found["experiment"]["environment"]["found"]
        self.assertEqual([told[key] for key in ("tasks", "skipped", "arms", "rewards")], [9, 1, 3, 120])
        # Results repeat from the same log only, wherever they are.
        first = (self.folder / "try.json").read_bytes()
        answer("run", self.folder / "try.json", "--out", self.folder / "other")
        self.assertEqual((self.folder / "other" / "try.json").read_bytes(), first)
        answer("run", self.folder / "other" / "try.json", "--out", self.folder / "third")
        self.assertEqual((self.folder / "third" / "try.json").read_bytes(), first)
        self.file(log.replace("1,1,0.5", "1,1,1", 1), "log.csv")
        self.refused(2, "field 'environment.found': is of another log", "run", self.folder / "try.json",
                     "--out", self.folder / "other")
        self.refused(2, "none of the 10 tasks has 6 rewards", "run",
                     self.file(json.dumps({**experiment, "environment": {**place, "least": 6}}), "b.json"))

    def test_wrong_logs_in_experiments_are_refused(self):
        self.file("task,arm,reward\n1,a,1\n1,b,0\n2,a,1\n2,b,0\n", "log.csv")
        for change, says in [({"log": 3}, "field 'environment.log': is a whole number; need the name of a file"),
                             ({"log": "no.csv"}, "cannot be opened"), ({"least": 0}, "field 'environment.least'"),
                             ({"order": "up"}, "field 'environment.order': there is no order 'up'"),
                             ({"order": 1}, "field 'environment.order': is a whole number; need \"shuffle\""),
                             ({"lowest": "x"}, "field 'environment.lowest': is a text; need a number"),
                             ({"lowest": 3}, "need a growing range"), ({"uniform": 3}, "one of the three"),
                             ({"rewards": "beta:3"}, "field 'environment.rewards': those of a log"),
                             ({"spread": 3}, "spread, mixed and switch need a model set"),
                             ({"found": {}}, "field 'environment.found': is of another log"),
                             ({"order": "file"}, "the order of the log needs tasks"),
                             ({"log": None, "uniform": 3, "least": 2}, "field 'environment.least': goes with")]:
            place = {key: value for key, value in {"log": "log.csv", **change}.items() if value is not None}
            with self.subTest(change=change):
                path = self.file(json.dumps({**GOOD, "environment": place, "policies": ["ts"]}), "a.json")
                self.refused(2, says, "run", path, "--out", self.folder)
        for change, says in [({"tasks": 3}, "and the log has 2 that can be played"),
                             ({"policies": ["mucb"]}, "needs a known model set")]:
            path = self.file(json.dumps({**GOOD, "environment": {"log": "log.csv"}, "policies": ["ts"], **change}),
                             "a.json")
            self.refused(2, says, "run", path, "--out", self.folder)

    def test_variants_runs_and_seed_change_it(self):
        path = self.file(json.dumps({**GOOD, "variants": {"small": {"runs": 2, "steps": 30}}}), "a.json")
        small = json.loads(answer("run", path, "--variant", "small", "--out", self.folder, "--format", "json"))
        self.assertEqual([(c["steps"], c["runs"]) for c in small["results"]], [(30, 2), (30, 2)])
        self.assertEqual(small["experiment"]["variant"], "small")
        other = json.loads(answer("run", path, "--runs", 4, "--seed", 9, "--out", self.folder, "--fresh", "--format", "json"))
        self.assertEqual((other["experiment"]["seed"], other["results"][0]["runs"]), (9, 4))

    def test_same_bytes_on_any_number_of_threads(self):
        path = self.file(json.dumps({**GOOD, "tasks": 6, "every": 2, "policies": ["tucb", "ts"]}), "a.json")
        seen = set()
        for threads in (1, 2, 5):
            out = self.folder / str(threads)
            printed = answer("run", path, "--out", out, "--threads", threads, "--format", "csv")
            seen.add(tuple(sorted((p.name, p.read_bytes()) for p in out.iterdir())) + (printed,))
        self.assertEqual(len(seen), 1)

    def start_and_stop(self, path, out, *args, number=signal.SIGINT):
        """Start a run and stop it as soon as its journal holds something; returns how it ended."""
        with subprocess.Popen([SEGUE, "run", path, "--out", out, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            journal = pathlib.Path(out) / "try.unfinished"
            head = 0
            while process.poll() is None:
                size = journal.stat().st_size if journal.exists() else 0
                if head and size > head:
                    break
                head = head or size
                time.sleep(0.002)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=120)
        return process.returncode, stdout, stderr

    LONG = {**GOOD, "policies": ["tucb"], "tasks": 60, "every": 20, "steps": 400, "runs": 24}

    def test_stopped_and_resumed_gives_the_same_bytes(self):
        path = self.file(json.dumps(self.LONG), "a.json")
        straight = self.folder / "straight"
        answer("run", path, "--out", straight)
        for number, args in [(signal.SIGINT, ()), (signal.SIGTERM, ("--threads", "1")), (signal.SIGKILL, ())]:
            with self.subTest(number=number):
                out = self.folder / f"stopped{number}"
                code, stdout, stderr = self.start_and_stop(path, out, *args, number=number)
                if number == signal.SIGKILL:
                    self.assertEqual(code, -signal.SIGKILL)
                else:
                    self.assertEqual((code, stdout), (1, ""), stderr)
                    self.assertRegex(stderr, r"stopped; \d+ of 24 runs of 'try' are saved; '--resume' continues")
                self.assertEqual(os.listdir(out), ["try.unfinished"])
                self.refused(2, "'--resume' continues it, '--fresh' starts over", "run", path, "--out", out)
                self.assertEqual(os.listdir(out), ["try.unfinished"])
                answer("run", path, "--out", out, "--resume")
                self.assertEqual({p.name: p.read_bytes() for p in straight.iterdir()},
                                 {p.name: p.read_bytes() for p in out.iterdir()})

    def test_a_journal_that_is_cut_damaged_or_of_others(self):
        path = self.file(json.dumps(self.LONG), "a.json")
        straight = self.folder / "straight"
        answer("run", path, "--out", straight)
        expected = {p.name: p.read_bytes() for p in straight.iterdir()}
        out = self.folder / "out"
        self.start_and_stop(path, out, number=signal.SIGKILL)
        whole = (out / "try.unfinished").read_bytes()
        head = whole.rindex(b"}") + 2  # behind the identity
        for name, journal in [("cut", whole[:-3]), ("flipped", whole[:head + 40] + b"\x55" + whole[head + 41:]),
                              ("with rubbish", whole + b"rubbish"), ("empty", b"")]:
            with self.subTest(name):
                (out / "try.unfinished").write_bytes(journal)
                answer("run", path, "--out", out, "--resume")
                self.assertEqual(expected, {p.name: p.read_bytes() for p in out.iterdir()})
                for p in out.iterdir():
                    p.unlink()
        (out / "try.unfinished").write_bytes(whole)
        self.refused(2, "was started with other settings", "run", path, "--out", out, "--resume", "--seed", 8)
        (out / "try.unfinished").write_bytes(b"something else")
        self.refused(2, "is not an unfinished experiment", "run", path, "--out", out, "--resume")
        answer("run", path, "--out", out, "--fresh")
        self.assertEqual(expected, {p.name: p.read_bytes() for p in out.iterdir()})

    def test_finished_results_stay_unless_fresh_is_asked_for(self):
        path = self.file(json.dumps({**self.LONG, "runs": 2}), "a.json")
        out = self.folder / "out"
        printed = answer("run", path, "--out", out, "--format", "json")
        before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in out.iterdir()}
        self.refused(2, "out/try.json: is finished; '--resume' shows it, '--fresh' plays it again", "run", path,
                     "--out", out)
        for name in ("table", "csv"):
            shown = answer("run", path, "--out", out, "--resume", "--format", name)
            self.assertEqual(shown, answer("run", path, "--out", self.folder / name, "--format", name))
        for args in (("--seed", 8), ("--runs", 3)):
            for resume in ((), ("--resume",)):
                self.refused(2, "not of this experiment, seed and version; '--fresh' replaces it", "run", path,
                             "--out", out, *args, *resume)
        self.assertEqual(answer("run", path, "--out", out, "--resume", "--format", "json"), printed)
        self.assertEqual(before, {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in out.iterdir()})
        (out / "try-curve.csv").unlink()
        self.refused(2, "try-curve.csv: is missing beside finished results", "run", path, "--out", out, "--resume")
        (out / "try.json").write_text("mine")
        self.refused(2, "not of this experiment", "run", path, "--out", out, "--resume")
        self.assertEqual((out / "try.json").read_text(), "mine")
        answer("run", path, "--out", out, "--fresh")
        self.assertEqual(before["try.json"][0], (out / "try.json").read_bytes())

    def test_two_at_once_do_not_mix(self):
        path = self.file(json.dumps({**self.LONG, "runs": 200}), "a.json")
        out = self.folder / "out"
        with subprocess.Popen([SEGUE, "run", path, "--out", out, "--quiet"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            journal = out / "try.unfinished"
            while process.poll() is None and not (journal.exists() and journal.stat().st_size):
                time.sleep(0.002)
            self.refused(2, "another segue is at work", "run", path, "--out", out, "--resume")
            process.send_signal(signal.SIGINT)

    def test_an_experiment_is_not_overwritten_by_its_results(self):
        text = json.dumps(GOOD)
        path = self.file(text, "try.json")
        self.refused(2, "name another folder with --out", "run", path, "--out", self.folder)
        self.refused(2, "name another folder with --out", "run", "try.json", cwd=self.folder)
        self.assertEqual(pathlib.Path(path).read_text(), text)

    def test_a_curve_of_earlier_results_does_not_stay(self):
        answer("run", self.file(json.dumps({**GOOD, "tasks": 4, "every": 2}), "a.json"), "--out", self.folder)
        self.assertTrue((self.folder / "try-curve.csv").exists())
        answer("run", self.file(json.dumps(GOOD), "a.json"), "--out", self.folder, "--fresh")
        self.assertFalse((self.folder / "try-curve.csv").exists())

    def test_what_is_ignored_stays_ignored(self):
        path = self.file(json.dumps(self.LONG), "a.json")
        with subprocess.Popen(["nohup", SEGUE, "run", path, "--out", self.folder], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
            while process.poll() is None and not (self.folder / "try.unfinished").exists():
                time.sleep(0.002)
            process.send_signal(signal.SIGHUP)
            self.assertEqual(process.wait(timeout=120), 0)

    def test_results_that_cannot_be_written_are_an_error(self):
        path = self.file(json.dumps(GOOD), "a.json")
        out = self.folder / "out"
        (out / "try.csv").mkdir(parents=True)
        self.refused(2, "try.csv: is a directory", "run", path, "--out", out)


def tiny_experiments(folder):
    """The paper's experiments, with few and short runs."""
    shutil.copytree(SOURCE / "models", folder / "models")
    (folder / "experiments").mkdir()
    for name in STUDIES:
        experiment = json.loads((SOURCE / "experiments" / f"{name}.json").read_text())
        usual = {"runs": 3, "steps": [60, 120]}
        if "tasks" in experiment:
            usual["tasks"] = [12, 24] if isinstance(experiment["tasks"], list) else 24
        if "every" in experiment:
            usual.update(steps=120, every=2)
        if name == "ours":
            usual.update(steps=[60, 120])
        if name == "tucb-lengths":
            usual.update(steps=[60])
        if name == "identify":
            usual.update(policies=["tucb:identify=4", "tucb:C=0.5,identify=8"])
        experiment.update(usual)
        (folder / "experiments" / f"{name}.json").write_text(json.dumps(experiment))
    return str(folder / "experiments")


def files_of(folder):
    """All that must be the same bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and p.suffix != ".pdf"}


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Paper(Folder):
    def setUp(self):
        super().setUp()
        self.experiments = tiny_experiments(self.folder)

    def paper(self, name, *args):
        out = self.folder / name
        printed = answer("paper", "--experiments", self.experiments, "--out", out, *args)
        return out, printed

    def test_same_bytes_on_one_and_two_threads_and_resumed(self):
        one, printed = self.paper("one", "--threads", 1)
        self.assertEqual(printed.splitlines()[-1], f"The report: {one}/report.html")
        two, _ = self.paper("two", "--threads", 2)
        self.assertEqual(files_of(one), files_of(two))
        out = self.folder / "stopped"
        process = subprocess.Popen([SEGUE, "paper", "--experiments", self.experiments, "--out", out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and not (out / "data" / "tucb-lengths.unfinished").exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertFalse((out / "report.html").exists())
        self.refused(2, "--resume", "paper", "--experiments", self.experiments, "--out", out)
        resumed, _ = self.paper("stopped", "--resume")
        self.assertEqual(files_of(one), files_of(resumed))
        played = {p: p.stat().st_mtime_ns for p in (two / "data").iterdir()}
        self.refused(2, "is finished", "paper", "--experiments", self.experiments, "--out", two)
        self.paper("two", "--resume")  # plays nothing
        self.assertEqual(played, {p: p.stat().st_mtime_ns for p in (two / "data").iterdir()})
        answer("paper", "--redraw", "--out", two)
        self.assertEqual(files_of(one), files_of(two))
        other, _ = self.paper("other", "--seed", 2)
        self.assertNotEqual(files_of(one)["data/lengths.csv"], files_of(other)["data/lengths.csv"])

    def test_the_experiments_behind_docs_are_played(self):
        for name in ("shared", "nothing", "change"):
            path = SOURCE / "experiments" / f"beyond-{name}.json"
            found = json.loads(answer("run", path, "--variant", "quick", "--runs", 2, "--out", self.folder,
                                      "--format", "json"))
            for cell in found["results"]:
                self.assertEqual("types" in cell["over_tasks"], cell["policy"] in ("tts", "tla"))
        found = json.loads(answer("run", SOURCE / "experiments" / "errors.json", "--variant", "quick", "--out", self.folder,
                                  "--format", "json"))
        self.assertTrue(all("error" in cell["over_tasks"] for cell in found["results"]))

    def test_two_in_one_folder_do_not_mix(self):
        out = self.folder / "out"
        with subprocess.Popen([SEGUE, "paper", "--experiments", self.experiments, "--out", out],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (out / "data" / "lengths.unfinished").exists():
                time.sleep(0.001)
            self.refused(2, "another segue is at work in this folder", "paper", "--experiments", self.experiments,
                         "--fresh", "--seed", 2, "--out", out)
            self.assertEqual(process.wait(timeout=120), 0)

    def test_every_figure_has_its_parts(self):
        out, _ = self.paper("out")
        page = (out / "report.html").read_text()
        names = re.findall(r'<figure id="figure-([a-z0-9-]+)">', page)
        self.assertEqual(names, ["models", "lengths", "regret-12", "regret-24", "complexity-12", "complexity-24",
                                 "bounds", "baselines", "single-runs", "errors", "choices", "related", "ours-tasks",
                                 "ours-lengths", "ours-types", "probing-paper", "probing-probes", "probing-pulls",
                                 "identify", "identify-average"])
        for name in names:
            for end in (".svg", "-narrow.svg", ".pdf", ".gp", ".csv"):
                self.assertGreater((out / "figures" / (name + end)).stat().st_size, 100, name + end)
            self.assertGreater(len(rows_of(out / "figures" / f"{name}.csv")), 2, name)
        # what is ours is marked, thick and solid, and nothing else is
        for name in names:
            script = (out / "figures" / f"{name}.gp").read_text()
            for style, title in re.findall(r"with (line[^']*?) linecolor rgb '#\w+' title '((?:[^']|'')*)'", script):
                ours = re.match(r"(tts|tla|la|mla|ts, learned prior)\b", title.lower()) is not None
                self.assertEqual(title.endswith(" (ours)"), ours, f"{name}: {title}")
                thick = float(re.search(r"linewidth ([0-9.]+)", style)[1]) > 3
                self.assertEqual(thick, ours, f"{name}: {title}: {style}")
        # the script draws the same figure again
        drawn = (out / "figures" / "models.svg").read_bytes()
        (out / "figures" / "models.svg").unlink()
        subprocess.run(["gnuplot", "models.gp"], cwd=out / "figures", check=True)
        self.assertEqual(drawn, (out / "figures" / "models.svg").read_bytes())
        self.assertNotIn(str(self.folder), page)
        self.assertNotIn("http", page)

    def change(self, out, study, change):
        path = out / "data" / f"{study}.json"
        results = json.loads(path.read_text())
        for cell in results["results"]:
            change(cell)
        path.write_text(json.dumps(results))

    def verdicts(self, out):
        answer("paper", "--redraw", "--out", out)
        page = (out / "report.html").read_text()
        return dict(re.findall(r'<div class="claim (\w+)" id="claim-([a-z-]+)">', page)[i][::-1]
                    for i in range(page.count('<div class="claim ')))

    def set_regret(self, cell, mean, se=0.01):
        cell["regret"] = {"mean": mean, "se": se}
        if cell["tasks"]:
            cell["each_run"] = [mean] * cell["runs"]

    def test_claims_are_computed_from_the_results(self):
        out, _ = self.paper("out")
        base = {p.name: p.read_bytes() for p in (out / "data").iterdir()}

        def verdicts(*changes):
            for name, data in base.items():
                (out / "data" / name).write_bytes(data)
            for study, change in changes:
                self.change(out, study, change)
            return self.verdicts(out)

        def regrets(ucb, plus, mucb):
            means = {"ucb": ucb, "ucb+": plus, "mucb": mucb}
            return "lengths", lambda cell: self.set_regret(cell, means[cell["policy"]])

        def tasks(start, end, jump=None):
            def change(cell):
                points = len(cell["over_tasks"]["regret"][0])
                line = [start + (end - start) * p / (points - 1) for p in range(points)]
                cell["over_tasks"]["regret"] = [
                    [x + 1e-3 * r for x in line] for r in range(cell["runs"])]
                if jump:
                    cell["over_tasks"]["regret"][0] = [jump] * points
            return "tucb-tasks", change

        def lengths_of_tucb(*by_tasks):
            values = dict(zip((12, 24), by_tasks))
            return [(study, lambda cell: self.set_regret(cell, values[cell["tasks"]]))
                    for study in ("tucb-lengths", "tucb-tasks")]

        def track(name, value):
            def change(cell):
                for line in cell["over_tasks"][name]:
                    line[:] = [value(p / (len(line) - 1)) for p in range(len(line))]
            return "tucb-tasks", change

        def named(study, **means):
            means = {k.replace("_", "-"): v for k, v in means.items()}
            return study, lambda cell: cell["policy"] in means and self.set_regret(cell, means[cell["policy"]])

        def told(regret):
            def change(cell):
                if cell["policy"] == "told-ucb":
                    cell["over_tasks"]["regret"] = [[regret + 1e-3 * r] * len(line) for r, line in
                                                    enumerate(cell["over_tasks"]["regret"])]
            return "related", change

        def check(expected, *changes):
            with self.subTest(expected=expected):
                found = verdicts(*changes)
                self.assertEqual({claim: found[claim] for claim in expected}, expected)

        levels = regrets(200, 130, 44)
        check({"order": "holds", "prediction": "partly", "lengths": "holds", "start": "holds", "never-worse": "partly",
               "approach": "holds", "complexity": "holds", "bounds": "holds", "remark": "holds", "baselines": "holds",
               "single-runs": "fails", "error": "holds", "choices": "holds", "related": "holds", "known-model": "holds"},
              levels, tasks(201, 90), *lengths_of_tucb(150, 120), track("complexity", lambda x: 26 - 10 * x),
              named("baselines", ts=40, kl_ucb=50), track("error", lambda x: .05 + .1 * x), track("eps", lambda x: .1),
              ("tucb-choices", lambda cell: self.set_regret(cell, 90 if cell["policy"] == "tucb:C=2" else 100)),
              named("related", sw_ucb=400, d_ucb=800, carried_ucb=1000), told(5))
        check({"order": "fails", "lengths": "fails", "never-worse": "fails", "approach": "fails", "remark": "fails",
               "complexity": "fails", "baselines": "fails", "error": "fails", "choices": "fails", "related": "fails",
               "known-model": "fails", "bounds": "fails"},
              regrets(44, 130, 200), tasks(46, 45), *lengths_of_tucb(210, 220),
              track("complexity", lambda x: 20 + 3 * x), named("baselines", ts=60, kl_ucb=50),
              track("error", lambda x: .3 - .29 * x), track("eps", lambda x: .1),
              ("tucb-choices", lambda cell: self.set_regret(cell, 110 if cell["policy"] == "tucb:C=2" else 100)),
              named("related", sw_ucb=40, d_ucb=30, carried_ucb=10), told(10000),
              ("lengths", lambda cell: cell["policy"] == "mucb" and self.set_regret(cell, 9000)))
        check({"order": "partly", "lengths": "partly", "start": "partly", "never-worse": "partly",
               "complexity": "partly", "baselines": "unclear", "single-runs": "holds", "error": "partly"},
              regrets(200, 230, 44), tasks(217, 90, jump=230), *lengths_of_tucb(120, 150),
              track("complexity", lambda x: 27 - 10 * x), named("baselines", ts=40, kl_ucb=190),
              track("error", lambda x: .05 + .02 * x), track("eps", lambda x: .1))
        check({"order": "unclear", "lengths": "unclear", "choices": "unclear", "start": "fails", "complexity": "fails", "bounds": "fails",
               "prediction": "fails"},
              ("lengths", lambda cell: self.set_regret(cell, {"mucb": 101, "ucb+": 100.5}.get(cell["policy"], 100), 5)),
              tasks(10000, 90), *lengths_of_tucb(98, 98), track("complexity", lambda x: 26 - 24 * x),
              ("tucb-choices", lambda cell: self.set_regret(cell, 100, 5)))
        check({"never-worse": "holds", "approach": "partly", "prediction": "holds", "baselines": "partly"},
              regrets(26.5, 15.1, 3.3), tasks(26, 2), named("baselines", ts=1, kl_ucb=10))

    def test_claims_about_ours_and_open_questions_are_computed(self):
        out, _ = self.paper("out")
        base = {p.name: p.read_bytes() for p in (out / "data").iterdir()}

        def level(cell, regret, late=None):
            """All of a cell: its regret, and that of its last third."""
            self.set_regret(cell, regret)
            for run, line in enumerate(cell.get("over_tasks", {}).get("regret", [])):
                n = len(line)
                line[:] = [(late if late and p >= n - n // 3 else regret) + 1e-3 * run for p in range(n)]

        def by_policy(study, regrets, late=None):
            def change(cell):
                for name, regret in regrets.items():
                    if name in (cell["policy"], f"{cell['environment']} {cell['policy']}"):
                        level(cell, regret, late)
            return study, change

        def check(expected, *changes):
            with self.subTest(expected=expected):
                for name, data in base.items():
                    (out / "data" / name).write_bytes(data)
                for study, change in changes:
                    self.change(out, study, change)
                found = self.verdicts(out)
                self.assertEqual({claim: found[claim] for claim in expected}, expected)

        claims = ["transfer", "sooner", "learned", "probing", "probing-learned", "identify-later", "identify-pays",
                  "no-identifying"]
        probes = {f"{place} {policy}": 20 for place in ("paper", "probes") for policy in ("mucb", "mts")}
        without = {"paper-without mla": 15, "probes-without mla": 15}
        check(dict.fromkeys(claims, "holds"),
              by_policy("lengths", {"mucb": 30}), by_policy("baselines", {"ts": 40}),
              by_policy("ours", {"tts": 20, "tla": 10}), by_policy("tucb-tasks", {"tucb": 100}),
              by_policy("tucb-choices", {"tucb:C=0.5": 100}),
              by_policy("probes", {**probes, **without, "paper mla": 10, "probes mla": 10}),
              by_policy("probes-tasks", {"tucb": 90, "tts": 20, "tla": 10}),
              by_policy("identify", {"tucb:identify=4": 60, "tucb:C=0.5,identify=8": 60}))
        check(dict.fromkeys(claims, "fails"),
              by_policy("lengths", {"mucb": 30}), by_policy("baselines", {"ts": 40}),
              by_policy("ours", {"tts": 120, "tla": 110}), by_policy("tucb-tasks", {"tucb": 100}),
              by_policy("tucb-choices", {"tucb:C=0.5": 100}),
              by_policy("probes", {**probes, **without, "paper mla": 25, "probes mla": 25}),
              by_policy("probes-tasks", {"tucb": 10, "tts": 20, "tla": 30}),
              by_policy("identify", {"tucb:identify=4": 105, "tucb:C=0.5,identify=8": 105}))
        check({"transfer": "partly", "sooner": "partly", "learned": "holds", "probing": "partly",
               "probing-learned": "partly", "identify-later": "holds", "identify-pays": "fails",
               "no-identifying": "partly"},
              by_policy("lengths", {"mucb": 30}), by_policy("baselines", {"ts": 115}),
              by_policy("ours", {"tts": 120, "tla": 50}, late=20), by_policy("tucb-tasks", {"tucb": 100}),
              by_policy("tucb-choices", {"tucb:C=0.5": 100}),
              by_policy("probes", {**probes, **without, "paper mla": 17, "probes mla": 10}),
              by_policy("probes-tasks", {"tucb": 90, "tts": 10, "tla": 20}),
              by_policy("identify", {"tucb:identify=4": 120, "tucb:C=0.5,identify=8": 120}, late=60))
        self.assertEqual({p["policy"] for p in json.loads(base["ours.json"])["results"]
                          if "types" in p["over_tasks"]}, {"tts", "tla"})

    def test_pulls_of_arms_best_for_no_model_are_counted(self):
        # The third arm is best for no model; round-robin gives it every third pull, mucb none.
        experiment = {**GOOD, "policies": ["round-robin", "mucb", "tts"], "steps": 90, "tasks": 6, "every": 3,
                      "environment": [{"name": "one", "models": {"means": [[.9, .1, .05], [.1, .9, .05]]}},
                                      {"name": "none", "models": {"means": [[.9, .1], [.1, .9]]}}]}
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh",
                                  "--format", "json"))
        pulls = {(cell["environment"], cell["policy"]): cell["never_best"]["mean"] for cell in found["results"]}
        self.assertEqual([pulls["one", p] for p in ("round-robin", "mucb")], [30, 0])
        self.assertGreater(pulls["one", "tts"], 0)
        self.assertEqual([pulls["none", p] for p in ("round-robin", "mucb", "tts")], [0, 0, 0])
        del experiment["tasks"], experiment["every"], experiment["policies"][2]
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh",
                                  "--format", "json"))
        self.assertEqual([cell["never_best"]["mean"] for cell in found["results"]], [30, 0, 0, 0])
        experiment["environment"] = {**experiment["environment"][0], "mixed": 2}
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh",
                                  "--format", "json"))
        self.assertEqual(found["results"][0]["never_best"]["mean"], 30)
        experiment.update(environment={"uniform": 3}, policies=["ts"])
        found = json.loads(answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh",
                                  "--format", "json"))
        self.assertIsNone(found["results"][0]["never_best"]["mean"])

    def test_steps_without_a_model_go_by_the_weights(self):
        def steps(weights):
            means = [[.9, .2, .4], [.1, .8, .6]]
            models = self.file("weight,a,b,c\n" + "".join(f"{w},{','.join(map(str, m))}\n"
                                                          for w, m in zip(weights, means, strict=True)))
            experiment = {**GOOD, "environment": {"models": models, "spread": 3}, "policies": ["mucb"], "steps": 200,
                          "runs": 20}
            found = answer("run", self.file(json.dumps(experiment), "a.json"), "--out", self.folder, "--fresh", "--format", "json")
            other = answer("simulate", "--models", models, "--spread", 3, "--policy", "mucb", "--steps", 200,
                           "--runs", 20, "--seed", 7, "--format", "json")
            one, same = (json.loads(text)["results"][0]["no_model_left"] for text in (found, other))
            self.assertAlmostEqual(one, same)
            return one

        first, second = steps((1, 0)), steps((0, 1))
        self.assertNotEqual(first, second)
        self.assertAlmostEqual(steps((3, 1)), 0.75 * first + 0.25 * second)

    def test_claims_about_the_models_are_computed_too(self):
        models = self.folder / "models" / "paper.csv"
        text = models.read_text()
        out, _ = self.paper("out")
        self.assertEqual([self.verdicts(out)[c] for c in ("table", "spectrum")], ["partly", "holds"])
        models.write_text(text.replace("0.95", "0.93").replace("0.725", "0.6"))
        out, _ = self.paper("changed")
        self.assertEqual([self.verdicts(out)[c] for c in ("table", "spectrum")], ["fails", "fails"])

    def test_results_that_were_damaged_are_refused(self):
        out, _ = self.paper("out")
        path = out / "data" / "lengths.json"
        good = json.loads(path.read_text())

        def refused(says, change):
            results = json.loads(json.dumps(good))
            change(results)
            path.write_text(json.dumps(results))
            self.refused(2, says, "paper", "--redraw", "--out", out)

        refused("field 'results': need a list", lambda r: r.update(results=[]))
        refused("field 'experiment': need", lambda r: r.pop("experiment"))
        refused("field 'version': need a text", lambda r: r.pop("version"))
        refused("field 'results[1].steps': is a text", lambda r: r["results"][1].update(steps="a"))
        refused("field 'results[0].regret': need", lambda r: r["results"][0].pop("regret"))
        refused("lack ucb, ucb+ or mucb", lambda r: [c.update(policy="x") for c in r["results"]])
        refused("lack ucb, ucb+ or mucb", lambda r: r["results"].pop(2))
        refused("lack a regret that is a number", lambda r: r["results"][0]["regret"].update(mean=None))
        refused("lack an environment with the paper's models", lambda r: r["experiment"].pop("environment"))
        path = out / "data" / "tucb-tasks.json"
        tasks = json.loads(path.read_text())
        path.write_text(json.dumps({**tasks, "experiment": {**tasks["experiment"], "seed": 2}}))
        (out / "data" / "lengths.json").write_text(json.dumps(good))
        self.refused(2, "'tucb-tasks' lack the seed, variant and version", "paper", "--redraw", "--out", out)
        path = out / "data" / "lengths.json"
        path.write_text("{")
        self.refused(2, "lengths.json:1: is not JSON", "paper", "--redraw", "--out", out)

    def test_a_failing_gnuplot_is_an_error(self):
        fake = self.folder / "bin"
        fake.mkdir()
        script = fake / "gnuplot"
        script.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho 'no such terminal' >&2\nexit 1\n")
        script.chmod(0o755)
        env = {**os.environ, "PATH": f"{fake}:{os.environ['PATH']}"}
        out = self.folder / "out"
        self.refused(1, "gnuplot failed on models.gp: no such terminal", "paper", "--experiments", self.experiments,
                     "--quiet", "--out", out, env=env)
        self.assertFalse((out / "report.html").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
