#!/usr/bin/python3
"""Experiments as files: broken ones are refused; the same bytes however they are run.

usage: test_experiment.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from paper_files import GOOD, rows_of
from program import PAPER, SEGUE, Folder, answer

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
            self.assertEqual([m["count"] for m in cell["by_model"]], [5] * 5)
        self.assertEqual([row["count"] for row in rows_of(self.folder / "try.csv")], (["25"] + ["5"] * 5) * 2)
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
            # the models' tasks are all tasks, and their regrets add up to all regret
            self.assertEqual(sum(m["count"] for m in cell["by_model"]), 3 * 20)
            total = sum(m["count"] * (m["mean"] or 0) for m in cell["by_model"])
            self.assertAlmostEqual(total / 60, cell["regret"]["mean"], places=9)
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

    def test_results_do_not_replace_their_input(self):
        models, log = pathlib.Path(PAPER).read_text(), "task,arm,reward\n" + "".join(
            f"{t},{a},{(t + a) % 2}\n" for t in range(4) for a in (0, 1, 0, 1))
        for name, environment in [("try.csv", {"models": "try.csv"}), ("try-curve.csv", {"models": "try-curve.csv"}),
                            ("try.csv", {"models": PAPER, "switch-to": "try.csv", "switch-at": 2}),
                            ("try.csv", {"log": "try.csv", "least": 1})]:
            with self.subTest(environment=environment):
                held = log if "log" in environment else models
                path = self.file(json.dumps({**GOOD, "environment": environment, "policies": ["ts"], "tasks": 3}), "a.json")
                file = pathlib.Path(self.file(held, name))
                self.refused(2, f"{name}: the results would overwrite it", "run", path, "--out", self.folder)
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
        """Start a run and stop it as soon as its checkpoint holds something; returns how it ended."""
        with subprocess.Popen([SEGUE, "run", path, "--out", out, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            checkpoint = pathlib.Path(out) / "try.unfinished"
            head = 0
            while process.poll() is None:
                size = checkpoint.stat().st_size if checkpoint.exists() else 0
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

    def test_a_checkpoint_that_is_cut_damaged_or_of_another_experiment(self):
        path = self.file(json.dumps(self.LONG), "a.json")
        straight = self.folder / "straight"
        answer("run", path, "--out", straight)
        expected = {p.name: p.read_bytes() for p in straight.iterdir()}
        out = self.folder / "out"
        self.start_and_stop(path, out, number=signal.SIGKILL)
        whole = (out / "try.unfinished").read_bytes()
        head = whole.rindex(b"}") + 2  # behind the identity
        for name, checkpoint in [("cut", whole[:-3]), ("flipped", whole[:head + 40] + b"\x55" + whole[head + 41:]),
                              ("with rubbish", whole + b"rubbish"), ("empty", b"")]:
            with self.subTest(name):
                (out / "try.unfinished").write_bytes(checkpoint)
                answer("run", path, "--out", out, "--resume")
                self.assertEqual(expected, {p.name: p.read_bytes() for p in out.iterdir()})
                for p in out.iterdir():
                    p.unlink()
        (out / "try.unfinished").write_bytes(whole)
        self.refused(2, "was started with other settings", "run", path, "--out", out, "--resume", "--seed", 8)
        (out / "try.unfinished").write_bytes(b"something else")
        self.refused(2, "is not a checkpoint file", "run", path, "--out", out, "--resume")
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
            checkpoint = out / "try.unfinished"
            while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_size):
                time.sleep(0.002)
            self.refused(2, "another segue works", "run", path, "--out", out, "--resume")
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
