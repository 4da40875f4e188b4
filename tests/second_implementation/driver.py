"""Write jobs for driver.c, and read what it prints.
SPDX-License-Identifier: Apache-2.0"""
import collections
import subprocess

import numpy as np

Estimate = collections.namedtuple("Estimate", "found tasks eps eigenvalues lambdas means")


def numbers(*values):
    """Numbers with all their digits."""
    return " ".join(map(repr, np.concatenate([np.ravel(value) for value in values]).tolist()))


def task_job(policy, models, table, kind="known"):
    """A task of a policy; `models` is None: no model set."""
    K, n = table.shape
    models = np.zeros((0, K)) if models is None else models
    return f"task {policy} {kind} {K} {len(models)} {n} {numbers(models, table)}\n"


def learner_job(learner, m, J, tables):
    """A learner over one task per table."""
    K, n = tables[0].shape
    return f"learner {learner} {K} {m} {n} {J} {len(tables)} {numbers(*tables)}\n"


def play(driver, jobs):
    """The lines that the driver prints, each as a list of words."""
    done = subprocess.run([driver], input="".join(jobs), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def play_tasks(driver, jobs):
    """Per job: the arms pulled, and the steps with an empty active set."""
    lines = play(driver, jobs)
    return [(list(map(int, arms)), int(empty)) for arms, (empty,) in zip(lines[::2], lines[1::2])]


def play_learner(driver, job, n_arms):
    """Per task: the arms pulled, and the estimate after it."""
    lines = play(driver, [job])
    for arms, head, eigenvalues, lambdas, means in zip(*(lines[i::5] for i in range(5))):
        found, tasks, eps = head
        yield list(map(int, arms)), Estimate(found == "1", int(tasks), float(eps),
                                             np.array(eigenvalues, float), np.array(lambdas, float),
                                             np.array(means, float).reshape(-1, n_arms))
