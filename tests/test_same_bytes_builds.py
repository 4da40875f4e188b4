#!/usr/bin/python3
"""1,000 tasks of 19 learners have the same bytes from every compiler, level of optimisation and processor: the
library's sources are compiled again by gcc and clang, with -O2 and -O3, with and without AVX2 and FMA, and for
arm64, which qemu runs.  What is missing is skipped, and said; `scripts/install-deps portable` installs it.

usage: test_same_bytes_builds.py BUILD SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
sys.argv[1:3] = [str(BUILD / "segue"), str(SOURCE)]  # where program.py looks for them
import program  # noqa: E402,F401 - shows skipped tests

FLAGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-DNDEBUG"]
FOLDERS = ["core", "bandit", "estimate", "theory", "transfer", "sim"]  # libsegue
DRIVER = [SOURCE / "tests/same_bytes/driver.c", SOURCE / "tests/same_bytes/no_blas.c"]
V3 = {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"}


def include_flags():
    """The library's folders, and the headers of BLAS, which are the same for all processors."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    blas = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CBLAS_INCLUDE_DIR:"))
    return [f"-I{SOURCE / 'include'}", f"-I{SOURCE / 'src'}", "-idirafter", blas]


def has_v3():
    cpu = pathlib.Path("/proc/cpuinfo")
    flags = cpu.read_text().split("flags", 1)[-1].split("\n", 1)[0].split() if cpu.exists() else []
    return V3 <= set(flags)


def compile_one(command, file, folder):
    out = folder / (str(file).replace("/", "_") + ".o")
    launcher = [os.environ["CMAKE_C_COMPILER_LAUNCHER"]] if os.environ.get("CMAKE_C_COMPILER_LAUNCHER") else []
    subprocess.run([*launcher, *command, *FLAGS, *include_flags(), "-c", str(file), "-o", str(out)], check=True)
    return str(out)


def run_driver(folder, before=()):
    done = subprocess.run([*before, str(folder / "driver"), str(folder / "learner.segue")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class Builds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The library as it is built."""
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        subprocess.run(["cc", *FLAGS, *include_flags(), "-o", str(cls.folder / "driver"), *map(str, DRIVER),
                        str(BUILD / "libsegue.a"), "-lm", "-lpthread"], check=True)
        cls.expected = run_driver(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def check_build(self, compiler, before=(), link=()):
        command = shlex.split(compiler)
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is missing: scripts/install-deps lint portable")
        files = [file for folder in FOLDERS for file in sorted((SOURCE / "src" / folder).rglob("*.c"))]
        with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            folder = pathlib.Path(name)
            objects = list(pool.map(lambda file: compile_one(command, file, folder),
                                    [*files, BUILD / "version.c", *DRIVER]))
            subprocess.run([*command, *link, "-o", str(folder / "driver"), *objects, "-lm", "-lpthread"], check=True)
            self.assertEqual(run_driver(folder, before), self.expected)

    def test_gcc_with_less_optimisation(self):
        self.check_build("gcc -O2")

    def test_clang(self):
        self.check_build("clang -O2")

    @unittest.skipUnless(has_v3(), "this processor has no AVX2 and FMA")
    def test_clang_for_processors_with_fma(self):
        self.check_build("clang -O3 -march=x86-64-v3")

    @unittest.skipUnless(shutil.which("qemu-aarch64-static") or platform.machine() == "aarch64",
                         "qemu-aarch64-static is missing: scripts/install-deps portable")
    def test_arm64(self):
        self.check_build("aarch64-linux-gnu-gcc -O2",
                         before=["qemu-aarch64-static"] if platform.machine() != "aarch64" else [], link=["-static"])

    def test_all_learners_played(self):
        self.assertEqual(len(self.expected), 19)
        self.assertEqual(len({line.split()[2] for line in self.expected}), 19)  # no two have the same pulls


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
