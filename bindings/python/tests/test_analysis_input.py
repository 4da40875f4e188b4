"""What simulate, replay, estimate and complexity take and reject; policies in Python; tables and plots.
SPDX-License-Identifier: Apache-2.0"""
import array
import datetime

import pytest
import segue
from commands import PAPER, two_types

MEANS = [[0.9, 0.1, 0.3], [0.2, 0.8, 0.3]]


class Cycle(segue.Policy):
    """Pulls the arms in turn, and counts runs and tasks."""

    def __init__(self):
        self.runs = self.tasks = 0

    def begin_run(self):
        self.runs += 1

    def begin_task(self):
        self.tasks += 1

    def choose(self, view):
        assert sum(view.pulls) == view.step < view.steps == 30
        return view.step % len(view.pulls)


def columns(kind):
    """The same log as lists, arrays, numpy arrays or a pandas frame."""
    log = two_types()
    if kind == "array":
        log["reward"] = array.array("d", log["reward"])
    elif kind == "memoryview":
        log["reward"] = memoryview(array.array("f", log["reward"]))
    elif kind == "numpy":
        numpy = pytest.importorskip("numpy")
        log = {name: numpy.array(column) for name, column in log.items()}
        log["reward"] = numpy.repeat(log["reward"], 2)[::2]  # a stride
    elif kind == "pandas":
        log = pytest.importorskip("pandas").DataFrame(log)
    elif kind == "categories":
        log = pytest.importorskip("pandas").DataFrame(log).astype({"task": "category", "reward": "int8"})
    return log


@pytest.mark.parametrize("kind", ["array", "memoryview", "numpy", "pandas", "categories"])
def test_every_kind_of_column_gives_the_same_estimate(kind):
    assert segue.estimate(columns(kind)).record == segue.estimate(columns("list")).record


def test_numbers_name_tasks_and_arms():
    log = two_types()
    log["arm"] = ["abc".index(arm) for arm in log["arm"]]
    assert segue.estimate(log).arms == ["0", "1", "2"]


@pytest.mark.parametrize("field,value,message", [
    ("reward", 1.5, "the frame, row 6: field 'reward': 1.5 is out of range; need 0 to 1"),
    ("reward", float("nan"), "row 6: field 'reward': the value is missing"),
    ("arm", None, "row 6: field 'arm': the value is missing"),
    ("arm", "", "row 6: field 'arm': the name is empty"),
    ("task", "a\nb", "row 6: field 'task': the name has a control character"),
    ("task", "a\0b", "row 6: field 'task': the name has a control character")])
def test_a_wrong_value_is_named_with_its_row(field, value, message):
    log = two_types()
    log[field][5] = value
    with pytest.raises(ValueError, match=message):
        segue.estimate(log)


def test_rows_without_a_value_are_skipped_on_demand():
    log = two_types()
    log["reward"][5] = float("nan")
    assert segue.estimate(log, missing="skip").record["rows_skipped"] == 1


def test_ratings_have_a_range():
    log = two_types()
    log["reward"] = [1 + 4 * reward for reward in log["reward"]]
    found = segue.estimate(log, range=(1, 5))
    plain = segue.estimate(two_types())
    assert found.weights == plain.weights
    assert all(a == pytest.approx(1 + 4 * b) for row, other in zip(found.means, plain.means)
               for a, b in zip(row, other))


@pytest.mark.parametrize("change,error,message", [
    (lambda log: log.pop("arm"), ValueError, "no column 'arm'"),
    (lambda log: log["arm"].pop(), ValueError, "column 'arm' has 719 rows; column 'task' has 720"),
    (lambda log: log["reward"].pop(), ValueError, "column 'reward' has 719 rows"),
    (lambda log: log.update(arm=["a"] * 720), ValueError, "only one arm, 'a'"),
    (lambda log: log.update(task=[], arm=[], reward=[]), ValueError, "no row with a reward")])
def test_a_frame_that_is_no_log_is_rejected(change, error, message):
    log = two_types()
    change(log)
    with pytest.raises(error, match=message):
        segue.replay(log, ["ts"])


@pytest.mark.parametrize("call,error,message", [
    (lambda: segue.simulate(MEANS, ["tsl"]), KeyError, "tsl"),
    (lambda: segue.simulate(MEANS, ["tla"]), ValueError, "tasks=200"),
    (lambda: segue.simulate(MEANS, ["ts"], steps=0), ValueError, "steps"),
    (lambda: segue.simulate([[0.5, 1.5]], ["ts"]), ValueError, "1.5"),
    (lambda: segue.simulate([[0.5, 0.5], [0.5]], ["ts"]), ValueError, "different numbers of arms"),
    (lambda: segue.simulate(MEANS, ["ts"], weights=[1]), ValueError, "1 weights; need one per model, 2"),
    (lambda: segue.simulate("no.csv", ["ts"]), OSError, "no.csv"),
    (lambda: segue.simulate(MEANS, ["ts"], costs=[0.1]), ValueError, "1 costs; need one per arm, 3"),
    (lambda: segue.replay("no.csv"), OSError, "no.csv"),
    (lambda: segue.replay(two_types(), order="none"), KeyError, "there is no 'none'; need file, shuffle, time"),
    (lambda: segue.replay(two_types(), order="time"), ValueError, "time"),
    (lambda: segue.estimate(two_types(), method="rtp"), ValueError, "give types"),
    (lambda: segue.estimate(two_types(), method="no"), KeyError, "no estimator 'no'"),
    (lambda: segue.complexity(MEANS, 0), ValueError, "steps is 0"),
    (lambda: segue.complexity(MEANS, delta=2), ValueError, "delta is 2")])
