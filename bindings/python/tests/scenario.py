"""scenario.py COMMAND - every call of Learner and Task once; tests run it under a failing malloc and under the debug build
of Python.

    allocations  fail every allocation in turn (LD_PRELOAD=failing_malloc.so PYTHONMALLOC=malloc): each call raises
                 MemoryError or returns what it returns otherwise, and no block is left
    references   repeat the calls: no reference is left (a debug build of Python)
    memory N     N tasks with learners that come and go: the memory of the process does not grow
SPDX-License-Identifier: Apache-2.0"""
import array
import ctypes
import gc
import os
import resource
import sys
import tempfile
import warnings

import segue

ARMS = ["a", "b", "c"]
PATH = os.path.join(tempfile.gettempdir(), f"segue-scenario-{os.getpid()}")


def expect(kind, call, *args):
    try:
        call(*args)
    except kind:
        return
    raise AssertionError("no exception")


def calls():
    """Use each call; what they returned, as a text."""
    learner = segue.Learner(ARMS, steps=8, method="tla", cap=1, range=(0, 1))
    task = learner.task({"grade": 3, "school": "north"}, costs={"a": 0.25}, switch_cost=0.125)
    out = [task.ask(), task.ask(exclude={"a"}), list(task.ask(3)), list(task.ask(300, exclude=["b"]))]
    task.tell("a", 1)
    task.tell_many(["b", "c"], [0, 1.0])
    task.tell_many(array.array("q", [0, 1] * 200), array.array("d", [1, 0] * 200))
    expect(KeyError, task.tell, "d", 1)
    expect(ValueError, task.tell, "a", 2)
    expect(ValueError, task.tell_many, [0, 1], [0, 2])
    expect(TypeError, task.tell, None, 1)
    out += [task.explain(), task.probabilities(20), task.pulls, task.means, repr(task), learner.types]
    task.close()
    with learner.task() as task:
        task.tell_many(["a", "b", "c"] * 2, [0, 1, 0] * 2)
    learner.save(PATH)
    copy = segue.load(PATH)
    copy.merge(learner)
    copy.add_arm("d")
    copy.retire_arm("a")
    copy.refit()
    expect(ValueError, copy.merge, learner)
    expect(OSError, segue.load, "/nonexistent")
    expect(KeyError, segue.Learner, ARMS, 8, "none")
    make, arguments = copy.__reduce__()  # of pickle, which hides a MemoryError of its own
    copy = make(*arguments)
    out += [copy.types, copy.features, copy.arms, copy.retired, copy.method, copy.range, copy.closed, repr(copy)]
    return repr(out)


def fail_all(shim, reference):
    """Fail the first allocation, the second, ... until none is left; the number of failures, and of MemoryErrors."""
    n = errors = 0
    while True:
        n += 1
        result = None
        shim.failing_malloc_arm(n)
        try:
            result = calls()
        except MemoryError:
            errors += 1
        except OSError as error:  # a file of which the C library could not make a buffer
            if "Cannot allocate memory" not in str(error):
                raise
            errors += 1
        failed = shim.failing_malloc_failures()
        if result is not None and result != reference:
            raise AssertionError(f"allocation {n} failed in silence: {result}, not {reference}")
        if not failed:
            return n - 1, errors


def allocations():
    shim = ctypes.PyDLL(os.environ["LD_PRELOAD"])
    reference = calls()
    blocks = []
    for _ in range(3):
        counts = fail_all(shim, reference)
        gc.collect()
        blocks.append(shim.failing_malloc_blocks())
    print(f"{counts[0]} allocations failed in turn, {counts[1]} times MemoryError; blocks {blocks}")
    assert counts[1] > 0.9 * counts[0]
    assert blocks[2] - blocks[1] <= 2, "blocks are left"


def references():
    counts = []
    for _ in range(4):
        for _ in range(25):
            calls()
        gc.collect()
        counts.append(sys.gettotalrefcount())
    print("references", counts)
    assert counts[3] - counts[2] <= 5 and counts[2] - counts[1] <= 5


def cycle(number, learner):
    if number % 100 == 0:
        learner = segue.Learner(ARMS, steps=8, method="tla")
    with learner.task() as task:
        arm = task.ask()
        task.tell(arm, number % 2)
    return learner


def memory(n):
    """The largest memory after a tenth of the cycles and at the end, in KiB."""
    learner, first = None, 0
    for number in range(n):
        learner = cycle(number, learner)
        if number == n // 10:
            first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    last = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{n} cycles: {first} KiB after a tenth, {last} KiB at the end")
    assert last - first <= 1024


if __name__ == "__main__":
    warnings.simplefilter("ignore", ResourceWarning)  # a task is dropped when memory runs out
    try:
        {"allocations": allocations, "references": references}.get(sys.argv[1], lambda: memory(int(sys.argv[2])))()
    finally:
        if os.path.exists(PATH):
            os.unlink(PATH)
