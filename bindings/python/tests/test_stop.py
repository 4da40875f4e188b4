"""Ctrl-C ends long calls of a learner and its tasks, and leaves no trace; handlers may use the learner.
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import signal
import threading

import pytest
import segue

ARMS = [f"arm {i}" for i in range(1000)]


@pytest.fixture(autouse=True)
def control_c():
    """A shell starts commands in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds):
    """Press Ctrl-C once after some seconds."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def interrupt(call):
    """Call, and press Ctrl-C meanwhile."""
    timer = interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()


def begin(method):
    """A task, after six others of two types, that has asked and was told some of the rewards."""
    learner = segue.Learner(ARMS, 30, method)
    for number in range(6):
        with learner.task() as task:
            task.tell_many(range(1000), [float((arm + number) % 2) for arm in range(1000)])
    task = learner.task()
    for arm in task.ask(20)[:15]:
        task.tell(arm, arm % 2)
    return task


def same(task, other):
    return task.probabilities(3) == other.probabilities(3) and list(task.ask(30)) == list(other.ask(30))


# Of each kind of state that an ask may change: none, the random stream, a belief that is kept between asks.
@pytest.mark.parametrize("method", ["ucb1", "exp3", "ts", "la", "tla", "tts"])
def test_asks_that_are_interrupted_were_not_made(method):
    """A million asks take half a minute or more."""
    task, other = begin(method), begin(method)
    interrupt(lambda: task.ask(1_000_000))
    assert same(task, other)
    interrupt(lambda: task.ask(1_000_000, exclude=ARMS[:10]))
    assert same(task, other)


def test_draws_of_probabilities_are_interrupted():
    task, other = begin("ts"), begin("ts")
    interrupt(lambda: task.probabilities(1_000_000))
    assert same(task, other)


def test_a_refit_that_is_interrupted_changes_nothing():
    """It takes a second or two."""
    learner, draws = segue.Learner(ARMS, 30), random.Random(1)
    for _ in range(40):
        with learner.task() as task:
            task.tell_many([draws.randrange(1000) for _ in range(60)], [float(draws.random() < 0.5) for _ in range(60)])
    before = learner.to_bytes()
    interrupt(learner.refit)
    assert learner.to_bytes() == before


def test_a_handler_that_raises_nothing_may_use_the_learner(tmp_path):
    """It runs at once, while the learner is free; then the call begins anew and gives what it gives otherwise."""
    task, other = begin("ts"), begin("ts")
    saved = []

    def save(*_):
        task.learner.save(tmp_path / "learner")
        saved.append(sum(task.pulls.values()))

    signal.signal(signal.SIGINT, save)
    timer = interrupt_after(0.1)
    assert list(task.ask(6000)) == list(other.ask(6000))
    timer.join()
    assert saved == [15] and same(task, other)


def test_a_handler_may_close_the_task():
    task = begin("ts")
    signal.signal(signal.SIGINT, lambda *_: task.close())
    timer = interrupt_after(0.2)
    with pytest.raises(ValueError, match="the task is closed"):
        task.ask(1_000_000)
    timer.join()
    assert task.learner.closed == 7


def test_other_threads_run_while_probabilities_are_drawn():
    task, counted = begin("ts"), 0
    drawing = threading.Thread(target=task.probabilities, args=(1000,))
    drawing.start()
    while drawing.is_alive():
        counted += 1
    assert counted > 1000
