"""One vocabulary for the library and the service: the same lines, and what a first reader types.
SPDX-License-Identifier: Apache-2.0"""
import pickle

import pytest
from commands import PAPER, TUTOR
from served import PROGRAM, TOKEN, Restarting, client, segue, service  # noqa: F401

ARMS = ["video", "quiz", "game"]


def play(task, reward=1.0):
    """Lines that a task of the library and one of the service both understand."""
    with task:
        arm = task.ask()
        task.tell(arm, reward)
        other = task.ask(exclude={"game"})
        assert str(arm) in ARMS and str(other) in ("video", "quiz")
        task.tell(other, 0)
        assert len(task.ask(8)) == 8
        with pytest.raises(ValueError, match="the reward is 7; need a number from 0 to 1"):
            task.tell(task.ask(), 7)
        with pytest.raises(KeyError):
            missing(task)
        task.explain()


def missing(task):
    """A name that does not exist: an arm of the library, a learner of the service."""
    if isinstance(task, segue.Task):
        task.tell("gmae", 1)
    else:
        task.learner.client.learner("tutro").task("ann").ask()


def test_a_task_of_the_library_and_of_the_service(client):
    learner = segue.Learner(arms=ARMS, steps=30)
    served = client.create("tutor", arms=ARMS, steps=30, close_after=0)
    for number in range(3):
        play(learner.task())
        play(served.task(f"student-{number}"))
    assert learner.closed == 3 and served.info["tasks"]["closed"] == 3
    assert isinstance(learner.types, list) and isinstance(served.types, list)


def test_a_learner_is_saved_loaded_merged_and_pickled(tmp_path):
    learner = segue.Learner(arms=ARMS, steps=30, method="auto", seed=1, range=(0, 1))
    play(learner.task())
    path = tmp_path / "tutor.segue"
    learner.save(path)
    other = segue.load(path)
    other.merge(pickle.loads(pickle.dumps(learner)))
    assert other.closed == 2


def test_functions_of_the_analysis():
    simulated = segue.simulate(PAPER, policies=["tucb", "tla", "ts"], steps=300, tasks=20, runs=2)
    assert simulated.regret.shape == (3, 2, 20)
    replayed = segue.replay(TUTOR, ["ts", "tla"], runs=1, replicates=1)
    assert isinstance(replayed.verdict, str) and replayed.table[0]["policy"] == "ts"
    estimated = segue.estimate(TUTOR, types=None)
    assert len(estimated.means) == 3
    assert segue.complexity(PAPER).table


def test_a_client_with_a_token(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"test admin {TOKEN}\n")
    tokens.chmod(0o600)
    service = Restarting(PROGRAM, tmp_path / "t.db", "--token-file", str(tokens))
    try:
        segue.Client(service.url, token=TOKEN).create("tutor", arms=ARMS, steps=30)
        decision = segue.Client(service.url, token=TOKEN).learner("tutor").task("student-42").ask()
        assert decision.arm in ARMS
    finally:
        service.kill()
