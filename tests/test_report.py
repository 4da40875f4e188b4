#!/usr/bin/python3
"""The report in a real browser: every figure is there, nothing overflows, the console is empty.

Exit code 77, 'skipped', where there is no Chromium or no gnuplot.

usage: test_report.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import shutil
import sys
import tempfile
import unittest

from browser import CHROMIUM, Browser
from program import answer
from paper_files import tiny_experiments


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.holder.cleanup)
        folder = pathlib.Path(cls.holder.name)
        answer("paper", "--experiments", tiny_experiments(folder), "--out", folder / "out")
        cls.page = folder / "out" / "report.html"
        cls.figures = sorted((folder / "out" / "figures").glob("*.gp"))
        cls.browser = Browser(cls.holder.name)
        cls.addClassCleanup(cls.browser.close)

    def test_figures_layout_and_console_at_every_width(self):
        for width, mobile in [(1280, False), (768, True), (390, True), (320, True)]:
            with self.subTest(width=width):
                self.browser.open(self.page.as_uri(), width, mobile)
                sizes = self.browser.value(
                    "[...document.querySelectorAll('figure img')].map(i => [i.naturalWidth, i.getBoundingClientRect().width])")
                self.assertEqual(len(sizes), len(self.figures))
                for natural, shown in sizes:
                    self.assertEqual(natural, 400 if width <= 600 else 760)
                    self.assertGreater(shown, 250)
                overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                self.assertEqual(self.browser.value(overflow), 0)
                wide = self.browser.value(
                    "[...document.body.querySelectorAll('*')].filter(e => !e.closest('.table') &&"
                    " e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))")
                self.assertEqual(wide, [])
                self.assertEqual(self.browser.complaints, [])

    def test_every_link_leads_somewhere(self):
        self.browser.open(self.page.as_uri(), 1280, False)
        lost = self.browser.value("[...document.links].map(a => a.getAttribute('href')).filter(h => "
                                  "!h.startsWith('#') || !document.getElementById(h.slice(1)))")
        self.assertEqual(lost, [])
        self.assertGreater(self.browser.value("document.links.length"), 10)
        self.assertEqual(self.browser.value("[...document.images].filter(i => i.alt.length < 20).length"), 0)

    def test_a_complaint_would_be_seen(self):
        self.browser.open(self.page.as_uri(), 1280, False)
        self.browser.value("console.error('seen')")
        self.browser.value("1")
        self.assertEqual(len(self.browser.complaints), 1)
        self.browser.complaints.clear()


if __name__ == "__main__":
    if not CHROMIUM or not shutil.which("gnuplot"):
        print("skipped: no Chromium, or no gnuplot, is installed; 'scripts/install-deps browser' installs both")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
