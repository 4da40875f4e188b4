#!/usr/bin/python3
"""A small form of bench/verdict: the stated intervals of `segue replay` contain the truth.

Four types, 300 tasks of 20 steps; 7 logs with 60 rows per task and 7 with 20.  The true values of tla are from
bench_truth (200 runs or more; standard errors 0.0006, 0.0011 and 0.002).  An interval may miss its truth in one log of
ten, though 95 % are stated.  Then 10 misses or more of 14 have probability 7e-8 per figure, and 3e-7 for all four, a log
without a figure included.  Resampling each task's own rewards misses 23 of 24 gains over ts, and fails here with
probability above 0.999.

usage: test_verdict.py SEGUE SOURCE
SPDX-License-Identifier: Apache-2.0"""
import importlib.machinery
import importlib.util
import math
import sys

LOGS = 7
TRUTH = {"reward": 0.638, "gain over ts": 0.326, "types save": 0.013, "best arms": 0.780}
segue, source = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, f"{source}/bench")
loader = importlib.machinery.SourceFileLoader("verdict", f"{source}/bench/verdict")
verdict = importlib.util.module_from_spec(importlib.util.spec_from_loader("verdict", loader))
loader.exec_module(verdict)


def figures(line):
    """The intervals of tla: mean, low, high."""
    tla = line["policies"]["tla"]
    return {"reward": tla["reward"], "gain over ts": tla["over_ts"], "types save": tla["saved_over_prior"],
            "best arms": line["best_arms"]}


def is_missed(figure, truth):
    return figure[0] is None or not figure[1] <= truth <= figure[2]


def limit(n_logs, share, false_alarm):
    """The smallest number of misses whose probability is below the false alarm."""
    def tail(k):
        return sum(math.comb(n_logs, i) * share ** i * (1 - share) ** (n_logs - i) for i in range(k, n_logs + 1))
    return next(k for k in range(n_logs + 2) if tail(k) < false_alarm)


verdict.POLICIES = "ts,tla"
missed = dict.fromkeys(TRUTH, 0)
for rows in (60, 20):
    cell = verdict.Cell("newcomer", 300, rows, 20)
    for number in range(LOGS):
        found = figures(verdict.evaluate(cell, number, segue, verdict.CHEAP))
        for name, truth in TRUTH.items():
            missed[name] += is_missed(found[name], truth)
bound = limit(2 * LOGS, 0.1, 1e-6)
for name, count in missed.items():
    print(f"{name}: {count} of {2 * LOGS} intervals miss the truth, {TRUTH[name]:g}; below {bound} may")
sys.exit(any(count >= bound for count in missed.values()))
