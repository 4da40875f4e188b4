"""Learner files: the same bytes as those of the program, in both directions.
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import os
import pathlib
import re
import subprocess

import pytest
import segue
from clib import CLearner

LOG = pathlib.Path(__file__).parents[3] / "logs/tutor.csv"


def run(*arguments):
    return subprocess.run([os.environ["SEGUE"], *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def read_log():
    """The rewards per task, and the arms, in the order of the log."""
    tasks, arms = {}, {}
    with open(LOG, newline="") as file:
        for row in csv.DictReader(file):
            arms.setdefault(row["arm"])
            tasks.setdefault(row["task"], []).append((row["arm"], float(row["reward"])))
    return tasks, list(arms)


def test_learns_from_a_log_what_the_program_learns(tmp_path):
    tasks, arms = read_log()
    run("learn", LOG, "--out", tmp_path / "c", "--steps", 30, "--order", "file")
    learner = segue.Learner(arms, steps=30)
    for rewards in tasks.values():
        with learner.task() as task:
            task.tell_many([arm for arm, _ in rewards], [reward for _, reward in rewards])
    learner.refit()
    assert len(segue.load(tmp_path / "c").types) == len(learner.types) == 3
    assert learner.to_bytes() == (tmp_path / "c").read_bytes()


def test_a_file_goes_to_c_and_back(tmp_path):
    learner = segue.Learner(["ä", "b"], steps=20)
    learner.save(tmp_path / "python")
    other = CLearner(tmp_path / "python", 2)
    for _ in range(10):
        task = other.task()
        for _ in range(20):
            task.tell(task.ask(), 1.0)
        task.close()
        with learner.task() as mine:
            for _ in range(20):
                mine.tell(mine.ask(), 1)
    other.save(tmp_path / "c")
    other.destroy()
    loaded = segue.load(os.fspath(tmp_path / "c"))
    assert loaded.arms == ("ä", "b") and loaded.to_bytes() == learner.to_bytes() == (tmp_path / "c").read_bytes()


def test_a_service_starts_from_a_file_of_python(tmp_path):
    learner = segue.Learner(["a", "b"], steps=20)
    for number in range(20):
        with learner.task() as task:
            task.tell_many(["a", "b"] * 10, [number % 2, 1 - number % 2] * 10)
    learner.save(tmp_path / "learner")
    service = subprocess.Popen([os.environ["SEGUE"], "serve", "--store", tmp_path / "store.db", "--listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        url = None
        while not url:
            line = service.stdout.readline()
            assert line, "the service ended"
            url = re.search(r"http://[\d.]+:\d+", line)
        run("learners", "tutor", "--from", tmp_path / "learner", "--url", url[0])
        shown = json.loads(run("learners", "tutor", "--url", url[0]))
        assert [arm["name"] if isinstance(arm, dict) else arm for arm in shown["arms"]] == ["a", "b"]
    finally:
        service.terminate()
        service.wait(10)


@pytest.mark.parametrize("size", [0, 1, 20, 100, -1])
def test_a_truncated_file_is_rejected(tmp_path, size):
    data = segue.Learner(["a", "b"]).to_bytes()
    (tmp_path / "cut").write_bytes(data[:size])
    with pytest.raises(OSError, match="cut"):
        segue.load(tmp_path / "cut")
    with pytest.raises(OSError):
        segue.from_bytes(memoryview(data)[:size])


def test_arms_without_names_get_numbers(tmp_path):
    """A program in C may save a learner without names: they are "1", "2", ... as the program shows them."""
    other = CLearner.__new__(CLearner)
    learner = segue.Learner(["x", "y"])
    learner.save(tmp_path / "named")
    CLearner.__init__(other, tmp_path / "named", 2)
    other.library.segue_learner_name_arms.argtypes = [type(other.handle)] * 3
    other.check(other.library.segue_learner_name_arms(other.handle, None, None))
    other.save(tmp_path / "plain")
    other.destroy()
    assert segue.load(tmp_path / "plain").arms == ("1", "2")
