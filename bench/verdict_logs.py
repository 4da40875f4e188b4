"""Known truths, and logs drawn from them, for bench/verdict.

A truth draws the mean rewards of tasks; a cell is a truth and the size of its logs.  The number-th log of a
cell is always the same.
SPDX-License-Identifier: Apache-2.0"""
import dataclasses
import zlib

import numpy

# ---- truths: how the means of tasks are drawn ------------------------------------------------

FOUR = [(0.78, 0.42, 0.30, 0.25, 0.35, 0.20), (0.25, 0.78, 0.40, 0.30, 0.20, 0.35),
        (0.35, 0.25, 0.78, 0.42, 0.30, 0.20), (0.20, 0.30, 0.25, 0.35, 0.40, 0.78)]
WEIGHTS = (0.4, 0.3, 0.2, 0.1)
UNEQUAL = (0.5, 0.2, 0.1, 0.1, 0.05, 0.05)


def of_types(means, weights=None, concentration=None):
    """Tasks of types; with a concentration, Beta around them."""
    means = numpy.array(means)

    def draw(rng, n_tasks):
        theta = means[rng.choice(len(means), size=n_tasks, p=weights)]
        return rng.beta(concentration * theta, concentration * (1 - theta)) if concentration else theta
    return draw


def random_types(count, n_arms, lowest=0.1, highest=0.9):
    rng = numpy.random.default_rng(count)
    return of_types(lowest + (highest - lowest) * rng.random((count, n_arms)))


def independent(rng, n_tasks):
    return rng.random((n_tasks, 6))


def prior_per_arm(rng, n_tasks):
    mean = numpy.array((0.2, 0.3, 0.35, 0.4, 0.5, 0.55))
    return rng.beta(4 * mean, 4 * (1 - mean), size=(n_tasks, 6))


def factors(rng, n_tasks):
    """Two continuous factors, no types."""
    loading = numpy.array([[1.2, 0.8, 0.0, -0.4, -1.0, -0.6], [0.0, 0.9, 1.2, 0.3, -0.5, -1.1]])
    return 1 / (1 + numpy.exp(0.3 - rng.normal(size=(n_tasks, 2)) @ loading))


@dataclasses.dataclass
class Truth:
    draw: callable
    law: str = "bernoulli"  # of bench_truth
    arms: tuple = None      # probability of each arm in the log
    stated: bool = False    # the log has the column probability
    adaptive: bool = False  # arms chosen by Thompson sampling, per task
    geometric: bool = False  # rows per task
    same_as: str = None     # another truth with these means and this law
    hard: bool = False      # reported separately


TRUTHS = {
    "one type": Truth(of_types([(0.25, 0.35, 0.3, 0.55, 0.4, 0.45)])),
    "two types": Truth(of_types([(0.7, 0.5, 0.3, 0.4, 0.2, 0.3), (0.2, 0.4, 0.4, 0.3, 0.7, 0.5)])),
    "four types": Truth(random_types(4, 6)),
    "eight types": Truth(random_types(8, 6)),
    "newcomer": Truth(of_types(FOUR, WEIGHTS)),
    "nothing": Truth(independent),
    "prior": Truth(prior_per_arm),
    "spread": Truth(of_types(FOUR, WEIGHTS, 15)),
    "rare": Truth(of_types([(0.6, 0.45, 0.3, 0.4, 0.35, 0.2), (0.3, 0.2, 0.4, 0.25, 0.3, 0.8)], (0.95, 0.05))),
    "clicks": Truth(of_types(0.01 + 0.04 / 0.58 * (numpy.array(FOUR) - 0.2), WEIGHTS)),
    "levels": Truth(of_types(FOUR, WEIGHTS), law="levels:4"),
    "graded": Truth(of_types(FOUR, WEIGHTS), law="beta:5"),
    "unequal": Truth(of_types(FOUR, WEIGHTS), arms=UNEQUAL, same_as="newcomer"),
    "unequal stated": Truth(of_types(FOUR, WEIGHTS), arms=UNEQUAL, stated=True, same_as="newcomer"),
    "adaptive": Truth(of_types(FOUR, WEIGHTS), adaptive=True, same_as="newcomer"),
    "lengths": Truth(of_types(FOUR, WEIGHTS), geometric=True, same_as="newcomer"),
    "factors": Truth(factors, hard=True),
}


