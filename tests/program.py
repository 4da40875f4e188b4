"""What the tests of the program share: running it, and folders to run it in.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SEGUE = str(pathlib.Path(sys.argv[1]).resolve())
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PAPER = str(SOURCE / "models" / "paper.csv")


def add_skip(result, test, reason, add=unittest.TextTestResult.addSkip):
    """unittest prints 's'; scripts/run-tests shows such lines."""
    add(result, test, reason)
    result.stream.write(f"\nskipped: {test.id().removeprefix('__main__.')}: {reason}\n")


unittest.TextTestResult.addSkip = add_skip


def run(*args, **kwargs):
    """Run segue; returns the finished process with texts."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([SEGUE, *map(str, args)], stderr=subprocess.PIPE, text=True,
                          stdin=kwargs.pop("stdin", subprocess.DEVNULL), timeout=300, **kwargs)


def answer(*args):
    """What segue prints when it must succeed."""
    done = run(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def candidates(*typed):
    """What completion offers for the last of these words after `segue`."""
    return [line.split("\t")[0] for line in answer("help", "--complete", *typed).splitlines()]


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        self.addCleanup(self.holder.cleanup)

    def file(self, text, name="set.csv"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o600)  # as files of tokens must be
        return str(path)

    def refused(self, code, says, *args, **kwargs):
        """Refused with this exit code, one sentence that says so, and nothing on stdout."""
        done = run(*args, **kwargs)
        context = f"{args}: exit {done.returncode}, {done.stderr!r}"
        self.assertEqual(done.returncode, code, context)
        self.assertTrue(done.stderr.startswith("segue: "), context)
        self.assertEqual(done.stderr.count("\n"), 1, context)
        self.assertIn(says, done.stderr, context)
        self.assertFalse(done.stdout, context)
