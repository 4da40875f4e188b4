"""Values that simulate, replay, estimate and complexity reject, and missing values that they skip.
SPDX-License-Identifier: Apache-2.0"""
import copy
import datetime
import pickle

import pytest
import segue
from commands import two_types

MEANS = [[0.9, 0.1, 0.3], [0.2, 0.8, 0.3]]
SMALL = {"steps": 20, "tasks": 4, "runs": 2}
LOG = two_types(20, 6)
CALLS = {
    "simulate": lambda **more: segue.simulate(MEANS, ["ts"], **{**SMALL, **more}),
    "replay": lambda **more: segue.replay(LOG, ["ts"], **{"runs": 1, "replicates": 1, **more}),
    "estimate": lambda **more: segue.estimate(LOG, **more),
    "complexity": lambda **more: segue.complexity(MEANS, **more),
}
WHOLE = [("simulate", "steps"), ("simulate", "tasks"), ("simulate", "runs"), ("simulate", "seed"), ("simulate", "threads"),
         ("replay", "steps"), ("replay", "first"), ("replay", "runs"), ("replay", "replicates"), ("replay", "seed"),
         ("replay", "threads"), ("estimate", "types"), ("estimate", "seed"), ("complexity", "steps"), ("complexity", "tasks")]


@pytest.mark.parametrize("call,name", WHOLE)
def test_whole_numbers_do_not_wrap(call, name):
    for value in (-1, 2**64, 2**64 + 2):
        with pytest.raises(ValueError, match=f"^{name} is {value}; need a whole number from [01] to "):
            CALLS[call](**{name: value})
    for value in (1.5, "3", [1]):
        with pytest.raises(TypeError, match=f"^{name} is .*; need a whole number$"):
            CALLS[call](**{name: value})


def test_numbers_of_numpy_are_whole_numbers():
    numpy = pytest.importorskip("numpy")
    found = segue.simulate(MEANS, ["ts"], numpy.int32(20), numpy.uint8(4), numpy.int64(2), seed=numpy.uint64(2**64 - 1))
    assert found.regret == segue.simulate(MEANS, ["ts"], 20, 4, 2, seed=2**64 - 1).regret


@pytest.mark.parametrize("policies,error,message", [
    ([], ValueError, "policies is empty; need at least one"), ([None], TypeError, r"policies\[0\] is None"),
    (["ts", 5], TypeError, r"policies\[1\] is 5; need a text"), ("ts\0", KeyError, r"there is no policy 'ts\\x00'")])
def test_policies_that_are_none(policies, error, message):
    with pytest.raises(error, match=message):
        segue.simulate(MEANS, policies, **SMALL)


def test_several_policies_in_one_text():
    assert segue.simulate(MEANS, "ts,tla", **SMALL).regret == segue.simulate(MEANS, ["ts", "tla"], **SMALL).regret


@pytest.mark.parametrize("models", [5, None, [1, 2]])
def test_models_that_are_none(models):
    with pytest.raises(TypeError, match="^models is .*; need a path, a frame, or one row of means per model"):
        segue.simulate(models, ["ts"])


@pytest.mark.parametrize("log", [5, None, [1, 2]])
def test_logs_that_are_none(log):
    with pytest.raises(TypeError, match="^log is .*; need a path, a frame or a dictionary of columns"):
        segue.estimate(log)


def test_too_many_numbers_are_out_of_memory():
    with pytest.raises(MemoryError, match="lower runs or tasks"):
        segue.simulate(MEANS, ["ts"], 10, 10**9, 10**9)


@pytest.mark.parametrize("given", [5, (0,), (0, 1, 2)])
def test_ranges_that_are_none(given):
    with pytest.raises(ValueError, match="^range is .*; need the lowest and the highest reward"):
        segue.replay(LOG, range=given)


def without(kind):
    """The log with 6 rows less, and with a missing reward in each of these."""
    kept = {name: column[6:] for name, column in LOG.items()}
    if kind == "None":
        return kept, {**LOG, "reward": [None] * 6 + LOG["reward"][6:]}
    if kind == "masked":
        numpy = pytest.importorskip("numpy")
        return kept, {**LOG, "reward": numpy.ma.array(LOG["reward"], mask=[i < 6 for i in range(120)])}
    pandas = pytest.importorskip("pandas")
    return kept, pandas.DataFrame({**LOG, "reward": pandas.array([None] * 6 + LOG["reward"][6:], dtype=kind)})


@pytest.mark.parametrize("kind", ["None", "masked", "Int64", "Int8", "Float64", "float32", "boolean", "object"])
def test_missing_rewards_are_skipped_or_named(kind):
    kept, given = without(kind)
    record = segue.estimate(given, missing="skip").record
    assert record.pop("rows_skipped") == 6
    expected = segue.estimate(kept).record
    assert expected.pop("rows_skipped") == 0 and record == expected
    with pytest.raises(ValueError, match="the frame, row 1: field 'reward': the value is missing"):
        segue.estimate(given)


def test_what_is_no_number_is_named_by_its_row():
    with pytest.raises(TypeError, match="^the frame, row 2: field 'reward': is 'much'; need a number"):
        segue.estimate({**LOG, "reward": [1, "much", *LOG["reward"][2:]]})


