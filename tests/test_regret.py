#!/usr/bin/python3
"""`segue simulate` on the paper's models against independently computed values.

Each comparison allows 4.9 standard errors, ours and the reference's together, which has probability
1e-6 (two-sided normal).  Before it fails, the sample is made four times as large, and must then be
off again: a false alarm in any of the fourteen is below 1e-6.

usage: test_regret.py SEGUE SOURCE
SPDX-License-Identifier: Apache-2.0"""
import json
import math
import subprocess
import sys

# (policy, steps): value, standard error, runs of each model
REFERENCE = {
    ("ucb", 5000): (203.17, 0.08, 1500),
    ("ucb+", 5000): (130.33, 0.06, 1500),
    ("mucb", 5000): (44.48, 0.04, 1500),
    ("ts", 5000): (39.76, 0.22, 300),
    ("ucb", 1000): (100.96, 0.05, 3000),
    ("ucb+", 1000): (70.97, 0.05, 3000),
    ("mucb", 1000): (36.57, 0.05, 3000),
    ("ts", 1000): (29.23, 0.07, 1000),
    ("la", 30): (4.12, 0.02, 2000),
    ("la", 100): (7.83, 0.07, 1000),
    ("la", 300): (12.87, 0.31, 500),
    ("mla", 30): (2.14, 0.05, 1000),
    ("mla", 100): (2.77, 0.13, 500),
    ("mla", 300): (3.50, 0.13, 500),
}
ALLOWED = 4.9

segue, source = sys.argv[1:]


def deviation(policy, steps, runs, value, error):
    """How many standard errors `segue simulate` is from the reference."""
    text = subprocess.run(
        [segue, "simulate", "--models", f"{source}/models/paper.csv", "--policy", policy, "--steps",
         str(steps), "--runs", str(runs), "--format", "json"], check=True, capture_output=True)
    regret = json.loads(text.stdout)["results"][0]["regret"]
    z = (regret["mean"] - value) / math.hypot(regret["se"], error)
    print(f"{policy:5} n = {steps}, {runs} runs per model: {regret['mean']:7.2f} ({regret['se']:.2f})"
          f"  reference {value} ({error})  z = {z:+.2f}")
    return abs(z)


failed = 0
for (policy, steps), (value, error, runs) in REFERENCE.items():
    failed += (deviation(policy, steps, runs, value, error) > ALLOWED
               and deviation(policy, steps, 4 * runs, value, error) > ALLOWED)
sys.exit(failed > 0)
