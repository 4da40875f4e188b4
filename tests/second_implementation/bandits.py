"""UCB, UCB+, mUCB, umUCB and UCB with a test, from the figures and remarks of the paper.

A policy is a function (pulls, means) -> (arm, is_empty): the pulls T_i of each arm and their average
reward, the arm to pull next, and True if no model was active.  An arm without a pull has an infinite
radius.  Ties go to the lowest index, of models and of arms: numpy's argmax.  The paper does not say
what to do if the active set is empty; then the step is one of UCB with the same radius.
SPDX-License-Identifier: Apache-2.0"""
import math

import numpy as np


def log_known(terms, n, delta):
    """The logarithm of Eq. 2: log(m n^2 / delta).  Below Lemma 2: min(m, K) may stand for m; without
    models (below Lemma 11) it is K."""
    return math.log(terms * n ** 2 / delta)


def log_estimated(m, K, n, delta):
    """The logarithm of eps_{i,t} in Lemma 9: log(2 m K n^2 / delta)."""
    return math.log(2 * m * K * n ** 2 / delta)


def radius(L, pulls):
    """eps_{i,t} of Eq. 2: sqrt(L / (2 T_{i,t-1}))."""
    with np.errstate(divide="ignore"):
        return np.sqrt(L / (2 * pulls))


def ucb(L, arms=None):
    """The largest average plus radius; with `arms` UCB+ (Sec. 5): UCB on the best arms of the models."""
    def choose(pulls, means):
        index = means + radius(L, pulls)
        if arms is not None:
            index = np.where(np.isin(np.arange(len(pulls)), arms), index, -np.inf)
        return int(np.argmax(index)), False
    return choose


def ucb_plus(L, models):
    """UCB on A_*(Theta)."""
    return ucb(L, np.argmax(models, axis=1))


def mucb(L, models):
    """Fig. 1."""
    otherwise = ucb(L)

    def choose(pulls, means):
        active = np.all(np.abs(models - means) <= radius(L, pulls), axis=1)
        if not active.any():
            return otherwise(pulls, means)[0], True
        theta = np.argmax(np.where(active, models.max(axis=1), -np.inf))
        return int(np.argmax(models[theta])), False
    return choose


class UcbTest:
    """UCB with hypothesis testing (remark after the proof of Theorem 1): when an arm has more than
    2 log(2/delta) / Gamma_min^2 pulls, take the model nearest to its average, and pull that model's best arm
    to the end.  Gamma_min is the least gap of two models, since the true model is unknown."""

    def __init__(self, L, models, delta):
        m = len(models)
        gap = min((np.min(np.abs(models[a] - models[b])) for a in range(m) for b in range(a)), default=np.inf)
        self.threshold = 2 * math.log(2 / delta) / gap ** 2 if gap > 0 else np.inf
        self.otherwise, self.models, self.arm = ucb(L), models, None

    def __call__(self, pulls, means):
        tested = np.flatnonzero(pulls > self.threshold)
        if self.arm is None and len(tested):
            i = tested[0]
            self.arm = int(np.argmax(self.models[np.argmin(np.abs(self.models[:, i] - means[i]))]))
        return self.otherwise(pulls, means) if self.arm is None else (self.arm, False)


def umucb(L, models, eps):
    """Fig. 3; `models` is None before the first estimate: UCB after the three pulls of each arm."""
    otherwise = ucb(L)

    def choose(pulls, means):
        if pulls.min() < 3:
            return int(np.argmin(pulls)), False  # round robin
        if models is None:
            return otherwise(pulls, means)
        active = np.all(np.abs(models - means) <= radius(L, pulls) + eps, axis=1)
        if not active.any():
            return otherwise(pulls, means)[0], True
        B = np.minimum(models + eps, means + radius(L, pulls))
        theta = np.argmax(np.where(active, B.max(axis=1), -np.inf))
        return int(np.argmax(B[theta])), False
    return choose


def play(choose, table):
    """Play a task: the k-th pull of arm i earns table[i, k].  Returns the arms pulled and the number of
    steps with an empty active set."""
    K, n = table.shape
    pulls, sums, arms, empty = np.zeros(K), np.zeros(K), [], 0
    for _ in range(n):
        arm, is_empty = choose(pulls, sums / np.maximum(pulls, 1))
        sums[arm] += table[arm, int(pulls[arm])]
        pulls[arm] += 1
        arms.append(arm)
        empty += is_empty
    return arms, empty
