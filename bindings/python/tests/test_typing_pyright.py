"""The types of the package: pyright, on the package itself and on programs that use it.

scripts/install-pyright installs pyright; without it the tests are skipped, unless SEGUE_REQUIRE_PYTHON is set.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest
from test_typing import GOOD, PACKAGE, WRONG


@pytest.fixture
def pyright(tmp_path):
    """Check files of tmp_path, which has a copy of the package; what it says."""
    program = shutil.which("pyright") or next(pathlib.Path(__file__).parents[3].glob("build/pyright/node_modules/.bin/pyright"), None)
    if not program and not os.environ.get("SEGUE_REQUIRE_PYTHON"):
        pytest.skip("pyright is not installed: run scripts/install-pyright")
    shutil.copytree(PACKAGE, tmp_path / "segue")

    def check(*targets):
        result = subprocess.run([str(program), "--pythonpath", sys.executable, *targets], capture_output=True, text=True, cwd=tmp_path)
        return result.stdout + result.stderr
    return check


def test_pyright_accepts_the_package(pyright):
    said = pyright("segue")
    assert "0 errors, 0 warnings" in said, said


def test_pyright_checks_a_program(pyright, tmp_path):
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD))
    (tmp_path / "wrong.py").write_text(textwrap.dedent(WRONG))
    assert "0 errors" in pyright("good.py")
    assert "4 errors" in pyright("wrong.py")
