"""What the tests of the analysis share: the program, and logs.
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAPER = str(ROOT / "models/paper.csv")
TUTOR = str(ROOT / "logs/tutor.csv")


def run(*arguments):
    """The standard output of the program."""
    return subprocess.run([os.environ["SEGUE"], *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def run_json(*arguments):
    return json.loads(run(*arguments, "--format", "json"))


def number(value):
    """A number as the program writes it in CSV."""
    return f"{value:.15g}"


def near(found, expected):
    """JSON has 15 digits, and null for what is not known."""
    if expected is None:
        return found != found or found == float("inf") or found == 0
    return abs(found - expected) <= 1e-14 * max(1.0, abs(expected))


def two_types(tasks=60, rows=12, seed=3, arms=3):
    """Columns of a log with two types of tasks."""
    draw = random.Random(seed)
    columns = {"task": [], "arm": [], "reward": []}
    for task in range(tasks):
        for row in range(rows):
            arm = row % arms
            columns["task"].append(f"task {task}")
            columns["arm"].append("abcdefghij"[arm])
            columns["reward"].append(float(draw.random() < (0.9 if arm == task % 2 else 0.2)))
    return columns
