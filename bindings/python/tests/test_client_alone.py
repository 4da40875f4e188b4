"""The client works without the extension of the package; what needs it says so.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import shutil
import subprocess
import sys

from served import segue, service  # noqa: F401

PROGRAM = """
import sys, segue
decision = segue.Client(sys.argv[1]).create("tutor", arms=["A", "B"]).task("ann").ask()
assert decision.tell(1).status == "counted"
try:
    decision.tell(0)
except segue.Error as error:
    assert error.status == 409
try:
    segue.Client(sys.argv[1]).learner("none").info
except KeyError as error:
    assert str(error).startswith("there is no learner 'none'")
try:
    segue.Learner(["A", "B"])
except ImportError as error:
    print(error)
"""


def test_a_package_without_its_extension(service, tmp_path):
    shutil.copytree(pathlib.Path(segue.__file__).parent, tmp_path / "segue", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    ended = subprocess.run([sys.executable, "-c", PROGRAM, service.url], env={**os.environ, "PYTHONPATH": str(tmp_path)},
                           capture_output=True, text=True, timeout=60)
    assert ended.stderr == "" and ended.returncode == 0
    assert ended.stdout.startswith("segue.Learner needs the extension of the package (No module named 'segue._segue'); build it with 'make python'")
