#!/usr/bin/python3
"""ask_tell.py - the time of tell, ask, a task and a batch of 10,000 asks in Python, beside ctypes, pybind11 and a sampler.

    make build && bench/python/ask_tell.py [--cycles N]

The rows, in microseconds per decision (the smallest of five repetitions, in one process):

    segue      the package
    ctypes     the same C functions through ctypes; arms are indices
    pybind11   the same C functions through pybind11 (by_pybind11.cpp); arms have names, as in the package
    numpy      Thompson sampling written with numpy, without transfer: what a project writes for itself

by_pybind11.cpp is compiled first, with g++ -O3; without python3-pybind11 its column is empty.
--cycles N also creates, asks, tells and closes N times and prints the memory of the process after a tenth and at the end.
SPDX-License-Identifier: Apache-2.0"""
import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SEGUE_BUILD", ROOT / "build/release"))
os.environ.setdefault("SEGUE_LIBRARY", str(BUILD / "libsegue.so"))
sys.path[:0] = [str(BUILD / "python"), str(ROOT / "bindings/python/tests")]

import numpy  # noqa: E402
import segue  # noqa: E402
from clib import CLearner  # noqa: E402
from scenario import memory  # noqa: E402

ARMS = ["video", "quiz", "game", "text", "talk"]
STEPS, BATCH = 30, 10_000


class NumpySampler:
    """Thompson sampling with Beta(1, 1) priors."""

    def __init__(self, arms, seed=1):
        self.arms, self.index = arms, {arm: i for i, arm in enumerate(arms)}
        self.a, self.b = numpy.ones(len(arms)), numpy.ones(len(arms))
        self.rng = numpy.random.default_rng(seed)

    def ask(self):
        return self.arms[int(self.rng.beta(self.a, self.b).argmax())]

    def tell(self, arm, reward):
        i = self.index[arm]
        self.a[i] += reward
        self.b[i] += 1 - reward

    def ask_many(self, count):
        return self.rng.beta(self.a, self.b, (count, len(self.arms))).argmax(axis=1)


def best(work, calls, repetitions=5):
    """Microseconds per call."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times) / calls


def repeat(call, *args, n=200_000):
    """Microseconds of one call of a loop, without the loop itself."""
    def loop():
        for _ in range(n):
            call(*args)

    def empty():
        for _ in range(n):
            pass
    return max(0.0, best(loop, n) - best(empty, n))


def play(learner, arms):
    """Open a task, STEPS asks and tells, close."""
    def work():
        for _ in range(200):
            task = learner.task()
            for _ in range(STEPS):
                arm = task.ask()
                task.tell(arm, 1 if arm == arms[1] else 0)
            task.close()
    return best(work, 200 * STEPS)


def show(name, values):
    print(f"{name:<28}" + "".join(f"{value:>10.3f}" if value is not None else f"{'-':>10}" for value in values))


def build_by_pybind11(folder):
    """The module of by_pybind11.cpp, or None."""
    try:
        import pybind11
    except ImportError:
        return None
    source = pathlib.Path(__file__).with_name("by_pybind11.cpp")
    library = pathlib.Path(os.environ["SEGUE_LIBRARY"])
    include = [ROOT / "include", BUILD / "include", sysconfig.get_path("include"), pybind11.get_include()]
    subprocess.run(["g++", "-std=c++17", "-O3", "-DNDEBUG", "-fvisibility=hidden", "-shared", "-fPIC", source, library,
                    *(f"-I{path}" for path in include), f"-Wl,-rpath,{library.parent}",
                    "-o", f"{folder}/by_pybind11{sysconfig.get_config_var('EXT_SUFFIX')}"], check=True)
    sys.path.insert(0, folder)
    import by_pybind11
    return by_pybind11


def measure_calls(task, c_task, p_task):
    raw, sampler = c_task.learner.library, NumpySampler(ARMS)
    show("tell", [repeat(task.tell, "quiz", 1.0), repeat(raw.segue_task_tell, c_task.handle, 1, 1.0, None),
                  p_task and repeat(p_task.tell, "quiz", 1.0), repeat(sampler.tell, "quiz", 1.0)])
    show("ask", [repeat(task.ask, n=20_000), repeat(raw.segue_task_ask, c_task.handle, n=20_000),
                 p_task and repeat(p_task.ask, n=20_000), repeat(sampler.ask, n=20_000)])
    show(f"batch of {BATCH} asks", [best(lambda: task.ask(BATCH), BATCH),
                                    best(lambda: [raw.segue_task_ask(c_task.handle) for _ in range(BATCH)], BATCH),
                                    p_task and best(lambda: [p_task.ask() for _ in range(BATCH)], BATCH),
                                    best(lambda: sampler.ask_many(BATCH), BATCH)])
    rewards, arms = numpy.ones(BATCH), numpy.ones(BATCH, "i8")
    show(f"batch of {BATCH} tells", [best(lambda: task.tell_many(arms, rewards), BATCH), None, None, None])


def measure(method, by_pybind11):
    learner, p_learner = segue.Learner(ARMS, STEPS, method), None
    with tempfile.NamedTemporaryFile() as file:
        learner.save(file.name)
        other = CLearner(file.name, len(ARMS))
        if by_pybind11:
            p_learner = by_pybind11.Learner(file.name, ARMS)
    print(f"{method + ', us per decision':<28}{'segue':>10}{'ctypes':>10}{'pybind11':>10}{'numpy':>10}")
    tasks = learner.task(), other.task(), p_learner and p_learner.task()
    measure_calls(*tasks)
    for task in filter(None, tasks):
        task.close()
    show(f"task of {STEPS} steps", [play(learner, ARMS), play(other, range(len(ARMS))),
                                    p_learner and play(p_learner, ARMS), None])
    other.destroy()


def main():
    parser = argparse.ArgumentParser(description="time ask and tell in Python")
    parser.add_argument("--cycles", type=int, help="create, ask, tell and close so often, and print the memory")
    parser.add_argument("--methods", default="tla,tts,ts,ucb1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        by_pybind11 = build_by_pybind11(folder)
        for method in options.methods.split(","):
            measure(method, by_pybind11)
    if options.cycles:
        memory(options.cycles)


if __name__ == "__main__":
    main()
