"""Policies that are written in Python, for research.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class View(NamedTuple):
    """What a policy knows of a task before a pull.

    >>> view = segue.View(step=3, steps=10, pulls=[2, 1], sums=[1.0, 1.0])
    >>> view.means
    [0.5, 1.0]
    """

    step: int
    """Pulls of this task so far."""
    steps: int
    """Pulls of the task in all."""
    pulls: list[int]
    """Pulls of each arm."""
    sums: list[float]
    """Sum of the rewards of each arm, each in [0, 1]."""

    @property
    def means(self) -> list[float]:
        """Average reward of each arm; 0 where it was not pulled.

        >>> segue.View(0, 10, [0, 4], [0.0, 2.0]).means
        [0.0, 0.5]
        """
        return [total / max(count, 1) for total, count in zip(self.sums, self.pulls)]


class Policy:
    """A policy of your own, for segue.simulate: a class with a method choose.

    It plays the same tasks and rewards as the policies of the library, some hundred times slower: Python is called
    at every step, by one thread.  It is for research; what is used in earnest belongs into the library.

    >>> class Greedy(segue.Policy):
    ...     def choose(self, view):
    ...         if 0 in view.pulls:
    ...             return view.pulls.index(0)
    ...         return view.means.index(max(view.means))
    >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], [Greedy(), "ts"], steps=20, tasks=5, runs=2)
    >>> result.policies
    ['Greedy', 'ts']
    """

    @property
    def name(self) -> str:
        """The name in tables: that of the class.

        >>> segue.Policy().name
        'Policy'
        """
        return type(self).__name__

    def begin_run(self) -> None:
        """Called before the first task of a run: forget what earlier runs taught.

        >>> segue.Policy().begin_run()
        """

    def begin_task(self) -> None:
        """Called before the first step of each task.

        >>> segue.Policy().begin_task()
        """

    def choose(self, view: View) -> int:
        """Return the arm of the next pull, counted from 0.

        >>> segue.Policy().choose(segue.View(0, 10, [0, 0], [0.0, 0.0]))
        Traceback (most recent call last):
        NotImplementedError: Policy has no method choose
        """
        raise NotImplementedError(f"{self.name} has no method choose")


def player(policy: Policy, steps: int, tasks: int) -> Callable[[int, Sequence[int], Sequence[float]], int]:
    """The function that the extension calls at each step.

    >>> class First(Policy):
    ...     def choose(self, view):
    ...         return 0
    >>> player(First(), 10, 1)(0, [0, 0], [0.0, 0.0])
    0
    """
    begun = 0

    def choose(step: int, pulls: Sequence[int], sums: Sequence[float]) -> int:
        nonlocal begun
        if step == 0:
            if begun % tasks == 0:
                policy.begin_run()
            policy.begin_task()
            begun += 1
        return policy.choose(View(step, steps, list(pulls), list(sums)))

    return choose
