#!/usr/bin/python3
"""Every command of the pages is run by a test, or is in a list below with the reason why not; what no test runs is at least
checked: targets of make, files and options exist.

usage: test_docs_commands.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import re
import shutil
import subprocess
import sys
import unittest

from program import SOURCE, answer, candidates
from test_docs import runs_here as run_by_docs
from test_service_docs import is_run as run_by_service_docs

PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "examples/README.md", SOURCE / "bindings/python/README.md",
         *sorted((SOURCE / "docs").glob("*.md"))]
PROGRAMS = {"apt", "apt-get", "awk", "bash", "cat", "cc", "cd", "chmod", "cmake", "cp", "ctest", "curl", "docker", "duckdb", "echo", "export",
            "gcc", "git", "gunzip", "gzip", "head", "install", "journalctl", "kill", "logrotate", "ls", "make", "man", "mkdir", "mpirun",
            "nginx", "openssl", "parallel", "pg_dump", "pg_restore", "pip", "psql", "python", "python3", "runuser", "sbatch", "scp",
            "sed", "segue", "seq", "sh", "sleep", "sqlite3", "srun", "ssh", "systemctl", "tail", "tar", "wget", "xargs", "xdg-open",
            "zcat"}
# Another test runs these, or what stands behind them: (page or None for all, pattern of a command or block) -> name in CTest.
RUN_BY = [
    ("cluster.md", r"seq 4 \| parallel", "recipes"),
    ("tally.md", r"^mkdir|tally", "recipes"),  # every block of it; Slurm is replaced
    ("logs.md", r"^(sqlite3|psql) .*visits ORDER BY", "recipes"),
    ("python-analysis.md", r"^make build\nPYTHONPATH", "python_analysis_same"),
    ("python.md", r"^make python", "python_docs"),
    ("cluster-service.md", r"segue serve", "serve_cluster"),
    ("cluster.md", r"mpirun|srun|segue (run|merge)", "mpi"),
    ("features.md", r"^curl", "serve_features"),
    ("library.md", r"^(cc|export|make install)|^make install", "install"),
    ("packages.md", r"^cc ", "install"),
    ("packages.md", r"^man ", "manual"),
    ("service.md", r"--tls-cert", "serve_tls"),
    ("release.md", r"^make release DRY_RUN=1", "release"),
    ("README.md", r"make install PREFIX", "install"),
    (None, r"segue serve --demo", "dashboard_api"),
    (None, r"segue paper --quick", "paper"),
    (None, r"segue run |segue plot ", "experiment"),
    ("simulate.md", r"segue plot ", "plot"),
    ("reliability.md", r"tests/test_serve_history_faults", "serve_history_faults"),
    ("quality.md", r"^tests/test_quality", "quality"),
    ("verdict.md", r"^tests/test_verdict", "verdict"),
]
# No test runs these: (page or None for all, pattern) -> why.
NOT_RUN = [
    (None, r"^(sudo )?make( |$)", "builds, packages or measures: .ci/run and people run it; its target is checked here"),
    (None, r"^\.ci/run|^cmake --preset|^fuzz/run|^scripts/", ".ci/run does it; its file is checked here"),
    (None, r"(^|/|^SEGUE_DATA=\S+ )bench/|segue bench", "measures speed or quality: minutes to hours"),
    (None, r"\$SEGUE_DATA", "reads logs that are not part of Segue; the test replay_data does where they are"),
    (None, r"postgresql://|store export --store sqlite:segue.db|apt-get install postgresql|-- (psql|createuser|createdb)|\.pgpass",
     "needs the reader's database; tests on PostgreSQL start one"),
    (None, r"^sudo |systemctl|/etc/", "needs root and systemd; the tests of the packages start what the unit starts"),
    ("logs.md", r"^duckdb|^python3 -c|decisions\.json", "needs the reader's data, in a format that other programs read"),
    ("packages.md", r"^python3 -c", "the tests of the packages import the installed package"),
    ("README.md", r"^LD_PRELOAD|^cd bindings", "needs a build with the address sanitizer, which CI tests in its own way"),
    ("rivals.md", r"^awk", "reads what the command above it wrote, after minutes"),
]


def lines_of(text):
    """Indented lines outside of blocks."""
    return re.findall(r"^    (\S.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)


def program(line):
    """The first word that is neither a setting nor sudo."""
    return re.sub(r"^(?:sudo |[A-Z_]+=(?:\$\([^)]*\)|\S)* +)*", "", line).split(" ")[0]


def is_command(line):
    word = program(line)
    return word in PROGRAMS or bool(re.fullmatch(r"[\w./-]*/[\w.-]*\w", word))


def looks_like_one(line):
    """A program of this machine, or a shell's operators; Python's examples, rows of tables, formulas and diagrams do not."""
    if re.match(r">>>|\.\.\. |[\[({\"']|\S+  +[^ #]|.*( = |-->|, such as | sum_)", line):
        return False
    return bool(re.search(r" \| | && |\$\(| --[a-z]", line) or shutil.which(program(line)))


def read(page):
    return page.read_text(encoding="utf-8").replace("\\\n", " ")


def pasted(page):
    """What a reader pastes: each block of the shell, and each indented line."""
    text = read(page)
    return re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) + [" ".join(line.split()) for line in lines_of(text) if is_command(line)]


def single(page):
    """Its commands, one by one."""
    for command in pasted(page):
        for part in re.split(r"\n|\||&&|;", re.sub(r"\s+# .*", "", command)):
            yield part.strip()


def is_run_here(page, command):
    return run_by_service_docs(page, command) or ("\n" not in command and run_by_docs(command))


class Commands(unittest.TestCase):
    maxDiff = None

    def test_each_is_run_or_listed(self):
        listed, used, unknown = RUN_BY + NOT_RUN, set(), []
        for page in PAGES:
            for command in pasted(page):
                found = [i for i, (of, pattern, _) in enumerate(listed) if of in (None, page.name) and re.search(pattern, command)]
                if is_run_here(page, command):
                    continue
                used.update(found)
                if not found:
                    unknown.append(f"{page.name}: {command}")
        self.assertEqual(unknown, [], "run them in a test, or list them with a reason")
        self.assertEqual([listed[i] for i in range(len(listed)) if i not in used], [], "no command is listed so")

    def test_each_is_recognised(self):
        """An indented line is a command if PROGRAMS has its first word, or if that is a path."""
        missed = [f"{page.name}: {line}" for page in PAGES for line in lines_of(read(page))
                  if not is_command(line) and looks_like_one(line)]
        self.assertEqual(missed, [], "add the program to PROGRAMS")

    def test_many_are_found(self):
        self.assertGreater(sum(len(pasted(page)) for page in PAGES), 100)

    def test_the_tests_that_run_them_exist(self):
        text = (SOURCE / "tests/CMakeLists.txt").read_text()
        for _, _, test in RUN_BY:
            if test.startswith("python_"):
                self.assertTrue((SOURCE / f"bindings/python/tests/test_{test.removeprefix('python_')}.py").exists(), test)
            else:
                self.assertRegex(text, rf"\b{test}\b")

    def test_targets_of_make_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.M))
        for page in PAGES:
            for command in single(page):
                if re.match(r"(sudo )?make [a-z]", command):
                    self.assertIn(program(command.replace("make ", "", 1)), targets, f"{page.name}: {command}")

    def test_files_that_are_run_exist(self):
        for page in PAGES:
            for command in single(page):
                if re.match(r"(bench|tests|fuzz|scripts|\.ci|contrib)/[\w./-]+", program(command)):
                    self.assertTrue((SOURCE / program(command)).exists(), f"{page.name}: {command}")
                built = re.match(r"build/release/(bench/\w+)$", program(command))
                if built:
                    self.assertTrue((SOURCE / f"{built[1]}.c").exists(), f"{page.name}: {command}")

    def test_options_of_segue_exist(self):
        known = {name: answer("help", name) for name in candidates("")}
        for page in PAGES:
            for command in single(page):
                found = re.match(r"(?:build/release/)?segue ([a-z]+)", command[command.find(program(command)):])
                if found:
                    self.assertIn(found[1], known, f"{page.name}: {command}")
                    for option in re.findall(r" (--[a-z][a-z-]*)", re.sub(r"'.*?'", "", command)):
                        self.assertRegex(known[found[1]], rf"{option}\b", f"{page.name}: {command}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
