"""Threads, forks and interpreters.
SPDX-License-Identifier: Apache-2.0"""
import copy
import os
import pickle
import random
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import segue

ARMS = ["a", "b", "c"]
SECONDS = float(os.environ.get("SEGUE_STRESS", "2"))


def use(learner, other, tmp_path, seed, until):
    """Use a learner in every way until a time; the number of tasks that were closed."""
    rng = random.Random(seed)
    closed = 0
    while time.monotonic() < until:
        with learner.task({"hour": rng.randrange(24)} if rng.random() < 0.2 else None) as task:
            for arm in task.ask(rng.choice([1, 5, 500])):
                task.tell(int(arm), rng.random())
            task.tell_many([0, 1, 2] * 200, [0.5] * 600)
        closed += 1
        assert sum(task.pulls.values()) >= 601
        rng.choice([lambda: learner.save(tmp_path / str(seed)), lambda: learner.types, lambda: repr(learner),
                    lambda: copy.copy(learner), lambda: other.merge(learner), lambda: learner.features,
                    lambda: learner.refit(), lambda: learner.merge(segue.Learner(ARMS, 30)),
                    lambda: pickle.dumps(other)])()
    return closed


def test_threads_share_a_learner(tmp_path):
    """Every task of every thread is counted once, and the learner is whole."""
    learner, other = segue.Learner(ARMS, 30), segue.Learner(ARMS, 30)
    until = time.monotonic() + SECONDS
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(use, *((learner, other) if i % 2 else (other, learner)), tmp_path, i, until) for i in range(8)]
        closed = sum(job.result() for job in jobs)
    assert closed > 8
    assert learner.opened >= 1 and learner.closed + other.closed >= closed
    assert segue.from_bytes(learner.to_bytes()).to_bytes() == learner.to_bytes()


def test_threads_share_a_task():
    """Each reward of each thread is counted once, while others look, ask and close."""
    learner = segue.Learner(ARMS, 30)
    task = learner.task()

    def tell(number):
        for _ in range(2000):
            task.tell(ARMS[number], 1)
            task.tell_many([number] * 300, [0] * 300)
            task.ask(300)
    threads = [threading.Thread(target=tell, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        task.probabilities(10), task.means, repr(task)
    assert task.pulls == {arm: 2000 * 301 for arm in ARMS}
    closers = [threading.Thread(target=task.close) for _ in range(8)]
    for thread in closers:
        thread.start()
    for thread in closers:
        thread.join()
    assert learner.closed == 1


def test_a_long_call_lets_other_threads_run():
    """A fit of many tasks runs without the GIL: another thread counts on meanwhile."""
    learner = segue.Learner([str(i) for i in range(20)], 30)
    rng = random.Random(1)
    for _ in range(300):
        with learner.task() as task:
            task.tell_many([rng.randrange(20) for _ in range(60)], [float(rng.random() < 0.5) for _ in range(60)])
    done, longest, last = threading.Event(), 0.0, time.monotonic()
    fit = threading.Thread(target=lambda: (learner.refit(), done.set()))
    begin = time.monotonic()
    fit.start()
    while not done.is_set():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    total = time.monotonic() - begin
    assert total < 0.02 or longest < 0.9 * total, f"the GIL was held for {longest} of {total} s"


def test_a_forked_process_uses_its_learners():
    learner = segue.Learner(ARMS, 30)
    with learner.task() as task:
        task.tell("a", 1)
    task = learner.task()
    child = os.fork()
    if child == 0:
        try:
            task.tell(task.ask(), 1)
            task.close()
            learner.refit()
            os._exit(0 if learner.closed == 2 else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    task.close()
    assert learner.closed == 2


def test_a_learner_that_was_busy_at_a_fork_is_an_error():
    """The child has half of a change and not the thread that makes it: every use raises, none hangs."""
    learner = segue.Learner(ARMS, 30)
    task = learner.task()
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            task.ask(20_000)
    thread = threading.Thread(target=ask)
    thread.start()
    codes = set()
    for _ in range(50):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                task.ask(1000)
                learner.save("/dev/null/x")
                os._exit(3)
            except segue.Error as error:
                os._exit(1 if "forked" in str(error) else 4)
            except OSError:
                os._exit(0)  # it was not busy: the file cannot be written
            except BaseException:
                os._exit(5)
        codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        if codes == {0, 1}:
            break
    stop.set()
    thread.join()
    task.close()
    assert 1 in codes and codes <= {0, 1}


def test_interpreters_have_their_own_modules():
    code = textwrap.dedent("""
        import segue
        learner = segue.Learner(["a", "b"], steps=9)
        with learner.task() as task:
            task.tell(task.ask(), 1)
        try:
            task.ask()
        except ValueError as error:
            assert "closed" in str(error)
        assert learner.closed == 1 and len(task.ask.__doc__) > 100
    """)
    interpreters = pytest.importorskip("_xxsubinterpreters")
    main = segue.Learner(["a", "b"], steps=9)
    for _ in range(3):
        interpreter = interpreters.create()
        try:
            interpreters.run_string(interpreter, code)
        finally:
            interpreters.destroy(interpreter)
    with main.task() as task:
        task.tell(task.ask(), 1)
    assert main.closed == 1


def test_processes_of_a_pool_exchange_learners():
    code = textwrap.dedent("""
        import multiprocessing, segue
        def learn(seed):
            learner = segue.Learner(["a", "b"], steps=9, seed=seed)
            with learner.task() as task:
                task.tell(task.ask(), 1)
            return learner
        if __name__ == "__main__":
            total = segue.Learner(["a", "b"], steps=9)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                for learner in pool.map(learn, range(4)):
                    total.merge(learner)
            print(total.closed)
    """)
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "4\n"


# The interpreter takes a second to end, and meanwhile a daemon thread is ended in the middle of a call, deep in its stack.
DAEMON = """
    import segue, threading, time
    class Slow:
        def __del__(self):
            import time
            time.sleep(1)
    keep = Slow()
    learner = segue.Learner([f"arm {i}" for i in range(1000)], 30, "ts")
    task = learner.task()
    def deep(n):
        {call} if n == 0 else list(map(deep, [n - 1]))
    threading.Thread(target=deep, args=(100,), daemon=True).start()
    time.sleep(0.3)
"""


@pytest.mark.parametrize("call", ["task.ask(1_000_000)", 'segue.simulate([[.9, .1], [.2, .8]], ["tla"], 300, 5000, 50, threads=2)'])
def test_the_end_of_the_program_during_a_call_of_a_daemon_thread(call):
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(DAEMON.replace("{call}", call))], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


# The daemon thread is ended before it releases the learner, of which the interpreter drops an open task, and which an object saves.
ENDING = """
    import segue, threading, time
    class Keeper:
        def __init__(self, learner):
            self.learner = learner
        def __del__(self):
            try:
                self.learner.to_bytes()
            except Exception as error:
                print(type(error).__name__, error)
    learner = segue.Learner([f"arm {i}" for i in range(1000)], 30, "ts")
    task, keeper = learner.task(), Keeper(learner)
    threading.Thread(target=learner.task().ask, args=(1_000_000,), daemon=True).start()
    time.sleep(0.3)
"""


def test_the_end_of_the_program_does_not_wait_for_a_daemon_thread():
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(ENDING)], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "Error another thread used the learner when the program ended; join it before\n"
