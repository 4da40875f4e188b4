"""No leak, no reference left, and no crash where memory runs out: scenario.py, in processes of their own.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import subprocess
import sys

import pytest
import segue
from scenario_analysis import PARTS

SCENARIO = pathlib.Path(__file__).parent / "scenario.py"
CYCLES = os.environ.get("SEGUE_CYCLES", "30000")


def run(python, *arguments, **environment):
    result = subprocess.run([python, str(SCENARIO), *arguments], env={**os.environ, **environment}, capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)


def test_cycles_run_in_constant_memory():
    run(sys.executable, "memory", CYCLES)


# Replay takes up to a minute where all its allocations fail in turn: only each of so many does, unless another step is set.
STEPS = {part: os.environ.get("SEGUE_ALLOCATION_STEP", step) for part, step in {"replay": "23", "replay_rows": "7"}.items()}


def failing_malloc():
    shim = os.environ.get("SEGUE_FAILING_MALLOC")
    if not shim or not os.path.exists(shim):
        pytest.skip("no failing_malloc.so: a wheel does not carry it")
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the address sanitizer has a malloc of its own")
    return {"LD_PRELOAD": shim, "PYTHONMALLOC": "malloc"}


@pytest.mark.parametrize("part", ["learner", *PARTS])
def test_every_allocation_fails_in_turn(part):
    run(sys.executable, "allocations", part, STEPS.get(part, "1"), **failing_malloc())


@pytest.fixture(scope="module")
def debug(tmp_path_factory):
    """The debug build of Python, and the folder of the package with the extension for it (checked_api.h)."""
    python, extension = os.environ.get("SEGUE_PYTHON_DEBUG"), os.environ.get("SEGUE_DEBUG_EXTENSION")
    if not python or not extension:
        pytest.skip("no debug build of Python (python3-dbg)")
    folder = tmp_path_factory.mktemp("debug")
    package = folder / "segue"
    package.mkdir()
    for file in pathlib.Path(segue.__file__).parent.glob("*.py"):
        (package / file.name).symlink_to(file)
    (package / "_segue.abi3.so").symlink_to(pathlib.Path(extension) / "_segue.abi3.so")
    return python, str(folder)


@pytest.mark.parametrize("part", ["learner", *PARTS])
def test_no_reference_is_left(debug, part):
    python, folder = debug
    run(python, "references", part, PYTHONPATH=folder)


@pytest.mark.parametrize("part", [part for part in PARTS if part != "simulate_own"])
def test_no_call_with_an_exception_set(debug, part):
    python, folder = debug
    run(python, "native", part, STEPS.get(part, "1"), PYTHONPATH=folder, **failing_malloc())
