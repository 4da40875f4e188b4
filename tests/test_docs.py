#!/usr/bin/python3
"""The commands of README and docs that read logs or simulate run when pasted, and the sample log is what its script writes.

A folder stands for the project's: it has logs/, models/, experiments/ and build/release/segue. Each page's commands run there, in
their order; /tmp is that folder, too. Commands on logs that are not part of Segue ($SEGUE_DATA) are not run. Replays, plans and
simulations run with few repetitions. test_docs_commands.py lists the commands that no test runs.

usage: test_docs.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from program import SEGUE, SOURCE, Folder

PAGES = [SOURCE / "README.md", SOURCE / "logs/README.md", *sorted((SOURCE / "docs").glob("*.md"))]
TYPES = {"video": (0.90, 0.20, 0.20), "diagram": (0.65, 0.25, 0.15), "quiz": (0.15, 0.85, 0.25), "drill": (0.20, 0.60, 0.20),
         "text": (0.30, 0.20, 0.85)}
SHARES = (0.4, 0.35, 0.25)


def runs_here(line):
    """Reads the sample log or a tally, or simulates."""
    if re.match(r"build/release/segue (simulate|complexity|plan) ", line):
        return True
    return bool(re.search(r"\b(?:segue [a-z]|awk )", line) and re.search(r"logs/|\.tally", line) and "$SEGUE_DATA" not in line)


def commands(page):
    """The indented commands that run here, without their line ends."""
    text = page.read_text().replace("\\\n", " ")
    return [line for line in re.findall(r"^    (\S.*)$", text, re.M) if runs_here(line)]


def shortened(command):
    """Few repetitions: of a simulation always, of others where a command does not say how many."""
    if re.match(r"build/release/segue simulate ", command):
        return re.sub(r"--tasks \d+", "--tasks 20", re.sub(r"--runs \d\d+", "--runs 2", command))
    if "--runs" in command or "--dry-run" in command:
        return command
    command = re.sub(r"\bsegue plan ", "segue plan --runs 20 " if "logs/" in command else "segue plan --runs 4 ", command)
    return re.sub(r"\bsegue replay (?=.*logs/)", "segue replay --runs 4 --replicates 4 ", command)


def missing_tool(command):
    """The first program of the pipeline that is not installed, or None."""
    programs = [part.split()[0] for part in re.split(r"\|", command) if part.split()]
    return next((word for word in programs if not word.endswith("segue") and not shutil.which(word)), None)


class Docs(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/segue").symlink_to(SEGUE)
        for name in ("logs", "models", "experiments", "examples"):
            (self.folder / name).symlink_to(SOURCE / name)
        self.done = set()
        self.environment = {**os.environ, "PATH": f"{self.folder}/build/release:{os.environ['PATH']}"}

    def run_page(self, page):
        """Run the commands that no earlier page has run."""
        for command in commands(page):
            command = re.sub(r"\s+# .*", "", command)
            if command in self.done:
                continue
            self.done.add(command)
            with self.subTest(page=page.name, command=command):
                if missing_tool(command):
                    self.skipTest(f"{page.name}: {missing_tool(command)} is not installed")
                own = shortened(command).replace("/tmp/", f"{self.folder}/")
                done = subprocess.run(["bash", "-eo", "pipefail", "-c", own], cwd=self.folder, timeout=300,
                                      env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_commands_on_logs_run(self):
        self.assertGreaterEqual(len(commands(PAGES[0])), 2)
        for page in PAGES:
            self.run_page(page)

    def test_every_log_command_of_readme_reads_the_sample(self):
        """A plan may start from a guess, with --types, in place of a log."""
        for line in re.findall(r"^    (\S*segue (?:replay|plan|estimate|tally|learn) .*)$", PAGES[0].read_text(), re.M):
            self.assertRegex(line, r"logs/|segue plan --types ")


class Sample(unittest.TestCase):
    def test_the_script_writes_the_log(self):
        made = subprocess.run(["awk", "-f", SOURCE / "logs/tutor.awk"], check=True, capture_output=True).stdout
        self.assertEqual(made, (SOURCE / "logs/tutor.csv").read_bytes())

    def test_its_means_are_those_of_the_types(self):
        """The mean of an arm over all students: 400 students, 6 rewards of an arm each, standard error below
        sqrt(0.25 / 2400 + 0.343^2 / 400) = 0.0200 (0.343: the largest spread of an arm over types, video's); 5 of them fail
        once in a million."""
        rewards = {}
        with open(SOURCE / "logs/tutor.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rewards.setdefault(row["arm"], []).append(int(row["reward"]))
        self.assertEqual(set(rewards), set(TYPES))
        for arm, means in TYPES.items():
            expected = sum(share * mean for share, mean in zip(SHARES, means))
            self.assertAlmostEqual(sum(rewards[arm]) / len(rewards[arm]), expected, delta=5 * 0.0200)

    def test_it_shows_that_types_pay(self):
        """A newcomer's first replay is decided: the interval of what types save is above its limit of 10 %."""
        done = subprocess.run([SEGUE, "replay", "--quiet", "--format", "json", SOURCE / "logs/tutor.csv"], check=True,
                              capture_output=True)
        result = json.loads(done.stdout)
        saved = next(row["saved_over_prior"] for row in result["results"] if row["policy"] == "tla")
        self.assertEqual(result["verdict"]["conclusion"], "types", result["verdict"])
        self.assertGreater(saved["low"], 0.1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
