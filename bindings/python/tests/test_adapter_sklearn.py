"""fit and predict for logged tables, with the real scikit-learn.
SPDX-License-Identifier: Apache-2.0"""
import doctest
import pathlib
import pickle
import random
import warnings

import pytest
from served import segue

numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
pandas = pytest.importorskip("pandas", reason="python3-pandas is missing")
pytest.importorskip("sklearn", reason="python3-sklearn is missing")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score  # noqa: E402

import segue.adapters.sklearn_policy as module  # noqa: E402
from segue.adapters.sklearn_policy import SeguePolicy  # noqa: E402

ARMS = ["video", "quiz", "game"]
BEST = {"young": "game", "old": "quiz"}


def make_log(n_tasks=60, steps=12, seed=1):
    """Arms at random; the best one of a task depends on its group."""
    draws, rows = random.Random(seed), []
    for i in range(n_tasks):
        group = draws.choice(list(BEST))
        for _ in range(steps):
            arm = draws.choice(ARMS)
            rows.append((f"student-{i}", arm, group, float(draws.random() < (0.9 if arm == BEST[group] else 0.2))))
    return pandas.DataFrame(rows, columns=["task", "arm", "group", "reward"])


@pytest.fixture(scope="module")
def log():
    return make_log()


@pytest.fixture(scope="module")
def policy(log):
    return SeguePolicy(steps=12).fit(log[["task", "arm"]], log["reward"])


def test_it_finds_the_types_and_the_best_arm_of_each_task(log, policy):
    assert policy.learner_.closed == 60 and sum(found.weight > 0.3 for found in policy.learner_.types) == 2
    tasks = log.groupby("task", sort=False)["group"].first()
    right = policy.predict(tasks.reset_index()[["task"]]) == [BEST[group] for group in tasks]
    assert right.sum() >= 55  # a task has four rewards of its best arm: some look like the other group


def test_probabilities_are_rows_of_classes_and_do_not_change(log, policy):
    X = log[["task", "arm"]]
    found = policy.predict_proba(X)
    assert found.shape == (len(log), 3) and numpy.allclose(found.sum(axis=1), 1) and policy.classes_.tolist() == sorted(ARMS)
    assert (found == policy.predict_proba(X)).all() and policy.learner_.opened == 60
    assert (found[X["task"] == "student-7"] == found[X["task"].tolist().index("student-7")]).all()


def test_a_new_task_is_predicted_by_its_features(log):
    policy = SeguePolicy(steps=12, features=["group"]).fit(log[["task", "arm", "group"]], log["reward"])
    new = pandas.DataFrame({"task": ["a", "b"], "group": ["young", "old"]})
    assert policy.predict(new).tolist() == ["game", "quiz"]
    with pytest.raises(ValueError, match="has no column 'group', only .*; name yours"):
        policy.predict(new[["task"]])


def test_it_works_in_cross_validation_and_grid_search(log):
    """Rows divided at random: the other rows of a task say what is best in it. Tasks divided: features say it."""
    X, y = log[["task", "arm", "group"]], log["reward"]
    rows = cross_val_score(SeguePolicy(steps=12), X, y, cv=KFold(3, shuffle=True, random_state=1))
    tasks = cross_val_score(SeguePolicy(steps=12, features=["group"]), X, y, cv=GroupKFold(3), groups=X["task"])
    blind = cross_val_score(SeguePolicy(steps=12), X, y, cv=GroupKFold(3), groups=X["task"])
    assert rows.mean() > 0.75 and tasks.mean() > 0.8 and blind.mean() < 0.7  # 0.9 is the best, 0.55 without the group
    search = GridSearchCV(SeguePolicy(steps=12), {"features": [(), ("group",)]}, cv=GroupKFold(3)).fit(X, y, groups=X["task"])
    assert search.best_params_ == {"features": ("group",)}


def test_copies(policy, log):
    assert clone(policy).get_params() == policy.get_params() and not hasattr(clone(policy), "learner_")
    copy = pickle.loads(pickle.dumps(policy))
    X = log[["task"]][:50]
    assert (copy.predict_proba(X) == policy.predict_proba(X)).all()


def test_arrays_without_names_and_other_names(log, policy):
    array = SeguePolicy(steps=12).fit(log[["task", "arm"]].to_numpy(), log["reward"].to_numpy())
    assert array.learner_.to_bytes() == policy.learner_.to_bytes()
    named = SeguePolicy(steps=12, task="user", arm="item").fit(log.rename(columns={"task": "user", "arm": "item"}), log["reward"])
    assert named.learner_.to_bytes() == policy.learner_.to_bytes()
    numbers = SeguePolicy().fit([[1, 10], [1, 20], [2, 10]], [0, 1, 0])
    assert numbers.classes_.tolist() == ["10", "20"] and numbers.predict([[1]]).tolist() in (["10"], ["20"])


def test_errors(log):
    with pytest.raises(NotFittedError):
        SeguePolicy().predict([["ann"]])
    with pytest.raises(ValueError, match=r"y has the shape \(1,\); need one reward for each of 2 rows"):
        SeguePolicy().fit([["ann", "A"], ["ann", "B"]], [1])
    with pytest.raises(ValueError, match="need a number from 0 to 1"):
        SeguePolicy().fit([["ann", "A"], ["ann", "B"]], [1, 7])
    with pytest.raises(ValueError, match="no column 'arm'; need a frame with names, or an array with it as column 1"):
        SeguePolicy().fit([["ann"], ["bob"]], [1, 0])
    frame = pandas.DataFrame({"task": ["ann", "ann"], "arm": ["A", "B"], "group": [None, None]})
    with pytest.raises(TypeError, match="feature 'group' is None; need a number or a text"):
        SeguePolicy(features=["group"]).fit(frame, [0, 1])
    with pytest.raises(ValueError, match="no row has the predicted arm"):
        SeguePolicy().fit([["ann", "A"], ["ann", "B"]] * 9, [0, 1] * 9).score([["ann", "A"]], [0])


def test_predictions_leave_no_warning(policy):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy.predict([["student-1"], ["new"]])


def test_examples_and_size():
    result = doctest.testmod(module, extraglobs={"segue": segue})
    assert result.failed == 0 and result.attempted > 9
    assert len(pathlib.Path(module.__file__).read_text().splitlines()) < 150
