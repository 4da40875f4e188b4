#!/usr/bin/python3
"""`segue paper` run again: what is re-used, what is played again, and what timing.json says.

usage: test_paper_reuse.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import datetime
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from paper_files import STUDIES, files_of, PaperFolder
from program import SEGUE, run


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Reuse(PaperFolder):
    def again(self, *args, program=None):
        """Run it in the folder `out`; returns the studies that were played, and what it said."""
        out = self.folder / "out"
        before = {path.stem: path.stat().st_mtime_ns for path in (out / "data").glob("*.json")}
        command = ["paper", "--experiments", self.experiments, "--out", out, "--threads", 2, *args]
        if program:
            done = subprocess.run([program, *map(str, command)], capture_output=True, text=True, timeout=300)
        else:
            done = run(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        played = {name for name in STUDIES
                  if (out / "data" / f"{name}.json").stat().st_mtime_ns != before.get(name)}
        return played, done.stderr

    def timing(self):
        path = self.folder / "out" / "data" / "timing.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def test_nothing_changed_plays_nothing(self):
        played, says = self.again()
        self.assertEqual(played, set(STUDIES))
        self.assertNotIn("again", says)
        first, times = files_of(self.folder / "out"), self.timing()
        (self.folder / "out" / "report.html").unlink()
        (self.folder / "out" / "figures" / "lengths.svg").unlink()
        played, says = self.again()
        self.assertEqual(played, set())
        self.assertIn(f"{len(STUDIES)} of {len(STUDIES)} experiments were finished; --fresh", says)
        self.assertEqual(files_of(self.folder / "out"), first)
        self.assertEqual(self.timing(), times)
        self.assertEqual(self.again("--quiet"), (set(), ""))
        self.assertEqual(self.again("--resume")[0], set())
        played, _ = self.again("--fresh")
        self.assertEqual(played, set(STUDIES))
        self.assertEqual(files_of(self.folder / "out"), first)

    def test_what_changed_is_played_again(self):
        self.again()
        first = files_of(self.folder / "out")
        path = pathlib.Path(self.experiments) / "related.json"
        text = path.read_text()
        path.write_text(json.dumps({**json.loads(text), "runs": 4}))
        played, says = self.again()
        self.assertEqual(played, {"related"})
        self.assertEqual(says.splitlines()[0], "segue: related: its results are of another experiment, seed or version; "
                                               "it is played again")
        path.write_text(text)
        self.assertEqual(self.again()[0], {"related"})
        self.assertEqual(files_of(self.folder / "out"), first)
        # the same experiment in other words
        path.write_text(json.dumps(json.loads(text), indent=3))
        self.assertEqual(self.again()[0], set())
        played, says = self.again("--seed", 2)
        self.assertEqual(played, set(STUDIES))
        self.assertEqual(len(re.findall("another experiment, seed or version", says)), len(STUDIES))

    def test_damaged_results_are_played_again(self):
        data = self.folder / "out" / "data"
        self.again()
        first, times = files_of(self.folder / "out"), self.timing()
        (data / "ours.csv").unlink()
        (data / "probes.csv").write_text((data / "probes.csv").read_text().replace("0", "1", 1))
        del times["lengths"]
        times["related"]["key"] = "0" * 16
        (data / "timing.json").write_text(json.dumps(times))
        played, says = self.again()
        self.assertEqual(played, {"ours", "probes", "lengths", "related"})
        self.assertIn("segue: ours: its results lack a CSV file; it is played again\n", says)
        self.assertIn("segue: probes: its results were changed since they were played;", says)
        self.assertIn("segue: lengths: its results have no entry in timing.json;", says)
        self.assertIn("segue: related: its results are of another build of segue;", says)
        self.assertEqual(files_of(self.folder / "out"), first)
        (data / "timing.json").write_text("{")
        self.assertEqual(self.again()[0], set(STUDIES))
        self.assertEqual(files_of(self.folder / "out"), first)

    def test_a_file_that_is_no_results_stays(self):
        data = self.folder / "out" / "data"
        data.mkdir(parents=True)
        (data / "lengths.json").write_text('{"mine": 1}')
        self.refused(2, "lengths.json: exists and does not hold results of segue; '--fresh'", "paper", "--experiments",
                     self.experiments, "--out", self.folder / "out")
        self.assertEqual((data / "lengths.json").read_text(), '{"mine": 1}')

    def test_another_build_plays_everything_again(self):
        self.again()
        first = files_of(self.folder / "out")
        other = self.folder / "segue-rebuilt"
        other.write_bytes(pathlib.Path(SEGUE).read_bytes() + b"\n")  # runs as before; another file
        other.chmod(0o755)
        played, says = self.again(program=other)
        self.assertEqual(played, set(STUDIES))
        self.assertEqual(says.count("are of another build of segue; it is played again"), len(STUDIES))
        self.assertEqual(files_of(self.folder / "out"), first)

    def test_times_of_playing(self):
        before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.again()
        after = datetime.datetime.now(datetime.timezone.utc)
        times = self.timing()
        self.assertEqual(set(times), set(STUDIES))
        self.assertEqual(len({entry["key"] for entry in times.values()}), len(STUDIES))
        for entry in times.values():
            self.assertTrue(entry["finished"])
            self.assertEqual(entry["threads"], 2)
            played = datetime.datetime.strptime(entry["played"], "%Y-%m-%dT%H:%M:%S%z")
            self.assertTrue(before <= played <= after)
            # two threads cannot use more than twice the wall time; clocks tick in milliseconds
            self.assertTrue(0 < entry["cpu_seconds"] <= 2 * entry["wall_seconds"] + 0.1)
        self.assertLess(sum(entry["wall_seconds"] for entry in times.values()), (after - before).total_seconds())

    def stop_in(self, study):
        out = self.folder / "out"
        with subprocess.Popen([SEGUE, "paper", "--experiments", self.experiments, "--out", out],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and not (out / "data" / f"{study}.unfinished").exists():
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, 1)

    def test_an_interrupted_run_keeps_its_time_and_its_build(self):
        self.stop_in("ours")
        times = self.timing()
        self.assertFalse(times["ours"]["finished"])
        self.assertTrue(times["lengths"]["finished"])
        self.again("--resume")
        self.assertGreaterEqual(self.timing()["ours"]["wall_seconds"], times["ours"]["wall_seconds"])
        self.assertTrue(self.timing()["ours"]["finished"])
        whole = files_of(self.folder / "out")
        shutil.rmtree(self.folder / "out")
        self.stop_in("ours")
        times = self.timing()
        times["ours"]["key"] = "0" * 16
        (self.folder / "out" / "data" / "timing.json").write_text(json.dumps(times))
        _, says = self.again("--resume")
        self.assertIn("segue: ours: its unfinished runs are of another experiment or build; it is played again\n", says)
        self.assertEqual(files_of(self.folder / "out"), whole)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
