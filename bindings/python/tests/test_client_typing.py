"""mypy --strict accepts the package, and a program that uses the client; it finds wrong use.
SPDX-License-Identifier: Apache-2.0"""
import os
import subprocess
import sys
import textwrap

import pytest
from served import segue

GOOD = """
    import segue
    client = segue.Client("http://localhost:8080", token="t", timeout=3)
    task = client.create("tutor", arms=["A", "B"], steps=30).task("ann", features={"age": 41})
    arm: str = task.ask(exclude={"A"}).arm
    ids: list[str] = [decision.id for decision in task.ask(count=3)]
    total: float | None = task.tell(ids[0], 1).total
    statuses: list[str] = [result.status for result in client.tell_many([(ids[1], 0.5), (ids[2], 1, "e")])]
    client.tell_later(ids[0], 1)
    waiting: int = client.flush().waiting

    async def main() -> str:
        async with segue.AsyncClient("http://localhost:8080") as other:
            decision = await other.learner("tutor").task("ann").ask()
            return (await decision.tell(1)).status
    """
BAD = ["task.ask(count=3).arm", "client.tell(3, 1)", "client.tell_later(ids[0], 'much')", "segue.Client(8080)"]


def check(tmp_path, program):
    pytest.importorskip("mypy", reason="mypy is missing")
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    environment, package = dict(os.environ), os.path.dirname(os.path.dirname(os.path.abspath(segue.__file__)))
    if "site-packages" not in package:  # mypy finds an installed package by its py.typed
        environment["MYPYPATH"] = package
    cache = os.environ.get("SEGUE_MYPY_CACHE", tmp_path.parent / "mypy")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), str(path)],
                          env=environment, capture_output=True, text=True, timeout=120)


def test_a_program_and_what_it_imports(tmp_path):
    good = check(tmp_path, GOOD)
    assert good.returncode == 0, good.stdout
    bad = check(tmp_path, GOOD + "".join(f"\n    {wrong}" for wrong in BAD))
    lines = {int(line.split(":")[1]) for line in bad.stdout.splitlines() if ": error:" in line}
    assert lines == set(range(max(lines) - len(BAD) + 1, max(lines) + 1)), bad.stdout
