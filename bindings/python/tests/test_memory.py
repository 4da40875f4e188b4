"""No leak, no reference left, and no crash where memory runs out: scenario.py, in processes of their own.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import subprocess
import sys

import pytest
import segue

SCENARIO = pathlib.Path(__file__).parent / "scenario.py"
CYCLES = os.environ.get("SEGUE_CYCLES", "30000")


def run(python, *arguments, **environment):
    result = subprocess.run([python, str(SCENARIO), *arguments], env={**os.environ, **environment}, capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)


def test_cycles_run_in_constant_memory():
    run(sys.executable, "memory", CYCLES)


def test_every_allocation_fails_in_turn():
    shim = os.environ.get("SEGUE_FAILING_MALLOC")
    if not shim or not os.path.exists(shim):
        pytest.skip("no failing_malloc.so: a wheel does not carry it")
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the address sanitizer has a malloc of its own")
    run(sys.executable, "allocations", LD_PRELOAD=shim, PYTHONMALLOC="malloc")


def test_no_reference_is_left(tmp_path):
    python, extension = os.environ.get("SEGUE_PYTHON_DEBUG"), os.environ.get("SEGUE_DEBUG_EXTENSION")
    if not python or not extension:
        pytest.skip("no debug build of Python (python3-dbg)")
    package = tmp_path / "segue"
    package.mkdir()
    for file in pathlib.Path(segue.__file__).parent.glob("*.py"):
        (package / file.name).symlink_to(file)
    (package / "_segue.abi3.so").symlink_to(pathlib.Path(extension) / "_segue.abi3.so")
    run(python, "references", PYTHONPATH=str(tmp_path))
