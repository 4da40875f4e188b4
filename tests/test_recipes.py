#!/usr/bin/python3
"""The recipes of the docs for schedulers and databases run as they are written, and give the results of one process.

Recipes are taken from docs/tally.md, docs/cluster.md and docs/logs.md; only sizes are changed. A scheduler or database that is not
installed is skipped. Slurm is replaced by an `sbatch` that runs each element of an array.

usage: test_recipes.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import glob
import json
import os
import pathlib
import pwd
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

from program import PAPER, SEGUE, SOURCE, Folder, answer

PARTS = 5  # instead of 64
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_mpi_yield_when_idle": "1"}
SBATCH = """#!/bin/bash
# sbatch - run a script now; of an array each element, in order
set -eu
script=${!#}
bash -n "$script"
last=$(sed -n 's/^#SBATCH.*--array=1-\\([0-9]*\\).*/\\1/p' "$script")
for SLURM_ARRAY_TASK_ID in $(seq "${last:-1}"); do
    export SLURM_ARRAY_TASK_ID
    bash "$script" > /dev/null
done
echo 17
"""


def blocks(page):
    """The blocks of shell commands of a page."""
    return re.findall(r"^```sh\n(.*?)^```", (SOURCE / "docs" / page).read_text(), re.M | re.S)


def block_with(page, text):
    """The one block that contains a text."""
    found = [block for block in blocks(page) if text in block]
    assert len(found) == 1, (page, text, found)
    return found[0]


def need(tool):
    if not shutil.which(tool):
        raise unittest.SkipTest(f"{tool} is not installed")


class Recipe(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/segue").symlink_to(SEGUE)
        self.environment = {**os.environ, **MPI, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def shell(self, text, **more):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, timeout=300,
                              env={**self.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (text, done.stderr))
        return done.stdout


class Tallies(Recipe):
    def setUp(self):
        super().setUp()
        source = random.Random(3)
        rows = [f"u{source.randrange(80)},{source.choice('xyz')},{source.random():.3f}" for _ in range(3000)]
        self.file("\n".join(["task,arm,reward", *rows]) + "\n", "log.csv")
        answer("tally", self.folder / "log.csv", "--out", self.folder / "expected.tally")

    def scale(self, text):
        return re.sub(r"\b64\b", str(PARTS), text)

    def same_bytes(self):
        self.assertEqual((self.folder / "whole.tally").read_bytes(), (self.folder / "expected.tally").read_bytes())

    def prepare(self):
        """Cut the log, and write the scripts: blocks with a name."""
        self.shell(self.scale(block_with("tally.md", "| split ")))
        self.assertEqual(len(list((self.folder / "parts").glob("*.csv"))), PARTS)
        for block in blocks("tally.md"):
            name = re.match(r"#!/bin/bash\n# ([a-z-]+\.sh)\b", block)
            if name:
                self.file(self.scale(block), name[1])
                self.shell(f"bash -n {name[1]}")

    def test_parallel_cuts_a_file(self):
        need("parallel")
        self.shell(block_with("tally.md", "--pipepart").replace("--block 500M", "--block 9k"))
        self.assertGreater(len(list((self.folder / "blocks").iterdir())), 3)
        self.same_bytes()

    def test_parallel_starts_the_parts(self):
        need("parallel")
        self.prepare()
        self.shell(self.scale(block_with("tally.md", "seq 64 | parallel")))
        self.same_bytes()

    def test_mpirun_starts_the_parts(self):
        need("mpirun")
        self.prepare()
        self.shell(self.scale(block_with("tally.md", "mpirun -n 64")))
        self.same_bytes()

    def test_slurm_starts_the_parts(self):
        self.prepare()
        (self.folder / "bin/sbatch").write_text(SBATCH)
        (self.folder / "bin/sbatch").chmod(0o755)
        self.shell(block_with("tally.md", "sbatch --parsable"))
        self.same_bytes()

    def test_a_missing_part_is_an_error(self):
        self.prepare()
        for part in range(1, PARTS):
            self.shell(f"bash tally-part.sh {part}")
        done = subprocess.run(["bash", "tally-sum.sh"], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"tallies/{PARTS}.tally: cannot be opened", done.stderr)
        self.assertFalse((self.folder / "whole.tally").exists())


class Shards(Recipe):
    def test_parallel_plays_the_shards(self):
        need("parallel")
        spec = {"name": "lengths", "environment": {"models": PAPER}, "policies": ["ucb", "ts"], "steps": [40, 20], "runs": 4}
        path = self.file(json.dumps(spec), "lengths.json")
        self.shell(block_with("cluster.md", "seq 4 | parallel"))
        answer("run", path, "--quiet", "--out", self.folder / "one")
        for name in ("lengths.json", "lengths.csv"):
            self.assertEqual((self.folder / "results" / name).read_bytes(), (self.folder / "one" / name).read_bytes())


class Databases(Recipe):
    """A table of visits, stored in another order than that of time."""

    def setUp(self):
        super().setUp()
        source = random.Random(4)
        self.rows = [(f"u{source.randrange(30)}", source.choice("ABC"), source.randrange(2), at) for at in range(900)]
        with open(self.folder / "visits.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("user_id", "variant", "click", "at"), *self.rows])
        self.stored = sorted(self.rows, key=lambda row: row[0])
        with open(self.folder / "stored.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(self.stored)

    def check(self, tool, **more):
        """The command of docs/logs.md reads what a file with the same rows has; a short replay instead of a long one."""
        line = re.search(rf"^    ({tool} .*visits ORDER BY .*)$", (SOURCE / "docs/logs.md").read_text(), re.M)[1]
        short = "-q --format json --steps 5 --runs 2 --replicates 2 --policy ts"
        found = json.loads(self.shell(f"{line} {short}", **more))
        named = ("--task", "user_id", "--arm", "variant", "--reward", "click")
        expected = json.loads(answer("replay", *named, self.folder / "visits.csv", *short.split()))
        for data in (found, expected):
            del data["log"]["path"], data["verdict"]["next"]
        self.assertEqual(found, expected)

    def test_sqlite(self):
        need("sqlite3")
        store = sqlite3.connect(self.folder / "visits.db")
        store.execute("CREATE TABLE visits (user_id TEXT, variant TEXT, click INTEGER, at INTEGER)")
        store.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", self.stored)
        store.commit()
        store.close()
        self.check("sqlite3")

    def test_postgresql(self):
        """A server of its own, on a socket in the folder; initdb refuses root, so it runs as postgres then."""
        need("psql")
        bins = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb")]
        if not bins[-1]:
            self.skipTest("the server of PostgreSQL is not installed")
        try:
            user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        except KeyError:
            self.skipTest("there is no user postgres, and root cannot start the server")
        programs, data = pathlib.Path(bins[-1]).parent, self.folder / "data"
        data.mkdir()
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        if user:
            self.folder.chmod(0o755)
            os.chown(data, user.pw_uid, user.pw_gid)

        def control(*args):
            subprocess.run([str(word) for word in args], check=True, cwd=data, stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=120, **who)
        control(programs / "initdb", "-D", data / "base", "-U", "segue", "-A", "trust", "--no-sync")
        control(programs / "pg_ctl", "-D", data / "base", "-w", "-l", data / "server.log", "-o",
                f"-k {data} -c listen_addresses='' -c fsync=off", "start")
        self.addCleanup(control, programs / "pg_ctl", "-D", data / "base", "-m", "immediate", "stop")
        reach = {"PGHOST": str(data), "PGUSER": "segue", "PGDATABASE": "postgres", "PGSSLMODE": "disable"}
        self.shell("psql -qc 'CREATE TABLE visits (user_id text, variant text, click boolean, at integer)' && "
                   "psql -qc '\\copy visits FROM stored.csv CSV'", **reach)
        self.check("psql", **reach)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
