#!/usr/bin/python3
"""Every command of README and docs is run by a test, or is in the list below with the reason why not.

usage: test_docs_commands.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import sys
import unittest

from test_docs import runs_here as run_by_docs
from test_service_docs import starts_a_service as run_by_service_docs

SOURCE = pathlib.Path(sys.argv[2]).resolve()
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
TOOLS = (r"(?:sudo |[A-Z_]+=\S+ )*(?:(?:\S*/)?(?:segue|make|python3?|mpirun|psql|pg_dump|pg_restore|awk|curl|man|apt-get)(?=\s|$)"
         r"|(?:build/release/)?(?:bench|tests|fuzz|scripts)/\S+)")
# Commands of these blocks, which a test takes from the page: (page, text of the block) -> test.
RUN_AS_BLOCKS = {
    ("cluster.md", "seq 4 | parallel"): "recipes",
    ("tally.md", "tally"): "recipes",  # every block of it; Slurm is replaced
}
# No test runs these as they stand: (page or None for all, pattern of the command) -> why.
NOT_RUN = [
    (None, r"^make (?!install)|sudo make|^mpirun -n 64 .*machines", "builds, packages or machines: make and CI run what stands behind it"),
    (None, r"\bmake install\b", "the test install installs into a folder of its own and compiles the examples"),
    (None, r"(^|/)bench/|segue bench|^tests/test_", "measures speed or quality: minutes to hours"),
    (None, r"\$SEGUE_DATA", "reads logs that are not part of Segue; the test replay_data does where they are"),
    (None, r"postgresql://|^pg_|store export --store sqlite:segue.db|apt-get install postgresql|-- psql", "needs the reader's database; tests on PostgreSQL start one"),
    (None, r"sudo|^man |systemctl|/etc/|/var/lib/|\bdecide\.example\b|tls-cert", "needs root, systemd or a host of the reader"),
    (None, r"segue serve --demo", "runs until it is stopped; the tests of the dashboard start it"),
    ("cluster-service.md", r"^(segue|curl|apt-get)", "needs PostgreSQL and nginx; the test serve_cluster starts three servers"),
    ("cluster.md", r"^(mpirun|segue)", "needs several machines or Slurm; the tests mpi and shards run the same commands here"),
    ("logs.md", r"^psql|^python3 -c|decisions\.json|standard input", "needs the reader's data; the test recipes runs the database"),
    ("features.md", r"^curl", "a request to a learner with features; the test serve_features sends such requests"),
    ("service.md", r"^(curl|segue)", "parts of a session; the tests production, serve_aggregate, serve_restore and serve_types send the same requests"),
    ("python.md", r"^make python", "the tests python_docs and python_notebooks run the page's Python"),
    ("python-analysis.md", r"^make|^PYTHONPATH", "the test python_analysis_same runs the page's Python"),
    ("python-client.md", r"^make|^build/release/segue serve|^PYTHONPATH", "the test python_client_doctest runs the page's Python"),
    ("packages.md", r"python3 -c", "the tests of the packages import the installed package"),
    ("paper.md", r"segue paper", "the test paper runs the command in a folder of its own"),
    ("README.md", r"segue paper", "the test paper runs the command in a folder of its own"),
    ("rivals.md", r"^awk", "reads what the command above it wrote, after minutes"),
    (None, r"segue (run|plot) ", "the tests experiment and plot run such commands, on smaller experiments"),
]


def pasted(page):
    """The commands of a page: indented, or in a block of the shell."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    indented = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines = [line for line in re.findall(r"^    (\S.*)$", indented, re.M) if not run_by_docs(line)]
    for block in blocks:
        if not run_by_service_docs(block) and not any(page.name == of and part in block for of, part in RUN_AS_BLOCKS):
            lines += block.splitlines()
    return [" ".join(line.split()) for line in lines if re.match(TOOLS, line)]


class Commands(unittest.TestCase):
    def test_each_is_run_or_listed(self):
        used, unknown = set(), []
        for page in PAGES:
            for command in pasted(page):
                found = [i for i, (of, pattern, _) in enumerate(NOT_RUN) if of in (None, page.name) and re.search(pattern, command)]
                used.update(found)
                if not found:
                    unknown.append(f"{page.name}: {command}")
        self.assertEqual(unknown, [], "run them in a test, or list them with a reason")
        self.assertEqual([NOT_RUN[i] for i in range(len(NOT_RUN)) if i not in used], [], "no command is listed so")

    def test_many_are_found(self):
        self.assertGreater(sum(len(pasted(page)) for page in PAGES), 50)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
