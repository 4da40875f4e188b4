"""scenario.py COMMAND - every call of Learner and Task once, or one function of the analysis; tests run it under a failing
malloc and under the debug build of Python.

    allocations PART [STEP]  fail every allocation in turn, or each STEP-th (LD_PRELOAD=failing_malloc.so
                             PYTHONMALLOC=malloc): each call raises MemoryError or returns what it returns otherwise,
                             and no block is left
    native PART STEP         the same in the extension alone: the debug build of Python cannot fail in code of Python
    references PART          repeat the calls: no reference is left (a debug build of Python)
    memory N                 N times create, ask, tell and close: the memory of the process does not grow

A part is learner, or one of scenario_analysis.py.
SPDX-License-Identifier: Apache-2.0"""
import array
import ctypes
import gc
import itertools
import os
import resource
import sys
import tempfile
import warnings

import segue
from scenario_analysis import PARTS, native

ARMS = ["arm-" + letter for letter in "abc"]  # strings of their own, whose references are counted
A, B, C = ARMS
EXCLUDED, COSTS, REWARDS = {A, B}, {A: 0.25}, [0, 1.0, 0.5]  # Python leaves the items of a list that it cannot make
PATH = os.path.join(tempfile.gettempdir(), f"segue-scenario-{os.getpid()}")


def expect(kind, call, *args):
    try:
        call(*args)
    except kind:
        return
    raise AssertionError("no exception")


def calls():
    """Use each call; what they returned."""
    learner = segue.Learner(ARMS, steps=8, method="tla", cap=1, range=(0, 1))
    task = learner.task({"grade": 3, "school": "north"}, costs=COSTS, switch_cost=0.125)
    out = []
    keep = out.append
    keep(task.ask())
    keep(task.ask(exclude=EXCLUDED))
    keep(task.ask(3))
    keep(task.ask(300, exclude=EXCLUDED))
    task.ask(43_691)  # these and 4,000 draws take a thread of their own
    keep(task.probabilities(4000))
    task.tell(A, 1)
    task.tell_many(ARMS, REWARDS)
    task.tell_many(array.array("q", [0, 1] * 200), array.array("d", [1, 0] * 200))
    expect(KeyError, task.tell, "d", 1)
    expect(ValueError, task.tell, A, 2)
    expect(ValueError, task.tell_many, [0, 1], [0, 2])
    expect(TypeError, task.tell, None, 1)
    for call in (task.explain, task.probabilities, task.__repr__):
        keep(call())
    keep(task.pulls)
    keep(task.means)
    keep(learner.types)
    task.close()
    with learner.task() as task:
        task.tell_many(ARMS, REWARDS)
    learner.save(PATH)
    copy = segue.load(PATH)
    copy.merge(learner)
    copy.add_arm("arm-d")
    copy.retire_arm(A)
    copy.refit()
    expect(ValueError, copy.merge, learner)
    expect(OSError, segue.load, "/nonexistent")
    expect(KeyError, segue.Learner, ARMS, 8, "none")
    make, arguments = copy.__reduce__()  # of pickle, which hides a MemoryError of its own
    copy = make(*arguments)
    for name in ("types", "features", "arms", "retired", "method", "range", "closed"):
        keep(getattr(copy, name))
    keep(repr(copy))
    return out


def is_memory(error):
    """True for what a failed allocation raises: of Python, of a buffer of a file, of the start of a thread; and a function
    written in Python that returns without an exception, of which only the interpreter is capable."""
    texts = {OSError: "Cannot allocate memory", segue.Error: "a thread could not be started", SystemError: "<function "}
    return isinstance(error, MemoryError) or any(type(error) is kind and text in str(error) for kind, text in texts.items())


def fail_all(shim, calls, reference, step):
    """Fail the first allocation, the second, ... until none is left; the number of failures, and of MemoryErrors."""
    errors = 0
    for n in itertools.count(1, step):
        result = None
        shim.failing_malloc_arm(n)
        try:
            result = calls()
        except Exception as error:
            if not is_memory(error):
                raise
            errors += 1
        failed = shim.failing_malloc_failures()
        if result is not None and repr(result) != reference:
            raise AssertionError(f"allocation {n} failed in silence: {result}, not {reference}")
        if not failed:
            return (n - 1) // step, errors


def watch(shim):
    """Count the blocks of the extension."""
    with open("/proc/self/maps") as maps:
        lines = [line.split()[0].split("-") for line in maps if "_segue.abi3.so" in line]
    shim.failing_malloc_watch(*(ctypes.c_size_t(int(text, 16)) for text in (lines[0][0], lines[-1][1])))


def owned(shim):
    """What the extension holds: blocks of memory; Learners and Tasks, which refer to their classes; names of arms."""
    gc.collect()
    return [shim.failing_malloc_blocks(), sys.getrefcount(segue.Learner), sys.getrefcount(segue.Task),
            *(sys.getrefcount(name) for name in ARMS), sys.getrefcount(PATH)]


def allocations(calls, step=1):
    shim = ctypes.PyDLL(os.environ["LD_PRELOAD"])
    watch(shim)
    reference = repr(calls())
    fail_all(shim, calls, reference, step)
    before = owned(shim)
    failures, errors = fail_all(shim, calls, reference, step)
    after = owned(shim)
    print(f"{failures} allocations failed in turn, {errors} times MemoryError; held {before}, then {after}")
    assert errors > 0.9 * failures
    assert after == before, "something is left"


def references(calls):
    counts = []
    for _ in range(4):
        for _ in range(25):
            calls()
        gc.collect()
        counts.append(sys.gettotalrefcount())
    print("references", counts)
    assert counts[3] - counts[2] <= 5 and counts[2] - counts[1] <= 5


def cycle(number, learner):
    """One task of a learner of its own, and one of a learner that lives for 100 cycles."""
    if number % 100 == 0:
        learner = segue.Learner(ARMS, steps=8, method="tla")
    for each in (segue.Learner(ARMS, steps=8, method="tla"), learner):
        with each.task() as task:
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
        if sys.argv[1] == "memory":
            memory(int(sys.argv[2]))
        else:
            command = {"allocations": allocations, "references": references,
                       "native": lambda part, step: allocations(native(part), step)}[sys.argv[1]]
            command({"learner": calls, **PARTS}[sys.argv[2]], *map(int, sys.argv[3:]))
    finally:
        if os.path.exists(PATH):
            os.unlink(PATH)
