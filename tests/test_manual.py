#!/usr/bin/python3
"""The manual pages of the library: every function has one, and they say what the headers say.

usage: test_manual.py MAN3 LIBRARY SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PAGES, LIBRARY, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
HEADERS = SOURCE / "include/segue"


def exported():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {line.split()[2] for line in lines.splitlines()}


def page(name):
    """The page that `man NAME` shows: a link is one line."""
    text = (PAGES / f"{name}.3").read_text()
    link = re.match(r"\.so man3/(.*)\n$", text)
    return (PAGES / link[1]).read_text() if link else text


def write(headers, scdoc="scdoc"):
    """Run the script on a folder of headers."""
    with tempfile.TemporaryDirectory() as out:
        return subprocess.run([sys.executable, SOURCE / "docs/man/api_pages.py", headers, out, scdoc],
                              capture_output=True, text=True, check=False)


class Manual(unittest.TestCase):
    def test_every_exported_function_has_a_page_with_its_description(self):
        functions = exported()
        self.assertGreater(len(functions), 100)
        for name in functions:
            section = re.search(rf'^\.SS [^\n]*\b{name}\b[^\n]*\n(.*?)(?=^\.S[SH])', page(name), re.S | re.M)
            self.assertTrue(section, f"{name} has no section in its page")
            self.assertIn(f"{name}(", section[1], "its prototype")
            text = section[1].split(".fi\n", 1)[1]
            self.assertTrue(re.search(r"^[A-Za-z][^\n]* ", text, re.M), f"{name} has no description")

    def test_no_page_is_of_something_that_does_not_exist(self):
        names = {path.stem for path in PAGES.glob("*.3")}
        headers = {"segue"} | {f"segue_{path.stem}" for path in HEADERS.glob("*.h")}
        declared = set(re.findall(r"static inline [^;{]*?\b(segue_\w+)\(", "".join(p.read_text() for p in HEADERS.glob("*.h"))))
        self.assertEqual(names - headers - exported() - declared, set())

    def test_statuses_of_a_function_are_in_its_page(self):
        text = page("segue_task_tell")
        self.assertIn("SEGUE_EDOMAIN", text)
        self.assertIn("there is no such arm, or the reward is not in the range of the task", " ".join(text.split()))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_pages_are_valid(self):
        for path in sorted(PAGES.glob("*.3")):
            if not path.read_text().startswith(".so"):
                said = subprocess.run(["mandoc", "-Tlint", "-Werror", path], capture_output=True, text=True, check=False)
                self.assertEqual(said.stdout, "", path.name)

    def test_a_function_without_a_comment_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "thing.h"
            header.write_text("/* thing.h - a thing. */\n\n/** Do it. */\nSEGUE_API int segue_thing_do(void);\n")
            self.assertEqual(write(folder).returncode, 0)
            header.write_text(header.read_text() + "\nSEGUE_API int segue_thing_undo(void);\n")
            said = write(folder)
            self.assertNotEqual(said.returncode, 0)
            self.assertIn("thing.h:6: 'segue_thing_undo' has no comment", said.stderr)
            header.write_text("int x;\n")
            self.assertIn("has no opening comment", write(folder).stderr)

    def test_a_page_that_scdoc_refuses_is_an_error(self):
        self.assertNotEqual(write(HEADERS, "false").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