# ---- cells: a truth and the size of its logs -------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Cell:
    truth: str
    tasks: int
    rows: int
    steps: int

    @property
    def size(self):
        return f"{self.tasks}x{self.rows}" + (f" n={self.steps}" if self.steps != min(self.rows, 60) else "")

    @property
    def name(self):
        return f"{self.truth} {self.size}"

    @property
    def true_key(self):
        """The truth of a cell does not depend on how its log was made."""
        return f"{TRUTHS[self.truth].same_as or self.truth} J={self.tasks} n={self.steps}"


LARGE = ("newcomer", "nothing", "prior", "spread")
CELLS = {cell.name: cell for cell in
         [Cell(truth, 300, rows, min(rows, 60)) for rows in (8, 20, 60, 300) for truth in TRUTHS] +
         [Cell(truth, 300, rows, 60) for rows in (8, 20) for truth in LARGE] +
         [Cell(truth, 2000, rows, min(rows, 60)) for rows in (8, 20, 60) for truth in LARGE]}


# ---- logs ------------------------------------------------------------------------------------

def arm_name(arm):
    """Numbers: the program keeps their order, and look-ahead breaks ties by it."""
    return str(arm + 1)


def draw_rewards(rng, law, means):
    if law.startswith("levels:"):
        levels = int(law[7:])
        return rng.binomial(levels, means) / levels
    if law.startswith("beta:"):
        precision = float(law[5:])
        return rng.beta(precision * means, precision * (1 - means))
    return rng.binomial(1, means).astype(float)


def thompson_rows(rng, truth, means, rows):
    """Every task by Thompson sampling from uniform priors: arms and rewards, tasks x rows."""
    won, lost = numpy.ones(means.shape), numpy.ones(means.shape)
    every = numpy.arange(len(means))
    arms, rewards = numpy.empty((len(means), rows), int), numpy.empty((len(means), rows))
    for row in range(rows):
        arm = rng.beta(won, lost).argmax(axis=1)
        reward = draw_rewards(rng, truth.law, means[every, arm])
        won[every, arm] += reward
        lost[every, arm] += 1 - reward
        arms[:, row], rewards[:, row] = arm, reward
    return arms, rewards


def random_rows(rng, truth, means, rows):
    n_tasks, n_arms = means.shape
    arms = rng.choice(n_arms, size=(n_tasks, rows), p=truth.arms)
    return arms, draw_rewards(rng, truth.law, numpy.take_along_axis(means, arms, axis=1))


def make_log(cell, number):
    """The text of the number-th log of a cell."""
    truth = TRUTHS[cell.truth]
    rng = numpy.random.default_rng([zlib.crc32(cell.name.encode()), number])
    means = truth.draw(rng, cell.tasks)
    length = numpy.full(cell.tasks, cell.rows)
    if truth.geometric:
        length = rng.geometric(1 / cell.rows, size=cell.tasks)
    arms, rewards = (thompson_rows if truth.adaptive else random_rows)(rng, truth, means, length.max())
    lines = ["task,arm,reward" + (",probability" if truth.stated else "")]
    for task in range(cell.tasks):
        for arm, reward in zip(arms[task, :length[task]].tolist(), rewards[task, :length[task]].tolist()):
            line = f"u{task},{arm_name(arm)},{reward:.6g}"
            lines.append(line + (f",{truth.arms[arm]}" if truth.stated else ""))
    return "\n".join(lines) + "\n"
