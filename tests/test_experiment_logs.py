#!/usr/bin/python3
"""Experiments on logs: columns and format of the log, its summary, and what is refused.

usage: test_experiment_logs.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import sys
import unittest

from paper_files import GOOD
from program import Folder, answer


class Logs(Folder):
    def test_a_log_is_an_environment(self):
        log = "task,arm,reward\n" + "".join(f"{task},{arm},{(task * arm + i) % 3 / 2}\n" for task in range(9)
                                            for arm in range(3) for i in range(4 + task % 2)) + "9,0,1\n"
        self.file(log, "log.csv")
        environment = {"name": "logged", "log": "log.csv", "least": 4, "order": "file"}
        experiment = {**GOOD, "policies": ["ts", "tts"], "environment": environment, "tasks": 9, "steps": 30, "every": 4}
        path = self.file(json.dumps(experiment), "a.json")
        found = json.loads(answer("run", path, "--out", self.folder, "--format", "json"))
        other = json.loads(answer("simulate", "--log", self.folder / "log.csv", "--least", 4, "--order", "file",
                                  "--policy", "ts,tts", "--steps", 30, "--runs", 3, "--tasks", 9, "--seed", 7,
                                  "--format", "json"))
        for cell, result in zip(found["results"], other["results"], strict=True):
            self.assertEqual(cell["regret"]["mean"], result["regret"]["mean"])
        info = found["experiment"]["environment"]["log_summary"]
        self.assertEqual([info[key] for key in ("tasks", "skipped", "arms", "rewards")], [9, 1, 3, 120])
        # Results repeat from the same log only, wherever they are.
        first = (self.folder / "try.json").read_bytes()
        answer("run", self.folder / "try.json", "--out", self.folder / "other")
        self.assertEqual((self.folder / "other" / "try.json").read_bytes(), first)
        answer("run", self.folder / "other" / "try.json", "--out", self.folder / "third")
        self.assertEqual((self.folder / "third" / "try.json").read_bytes(), first)
        self.file(log.replace("1,1,0.5", "1,1,1", 1), "log.csv")
        self.refused(2, "field 'environment.log_summary': is of another log", "run", self.folder / "try.json",
                     "--out", self.folder / "other")
        self.refused(2, "none of the 10 tasks has 6 rewards", "run",
                     self.file(json.dumps({**experiment, "environment": {**environment, "least": 6}}), "b.json"))

    def test_the_format_of_a_log_has_fields(self):
        """A log with semicolons and gaps gives the results of the same one without; rows that were skipped are counted."""
        rows = [f"{task},{arm},{(task * arm + i) % 3 / 2}" for task in range(9) for arm in range(3) for i in range(4)]
        self.file("\n".join(["task,arm,reward", *rows]) + "\n", "log.csv")
        self.file("\n".join(["task,arm,reward", *rows, "1,1,NA", "2,,1"]).replace(",", ";") + "\n", "other.csv")
        found = []
        for number, more in enumerate(({"log": "log.csv"}, {"log": "other.csv", "missing": "skip"},
                                       {"log": "other.csv", "missing": "skip", "delimiter": "semicolon"})):
            path = self.file(json.dumps({**GOOD, "environment": more, "policies": ["ts"]}), "a.json")
            out = self.folder / f"out-{number}"
            found.append(json.loads(answer("run", path, "--out", out, "--format", "json")))
            answer("run", out / "try.json", "--out", self.folder / f"again-{number}")
            self.assertEqual((self.folder / f"again-{number}" / "try.json").read_bytes(), (out / "try.json").read_bytes())
        infos = [data["experiment"]["environment"]["log_summary"] for data in found]
        self.assertEqual([info.pop("rows_skipped", None) for info in infos], [None, 2, 2])
        for data, info in zip(found, infos):
            self.assertEqual((data["results"], info), (found[0]["results"], infos[0]))

    def test_wrong_logs_in_experiments_are_refused(self):
        self.file('{"task": 1, "arm": "a", "reward": 1}\n', "log.jsonl")
        self.file("task,arm,reward\n1,a,1\n1,b,0\n2,a,1\n2,b,0\n", "log.csv")
        for change, says in [({"log": 3}, "field 'environment.log': is a whole number; need the name of a file"),
                             ({"log": "no.csv"}, "cannot be opened"), ({"least": 0}, "field 'environment.least'"),
                             ({"order": "up"}, "field 'environment.order': there is no order 'up'"),
                             ({"order": 1}, "field 'environment.order': is a whole number; need \"shuffle\""),
                             ({"lowest": "x"}, "field 'environment.lowest': is a text; need a number"),
                             ({"lowest": 3}, "the highest must be above the lowest"), ({"uniform": 3}, "one of the three"),
                             ({"rewards": "beta:3"}, "field 'environment.rewards': cannot be combined with 'log'"),
                             ({"spread": 3}, "spread, mixed and switch need a model set"),
                             ({"delimiter": "space"}, "field 'environment.delimiter': 'space' is no delimiter; need comma"),
                             ({"delimiter": 3}, "field 'environment.delimiter': is a whole number; need a text in quotes"),
                             ({"missing": "drop"}, "field 'environment.missing': there is no 'drop'; need error or skip"),
                             ({"missing": True}, "field 'environment.missing': is true or false; need a text in quotes"),
                             ({"log": None, "uniform": 3, "missing": "skip"}, "field 'environment.missing': goes with"),
                             ({"log": "log.jsonl", "delimiter": "tab"}, "log.jsonl:1: this is JSON Lines, which has no "
                              "delimiter, and tab is given; remove it"),
                             ({"log_summary": {}}, "field 'environment.log_summary': is of another log"),
                             ({"order": "file"}, "the order of the log needs tasks"),
                             ({"log": None, "uniform": 3, "least": 2}, "field 'environment.least': goes with")]:
            environment = {key: value for key, value in {"log": "log.csv", **change}.items() if value is not None}
            with self.subTest(change=change):
                path = self.file(json.dumps({**GOOD, "environment": environment, "policies": ["ts"]}), "a.json")
                self.refused(2, says, "run", path, "--out", self.folder)
        for change, says in [({"tasks": 3}, "and the log has 2 that can be played"),
                             ({"policies": ["mucb"]}, "needs a known model set")]:
            path = self.file(json.dumps({**GOOD, "environment": {"log": "log.csv"}, "policies": ["ts"], **change}),
                             "a.json")
            self.refused(2, says, "run", path, "--out", self.folder)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
