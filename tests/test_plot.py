#!/usr/bin/python3
"""`segue plot` and `segue run --html`: figures show the numbers of their files, and nothing else.

usage: test_plot.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import os
import shutil
import statistics
import sys
import unittest

from program import PAPER, Folder, answer

STUDENT = {3: 4.302652729911275, 4: 3.182446305284263}  # runs: 97.5 % quantile of t
KINDS = ("steps", "tasks", "models")


def series_of(path):
    """The points of each series of a figure: {title: [(x, y, low, high), ...]}."""
    found = {}
    for row in csv.DictReader(path.read_text().splitlines()):
        numbers = tuple(float(row[key] or "nan") for key in ("x", "y", "low", "high"))
        found.setdefault(row["series"], []).append(numbers)
    return found


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Plot(Folder):
    def results(self, name="a", **fields):
        spec = {"name": name, "environment": {"models": PAPER}, "policies": ["ucb", "tucb:C=1,views=symmetric"],
                "steps": [40, 20, 80], "tasks": 12, "runs": 3, "every": 4, **fields}
        spec = {key: value for key, value in spec.items() if value}
        (self.folder / "spec").mkdir(exist_ok=True)
        path = self.file(json.dumps(spec), f"spec/{name}.json")
        return json.loads(answer("run", path, "-q", "--out", self.folder, "--format", "json"))["results"]

    def plot(self, *args):
        """Draw into the folder `out`; returns the names of the files that it prints."""
        out = self.folder / "out"
        printed = answer("plot", *args, "--out", out).splitlines()
        for path in printed:
            self.assertGreater(os.path.getsize(path), 500)
        return [os.path.basename(path) for path in printed], out

    def points_match(self, points, expected):
        self.assertEqual(len(points), len(expected))
        for point, (x, mean, band) in zip(points, expected):
            for found, want in zip(point, (x, mean, mean - band, mean + band)):
                self.assertAlmostEqual(found, want, places=6)

    def test_figures_have_the_numbers_of_the_results(self):
        cells = self.results()
        names, out = self.plot(self.folder / "a.json")
        self.assertEqual(names, [f"a-{kind}.svg" for kind in KINDS])
        steps, tasks, models = (series_of(out / f"a-{kind}.csv") for kind in KINDS)
        self.assertEqual(list(steps), ["ucb", "tucb:C=1,views=symmetric"])
        for policy, points in steps.items():
            of_policy = sorted((c for c in cells if c["policy"] == policy), key=lambda c: c["steps"])
            self.points_match(points, [(c["steps"], c["regret"]["mean"], STUDENT[3] * c["regret"]["se"])
                                       for c in of_policy])
        self.assertEqual(len(tasks), 6)
        self.assertEqual(len(models), 6)
        for cell in cells:
            title = f"{cell['policy']}, n = {cell['steps']}"
            runs = cell["over_tasks"]["regret"]
            self.points_match(tasks[title], [(4 * (p + 1), statistics.mean(r[p] for r in runs),
                                              STUDENT[3] * statistics.stdev(r[p] for r in runs) / 3 ** 0.5)
                                             for p in range(3)])
            played = [k for k, model in enumerate(cell["by_model"]) if model["count"]]
            self.assertEqual([round(x) for x, *_ in models[title]], [k + 1 for k in played])
            for (_, y, low, high), k in zip(models[title], played):
                model = cell["by_model"][k]
                self.assertAlmostEqual(y, model["mean"], places=6)
                self.assertAlmostEqual(high - low, 2 * STUDENT[3] * model["se"], places=6)

    def test_a_curve_of_simulate(self):
        curve = self.folder / "c.csv"
        answer("simulate", "--models", PAPER, "--policy", "ts,tts", "--steps", 30, "--tasks", 9, "--runs", 4, "--curve", curve)
        names, out = self.plot(curve)
        self.assertEqual(names, ["c-tasks.svg"])
        found = series_of(out / "c-tasks.csv")
        rows = list(csv.DictReader(curve.read_text().splitlines()))
        for policy in ("ts", "tts"):
            self.points_match(found[policy], [(int(r["task"]), float(r["mean"]), 1.96 * float(r["se"]))
                                              for r in rows if r["policy"] == policy])
        self.assertEqual(list(series_of(self.plot(curve, "--policy", "tts")[1] / "c-tasks.csv")), ["tts"])

    def test_formats(self):
        self.results()
        names, out = self.plot(self.folder / "a.json", "--kind", "steps", "--format", "png,pdf,svg")
        self.assertEqual(names, ["a-steps.svg", "a-steps.pdf", "a-steps.png"])
        begins = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}
        for form, start in begins.items():
            self.assertTrue((out / f"a-steps.{form}").read_bytes().startswith(start), form)
            path = self.folder / f"one.{form}"
            self.assertEqual(answer("plot", self.folder / "a.json", "--kind", "steps", "--out", path), f"{path}\n")
            self.assertTrue(path.read_bytes().startswith(start), form)
        self.assertEqual((self.folder / "one.svg").read_bytes(), (out / "a-steps.svg").read_bytes())

    def test_several_files_and_logarithms(self):
        self.results("a", policies=["ucb"])
        self.results("b", policies=["ts"], tasks=None, every=None)
        names, out = self.plot(self.folder / "a.json", self.folder / "b.json", "--kind", "steps", "--log", "xy")
        self.assertEqual(names, ["plot-steps.svg"])
        self.assertEqual(list(series_of(out / "plot-steps.csv")), ["ucb, J = 12 (a)", "ts (b)"])
        script = (out / "plot-steps.gp").read_text()
        self.assertIn("set logscale x\nset logscale y\n", script)
        for points in series_of(out / "plot-steps.csv").values():
            self.assertTrue(all(low > 0 for _, _, low, _ in points))

    def test_tracks_and_environments(self):
        self.results("a", policies=["tucb:models=5", "ts"], steps=200, tasks=40, every=20, environment=[
            {"name": "x", "models": PAPER}, {"name": "y", "uniform": 7}])
        _, out = self.plot(self.folder / "a.json", "--track", "error", "--kind", "tasks")
        self.assertEqual(list(series_of(out / "a-tasks.csv")), ["tucb:models=5"])  # tasks of y have no models
        _, out = self.plot(self.folder / "a.json", "--kind", "tasks")
        self.assertEqual(list(series_of(out / "a-tasks.csv")), ["tucb:models=5, x", "ts, x", "tucb:models=5, y", "ts, y"])

    def test_names_cannot_become_commands(self):
        curve = self.file("policy,task,mean,se\nucb,1,1,0.1\nucb,2,2,0.1\n", "it's `touch x` %d.csv")
        names, out = self.plot(curve, curve)
        self.assertEqual(names, ["plot-tasks.svg"])
        self.plot(curve)
        self.assertFalse((out / "x").exists())

    def test_what_cannot_be_drawn_is_refused(self):
        self.results(policies=["ucb"], steps=20, tasks=None, every=None)
        path, out = self.folder / "a.json", self.folder / "out"

        def refused(says, *args):
            self.refused(2, says, "plot", *args)

        refused("give a file of results")
        refused("cannot be opened", self.folder / "none.json")
        refused("--kind: is 'x'; need steps, tasks or models", path, "--kind", "x")
        refused("--track: is 'x'; need one of regret, complexity", path, "--track", "x")
        refused("--format: is 'jpg'; need a list of svg, pdf, png", path, "--format", "jpg")
        refused("--log: is 'z'; need x, y or xy", path, "--log", "z")
        refused("no result is of 'ts'", path, "--policy", "ts")
        refused("there is no policy 'nix'", path, "--policy", "nix")
        refused("lacks two or more numbers of steps", path, "--kind", "steps")
        refused("lacks points over tasks", path, "--kind", "tasks")
        refused("one file of another format", path, "--out", self.folder / "x.svg", "--format", "pdf")
        refused("the folder cannot be created", path, "--out", self.folder / "no" / "no")
        self.assertFalse(out.exists())
        refused("is neither JSON of 'segue run' nor CSV of 'segue simulate --curve'", self.file("a,b\n1,2\n", "x.csv"))
        refused("x.csv: has no rows", self.file("policy,task,mean,se\n", "x.csv"))
        refused("x.csv:2: column 'mean' is 'x'; need a number", self.file("policy,task,mean,se\nucb,1,x,1\n", "x.csv"))
        refused("x.csv:2: has 3 columns; need 4", self.file("policy,task,mean,se\nucb,1,1\n", "x.csv"))
        refused("field 'experiment': need", self.file("{}", "x.json"))
        self.results("b")
        refused("--out names one file, and there are 3 figures", self.folder / "b.json", "--out", self.folder / "x.svg")
        svg = self.file("policy,task,mean,se\nucb,1,1,1\nucb,2,1,1\n", "data.svg")
        refused("the figure would overwrite it", svg, "--out", svg)
        bare = {**os.environ, "PATH": str(self.folder)}
        self.refused(2, "gnuplot is not installed", "plot", path, env=bare)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Page(Folder):
    def test_run_writes_a_page(self):
        spec = {"name": "a", "title": "Two <policies>", "environment": {"models": PAPER}, "policies": ["ucb", "tucb"],
                "steps": [20, 40], "tasks": 8, "runs": 3, "every": 4}
        (self.folder / "spec").mkdir()
        path, page = self.file(json.dumps(spec), "spec/a.json"), self.folder / "a.html"
        cells = json.loads(answer("run", path, "-q", "--out", self.folder, "--html", page, "--format", "json"))["results"]
        text = page.read_text()
        for kind in KINDS:
            self.assertIn(f'<figure id="figure-a-{kind}">', text)
        self.assertIn("<h1>Two &lt;policies&gt;</h1>", text)
        self.assertEqual(text.count("<tr>"), 1 + len(cells))
        for cell in cells:
            self.assertIn(f"<td>{cell['regret']['mean']:.4g}</td>", text)
        self.assertNotIn("http", text)
        self.assertNotIn(str(self.folder), text)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a-curve.csv", "a.csv", "a.html", "a.json", "spec"])
        page.unlink()
        answer("run", path, "-q", "--out", self.folder, "--resume", "--html", page)
        self.assertEqual(page.read_text(), text)
        self.refused(2, "--html", "run", path, "--shard", "1/2", "--html", page)
        self.refused(2, "need a page such as", "run", path, "--fresh", "--out", self.folder, "--html", path)
        self.assertEqual(json.loads(open(path, encoding="utf-8").read()), spec)

    def test_a_page_that_cannot_be_written_is_refused_before_playing(self):
        spec = {"name": "a", "environment": {"models": PAPER}, "policies": ["ucb"], "steps": [20, 40], "runs": 3}
        path = self.file(json.dumps(spec), "x.json")
        self.refused(2, "a.html", "run", path, "-q", "--out", self.folder, "--html", self.folder / "no" / "a.html")
        self.assertEqual(os.listdir(self.folder), ["x.json"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
