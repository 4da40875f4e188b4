"""The functions of the analysis, for scenario.py: small, because they are called once per allocation.
SPDX-License-Identifier: Apache-2.0"""
import array
import functools

import segue
from commands import PAPER
from segue import _segue
from segue.analysis import convert_models

MODELS = [[0.9, 0.1, 0.4], [0.2, 0.8, 0.5]]
TASKS = [f"task-{task}" for task in range(8) for _ in range(6)]
LOG = {"task": TASKS, "arm": [7, 8.5, "c"] * 16, "reward": array.array("d", [1, 0, 0.5, 0, 1, 0.25] * 8)}


class Last(segue.Policy):
    def choose(self, view):
        return len(view.pulls) - 1


def simulate():
    result = segue.simulate(MODELS, ["ucb", "tla"], 4, 2, 1, threads=1, weights=[0.5, 0.5], costs=[0, 0.1, 0])
    return result.table, result.regret.tolist()


def simulate_own():
    result = segue.simulate(MODELS, [Last()], 3, 2, 2)
    return result.table, result.regret.tolist()


def replay():
    result = segue.replay(LOG, ["ts", "tla"], steps=2, runs=1, replicates=1, threads=1)
    return result.table, result.verdict


def replay_rows():
    result = segue.replay(LOG, ["ts"], play="rows", steps=2, runs=1, threads=1)
    return result.table, result.verdict


def estimate():
    result = segue.estimate(LOG)
    return result.means, result.verdict


def estimate_models():
    return segue.estimate(LOG, 2, method="em").means


def complexity():
    """Without the table of the package: Python 3.11 itself crashes where it cannot make an iterator of dict.items()."""
    return _segue._complexity(convert_models(MODELS), 50, 20, 0.02)


def complexity_file():
    return _segue._complexity(PAPER, 50, 20, 0.02)


def native(part):
    """The call of the extension that a part ends with: no code of Python runs in it."""
    found = []
    for name in ("_simulate", "_replay", "_estimate", "_complexity"):
        function = getattr(_segue, name)
        setattr(_segue, name, lambda *args, function=function: found.append((function, args)) or function(*args))
    part()
    for function, _ in found:
        setattr(_segue, function.__name__, function)
    (function, args), = found
    return functools.partial(function, *args)


PARTS = {call.__name__: call for call in (simulate, simulate_own, replay, replay_rows, estimate, estimate_models,
                                          complexity, complexity_file)}
