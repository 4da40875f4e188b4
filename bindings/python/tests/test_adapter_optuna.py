"""The sampler for Optuna, with the real Optuna: studies teach each other, and every trial counts once.
SPDX-License-Identifier: Apache-2.0"""
import doctest
import pathlib

import pytest
from served import segue

optuna = pytest.importorskip("optuna", reason="python3-optuna is missing")
import segue.adapters.optuna_sampler as module  # noqa: E402
from segue.adapters.optuna_sampler import SegueSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
MODELS = ["forest", "svm", "boosting", "linear", "bayes", "trees"]


def values_of(best):
    return lambda trial: 0.9 if trial.suggest_categorical("model", MODELS) == best else 0.1


def run(sampler, objective, n_trials=12, direction="maximize", **options):
    study = optuna.create_study(sampler=sampler, direction=direction)
    study.optimize(objective, n_trials=n_trials, **options)
    return study


def test_the_next_study_starts_with_what_was_good_before():
    """Two kinds of data sets: after 20 studies the first trial takes a model that is best for one kind."""
    sampler = SegueSampler(range=(0, 1), steps=12)
    for i in range(20):
        run_and_close(sampler, values_of(["svm", "trees"][i % 2]))
    later = [run_and_close(sampler, values_of(["svm", "trees"][i % 2])) for i in range(6)]
    for i, models in enumerate(later):
        assert models[0] in ("svm", "trees") and models[-8:] == [["svm", "trees"][i % 2]] * 8
    weights = [found.weight for found in sampler.learners["model"].types]
    assert sampler.learners["model"].closed == 26 and sum(weight > 0.3 for weight in weights) == 2


def run_and_close(sampler, objective, **options):
    study = run(sampler, objective, **options)
    sampler.close(study)
    return [trial.params.get("model") for trial in study.trials]


def test_minimized_studies_are_mirrored():
    sampler = SegueSampler(range=(2, 7), steps=12)
    for _ in range(8):
        models = run_and_close(sampler, lambda trial: 2.5 if trial.suggest_categorical("model", MODELS) == "svm" else 6,
                               direction="minimize")
    assert models.count("svm") >= 10
    means = sampler.learners["model"].types[0].means
    assert means["svm"] == pytest.approx(6.5, abs=0.5) and sampler.learners["model"].range == (2, 7)


def test_every_trial_is_told_once_also_failed_pruned_and_enqueued_ones():
    def objective(trial):
        model = trial.suggest_categorical("model", MODELS)
        if model == "linear":
            raise RuntimeError("does not converge")
        if model == "bayes":
            raise optuna.TrialPruned
        return 0.5
    sampler = SegueSampler(range=(0, 1), steps=40)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    for model in ("linear", "bayes", "linear", "svm"):
        study.enqueue_trial({"model": model})
    study.optimize(objective, n_trials=20, catch=(RuntimeError,))
    sampler._tell(study)
    task = sampler._tasks[study.study_name, "model"]
    assert sum(task.pulls.values()) == 20
    assert task.pulls["linear"] >= 2 and task.means["linear"] == 0 == task.means["bayes"] and task.means["svm"] == 0.5
    sampler.close(study)
    sampler.close(study)
    assert sampler.learners["model"].closed == 1


def test_other_parameters_are_left_to_the_other_sampler():
    def objective(trial):
        model = trial.suggest_categorical("model", MODELS)
        return (model == "svm") * 0.5 + 0.5 * (1 - abs(trial.suggest_float("x", 0, 1) - 0.3)) + 0 * trial.suggest_int("n", 1, 5)
    sampler = SegueSampler(range=(0, 1), steps=30, fallback=optuna.samplers.TPESampler(seed=3, multivariate=True, n_startup_trials=5))
    study = run(sampler, objective, 30)
    assert list(sampler.learners) == ["model"] and study.best_params["model"] == "svm"
    assert abs(study.best_params["x"] - 0.3) < 0.2


def test_choices_of_any_kind_that_come_and_go():
    sampler = SegueSampler(range=(0, 1), steps=10)
    for choices in ([None, True, 3], [None, 3, 0.5], ["3", "None"]):
        study = run(sampler, lambda trial: float(trial.suggest_categorical("c", choices) == choices[0]), 10)
        assert {trial.params["c"] for trial in study.trials} <= set(choices)
        sampler.close(study)
    assert sampler.learners["c"].arms == ("None", "True", "3", "0.5")
    with pytest.raises(ValueError, match="written alike"):
        run(sampler, lambda trial: float(trial.suggest_categorical("d", [3, "3"])), 1)


def test_a_value_outside_the_range_names_the_trial():
    with pytest.raises(ValueError, match="trial 0 has the value 3; need a number from 0 to 1, or a sampler with a wider range"):
        run(SegueSampler(range=(0, 1)), lambda trial: 3 * len(trial.suggest_categorical("c", "ab")), 5)
    two = optuna.create_study(sampler=SegueSampler(range=(0, 1)), directions=["maximize", "minimize"])
    with pytest.raises(ValueError, match="has 2 objectives; need one"):
        two.optimize(lambda trial: (trial.suggest_categorical("c", [0, 1]), 0), n_trials=1)


def test_a_value_outside_the_range_does_not_end_the_study():
    """Its trial is not learned from; the others are, here and in a sampler that reads the study later."""
    sampler, values = SegueSampler(range=(0, 1), steps=12), iter([0.5, 3, 0.5, 0.5, 0.5])
    study = optuna.create_study(sampler=sampler, direction="maximize")
    for _ in range(5):
        try:
            study.optimize(lambda trial: next(values) + 0 * len(trial.suggest_categorical("c", ["a", "b"])), n_trials=1)
        except ValueError as error:
            assert "trial 1 has the value 3" in str(error)
    assert len(study.trials) == 5
    sampler._tell(study)
    assert sum(sampler._tasks[study.study_name, "c"].pulls.values()) == 4
    sampler.close(study)
    other = SegueSampler(range=(0, 1), steps=12)
    with pytest.warns(UserWarning, match="trial 1 has the value 3; .*; nothing is learned from it"):
        other.close(study)
    assert sampler.learners["c"].closed == other.learners["c"].closed == 1


def test_threads_share_a_sampler():
    sampler = SegueSampler(range=(0, 1), steps=40)
    study = run(sampler, values_of("svm"), 40, n_jobs=4)
    sampler.close(study)
    assert sampler.learners["model"].closed == 1 and len(study.trials) == 40


def test_a_study_goes_on_in_another_process(tmp_path):
    """Trials of the storage are told to a new sampler, and a saved learner goes on."""
    storage = f"sqlite:///{tmp_path / 'studies.db'}"
    first = SegueSampler(range=(0, 1), steps=12)
    for i in range(6):
        run_and_close(first, values_of("svm"))
    study = optuna.create_study(storage=storage, study_name="s", sampler=first, direction="maximize")
    study.optimize(values_of("svm"), n_trials=6)
    first.learners["model"].save(tmp_path / "model.segue")
    second = SegueSampler(range=(0, 1), steps=12, learners={"model": segue.load(tmp_path / "model.segue")})
    study = optuna.load_study(study_name="s", storage=storage, sampler=second)
    study.optimize(values_of("svm"), n_trials=6)
    second._tell(study)
    assert sum(second._tasks["s", "model"].pulls.values()) == 12
    second.close(study)
    assert second.learners["model"].closed == 7


def test_examples_and_size():
    result = doctest.testmod(module, extraglobs={"segue": segue})
    assert result.failed == 0 and result.attempted > 5
    assert len(pathlib.Path(module.__file__).read_text().splitlines()) < 150
