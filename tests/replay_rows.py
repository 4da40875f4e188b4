"""Logs for the tests of `segue replay`.

SPDX-License-Identifier: Apache-2.0"""
import csv
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parent.parent

MEANS = {"x": {"a": 0.95, "b": 0.2, "c": 0.4}, "y": {"a": 0.1, "b": 0.7, "c": 0.4}}


def rows(tasks=60, each=30, arms="abc", seed=5):
    """Rows of a log: task x0, y1, x2, ... of two types, `each` rewards of every arm."""
    draw = random.Random(seed)
    for i in range(tasks):
        kind = "xy"[i % 2]
        for arm in arms * each:
            yield f"{kind}{i}", arm, int(draw.random() < MEANS[kind][arm])


def paper_rows(tasks=100, each=40, seed=7):
    """Rows of a log of the paper's five types, `each` rewards of every arm."""
    draw = random.Random(seed)
    with open(ROOT / "models/paper.csv", encoding="utf-8") as file:
        models = [[float(mean) for mean in row[1:]] for row in list(csv.reader(file))[1:]]
    for i in range(tasks):
        for arm in "abcdefg" * each:
            yield f"t{i}", arm, int(draw.random() < models[i % len(models)]["abcdefg".index(arm)])


def text(lines, header="task,arm,reward"):
    return "\n".join([header, *(",".join(map(str, line)) for line in lines)]) + "\n"


def randomised(tasks=60, n=60, stated=True, seed=6):
    """A log of decisions drawn at random: by probabilities, or all alike."""
    draw = random.Random(seed)
    share = {"a": 0.5, "b": 0.3, "c": 0.2} if stated else dict.fromkeys("abc", 1 / 3)
    for i in range(tasks):
        kind = "xy"[i % 2]
        for _ in range(n):
            arm = draw.choices("abc", share.values())[0]
            reward = int(draw.random() < MEANS[kind][arm])
            yield (f"{kind}{i}", arm, reward, share[arm]) if stated else (f"{kind}{i}", arm, reward)
