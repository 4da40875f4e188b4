"""Ctrl-C ends long calls; other threads run meanwhile.
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
import segue
from commands import PAPER, TUTOR, two_types

# Long calls, made before they are timed, and after how many seconds Ctrl-C comes: a fit of types begins after 0.4 s.
CALLS = {
    "simulate": (lambda: partial(segue.simulate, PAPER, ["tla"], steps=300, tasks=500, runs=200, threads=2), 0.3),
    "replay": (lambda: partial(segue.replay, TUTOR, runs=2000, replicates=1000), 0.3),
    "fit": (lambda: partial(segue.replay, two_types(8000, 30), ["ts"], runs=200, replicates=200), 0.3),
    "complexity": (lambda: partial(segue.complexity, [[random.random() for _ in range(100)] for _ in range(600)]), 0.3),
    "estimate": (lambda: partial(segue.estimate, two_types(60000, 20, arms=10)), 1.0),
    "policy": (lambda: partial(segue.simulate, PAPER, [Slow()], steps=1000, tasks=1000, runs=100), 0.3),
}


# Calls with one task or one fit of more than ten seconds, made before they are timed, and after how many seconds Ctrl-C comes.
LONG = {
    "a task": (lambda: partial(segue.simulate, PAPER, ["la"], steps=10**8, tasks=1, runs=1), 0.3),
    "a task of a learner": (lambda: partial(segue.simulate, PAPER, ["tla"], steps=10**8, tasks=1, runs=1), 0.3),
    "em": (lambda: partial(segue.estimate, two_types(20000, 60, arms=10), 6, method="em"), 3),
}


@pytest.mark.parametrize("name", LONG)
def test_control_c_does_not_wait_for_the_end_of_a_task_or_fit(name):
    prepare, seconds = LONG[name]
    call = prepare()
    sender = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    sender.join()
    assert time.monotonic() - started < seconds + 5


class Wrong(segue.Policy):
    def choose(self, view):
        raise ArithmeticError("at its first step")


def test_an_exception_of_a_policy_does_not_wait_for_the_end_of_its_task():
    started = time.monotonic()
    with pytest.raises(ArithmeticError):
        segue.simulate(PAPER, [Wrong()], steps=10**9, tasks=1, runs=1)
    assert time.monotonic() - started < 5


class Slow(segue.Policy):
    def choose(self, view):
        return view.step % len(view.pulls)


def threads_become(expected):
    """join() of Python's threads returns a little before the system's thread has ended."""
    for _ in range(200):
        if len(os.listdir("/proc/self/task")) == expected:
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(autouse=True)
def control_c():
    """A shell starts commands in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", CALLS)
def test_control_c_ends_a_long_call(name):
    prepare, seconds = CALLS[name]
    call = prepare()

    def interrupt():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threads = len(os.listdir("/proc/self/task"))
    sender = threading.Thread(target=interrupt)
    started = time.monotonic()
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    sender.join()
    assert time.monotonic() - started < seconds + 20.0  # each call takes minutes
    assert threads_become(threads)  # the threads of the call have ended
    assert segue.simulate(PAPER, ["ts"], 10, 5, 1).regret.shape == (1, 1, 5)


def test_a_handler_of_a_signal_runs_during_a_call():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        segue.simulate(PAPER, ["tla"], 300, 200, 2, threads=1)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [1]


def test_other_threads_run_meanwhile():
    count = 0
    done = threading.Event()

    def play():
        segue.simulate(PAPER, ["tla"], 300, 200, 3, threads=1)
        done.set()

    thread = threading.Thread(target=play)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


def test_threads_get_the_same_numbers():
    expected = segue.simulate(PAPER, ["tla"], 100, 30, 2).regret.tobytes()
    found = []
    threads = [threading.Thread(target=lambda: found.append(segue.simulate(PAPER, ["tla"], 100, 30, 2).regret.tobytes()))
               for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


def test_control_c_of_a_script_exits_as_python_does():
    script = f"import segue; print('go', flush=True); segue.simulate({PAPER!r}, ['tla'], 300, 500, 400)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")
