#!/usr/bin/python3
"""Experiments over processes that mpirun starts: the same bytes, also after a process died.

usage: test_mpi.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PAPER, SEGUE, Folder, answer

# Four processes on any machine, also for root in a container.
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
       "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

TRY = {"name": "try", "environment": {"models": PAPER}, "policies": ["tucb", "ts"], "tasks": 8, "every": 3,
       "steps": [60, 30], "runs": 5, "seed": 7}
# Many seconds of work for one core: mpirun takes its time, a second, from noticing something to telling its processes.
LONG = {**TRY, "tasks": 5000, "steps": 1000, "every": 20, "runs": 24, "policies": ["tucb"]}

STOPPED = ("stopped by a signal, or because a process died; [0-9]+ of 24 runs of 'try' are saved; "
              "'--resume' continues with them")


def start(*args, ranks=4, under=()):
    return subprocess.Popen([*under, "mpirun", "-n", str(ranks), *map(str, args)], env=ENV, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def mpirun(*args, ranks=4):
    process = start(*args, ranks=ranks)
    stdout, stderr = process.communicate(timeout=300)
    return process.returncode, stdout, stderr


def said(stderr):
    """What segue says, among what mpirun does."""
    return [line for line in stderr.splitlines() if line.startswith("segue: ")]


def rank_of(pid):
    """The rank of a process, or None."""
    try:
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    ranks = [int(v.split(b"=")[1]) for v in environment if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
    return ranks[0] if ranks else None


def children_of(pid):
    return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()]


def bytes_of(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


class Mpi(Folder):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def straight(self, path, *args):
        out = self.folder / "straight"
        printed, files = answer("run", path, "--out", out, *args), bytes_of(out)
        shutil.rmtree(out)
        return printed, files

    def test_the_same_bytes_as_one_process(self):
        single = {**{k: v for k, v in TRY.items() if k not in ("tasks", "every")}, "policies": ["ucb", "mucb"]}
        for experiment, ranks, args in [(TRY, 4, ()), (TRY, 3, ("--threads", 2)), (single, 4, ("--runs", 1)),
                                        (TRY, 4, ("--format", "json"))]:
            with self.subTest(ranks=ranks, args=args):
                path = self.file(json.dumps(experiment), "a.json")
                printed, files = self.straight(path, *args)
                code, stdout, stderr = mpirun(SEGUE, "run", path, "--out", self.out, *args, ranks=ranks)
                self.assertEqual((code, stdout, said(stderr)), (0, printed, []), stderr)
                self.assertEqual(bytes_of(self.out), files)
                shutil.rmtree(self.out)

    def wait_for_runs(self, process):
        checkpoint = self.out / "try.unfinished"
        head = 0
        while process.poll() is None:
            size = checkpoint.stat().st_size if checkpoint.exists() else 0
            if head and size > head:
                return
            head = head or size
            time.sleep(0.002)
        self.fail(f"it ended too early: {process.communicate()}")

    def check_resumed(self, path, files, *args):
        saved = bytes_of(self.out)
        self.assertEqual(list(saved), ["try.unfinished"])
        code, _, stderr = mpirun(SEGUE, "run", path, "--out", self.out)
        self.assertEqual(code, 2, stderr)
        self.assertEqual(len(said(stderr)), 1, stderr)
        self.assertIn("'--resume' continues it, '--fresh' starts over", said(stderr)[0])
        self.assertEqual(bytes_of(self.out), saved)
        done = subprocess.run([*args, SEGUE, "run", path, "--out", self.out, "--resume"], env=ENV, timeout=300,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(bytes_of(self.out), files)
        code, stdout, stderr = mpirun(SEGUE, "run", path, "--out", self.out, "--resume", "--quiet")  # plays nothing
        self.assertEqual((code, stdout), (0, done.stdout), stderr)
        shutil.rmtree(self.out)

    def test_a_killed_or_stopped_run_resumes_to_the_same_bytes(self):
        path = self.file(json.dumps(LONG), "a.json")
        _, files = self.straight(path)
        for rank, number, args in [(2, signal.SIGKILL, ["mpirun", "-n", "4"]), (0, signal.SIGKILL, []),
                                    (None, signal.SIGINT, ["mpirun", "-n", "2"])]:
            with self.subTest(rank=rank):
                process = start(SEGUE, "run", path, "--out", self.out, "--quiet", under=["taskset", "--cpu-list", "0"])
                self.wait_for_runs(process)
                victims = [pid for pid in children_of(process.pid) if rank_of(pid) == rank] or [process.pid]
                os.kill(victims[0], number)
                stdout, stderr = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assertEqual(stdout, "")
                for line in said(stderr):  # none if mpirun ends rank 0 first
                    self.assertRegex(line, STOPPED)
                self.check_resumed(path, files, *args)

    def refused_once(self, code, says, *args):
        found, stdout, stderr = mpirun(*args)
        self.assertEqual((found, stdout), (code, ""), stderr)
        self.assertEqual(len(said(stderr)), 1, stderr)
        self.assertIn(says, said(stderr)[0])

    def test_wrong_usage_is_reported_once(self):
        path = self.file(json.dumps(TRY), "a.json")
        self.refused_once(2, "there is no option '--bogus'", SEGUE, "run", path, "--bogus")
        self.refused_once(2, "nowhere.json: cannot be opened", SEGUE, "run", self.folder / "nowhere.json")
        self.refused_once(2, "the folder cannot be created", SEGUE, "run", path, "--out", self.folder / "a" / "b")

    def rank_two(self, otherwise, usual):
        """A command in which rank 2 does something else."""
        return ["sh", "-c", f'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then {otherwise}; fi; exec "$0" {usual}', SEGUE]

    def test_a_failure_in_one_process_ends_all(self):
        path = self.file(json.dumps(TRY), "a.json")
        usual = f"run '{path}' --out '{self.out}'"
        self.refused_once(2, "rank 2: nowhere.json: cannot be opened",
                          *self.rank_two('exec "$0" run nowhere.json', usual))
        self.refused_once(2, "rank 2: has another experiment, or another build of segue, than rank 0",
                          *self.rank_two(f'exec "$0" {usual} --seed 8', usual))
        self.assertEqual(list(self.out.iterdir()), [])
        # stacks of a gigabyte each do not fit, so that thread 2 of many is not to be had
        self.file(json.dumps(LONG), "a.json")
        shutil.rmtree(self.out, ignore_errors=True)
        self.refused_once(1, "rank 2: thread ", *self.rank_two("ulimit -s 1000000; ulimit -v 4000000",
                                                        usual + " --threads 8"))


if __name__ == "__main__":
    if "mpi:   none" in answer("version") or not shutil.which("mpirun"):
        print("skipped: segue was built without MPI, or there is no mpirun; libopenmpi-dev and openmpi-bin have both")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
