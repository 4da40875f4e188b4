#!/usr/bin/python3
"""A small form of bench/quality: learners of types keep their limits, on a few seeds.

It plays `segue simulate`, and bench_sets and bench_graded, which are built beside it.

A row says that the mean over seeds of d = above - limit * below is at most 0 (below is 1 where regret
itself is bounded).  Ten seeds give Student's t of d with 9 degrees of freedom; the row is uncertain if t
is above 4.297, which has probability 1e-3 if the mean is 0, and less if it is below.  Then ten fresh
seeds must be uncertain too: 1e-6 for a row that just passes, and below 2e-5 for all of these.  d is an
average of hundreds of tasks, and skewed towards large regrets, which makes a large t rarer still.

usage: test_quality.py SEGUE SOURCE
SPDX-License-Identifier: Apache-2.0"""
import importlib.machinery
import importlib.util
import math
import statistics
import sys

SEEDS, LARGEST_T = 10, 4.297
segue, source = sys.argv[1:]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("quality", f"{source}/bench/quality")
quality = importlib.util.module_from_spec(importlib.util.spec_from_loader("quality", loader))
loader.exec_module(quality)

# Where nothing is told, and a task is long, three types are a trap for learners that take types for
# points: they cost several times as much as Thompson sampling.
quality.PLAYS["short-cap"] = quality.Play(quality.paper, ["ts", "tts:cap=3", "tla:cap=3"], 1000, 150, SEEDS)
# The other rows with fewer or shorter tasks, which leaves less to save: their bounds are wider.
LEARNERS = quality.LEARNERS
quality.PLAYS["short-long"] = quality.Play(quality.paper, ["ts", *LEARNERS], 1000, 150, SEEDS)
quality.PLAYS["short-arms"] = quality.Play(quality.random_set(8, 20), ["ts", "tla"], 100, 150, SEEDS)
quality.CHANGE = 150
quality.PLAYS["changed"] = quality.Play(quality.changed, LEARNERS, 300, 300, SEEDS)
quality.PLAYS["changed-fresh"] = quality.Play(quality.only_new, LEARNERS, 300, 150, SEEDS)
quality.ARRIVAL, quality.RARE = 100, 0.2
quality.PLAYS["newcomer"] = quality.Play(quality.newcomer, ["ts", "round-robin", *LEARNERS], 300, 220, SEEDS)
# Three sets, and one law of graded rewards.
for name in ("5-types", "one-arm", "replaced-30"):
    quality.PLAYS[f"set {name}"] = quality.Set(name, ["ts", "la", "tla", "mla"])
quality.PLAYS["short-graded"] = quality.Graded("beta:20", 100, ["ts", "tla"])
CHECKED = ("paper-100", "nothing-30", "spread-20-100", "changed", "newcomer")
ROWS = [row for row in quality.ROWS if row.name.split()[0] in CHECKED] + [
    quality.Row("paper-100 tts, tasks 301-500", "", *quality.regret("paper-100", "tts", 301), 6.6),
    quality.Row("short-cap tts:cap=3", "ts", *quality.against("short-cap", "tts:cap=3", "ts"), 1),
    quality.Row("short-cap tla:cap=3", "ts", *quality.against("short-cap", "tla:cap=3", "ts"), 1),
    quality.Row("short-long tts", "ts", *quality.against("short-long", "tts", "ts"), 0.6),
    quality.Row("short-long tla", "ts", *quality.against("short-long", "tla", "ts"), 0.4),
    quality.Row("5-types late tla", "mla", *quality.of_set("5-types", "late", "tla", "mla"), 1.4),
    quality.Row("one-arm tla", "la", *quality.of_set("one-arm", "all", "tla", "la"), 1),
    quality.Row("replaced-30 tla", "la", *quality.of_set("replaced-30", "all", "tla", "la"), 1.03),
    quality.Row("graded beta:20 ts", "true", *quality.against("short-graded", "ts estimated", "ts true"), 1.25),
    quality.Row("graded beta:20 tla", "1", *quality.against("short-graded", "tla estimated", "tla 1"), 0.7),
    quality.Row("short-arms tla", "ts", *quality.against("short-arms", "tla", "ts"), 0.6),
]
played = {}


def is_uncertain(row, first_seed):
    """Whether ten seeds speak against a row."""
    data = played.setdefault(first_seed, {})
    for play in row.plays:
        if play not in data:
            data[play] = quality.play_seeds(play, segue, range(first_seed, first_seed + SEEDS), 1)
    rest = [above - row.limit * below for above, below in zip(*row.pairs(data))]
    t = statistics.fmean(rest) / (statistics.stdev(rest) / math.sqrt(len(rest)))
    print(f"{row.name:32} {row.measure(data)[0]:6.3g} {row.unit:5} limit {row.limit:g}: t = {t:+.1f}")
    return t > LARGEST_T


sys.exit(any([is_uncertain(row, 1) and is_uncertain(row, 101) for row in ROWS]))
