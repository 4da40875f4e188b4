"""scikit-learn's fit and predict for logged tables: which arm to pull in each task.

The table has a row per decision: a column `task`, a column `arm`, and optional features of the task; `y` is the reward of each row.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy
from sklearn.base import BaseEstimator  # type: ignore[import]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import]

import segue

__all__ = ["SeguePolicy"]
Features = dict[str, float | str]


class Rows(NamedTuple):
    """The rows of one task, by number, and its features."""

    numbers: list[int]
    features: Features | None


class SeguePolicy(BaseEstimator):  # type: ignore[misc]
    """Learn from the tasks of a logged table; predict the arm to pull next in tasks of that table, and in new ones.

    >>> import pandas
    >>> rows = [(f"student-{i}", arm, float(arm == ("quiz" if i % 2 else "game"))) for i in range(40) for arm in ("quiz", "game") * 3]
    >>> log = pandas.DataFrame(rows, columns=["task", "arm", "reward"])
    >>> policy = SeguePolicy(steps=6).fit(log[["task", "arm"]], log["reward"])
    >>> policy.predict(pandas.DataFrame({"task": ["student-38", "student-39"]})).tolist()
    ['game', 'quiz']
    >>> [len(policy.learner_.types), policy.classes_.tolist()]
    [2, ['game', 'quiz']]

    steps     steps per task, or a guess on the high side; None: not known
    method    as of `segue.Learner`
    seed      of the learner
    range     the lowest and the highest reward
    task      name of the column with the key of the task; an array without names has it first
    arm       name of the column with the arm; an array without names has it second
    features  names of the columns with features of the task; their value in the task's first row counts
    """

    def __init__(self, steps: int | None = None, method: str = "auto", seed: int = 1, range: tuple[float, float] = (0, 1),
                 task: str = "task", arm: str = "arm", features: Sequence[str] = ()) -> None:
        self.steps, self.method, self.seed, self.range = steps, method, seed, range
        self.task, self.arm, self.features = task, arm, features

    def fit(self, X: Any, y: Any) -> SeguePolicy:
        """Learn from the rows of a table and their rewards; tasks in the order of their first row.

        >>> X = [["ann", "A"], ["ann", "B"], ["bob", "A"]]
        >>> SeguePolicy().fit(X, [0, 1, 0]).learner_.closed
        2
        """
        arms, rewards = column(X, self.arm, 1).astype(str), numpy.asarray(y, dtype=float)
        if rewards.shape != arms.shape:
            raise ValueError(f"y has the shape {rewards.shape}; need one reward for each of {len(arms)} rows")
        self.classes_ = numpy.unique(arms)
        self.learner_ = segue.Learner(self.classes_.tolist(), steps=self.steps, method=self.method, seed=self.seed, range=self.range)
        self.tasks_ = {}  # arms, rewards and features of each task
        for key, rows in self._rows(X):
            self.tasks_[key] = arms[rows.numbers].tolist(), rewards[rows.numbers].tolist(), rows.features
            with self.learner_.task(rows.features) as task:
                task.tell_many(*self.tasks_[key][:2])
        self.learner_.refit()
        return self

    def predict_proba(self, X: Any) -> numpy.ndarray[Any, Any]:
        """The probability with which each arm of `classes_` is pulled next in the task of each row; its arm does not matter.

        >>> policy = SeguePolicy().fit([["ann", "A"], ["ann", "B"]], [0, 1])
        >>> policy.predict_proba([["ann"], ["new"]]).sum(axis=1).round(6).tolist()
        [1.0, 1.0]
        """
        check_is_fitted(self, "learner_")
        found = numpy.empty((len(column(X, self.task, 0)), len(self.classes_)))
        learner = segue.from_bytes(self.learner_.to_bytes())  # a copy: the same call gives the same draws
        for key, rows in self._rows(X):
            found[rows.numbers] = self._probabilities(learner, key, rows.features)
        return found

    def predict(self, X: Any) -> numpy.ndarray[Any, Any]:
        """The arm that is most likely pulled next in the task of each row.

        >>> SeguePolicy().fit([["ann", "A"], ["ann", "B"]] * 9, [0, 1] * 9).predict([["ann"]]).tolist()
        ['B']
        """
        best = self.predict_proba(X).argmax(axis=1)
        found: numpy.ndarray[Any, Any] = self.classes_[best]
        return found

    def score(self, X: Any, y: Any) -> float:
        """The mean reward of the rows whose arm is predicted: what the prediction would earn if the log chose its arms at random.

        For other logs, and for learning during a task, see `segue.replay`.

        >>> policy = SeguePolicy().fit([["ann", "A"], ["ann", "B"]] * 9, [0, 1] * 9)
        >>> policy.score([["ann", "A"], ["ann", "B"]], [0, 1])
        1.0
        """
        agree = self.predict(X) == column(X, self.arm, 1).astype(str)
        if not agree.any():
            raise ValueError("no row has the predicted arm; need more rows")
        return float(numpy.asarray(y, dtype=float)[agree].mean())

    def _probabilities(self, learner: segue.Learner, key: Any, features: Features | None) -> list[float]:
        """Of a task that knows its rewards of the fit. It is not closed, so that the learner does not learn from it again."""
        arms, rewards, known = self.tasks_.get(key, ([], [], None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            task = learner.task(known or features)
            task.tell_many(arms, rewards)
            found = task.probabilities()
            del task
        return [found[arm] for arm in self.classes_.tolist()]

    def _rows(self, X: Any) -> Iterator[tuple[Any, Rows]]:
        """The tasks of a table, in the order of their first rows."""
        columns = [column(X, name, None) for name in self.features]
        tasks: dict[Any, Rows] = {}
        for number, key in enumerate(column(X, self.task, 0).tolist()):
            if key not in tasks:
                features = {name: values[number] for name, values in zip(self.features, columns)}
                tasks[key] = Rows([], features or None)
            tasks[key].numbers.append(number)
        return iter(tasks.items())


def column(X: Any, name: str, position: int | None) -> numpy.ndarray[Any, Any]:
    """A column of a frame by its name, of an array by its position."""
    if hasattr(X, "columns"):
        if name not in X.columns:
            raise ValueError(f"the table has no column {name!r}, only {list(X.columns)}; name yours in SeguePolicy(...)")
        return numpy.asarray(X[name])
    array = numpy.asarray(X, dtype=object)
    if position is None or array.ndim != 2 or array.shape[1] <= position:
        raise ValueError(f"the table has no column {name!r}; need a frame with names" + ("" if position is None else f", or an array with it as column {position}"))
    return array[:, position]
