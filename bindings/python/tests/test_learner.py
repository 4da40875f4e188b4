"""Learners and tasks: what each call returns.
SPDX-License-Identifier: Apache-2.0"""
import array
import copy
import math
import pickle
import warnings

import pytest
import segue

ARMS = ["video", "quiz", "game"]


def taught(tasks=20, **settings):
    """A learner that saw two types of tasks: 'quiz' pays, or 'game'."""
    learner = segue.Learner(ARMS, steps=30, **settings)
    for number in range(tasks):
        with learner.task() as task:
            for _ in range(30):
                arm = task.ask()
                task.tell(arm, float(arm == ARMS[1 + number % 2]))
    return learner


def test_finds_the_types_of_its_tasks():
    types = taught().types
    assert [max(found.means, key=found.means.get) for found in types] in (["quiz", "game"], ["game", "quiz"])
    assert [found.number for found in types] == [1, 2]
    assert all(found.low[arm] <= found.means[arm] <= found.high[arm] for found in types for arm in ARMS)


def test_a_learned_task_starts_with_an_arm_that_paid():
    learner = taught()
    with learner.task() as task:
        assert task.explain().purpose == "distinguish"
        assert task.explain().between == (1, 2)
        assert task.ask() in ("quiz", "game")


def test_auto_chooses_a_method():
    assert segue.Learner(ARMS, steps=30).method.startswith("tla")
    assert not segue.Learner(ARMS).method.startswith("auto")


def test_options_are_keywords_or_text():
    assert segue.Learner(ARMS, 30, "tla:cap=5").method == segue.Learner(ARMS, 30, "tla", cap=5).method


@pytest.mark.parametrize("method", ["auto", "tla", "tts", "tucb:models=2", "ts", "ucb1", "ucb"])
def test_the_same_seed_gives_the_same_decisions(method):
    try:
        learners = [segue.Learner(ARMS, 30, method, seed=7) for _ in range(2)]
    except KeyError:
        pytest.skip(f"no method {method}")
    logs = [[], []]
    for learner, log in zip(learners, logs):
        for number in range(5):
            with learner.task() as task:
                for step in range(30):
                    log.append(task.ask())
                    task.tell(log[-1], (number + step) % 2)
    assert logs[0] == logs[1]
    assert learners[0].to_bytes() == learners[1].to_bytes()


def test_asks_among_arms():
    with taught().task() as task:
        for _ in range(20):
            assert task.ask(exclude={"game"}) != "game"
            assert task.ask(exclude=["game", 1]) == "video"
        assert set(task.ask(50, exclude=("video",))) <= {1, 2}


def test_a_batch_is_an_array_and_equals_single_asks():
    one, many = taught().task(), taught().task()
    batch = many.ask(20)
    assert isinstance(batch, array.array) and memoryview(batch).format == "q"
    assert [ARMS[i] for i in batch] == [one.ask() for _ in range(20)]
    assert len(many.ask(0)) == 0
    one.close()
    many.close()


def test_pending_pulls_spread_a_batch():
    """A batch at the start of a task of UCB pulls every arm: each ask counts as a pull."""
    with segue.Learner(ARMS, 30, "ucb1").task() as task:
        assert set(task.ask(3)) == {0, 1, 2}


def test_a_batch_of_rewards_equals_single_ones():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    rewards = [0.0, 1.0, 0.25, 0.5] * 100  # enough to give the GIL up
    arms = [0, 1, 2, 1] * 100
    wide = numpy.zeros((400, 3))
    wide[:, 1] = rewards
    forms = [(arms, rewards), ([ARMS[i] for i in arms], tuple(rewards)), (numpy.array(arms), numpy.array(rewards)),
             (array.array("B", arms), numpy.array(rewards, dtype="f4")), (numpy.array(arms, "u2"), wide[:, 1]),
             (pandas.Series([ARMS[i] for i in arms]), pandas.Series(rewards)), (memoryview(bytes(arms)), rewards),
             (numpy.array([ARMS[i] for i in arms]), numpy.array(rewards)[::-1][::-1]),
             (numpy.array(arms)[::-1][::-1], wide.T[1]), (iter(arms), array.array("d", rewards))]
    results = set()
    for form in forms:
        learner = segue.Learner(ARMS, 30)
        with learner.task() as task:
            task.tell_many(*form)
        results.add((str(task.pulls), str(task.means), learner.to_bytes()))
    with segue.Learner(ARMS, 30).task() as task:
        for arm, reward in zip(arms, rewards):
            task.tell(arm, reward)
    results.add((str(task.pulls), str(task.means), task.learner.to_bytes()))
    assert len(results) == 1


def test_other_numbers_are_rewards():
    numpy = pytest.importorskip("numpy")
    with segue.Learner(ARMS).task() as task:
        task.tell("quiz", True)
        task.tell(numpy.str_("quiz"), numpy.float32(0.5))
        task.tell(numpy.int64(1), numpy.int8(1))
        task.tell_many(["quiz", "quiz"], [True, numpy.float64(0.0)])
    assert task.pulls == {"video": 0, "quiz": 5, "game": 0}
    assert task.means["quiz"] == pytest.approx(0.7) and math.isnan(task.means["game"])


