#!/usr/bin/python3
"""The tables of src/core/math are what scripts/make-math-tables writes.

usage: test_math_tables.py SOURCE
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: python3-mpmath is missing: scripts/install-deps portable")
    sys.exit(77)

source = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([source / "scripts" / "make-math-tables", folder], check=True)
    written = sorted(pathlib.Path(folder).iterdir())
    assert len(written) == 6, written
    for file in written:
        committed = source / "src" / "core" / "math" / file.name
        assert committed.read_text() == file.read_text(), f"{committed.name} differs: run scripts/make-math-tables"
print("the tables are those of the script")
