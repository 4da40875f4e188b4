#!/usr/bin/python3
"""The program's results have the same bytes whatever the processor offers: with the C library's and OpenBLAS's variants for
it, without them, and on an older processor, which qemu plays; and from another compiler, if SEGUE_OTHER names its program.

usage: test_same_bytes.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import hashlib
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import unittest

from program import PAPER, SEGUE, Folder

NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-AVX512F"}
# A hash of many results of the C library: it differs between the variants, which shows that there are some.
THEIRS = """import math, struct, zlib
print(zlib.crc32(b"".join(struct.pack("<d", math.log(x) + math.exp(-x) + math.pow(x, 0.37))
                          for x in (0.000137 * k for k in range(1, 50000)))))"""
METHODS = ("rtp", "algorithm-b", "eca", "em")
POLICIES = "tla,tts,ts-prior,tucb,ts,la,mla,mts,kl-ucb,bayes-ucb,imed,moss,exp3,dp-ts,hier-ts,v-ids"
LEARNERS = ("auto", "tts", "ts-prior", "tucb")
OTHER = os.environ.get("SEGUE_OTHER")  # .ci/run has one


def has_fma():
    cpu = pathlib.Path("/proc/cpuinfo")
    return cpu.exists() and " fma " in cpu.read_text()


class SameBytes(Folder):
    def setUp(self):
        super().setUp()
        rng = random.Random(4)
        rows = ["task,arm,reward"]
        for task in range(60):
            for arm, mean in enumerate([[0.9, 0.2, 0.4], [0.1, 0.8, 0.5]][task % 2]):
                rows += [f"{task},{'abc'[arm]},{int(rng.random() < mean)}" for _ in range(6)]
        self.log = self.file("\n".join(rows) + "\n", "log.csv")

    def hashes(self, env=(), before=(), program=SEGUE):
        """What each command writes, as hashes."""
        def one(*args):
            done = subprocess.run([*before, program, *map(str, args)], env={**os.environ, **dict(env)}, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        texts = {}
        for method in METHODS:
            texts[method] = one("estimate", "--method", method, "--types", 2, "--format", "json", self.log)
        texts["types"] = one("estimate", "--method", "types", "--format", "json", self.log)
        texts["simulate"] = one("simulate", "--models", PAPER, "--policy", POLICIES, "--steps", 60, "--tasks", 12,
                                "--runs", 1, "--threads", 1, "--format", "csv")
        texts["graded"] = one("simulate", "--models", PAPER, "--policy", "tla,tts,hier-ts", "--rewards", "normal:0.2",
                              "--steps", 60, "--tasks", 12, "--runs", 1, "--threads", 1, "--format", "csv")
        texts["replay"] = one("replay", "--runs", 1, "--replicates", 2, "--policy", "ts,tts,tla", "--threads", 1,
                              "--quiet", "--format", "json", self.log)
        texts["complexity"] = one("complexity", "--models", PAPER, "--format", "json")
        for method in LEARNERS:
            out = self.folder / "learner.segue"
            one("learn", self.log, "--method", method, *(["--models", 2] if method == "tucb" else []), "--out", out)
            texts[f"learner {method}"] = out.read_bytes().hex()
            out.unlink()
        return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}

    @unittest.skipUnless(platform.machine() == "x86_64" and has_fma(), "this processor has no FMA")
    def test_without_the_c_librarys_variants(self):
        theirs = {subprocess.run([sys.executable, "-c", THEIRS], env={**os.environ, **env}, text=True, check=True,
                                 stdout=subprocess.PIPE).stdout for env in ({}, NO_FMA)}
        if len(theirs) == 1:
            self.skipTest("this C library has no variants for processors with FMA")
        self.assertEqual(self.hashes(NO_FMA), self.hashes())

    @unittest.skipUnless(platform.machine() == "x86_64", "OPENBLAS_CORETYPE names cores of x86-64")
    def test_with_other_kernels_of_blas(self):
        self.assertEqual(self.hashes({"OPENBLAS_CORETYPE": "Prescott"}), self.hashes())

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("qemu-x86_64-static"),
                         "qemu-x86_64-static is missing: scripts/install-deps portable")
    def test_on_a_processor_without_avx(self):
        self.assertEqual(self.hashes(before=["qemu-x86_64-static", "-cpu", "Nehalem"]), self.hashes())

    if OTHER:
        def test_by_another_compiler(self):
            self.assertEqual(self.hashes(program=OTHER), self.hashes())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
