"""The types of the package: mypy --strict and pyright, on the package itself and on programs that use it.

scripts/install-pyright installs pyright; without it its tests are skipped, unless SEGUE_REQUIRE_PYTHON is set.
SPDX-License-Identifier: Apache-2.0"""
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest
import segue
from segue import _segue

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
    learner.merge(segue.load("file"))
"""
WRONG = """
    import segue
    segue.Learner(["a", "b"], steps="30")
    segue.Learner(["a", "b"]).task().ask() + 1
    segue.Learner(["a", "b"]).task().tell("a")
"""


def mypy(path, *targets):
    pytest.importorskip("mypy")
    environment = dict(os.environ)
    if "site-packages" not in PACKAGE.parts:  # mypy finds an installed package by its py.typed
        environment["MYPYPATH"] = str(PACKAGE.parent)
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(path / "cache"), *map(str, targets)],
                          capture_output=True, text=True, env=environment, cwd=path)


def test_the_package_is_typed(tmp_path):
    result = mypy(tmp_path, "-p", "segue")
    assert result.returncode == 0, result.stdout


def test_a_program_is_checked(tmp_path):
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD))
    (tmp_path / "wrong.py").write_text(textwrap.dedent(WRONG))
    assert mypy(tmp_path, "good.py").returncode == 0
    assert mypy(tmp_path, "wrong.py").stdout.count("error:") == 3


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
    assert "3 errors" in pyright("wrong.py")


def test_the_stub_has_every_name():
    """Every public name of the extension and of its classes stands in _segue.pyi."""
    stub = (PACKAGE / "_segue.pyi").read_text()
    for name, thing in vars(_segue).items():
        if name.startswith("_") and name != "__version__":
            continue
        assert f" {name}" in stub or stub.startswith(name) or f"\n{name}:" in stub, name
        if inspect.isclass(thing) and not issubclass(thing, (BaseException, tuple)):
            for member in vars(thing):
                assert member.startswith("__") or f"def {member}(" in stub, f"{name}.{member}"