def test_a_wrong_argument_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("kind", ["datetime", "pandas", "numpy", "text", "number"])
def test_times_order_the_tasks(kind):
    log = two_types()
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    hours = [-int(task.split()[1]) for task in log["task"]]
    log["time"] = [start + datetime.timedelta(hours=hour) for hour in hours] if kind != "number" else hours
    if kind == "pandas":
        log = pytest.importorskip("pandas").DataFrame(log)
    if kind == "text":
        log["time"] = [time.isoformat() for time in log["time"]]
    if kind == "numpy":
        numpy = pytest.importorskip("numpy")
        log["time"] = numpy.array([time.replace(tzinfo=None) for time in log["time"]], "datetime64[ns]")
    result = segue.replay(log, ["ts"], order="time", runs=1, replicates=2, steps=5)
    assert result.record["play"]["order"] == "time"


def test_a_policy_in_python_plays_the_same_tasks():
    policy = Cycle()
    result = segue.simulate(MEANS, [policy, "ts"], steps=30, tasks=4, runs=3)
    assert (policy.runs, policy.tasks) == (3, 12)
    assert result.policies == ["Cycle", "ts"]
    for run in range(3):
        for task in range(4):
            means = MEANS[result.model[0, run, task]]
            assert result.model[0, run, task] == result.model[1, run, task]
            assert result.regret[0, run, task] == pytest.approx(sum(10 * (max(means) - mean) for mean in means))


@pytest.mark.parametrize("answer,error,message", [
    (3, ValueError, "choose returned 3; need an arm from 0 to 2"), (-1, ValueError, "choose returned -1"),
    ("a", TypeError, "choose returned 'a'; need an arm"), (ZeroDivisionError("own"), ZeroDivisionError, "own")])
def test_a_wrong_policy_ends_the_simulation(answer, error, message):
    class Wrong(segue.Policy):
        calls = 0

        def choose(self, view):
            Wrong.calls += 1
            if isinstance(answer, Exception):
                raise answer
            return answer

    with pytest.raises(error, match=message):
        segue.simulate(MEANS, [Wrong()], steps=30, tasks=4, runs=3)
    assert Wrong.calls == 1


def test_an_estimate_is_a_model_set():
    found = segue.estimate(two_types())
    result = segue.simulate(found, ["ts", "tla"], steps=20, tasks=20, runs=2)
    assert result.arms == ["a", "b", "c"] and result["tla"].regret > 0


def results():
    log = two_types()
    return [segue.simulate(PAPER, ["ts", "tla"], 50, 10, 2), segue.simulate(PAPER, ["ts"], 50, runs=2),
            segue.replay(log, ["ts"], runs=1, replicates=2, steps=5), segue.estimate(log), segue.complexity(PAPER)]


def test_results_show_tables():
    for result in results():
        html = result._repr_html_()
        assert html.count("<tr>") == len(result.table) + 1 and "<table>" in html
        assert len(repr(result).splitlines()) == len(result.table) + 2


def test_results_turn_into_frames():
    pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    for result in results()[2:]:
        assert len(result.to_pandas()) == len(result.table)
    result = results()[0]
    frame = result.to_pandas()
    assert list(frame.columns) == ["policy", "run", "task", "regret", "reward", "model"]
    assert frame.regret.to_numpy().tobytes() == numpy.asarray(result.regret).tobytes()
    assert numpy.allclose(frame[frame.policy == "tla"].groupby("task").regret.mean(), numpy.asarray(result.curve)[1])


def test_results_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for result in results():
        axes = result.plot()
        assert axes.get_legend() is not None
        axes.figure.clear()


def test_arms_keep_their_names():
    """Of an Estimate and of a frame of models."""
    found = segue.estimate(two_types(20, 6))
    assert segue.complexity(found).arms == segue.simulate(found, ["ts"], 5, 2, 1).arms == found.arms == ["a", "b", "c"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"weight": [0.5, 0.5], "video": [0.9, 0.2], "quiz": [0.1, 0.8]})
    assert [row["best_arm"] for row in segue.complexity(frame).table] == ["video", "quiz"]
    assert segue.simulate(frame.drop(columns="weight").to_numpy(), ["ts"], 5, 2, 1).arms == ["arm 1", "arm 2"]
