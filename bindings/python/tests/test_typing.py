"""The types of the package: mypy --strict, on the package itself and on programs that use it; test_typing_pyright.py has pyright.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
import segue

PACKAGE = pathlib.Path(segue.__file__).parent
GOOD = """
    import segue
    learner = segue.Learner(["a", "b"], steps=30, method="tla", cap=5)
    with learner.task({"grade": 3, "school": "north"}, costs={"a": 0.1}) as task:
        arm: str = task.ask(exclude={"b"})
        task.tell(arm, 1)
        arms = task.ask(8)
        index: int = arms[0]
        task.tell_many(arms, [0.5] * 8)
        share: float = task.probabilities()["a"] + task.explain().types[0] + index
    best: dict[str, float] = learner.types[0].means
    number, name, weight, means, low, high = learner.types[0]
    best = means if weight > 0.5 else best
    learner.merge(segue.load("file"))
"""
WRONG = """
    import segue
    segue.Learner(["a", "b"], steps="30")
    segue.Learner(["a", "b"]).task().ask() + 1
    segue.Learner(["a", "b"]).task().tell("a")
    segue.Learner(["a", "b"]).types[0]._asdict()
"""


def environment():
    """mypy finds an installed package by its py.typed, and another one by its path."""
    return dict(os.environ) if "site-packages" in PACKAGE.parts else {**os.environ, "MYPYPATH": str(PACKAGE.parent)}


def mypy(path, *targets):
    pytest.importorskip("mypy")
    cache = os.environ.get("SEGUE_MYPY_CACHE", path.parent / "mypy")  # also of other tests: it is slow without
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *map(str, targets)],
                          capture_output=True, text=True, env=environment(), cwd=path)


def test_the_package_is_typed(tmp_path):
    result = mypy(tmp_path, "-p", "segue")
    assert result.returncode == 0, result.stdout


def test_a_program_is_checked(tmp_path):
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD))
    (tmp_path / "wrong.py").write_text(textwrap.dedent(WRONG))
    assert mypy(tmp_path, "good.py").returncode == 0
    assert mypy(tmp_path, "wrong.py").stdout.count("error:") == 4


def test_the_stub_is_the_module(tmp_path):
    """_segue.pyi has every name, argument and attribute of the extension, and no others."""
    pytest.importorskip("mypy")
    (tmp_path / "known").write_text("segue._segue.Task.ask\n")  # stubtest takes `/` of its overloads for a difference
    result = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--allowlist", str(tmp_path / "known"), "segue._segue"],
                            capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert result.returncode == 0, result.stdout
