#!/usr/bin/python3
"""The list of choices in docs/paper.md is the one of the report; every claim has a test; the citation has the version.

usage: test_paper_docs.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import html
import re
import shutil
import sys
import unittest

from paper_files import PaperFolder
from program import SOURCE, answer


def without_numbers(text):
    """The tests play short runs: what they give in numbers differs, and nothing else may."""
    return re.sub(r"\d[\d,.]*(e[-+]?\d+)?", "#", text)


def rows_of_page(page):
    table = page[page.index('id="our-choices"'):]
    table = table[:table.index("</table>")]
    return [[html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row)]
            for row in re.findall(r"<tr>(.*)", table) if "<td>" in row]


def rows_of_docs(text):
    table = text[text.index("| the paper | here | sensitivity |"):].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class PaperDocs(PaperFolder):
    def test_the_choices_in_the_docs_are_those_of_the_report(self):
        out, _ = self.paper("out")
        page = rows_of_page((out / "report.html").read_text())
        docs = rows_of_docs((SOURCE / "docs" / "paper.md").read_text())
        self.assertGreater(len(page), 20)
        self.assertTrue(all(len(row) == 3 and all(row) for row in page))
        self.assertFalse([row for row in page if "not played" in row[2] and ":" in row[2].split("not played")[0]])
        self.assertEqual([row[:2] for row in page], [row[:2] for row in docs])
        self.assertEqual([without_numbers(row[2]) for row in page], [without_numbers(row[2]) for row in docs])

    def test_every_check_of_a_claim_is_fed_by_a_unit_test(self):
        checks = re.findall(r"(segue_claims_check_\w+);", (SOURCE / "src/report/claims/claims_checks.h").read_text())
        tests = "".join(p.read_text() for p in (SOURCE / "tests/unit/report").glob("test_claims_*.c"))
        self.assertGreater(len(checks), 25)
        self.assertEqual([check for check in checks if not re.search(rf"\b{check}\b", tests)], [])

    def test_the_citation_has_the_version(self):
        version = answer("version").split()[1]
        self.assertIn(f"\nversion: {version}\n", (SOURCE / "CITATION.cff").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