def test_rewards_have_a_range():
    with segue.Learner(ARMS, 30, range=(-10, 10)).task() as task:
        task.tell("quiz", -10)
        task.tell("quiz", 5)
    assert task.means["quiz"] == pytest.approx(-2.5)


def test_late_rewards_come_in_any_order():
    learner = segue.Learner(ARMS, 30)
    first, second = learner.task(), learner.task()
    pending = [(task, task.ask()) for task in (first, second, first)]
    for task, arm in reversed(pending):
        task.tell(arm, 1)
    second.close()
    assert sum(first.pulls.values()) == 2 and learner.closed == 1
    first.close()
    assert learner.closed == 2 == learner.opened


def test_a_block_closes_its_task_also_after_an_exception():
    learner = segue.Learner(ARMS, 30)
    with pytest.raises(ZeroDivisionError), learner.task() as task:
        task.tell("quiz", 1)
        raise ZeroDivisionError
    assert task.closed and learner.closed == 1 and task.pulls["quiz"] == 1
    task.close()
    assert learner.closed == 1


def test_a_dropped_task_teaches_nothing():
    learner = segue.Learner(ARMS, 30)
    with pytest.warns(ResourceWarning, match="not closed"):
        learner.task().tell("quiz", 1)
    assert (learner.opened, learner.closed) == (1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        del learner


def test_probabilities_sum_to_one_and_change_nothing():
    learner = taught()
    with learner.task() as task:
        first = task.probabilities()
        assert math.isclose(sum(first.values()), 1) and first == task.probabilities()
        assert task.probabilities(10, exclude={"quiz", "video"}) == {"video": 0, "quiz": 0, "game": 1}


def test_features_are_learned():
    learner = segue.Learner(ARMS, steps=30)
    for number in range(60):
        with learner.task({"grade": float(number % 2), "school": "north" if number % 3 else "south"}) as task:
            task.tell_many(ARMS * 10, [0, number % 2, 1 - number % 2] * 10)
    grade = {feature.name: feature for feature in learner.features}["grade"]
    assert grade.is_number and grade.tasks == 60 and grade.relevance > 0.9
    with learner.task({"grade": 1.0}) as task:
        assert task.ask() == "quiz"
    with learner.task({"grade": 0.0}) as task:
        assert task.ask() == "game"


def test_costs_are_weighed():
    with taught().task(costs={"game": 5}) as task:
        assert "game" not in {task.ask() for _ in range(20)}


def test_arms_are_added_and_retired():
    learner = taught()
    with learner.task() as old:
        learner.add_arm("talk")
        learner.retire_arm("game")
        assert learner.arms == (*ARMS, "talk") and learner.retired == ("game",)
        assert "talk" not in old.pulls
        with pytest.raises(ValueError, match="there is no arm 3"):
            old.tell("talk", 1)
    with learner.task() as new:
        assert 2 not in set(new.ask(100))
        new.tell("talk", 1)
    assert segue.from_bytes(learner.to_bytes()).arms == (*ARMS, "talk")


def test_names_of_a_subclass_of_str_are_copied():
    """Hashing them runs code of Python, here such that adds arms itself."""
    learner = segue.Learner(["a", "b"])

    class Name(str):
        def __hash__(self):
            for i in range(100):
                learner.add_arm(f"{self}-{i}")
            return super().__hash__()
    learner.add_arm(Name("c"))
    assert learner.arms == ("a", "b", "c") and type(learner.arms[2]) is str
    assert segue.from_bytes(learner.to_bytes()).arms == learner.arms


@pytest.mark.parametrize("clone", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy,
                                   lambda x: segue.from_bytes(x.to_bytes())])
def test_a_copy_continues_as_the_learner(clone):
    learner = taught(8)
    other = clone(learner)
    assert other is not learner and other.arms == learner.arms and other.to_bytes() == learner.to_bytes()
    for one in (learner, other):
        with one.task() as task:
            for _ in range(30):
                task.tell(task.ask(), 1)
    assert other.to_bytes() == learner.to_bytes()


def test_merge_adds_what_another_has_learned():
    here, there = taught(10), taught(10, seed=2)
    before = there.to_bytes()
    here.merge(there)
    assert here.closed == 20 and there.to_bytes() == before and len(here.types) == 2


def test_a_learner_shows_itself():
    learner = taught()
    assert repr(learner) == "<segue.Learner tla: 3 arms, 20 closed tasks, 2 types>"
    assert learner._repr_html_().count("<tr>") == 3
    with learner.task() as task:
        task.tell("quiz", 1)
        assert repr(task) == "<segue.Task open: 3 arms, 1 rewards>"
    assert repr(task).startswith("<segue.Task closed")
