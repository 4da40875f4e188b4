"""An Optuna sampler for categorical choices over related studies.

A study is a task, a choice is an arm, the value of a trial is its reward. Each categorical parameter has a learner of its own, which
learns from closed studies which choices are good together, so that the next study needs few trials to find its best one. Other
parameters are left to another sampler.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

import segue

__all__ = ["SegueSampler"]
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


class SegueSampler(BaseSampler):
    """Sample categorical parameters with what earlier studies taught. Close each study when it is finished.

    >>> sampler = SegueSampler(range=(0, 1), steps=10)
    >>> for dataset in range(3):
    ...     study = optuna.create_study(direction="maximize", sampler=sampler)
    ...     study.optimize(lambda trial: 0.9 if trial.suggest_categorical("model", ["forest", "svm"]) == "svm" else 0.2, n_trials=10)
    ...     sampler.close(study)
    >>> sampler.learners["model"].closed
    3

    range     the lowest and the highest value that a trial may have
    steps     trials per study, or a guess on the high side; None: not known
    learners  learners of parameters by name, for example loaded ones (`segue.load`); others are created
    fallback  the sampler of other parameters; TPESampler by default
    seed      of created learners

    A study that is minimized is mirrored inside the range. A failed trial, or a pruned one without a value, counts as the worst
    value. A value outside the range raises ValueError once; nothing is learned from its trial, and the study can go on. Choices that a later study adds become arms; those that it lacks are not sampled. Threads may share a sampler.
    """

    def __init__(self, range: tuple[float, float], steps: int | None = None, learners: Mapping[str, segue.Learner] | None = None,
                 fallback: BaseSampler | None = None, seed: int = 1) -> None:
        self.range, self.steps, self.seed = (float(range[0]), float(range[1])), steps, seed
        self.learners = dict(learners or {})  #: learner of each categorical parameter
        self.fallback = fallback or optuna.samplers.TPESampler(seed=seed)
        self._lock = threading.RLock()
        self._tasks: dict[tuple[str, str], segue.Task] = {}  # by study and parameter; guarded by _lock
        self._told: dict[str, set[int]] = {}  # numbers of trials by study; guarded by _lock

    def close(self, study: Study) -> None:
        """Learn from a study. Also from one that another sampler has run: give it in before the first own one.

        >>> old = optuna.create_study(direction="maximize")
        >>> old.optimize(lambda trial: len(trial.suggest_categorical("word", ["a", "bb"])) / 2, n_trials=5)
        >>> sampler = SegueSampler(range=(0, 1))
        >>> sampler.close(old)
        >>> sampler.learners["word"].closed
        1
        """
        with self._lock:
            self._tell(study)
            for key in [key for key in self._tasks if key[0] == study.study_name]:
                self._tasks.pop(key).close()

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Of Optuna: choose a value."""
        if not isinstance(param_distribution, CategoricalDistribution):
            return self.fallback.sample_independent(study, trial, param_name, param_distribution)
        names = arm_names(param_name, param_distribution.choices)
        with self._lock:
            self._tell(study)
            task = self._task(study, param_name, names)
            arm = task.ask(exclude=set(task.learner.arms) - set(names))
        return param_distribution.choices[names.index(arm)]

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Of Optuna: reject a value outside the range while it is clear which trial has it."""
        self.fallback.after_trial(study, trial, state, values)
        if self._reward(study, values) is None:
            with self._lock:
                self._told.setdefault(study.study_name, set()).add(trial.number)
            raise ValueError(self._sentence(trial.number, values))

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Of Optuna: what the other sampler samples together."""
        space = self.fallback.infer_relative_search_space(study, trial)
        return {name: found for name, found in space.items() if not isinstance(found, CategoricalDistribution)}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """Of Optuna: sample them."""
        return self.fallback.sample_relative(study, trial, search_space)

    def reseed_rng(self) -> None:
        """Of Optuna: for several threads."""
        self.fallback.reseed_rng()

    def _tell(self, study: Study) -> None:
        """Tell the trials that are finished and not yet told, of this process or another one with the same storage."""
        told = self._told.setdefault(study.study_name, set())
        for trial in study.get_trials(deepcopy=False, states=FINISHED):
            if trial.number in told:
                continue
            reward = self._reward(study, trial.values)
            told.add(trial.number)
            if reward is None:
                warnings.warn(self._sentence(trial.number, trial.values) + "; nothing is learned from it", stacklevel=3)
                continue
            for name, found in trial.distributions.items():
                if isinstance(found, CategoricalDistribution):
                    names = arm_names(name, found.choices)
                    self._task(study, name, names).tell(names[int(found.to_internal_repr(trial.params[name]))], reward)

    def _task(self, study: Study, name: str, arms: list[str]) -> segue.Task:
        key = study.study_name, name
        if key not in self._tasks:
            if name not in self.learners:
                self.learners[name] = segue.Learner(arms, steps=self.steps, range=self.range, seed=self.seed)
            for arm in [arm for arm in arms if arm not in self.learners[name].arms]:
                self.learners[name].add_arm(arm)
            self._tasks[key] = self.learners[name].task()
        return self._tasks[key]

    def _reward(self, study: Study, values: Sequence[float] | None) -> float | None:
        if len(study.directions) != 1:
            raise ValueError(f"study {study.study_name!r} has {len(study.directions)} objectives; need one")
        low, high = self.range
        if values is None:
            return low
        if not low <= values[0] <= high:
            return None
        return values[0] if study.direction == StudyDirection.MAXIMIZE else min(high, max(low, low + high - values[0]))

    def _sentence(self, number: int, values: Any) -> str:
        return f"trial {number} has the value {values[0]:g}; need a number from {self.range[0]:g} to {self.range[1]:g}, or a sampler with a wider range"


def arm_names(parameter: str, choices: Sequence[Any]) -> list[str]:
    """Choices may be texts, numbers, booleans and None; arms are texts."""
    names = [str(choice) for choice in choices]
    if len(set(names)) < len(names):
        raise ValueError(f"parameter {parameter!r} has two choices that are written alike: {names}; need different ones")
    return names
