#!/usr/bin/python3
"""scripts/release refuses what is not ready, each check alone, and makes nothing then.

usage: test_release.py SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
IDENTITY = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", "test"), ("EMAIL", "test@example.org"))}


class Release(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        (self.root / "scripts").mkdir()
        (self.root / "debian").mkdir()
        shutil.copy(SOURCE / "scripts/release", self.root / "scripts/release")
        self.write(".gitignore", "/build/\n")
        self.write("CMakeLists.txt", "project(segue VERSION 0.3.1 LANGUAGES C\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## 0.3.1 (2030-01-02)\n\n## 0.3.0 (2029-01-02)\n")
        self.write("CITATION.cff", "cff-version: 1.2.0\nversion: 0.3.1\n")
        self.write("debian/changelog", "segue (0.3.1) unstable; urgency=medium\n")
        self.write("debian/control", "Source: segue\n\nPackage: libsegue0.3\n")
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        (self.root / name).write_text(text)

    def git(self, *arguments):
        done = subprocess.run(["git", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", *arguments], cwd=self.root,
                              env={**os.environ, **IDENTITY}, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self):
        """Commit everything, and note that it passed."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "test")
        (self.root / "build").mkdir(exist_ok=True)
        self.write("build/ci-passed", self.git("rev-parse", "HEAD") + "\n")

    def release(self, *arguments):
        return subprocess.run([self.root / "scripts/release", *arguments], capture_output=True, text=True, check=False)

    def refused(self, message):
        for arguments in (("--dry-run",), ()):
            done = self.release(*arguments)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual([line for line in done.stderr.splitlines() if message in line], done.stderr.splitlines()[:-1])
            self.assertIn("is not ready; nothing was made", done.stderr)
        self.assertEqual([path.name for path in (self.root / "build").iterdir() if path.is_dir() and path.name != "release-0.3.1"], [])

    def test_a_dry_run_of_what_is_ready_makes_nothing(self):
        done = self.release("--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("the tag v0.3.1", done.stdout)
        self.assertEqual(os.listdir(self.root / "build"), ["ci-passed"])
        self.assertEqual(self.git("tag"), "")

    def test_a_changed_tree(self):
        self.write("new.txt", "")
        self.refused("the tree has changes")

    def test_an_unreleased_changelog(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## 0.3.1 (unreleased)\n")
        self.commit()
        self.refused("the first entry of CHANGELOG.md is '## 0.3.1 (unreleased)'")

    def test_a_changelog_without_the_version(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## 0.3.0 (2029-01-02)\n")
        self.commit()
        self.refused("need '## 0.3.1 (YEAR-MONTH-DAY)'")

    def test_other_versions(self):
        for name, old, new, message in (
                ("CITATION.cff", "0.3.1", "0.3.0", "CITATION.cff has version '0.3.0'; need 0.3.1"),
                ("debian/changelog", "(0.3.1)", "(0.3.0)", "debian/changelog has version '0.3.0'"),
                ("debian/changelog", "unstable", "UNRELEASED", "debian/changelog is for 'UNRELEASED'"),
                ("debian/control", "libsegue0.3", "libsegue0.2", "debian/control has no package libsegue0.3")):
            text = (self.root / name).read_text()
            self.write(name, text.replace(old, new))
            self.commit()
            self.refused(message)
            self.write(name, text)
            self.commit()

    def test_a_tag_that_exists(self):
        self.git("tag", "v0.3.1")
        self.refused("the tag v0.3.1 exists")

    def test_tests_that_passed_on_another_commit(self):
        self.git("commit", "-q", "--allow-empty", "-m", "later")
        self.refused("the tests have not passed on this commit")

    def test_a_folder_that_exists(self):
        (self.root / "build/release-0.3.1").mkdir()
        self.refused("build/release-0.3.1 exists")

    def script(self, name, text):
        self.write(name, "#!/bin/sh\n" + text)
        (self.root / name).chmod(0o755)

    def builders(self, deb):
        """The scripts that build, which write small files here."""
        self.script("scripts/install-deps", "exit 0\n")
        self.script("scripts/make-deb", f'mkdir -p "$1" && echo package > "$1/segue_0.3.1_amd64.deb" && echo log > "$1/build.log"\n{deb}\n')
        self.write("Makefile", "python:\n\tmkdir -p build/wheel && echo wheel > build/wheel/segue-0.3.1.whl\n")
        self.commit()

    def test_a_release_has_archive_packages_checksums_and_tag(self):
        self.builders("exit 0")
        done = self.release()
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.root / "build/release-0.3.1"
        names = sorted(os.listdir(folder))
        self.assertEqual(names, ["SHA256SUMS", "segue-0.3.1.tar.gz", "segue-0.3.1.whl", "segue_0.3.1_amd64.deb"])
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)
        self.assertEqual(len((folder / "SHA256SUMS").read_text().splitlines()), 3)
        listed = subprocess.run(["tar", "-tzf", folder / "segue-0.3.1.tar.gz"], capture_output=True, text=True, check=True).stdout
        self.assertIn("segue-0.3.1/CMakeLists.txt\n", listed)
        self.assertEqual(self.git("rev-parse", "v0.3.1^{commit}"), self.git("rev-parse", "HEAD"))

    def test_a_build_that_fails_leaves_neither_folder_nor_tag(self):
        for failure in ("exit 1", "echo > new.txt"):  # the second changes the tree
            self.builders(failure)
            self.assertNotEqual(self.release().returncode, 0)
            self.assertFalse((self.root / "build/release-0.3.1").exists())
            self.assertEqual(self.git("tag"), "")

    def test_an_unknown_option(self):
        self.assertEqual(self.release("--now").returncode, 2)

    def test_the_versions_of_this_tree_are_equal(self):
        if not (SOURCE / ".git").exists():
            self.skipTest("this tree is not a git repository")
        said = subprocess.run([SOURCE / "scripts/release", "--dry-run"], capture_output=True, text=True, check=False).stderr
        self.assertNotIn("has version", said)
        self.assertNotIn("has no package", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
