#!/usr/bin/python3
"""`segue help`: its topics, and that 'help results' lists what commands print, no less and no more.

usage: test_help.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import random
import re
import shutil
import sys
import unittest

from paper_files import tiny_experiments
from program import PAPER, SEGUE, Folder, answer, candidates
from service import Service

SIMULATE = ("simulate", "--models", PAPER, "--steps", 20, "--runs", 2)
MEANS = ((0.9, 0.2, 0.2, 0.5), (0.2, 0.8, 0.3, 0.4), (0.3, 0.2, 0.9, 0.5))


def make_log():
    """A log of three types that every command can use."""
    source = random.Random(3)
    rows = ["task,arm,reward,time,probability"]
    for task in range(90):
        means = source.choice(MEANS)
        for _ in range(48):
            arm = source.randrange(4)
            rows.append(f"u{task},a{arm},{int(source.random() < means[arm])},{len(rows)},0.25")
    return "\n".join(rows) + "\n"


def expand(name):
    """regret.{low,high} is two names."""
    braces = re.match(r"(.*)\{(.*)\}$", name)
    return [braces[1] + end for end in braces[2].split(",")] if braces else [name]


def sections():
    """Of 'help results': the names that each section lists, by its title."""
    found, title = {}, None
    for line in answer("help", "results").splitlines():
        if line.startswith("segue "):
            title = line
            found[title] = set()
        elif title and re.match(r"  \S", line):
            names = re.split(r"\s{2,}", line.strip())[0]
            for name in re.split(r", (?![^{]*\})", names):
                found[title].update(expand(name))
    return found


def paths(value, at=""):
    """Every path in JSON that ends with something else than an object."""
    if isinstance(value, dict):
        return set().union(*(paths(entry, f"{at}.{key}" if at else key) for key, entry in value.items()))
    if isinstance(value, list):
        inner = set().union(*(paths(entry, at + "[]") for entry in value))
        return inner or {at + "[]"}
    return {at}


class Results(Folder):
    def setUp(self):
        super().setUp()
        self.log = self.file(make_log(), "log.csv")
        shutil.copy(PAPER, self.folder / "paper.csv")

    def same(self, title, found, listed=None):
        """What was found is what the section lists; lists of lists are listed without their inner []."""
        listed = listed or sections()[title]
        plain = {re.sub(r"(\[\])+$", "", name) for name in listed}
        found = {re.sub(r"(\[\])+$", "", name) for name in found}
        found = {name for name in found if not any(other.startswith(name + "[].") for other in found)}  # empty lists
        self.assertEqual(found - plain, set(), f"printed, and not in 'help results', {title}")
        self.assertEqual(plain - found, set(), f"in 'help results', {title}, and not printed")

    def json(self, *commands):
        return set().union(*(paths(json.loads(answer(*arguments, "--format", "json"))) for arguments in commands))

    def columns(self, *commands):
        return set().union(*(answer(*arguments, "--format", "csv").splitlines()[0].split(",") for arguments in commands))

    def header(self, name):
        return set((self.folder / name).read_text().splitlines()[0].split(","))

    def test_simulate(self):
        runs = ((*SIMULATE, "--policy", "ucb,mucb", "--timing"),
                (*SIMULATE, "--policy", "tucb,tla,ts-prior,carried-ucb", "--tasks", 20),
                ("simulate", "--log", self.log, "--policy", "ts", "--steps", 10, "--runs", 2))
        self.same("segue simulate --format json", self.json(*runs))
        self.same("segue simulate --format csv", self.columns(*runs))

    def test_simulate_curve_and_explain(self):
        curve, explain = self.folder / "curve.csv", self.folder / "explain.jsonl"
        answer(*SIMULATE, "--policy", "tla", "--tasks", 40, "--curve", curve, "--explain", explain)
        self.same("segue simulate --curve FILE", self.header("curve.csv"))
        lines = [json.loads(line) for line in explain.read_text().splitlines()]
        self.same("segue simulate --explain FILE", set().union(*map(paths, lines)))

    def experiment(self, **fields):
        spec = {"name": "x", "environment": {"models": "paper.csv"}, "policies": ["ucb", "tucb", "tla"],
                "steps": 20, "tasks": 20, "runs": 2, "every": 10, "fresh-rewards": True, **fields}
        return self.file(json.dumps({key: value for key, value in spec.items() if value}), "x.json")

    def test_run(self):
        out = self.folder / "out"
        alone = self.experiment(policies=["ucb"], tasks=None, every=None, **{"fresh-rewards": None}, environment=[
            {"name": "m", "models": "paper.csv"}, {"name": "l", "log": "log.csv", "least": 2}])
        single = json.loads(answer("run", alone, "-q", "--out", self.folder / "single", "--format", "json"))
        printed = json.loads(answer("run", self.experiment(), "-q", "--out", out, "--format", "json"))
        self.assertEqual(printed, json.loads((out / "x.json").read_text()))
        found = {path for path in paths(single) | paths(printed) if not path.startswith("experiment.")}
        title = "segue run, segue merge: NAME.json, --format json"
        listed = sections()[title] - {"experiment", "experiment.environment[].log_summary"}
        self.same(title, found, listed)
        self.same("segue run, segue merge: NAME.csv, --format csv", self.header("out/x.csv"))
        self.same("segue run, segue merge: NAME-curve.csv", self.header("out/x-curve.csv"))
        rows = csv.DictReader((out / "x-curve.csv").read_text().splitlines())
        tracks = {row["track"] for row in rows}
        self.assertEqual(tracks, {name.rpartition(".")[2] for name in listed if ".over_tasks." in name} - {"every"})
        self.check_experiment(single["experiment"])

    def test_paper(self):
        out = self.folder / "paper"
        answer("paper", "-q", "--experiments", tiny_experiments(self.folder), "--out", out)
        found = {re.sub("^[^.]*", "NAME", path) for path in paths(json.loads((out / "data" / "timing.json").read_text()))}
        self.same("segue paper: data/timing.json", found)

    def check_experiment(self, experiment):
        """The fields of an experiment are in 'help run', those of a log's summary in 'help results'."""
        about_run, about_results = answer("help", "run"), answer("help", "results")
        for path in paths(experiment):
            arguments = re.sub(r"\[\]", "", path).split(".")
            text = about_results if "log_summary" in arguments else about_run
            self.assertRegex(text, rf"\b{arguments[-1]}\b", path)

    def test_complexity(self):
        runs = (("complexity", "--models", PAPER),
                ("complexity", "--models", PAPER, "--estimated", PAPER, "--eps", 0.01))
        self.same("segue complexity --format json", self.json(*runs))
        self.same("segue complexity --format csv", self.columns(*runs))

    def test_estimate(self):
        runs = [("estimate", "--method", method, "--types", 3, self.log)
                for method in ("rtp", "algorithm-b", "eca", "em", "types")]
        self.same("segue estimate --format json", self.json(*runs))
        found = self.columns(*runs)
        self.assertEqual({name for name in found if not re.fullmatch(r"a\d", name)}, {"weight"})
        self.same("segue estimate --format csv", {"weight", "ARM"})
        assign = ("estimate", "--assign", self.log)
        self.same("segue estimate --assign --format json", self.json(assign))
        self.same("segue estimate --assign --format csv", self.columns(assign))

    def test_tally(self):
        title = "segue tally, segue merge of tallies: --format json, --format csv"
        tally = ("tally", self.log, "--out", self.folder / "a.tally")
        merge = ("merge", self.folder / "a.tally", "--out", self.folder / "b.tally")
        for command in (tally, merge):
            self.same(title, self.json(command))
            self.same(title, self.columns(command))

    def test_replay(self):
        curve = self.folder / "curve.csv"
        replay = ("replay", "-q", "--value", 2, "--tasks-per-day", 5, "--steps", 20, "--runs", 2, self.log)
        runs = (replay, (*replay, "--play", "rows", "--curve", curve), (*replay, "--holdout", "7$"))
        found = {re.sub(r"^(curve\[\]\.reward)\..*", r"\1.POLICY", path) for path in self.json(*runs)}
        self.same("segue replay --format json", found)
        self.same("segue replay --format csv", self.columns(replay))
        self.same("segue replay --curve FILE", self.header("curve.csv"))

    def test_dry_run(self):
        rows = csv.DictReader(answer("replay", "--dry-run", self.log, "--format", "csv").splitlines())
        found = self.json(("replay", "--dry-run", self.log)) | set(rows.fieldnames)
        self.same("segue replay --dry-run --format json, --format csv", found)
        self.assertLessEqual({row["name"] for row in rows}, found)

    def test_plan(self):
        guess = ("plan", "-q", "--types", 2, "--arms", 2, "--steps", 10, "--effect", 0.4, "--runs", 4, "--simulated", 30)
        self.same("segue plan --format json", self.json((*guess, "--value", 2, "--tasks-per-day", 10)))
        self.same("segue plan --format csv", self.columns(guess))

    def test_served_decisions(self):
        service = Service(SEGUE, str(self.folder / "a.db"))
        client = service.client()
        client.post("/v1/learners", {"name": "x", "arms": ["a", "b"]})
        decision = client.ask("x", "t", probability=True)[1]["decision"]
        client.tell(decision, 1.0)
        self.assertEqual(service.stop(), 0)
        audit = ("audit", decision, "--store", f"sqlite:{self.folder}/a.db")
        self.same("segue audit --format json", self.json(audit))
        self.same("segue audit --format csv", self.columns(audit))
        check = ("store", "check", "--store", f"sqlite:{self.folder}/a.db")
        self.same("segue store check --format csv", self.columns(check))
        noted = answer(*check, "--format", "csv").split(",")[-1].strip()
        self.same("segue store check --format json", self.json((*check, "--expect", noted)))
        rows = answer("store", "export", "--store", f"sqlite:{self.folder}/a.db", "--log", "x", "--file", "-")
        self.same("segue store export --log LEARNER", set(rows.splitlines()[0].split(",")))

    def test_bench(self):
        bench = ("bench", "-q", "--rounds", 1)
        self.same("segue bench --format json, --save FILE", self.json(bench))
        self.same("segue bench --format csv", self.columns(bench))

    def test_every_section_has_a_test(self):
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        for title in sections():
            self.assertIn(f'"{title}"', text)

    def test_types_have_the_same_numbers_everywhere(self):
        """estimate and replay number the types of a log alike: by falling weight."""
        estimated = json.loads(answer("estimate", "--method", "types", self.log, "--format", "json"))
        replayed = json.loads(answer("replay", "-q", "--runs", 1, "--steps", 5, self.log, "--format", "json"))
        ours, theirs = estimated["types"], replayed["types"]["list"]
        self.assertEqual(len(ours), 3)
        for a, b in zip(ours, theirs, strict=True):
            self.assertEqual((a["type"], a["weight"]), (b["type"], b["weight"]))
            self.assertEqual([arm["mean"] for arm in a["arms"]], b["means"])
        weights = [entry["weight"] for entry in ours]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.check_tasks(estimated)
        rows = list(csv.DictReader(answer("estimate", "--method", "types", self.log, "--format", "csv").splitlines()))
        for row, entry in zip(rows, ours, strict=True):
            self.assertAlmostEqual(float(row["weight"]) * (1 - estimated["no_type"]["weight"]), entry["weight"], 12)

    def check_tasks(self, estimated):
        """The posterior of a task is largest at its type; by the shares, types have their tasks."""
        sums = [0.0] * 4
        for task in estimated["posteriors"]:
            self.assertEqual(task["type"], max(range(4), key=lambda q, s=task["probabilities"]: s[q]))
            sums = [a + b for a, b in zip(sums, task["probabilities"])]
        for entry, total in zip(estimated["types"], sums[1:]):
            self.assertAlmostEqual(entry["tasks"], total, delta=0.5)


class Topics(Folder):
    def test_topics_are_offered_and_fit_a_terminal(self):
        overview = answer("help")
        for topic in ("policies", "logs", "models", "results"):
            self.assertRegex(overview, rf"\n  {topic} +\S")
            self.assertIn(topic, candidates("help", ""))
            self.assertLessEqual(max(map(len, answer("help", topic).splitlines())), 80, topic)
            self.assertTrue(answer("help", "--manual", topic).startswith(f"segue-{topic}(7)\n"))

    def examples(self, topic):
        """The indented blocks of a topic."""
        blocks = re.findall(r"(?:^  \S.*\n)+", answer("help", topic), re.M)
        return ["".join(line[2:] + "\n" for line in block.splitlines()) for block in blocks]

    def test_the_model_set_of_its_help_can_be_played(self):
        example = self.examples("models")[0]
        answer("simulate", "--models", self.file(example), "--steps", 5, "--runs", 1)

    def test_the_logs_of_its_help_can_be_read(self):
        for example in self.examples("logs")[:2]:
            answer("replay", "--dry-run", self.file(example, "log"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