def replay_at(times, **more):
    """The table as text, in which NaN equals NaN."""
    return repr(segue.replay({**LOG, "time": times}, ["ts"], runs=1, replicates=1, order="time", **more).table)


def test_times_may_be_dates_and_missing():
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=i // 6) for i in range(120)]
    texts = [day.isoformat() for day in days]
    assert replay_at(days) == replay_at(texts)
    pandas = pytest.importorskip("pandas")
    texts[7] = None
    expected = replay_at(texts, missing="skip")
    assert replay_at(pandas.array(texts, dtype="string"), missing="skip") == expected
    numbers = pandas.array([None if i == 7 else i // 6 for i in range(120)], dtype="Int64")
    assert replay_at(numbers, missing="skip") == expected


def test_a_structured_array_is_a_frame():
    pandas = pytest.importorskip("pandas")
    assert segue.estimate(pandas.DataFrame(LOG).to_records()).record == segue.estimate(LOG).record


@pytest.mark.parametrize("tasks", [4, None])
def test_a_simulation_is_copied_whole(tasks):
    found = segue.simulate(MEANS, ["ts", "ucb"], 20, tasks, 2)
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (again.regret, again.reward, again.model) == (found.regret, found.reward, found.model)
        assert again.curve == found.curve and again.curve_se == found.curve_se
        assert again.table == found.table and repr(again) == repr(found)
        again.regret[0, 0, 0] += 1
        assert again.regret != found.regret


MODELS = [[0.9, 0.1], [0.2, 0.8]]
FRAME = {"task": [i // 6 for i in range(60)], "arm": ["a", "b"] * 30, "reward": [1.0, 0.0] * 30}


class Answers(segue.Policy):
    """A policy that always returns the same."""

    def __init__(self, answer):
        self.answer = answer

    def choose(self, view):
        return self.answer


@pytest.mark.parametrize("call,kind,sentence", [
    (lambda: segue.simulate(MODELS, None), TypeError, "policies is None; need a list of policies"),
    (lambda: segue.simulate(MODELS, ["ts"], rewards=5), TypeError, "rewards is 5; need a text"),
    (lambda: segue.simulate(MODELS, ["ts"], spread="x"), TypeError, "spread is 'x'; need a number"),
    (lambda: segue.simulate(MODELS, ["ts"], switch_cost=None), TypeError, "switch_cost is None; need a number"),
    (lambda: segue.simulate(MODELS, ["ts"], ignore_costs="no"), TypeError, "ignore_costs is 'no'; need True or False"),
    (lambda: segue.simulate(MODELS, ["ts"], weights={0.5, 1}), TypeError, "weights is .*; need a list or an array"),
    (lambda: segue.simulate(MODELS, ["ts"], costs={"a": 1}), TypeError, "costs is .*; need a list or an array"),
    (lambda: segue.simulate(MODELS, [Answers(None)], 5, 2, 1), TypeError, "choose returned None; need an arm from 0 to 1"),
    (lambda: segue.simulate(MODELS, [Answers("a")], 5, 2, 1), TypeError, "choose returned 'a'; need an arm from 0 to 1"),
    (lambda: segue.simulate(MODELS, [Answers(2**80)], 5, 2, 1), ValueError, "choose returned 12089.*; need an arm from 0 to 1"),
    (lambda: segue.simulate(MODELS, ["ts"], 5, 2, 1).plot(smooth=0), ValueError, "smooth is 0; need a whole number from 1"),
    (lambda: segue.replay(FRAME, value=-1), ValueError, "value is -1; need 0 or more"),
    (lambda: segue.replay(FRAME, tasks_per_day=float("nan")), ValueError, "tasks_per_day is nan; need 0 or more"),
    (lambda: segue.replay(FRAME, holdout=5), TypeError, "holdout is 5; need a text"),
    (lambda: segue.replay(FRAME, delimiter=5), TypeError, "delimiter is 5; need a text"),
    (lambda: segue.replay(FRAME, range=("a", "b")), TypeError, "range is 'a'; need a number"),
    (lambda: segue.replay(FRAME, range=(0, float("inf"))), ValueError, r"range is \(0, inf\); need numbers from -1e15 to 1e15"),
    (lambda: segue.estimate(FRAME, range=(float("nan"), 1)), ValueError, r"range is \(nan, 1\); need numbers from"),
    (lambda: segue.replay(FRAME, None), TypeError, "policies is None; need a list of policies"),
    (lambda: segue.replay(FRAME, [Answers(0)]), TypeError, r"policies\[0\] is .*; need a text$"),
    (lambda: segue.replay({**FRAME, "time": ["2026-01-01"] * 59 + ["noon"]}), ValueError, "^the frame, row 60: field 'time': 'noon' is not a time"),
    (lambda: segue.replay({**FRAME, "arm": {"a", "b"}}), TypeError, "arm is .*; need a list or an array"),
    (lambda: segue.replay({**FRAME, "reward": [10**400] * 60}), ValueError, "row 1: field 'reward': is too large"),
    (lambda: segue.estimate(FRAME, method=None), TypeError, "method is None; need a text"),
    (lambda: segue.complexity(MODELS, delta="x"), TypeError, "delta is 'x'; need a number"),
])
def test_a_wrong_argument_is_named(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()
