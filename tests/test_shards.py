#!/usr/bin/python3
"""Shards: the same bytes as in one go, and every way in which they do not fit together.

usage: test_shards.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PAPER, SEGUE, Folder, answer, run

TRY = {"name": "try", "environment": {"models": PAPER}, "policies": ["tucb", "ts"], "tasks": 8, "every": 3,
       "steps": [60, 30], "runs": 5, "seed": 7, "variants": {"small": {"runs": 2}}}


def bytes_of(folder, but="shard"):
    return {p.name: p.read_bytes() for p in folder.iterdir() if but not in p.name}


class Shards(Folder):
    def setUp(self):
        super().setUp()
        self.path = self.file(json.dumps(TRY), "a.json")
        self.out = self.folder / "out"
        self.straight = self.folder / "straight"

    def play(self, *shards, path=None, args=()):
        for shard in shards:
            printed = answer("run", path or self.path, "--out", self.out, "--shard", shard, *args)
            number, count = shard.split("/")
            self.assertEqual(printed, f"try: shard {number} of {count} is complete; "
                                   "run 'segue merge' when all are\n")

    def shard(self, number, count=3):
        return self.out / f"try.shard-{number}-of-{count}"

    def holds_runs(self, shard):
        start = shard.read_bytes() if shard.exists() else b""
        return len(start) > 16 and len(start) > 16 + int.from_bytes(start[8:16], "little")

    def not_merged(self, says, *args):
        before = bytes_of(self.out, but="/")
        self.refused(2, says, "merge", args[0] if args else self.path, "--out", self.out, *args[1:])
        self.assertEqual(before, bytes_of(self.out, but="/"))

    def test_the_same_bytes_as_in_one_go(self):
        single = self.file(json.dumps({**{k: v for k, v in TRY.items() if k not in ("tasks", "every")},
                                       "policies": ["ucb", "mucb"]}), "single.json")
        for path, args in [(self.path, ()), (self.path, ("--variant", "small", "--seed", 3)), (single, ("--runs", 4))]:
            with self.subTest(path=path, args=args):
                printed = answer("run", path, "--out", self.straight, "--format", "csv", *args)
                self.play("2/3", "3/3", "1/3", path=path, args=args)
                before = {p.name: p.read_bytes() for p in self.out.glob("*shard*")}
                self.assertEqual(answer("merge", path, "--out", self.out, "--format", "csv", *args), printed)
                self.assertEqual(bytes_of(self.out), bytes_of(self.straight))
                self.assertEqual({p.name: p.read_bytes() for p in self.out.glob("*shard*")}, before)
                self.assertEqual(len(before), 3)
                shutil.rmtree(self.out)
                shutil.rmtree(self.straight)

    def test_results_of_another_experiment_stay(self):
        answer("run", self.path, "--out", self.out, "--seed", 9)
        self.play("1/2", "2/2")
        self.not_merged("not of this experiment, seed and version; '--fresh' replaces it")
        printed = answer("merge", self.path, "--out", self.out, "--fresh")
        self.assertEqual(answer("merge", self.path, "--out", self.out), printed)  # the same again

    def test_a_shard_is_stopped_and_resumed(self):
        path = self.file(json.dumps({**TRY, "policies": ["tucb"], "tasks": 60, "steps": 400, "runs": 48}), "long.json")
        answer("run", path, "--out", self.straight)
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number=number):
                with subprocess.Popen([SEGUE, "run", path, "--out", self.out, "--shard", "1/2", "--threads", "1"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                    while process.poll() is None and not self.holds_runs(self.shard(1, 2)):
                        time.sleep(0.002)
                    process.send_signal(number)
                    _, printed = process.communicate(timeout=120)
                if number == signal.SIGINT:
                    self.assertRegex(printed, r"stopped; \d+ of 24 runs of 'try' are saved; '--resume' continues")
                self.refused(2, "'--resume' continues it", "run", path, "--out", self.out, "--shard", "1/2")
                self.not_merged(" of 24 runs", path)
                self.play("1/2", path=path, args=("--resume",))
                self.play("1/2", path=path, args=("--resume",))  # there is nothing left to do
                self.play("2/2", path=path)
                answer("merge", path, "--out", self.out)
                self.assertEqual(bytes_of(self.out), bytes_of(self.straight))
                shutil.rmtree(self.out)

    def test_more_shards_than_runs(self):
        answer("run", self.path, "--out", self.straight, "--variant", "small")
        self.play(*(f"{i}/11" for i in range(1, 12)), args=("--variant", "small"))
        answer("merge", self.path, "--out", self.out, "--variant", "small")
        self.assertEqual(bytes_of(self.out), bytes_of(self.straight))

    def test_missing_shards_are_named(self):
        self.out.mkdir()
        self.not_merged("out: holds no shards of 'try'; 'segue run --shard' makes them")
        self.play("1/3", "3/3")
        self.not_merged("try.shard-2-of-3: is missing; need all 3 shards of 'try'")
        self.refused(2, "nowhere: cannot be opened", "merge", self.path, "--out", self.folder / "nowhere")

    def test_shards_of_another_count_are_named(self):
        self.play("1/3", "2/3", "3/3", "1/4")
        self.not_merged("try.shard-1-of-4: lies beside try.shard-")

    def test_a_doubled_shard_is_named(self):
        self.play("1/3", "2/3")
        shutil.copy(self.shard(2), self.shard(3))
        self.not_merged("try.shard-3-of-3: is not shard 3 of 3, as its name says")

    def test_another_experiment_is_named(self):
        self.play("1/3", "2/3")
        self.play("3/3", args=("--seed", 8))
        self.not_merged("try.shard-3-of-3: belongs to another experiment, or to other settings")
        self.not_merged("try.shard-1-of-3: belongs to another experiment", self.path, "--variant", "small")

    def test_another_version_or_build_is_named(self):
        self.play("1/3", "2/3", "3/3")
        whole = self.shard(2).read_bytes()
        at = whole.index(b"segue ") + 6
        self.shard(2).write_bytes(whole[:at] + b"9" + whole[at + 1:])
        self.not_merged("try.shard-2-of-3: was made by another version or build than this, segue ")

    def test_incomplete_damaged_and_doubled_runs_are_named(self):
        self.file(json.dumps({**TRY, "policies": ["tucb"], "runs": 10}), "a.json")  # all runs of one size
        self.play("1/3", "2/3", "3/3")
        whole = self.shard(2).read_bytes()
        head = 16 + int.from_bytes(whole[8:16], "little")  # behind the identity
        size = (len(whole) - head) // 7
        for name, data, says in [
                ("cut", whole[:-3], "try.shard-2-of-3: holds 6 of 7 runs, and after them"),
                ("short", whole[:-size], "try.shard-2-of-3: holds 6 of 7 runs; 'segue run --shard 2/3 --resume'"),
                ("flipped", whole[:head + 40] + b"\x55" + whole[head + 41:], "holds 0 of 7 runs, and after"),
                ("with a run twice", whole + whole[head:head + size], "holds 7 of 7 runs, and after them"),
                ("with a run of another", whole + self.shard(1).read_bytes()[-size:], "holds 7 of 7 runs, and"),
                ("empty", b"", "try.shard-2-of-3: is not a checkpoint file"),
                ("something else", b"something else", "try.shard-2-of-3: is not a checkpoint file")]:
            with self.subTest(name):
                self.shard(2).write_bytes(data)
                self.not_merged(says)
        self.shard(2).write_bytes(whole[:-3])
        self.play("2/3", args=("--resume",))
        answer("merge", self.path, "--out", self.out)

    def test_a_shard_that_is_being_played_is_named(self):
        path = self.file(json.dumps({**TRY, "tasks": 400, "steps": 1000, "runs": 200}), "long.json")
        with subprocess.Popen([SEGUE, "run", path, "--out", self.out, "--shard", "1/1", "--quiet"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (self.shard(1, 1).exists() and self.shard(1, 1).stat().st_size):
                time.sleep(0.002)
            self.refused(2, "try.shard-1-of-1: another segue works", "merge", path, "--out", self.out)
            process.send_signal(signal.SIGINT)

    def test_wrong_usage(self):
        for shard in ("", "1", "1/", "/3", "0/3", "4/3", "1/0", "1/3/5", "a/3", "1/100001", " 1/3", "-1/3",
                      "1" * 40 + "/3"):
            self.refused(2, "need I/N with I from 1 to N", "run", self.path, "--out", self.out, "--shard", shard)
        self.refused(2, "use --format with 'segue merge'", "run", self.path, "--shard", "1/3", "--format", "csv")
        self.refused(2, "give the file of an experiment", "merge")
        self.refused(2, "is no tally; give one experiment", "merge", self.path, "b.json")
        self.refused(2, "a.json: the results would overwrite it", "merge", self.file(json.dumps({**TRY, "name": "a"}), "a.json"),
                     "--out", self.folder)
        self.assertEqual(os.listdir(self.folder), ["a.json"])


class Launched(Folder):
    def test_processes_that_do_not_find_each_other_are_reported_once(self):
        path = self.file(json.dumps(TRY), "a.json")
        alone = "mpi:   none" in answer("version")
        says = "built without MPI" if alone else "of which MPI finds 1"
        env = {**os.environ, "PMI_SIZE": "4", "PMI_RANK": "0"}
        self.refused(2, says, "run", path, "--out", self.folder, env=env)
        env["PMI_RANK"] = "3"
        silent = run("run", path, "--out", self.folder, env=env)
        self.assertEqual((silent.returncode, silent.stdout, silent.stderr), (0, "", ""))
        self.assertEqual(os.listdir(self.folder), ["a.json"])
        # shards and a single process do not need MPI
        self.assertEqual(run("run", path, "--out", self.folder, "--shard", "1/3", env=env).returncode, 0)
        self.assertEqual(run("run", path, "--out", self.folder, env={**env, "PMI_SIZE": "1"}).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
