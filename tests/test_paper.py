#!/usr/bin/python3
"""The report on the paper: the same bytes however it is run, its figures, damaged results.

usage: test_paper.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from paper_files import files_of, PaperFolder, rows_of
from program import SEGUE, SOURCE, answer


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Paper(PaperFolder):
    def test_same_bytes_on_one_and_two_threads_and_resumed(self):
        one, printed = self.paper("one", "--threads", 1)
        self.assertEqual(printed.splitlines()[-1], f"Open the report: xdg-open {one}/report.html")
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

    def test_the_model_sets_of_the_sweep_are_drawn_by_its_rule(self):
        drawn = subprocess.run([SOURCE / "scripts" / "draw-sweep"], capture_output=True, check=True).stdout
        self.assertEqual(drawn, (SOURCE / "experiments" / "sweep.json").read_bytes())

    def test_two_in_one_folder_do_not_mix(self):
        out = self.folder / "out"
        with subprocess.Popen([SEGUE, "paper", "--experiments", self.experiments, "--out", out],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (out / "data" / "lengths.unfinished").exists():
                time.sleep(0.001)
            self.refused(2, "another segue works in this folder", "paper", "--experiments", self.experiments,
                         "--fresh", "--seed", 2, "--out", out)
            self.assertEqual(process.wait(timeout=120), 0)

    def test_every_figure_has_its_parts(self):
        out, _ = self.paper("out")
        page = (out / "report.html").read_text()
        names = re.findall(r'<figure id="figure-([a-z0-9-]+)">', page)
        self.assertEqual(names, ["models", "model-regret",
                                 "lengths", "regret-12", "regret-24", "complexity-12", "complexity-24",
                                 "cumulative",
                                 "bounds", "baselines", "single-runs", "errors", "choices", "related",
                                 "three-pulls", "fresh-rewards", "weights",
                                 "estimators", "estimators-errors", "sweep-models", "sweep-arms",
                                 "ours-tasks",
                                 "ours-lengths", "ours-types", "probing-paper", "probing-probes", "probing-pulls",
                                 "identify-average"])
        for name in names:
            for end in (".svg", "-narrow.svg", ".pdf", ".gp", ".csv"):
                self.assertGreater((out / "figures" / (name + end)).stat().st_size, 100, name + end)
            self.assertGreater(len(rows_of(out / "figures" / f"{name}.csv")), 2, name)
        # sections of numbers have a table; all but the premise, which shares runs, have a command
        sections = dict(re.findall(r'<h2 id="([a-z-]+)">(.*?)(?=<h2 )', page, re.S))
        for name in ("model-regret", "cumulative", "premise", "estimators", "sweep"):
            self.assertIn("<table", sections[name], name)
            self.assertEqual("segue run experiments/" in sections[name], name != "premise", name)
        # what is ours is marked, thick and solid, and nothing else is
        for name in names:
            script = (out / "figures" / f"{name}.gp").read_text()
            for style, title in re.findall(r"with (line[^']*?) linecolor rgb '#\w+' title '((?:[^']|'')*)'", script):
                ours = re.match(r"(tts|tla|la|mla|ts, learned prior|weights=pulls|freeze)\b", title.lower()) is not None
                ours = ours or title.startswith("em")
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
