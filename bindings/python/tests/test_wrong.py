"""Values that a learner and its tasks reject, with a sentence that names them.
SPDX-License-Identifier: Apache-2.0"""
import pytest
import segue

numpy = pytest.importorskip("numpy")
KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i4", ">u8"]


def open_task():
    return segue.Learner(["a", "b", "c"], 30).task()


@pytest.mark.parametrize("kind", [*KINDS, "bool", "float16", "float32", "float64", ">f8", "longdouble", "object"])
def test_rewards_of_every_kind_in_a_read_only_view(kind):
    rewards = numpy.array([1, 0, 1, 0], dtype=kind)
    rewards.flags.writeable = False
    with open_task() as task, open_task() as plain:
        task.tell_many([0, 1, 2, 2], rewards[::-1])
        plain.tell_many([0, 1, 2, 2], [0, 1, 0, 1])
        assert task.means == plain.means and task.pulls == {"a": 1, "b": 1, "c": 2}


def test_a_bool_of_numpy_is_any_byte():
    with open_task() as task:
        task.tell_many([0, 1, 2], numpy.array([2, 0, 255], dtype="uint8").view("bool"))
        assert task.means == {"a": 1, "b": 0, "c": 1}


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, RuntimeError])
@pytest.mark.parametrize("call", [lambda task, column: task.tell_many([0, 1], column), lambda task, column: task.tell_many(column, [0, 1])])
def test_an_exception_of_a_column_is_raised(kind, call):
    class Column:
        def to_numpy(self):
            raise kind("now")

        def __iter__(self):
            return iter([0, 1])
    with open_task() as task:
        with pytest.raises(kind, match="now"):
            call(task, Column())
        assert sum(task.pulls.values()) == 0


def test_a_seed_has_64_bits():
    learner = segue.Learner(["a", "b"], seed=2**64 - 1)
    assert segue.from_bytes(learner.to_bytes()).seed == learner.seed == 2**64 - 1
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match=f"seed is {seed}; need a whole number from 0 to 2\\^64 - 1"):
            segue.Learner(["a", "b"], seed=seed)


@pytest.mark.parametrize("kind", KINDS)
def test_arms_of_every_kind_in_a_read_only_view(kind):
    arms = numpy.array([0, 9, 1, 9, 2, 9, 2, 9], dtype=kind)[::2]
    arms.flags.writeable = False
    with open_task() as task:
        task.tell_many(arms, numpy.ones(4))
        assert task.pulls == {"a": 1, "b": 1, "c": 2}


@pytest.mark.parametrize("rewards,message", [
    (numpy.ones((2, 1)), "rewards has rows and columns; need one column"),
    (numpy.ones(2, "m8[s]"), "rewards has dates or durations; need numbers"),
    (numpy.ones(2, "M8[ns]"), "rewards has dates or durations; need numbers"),
    (["1", "0"], r"rewards\[0\] is '1'; need a number")])
def test_what_is_no_column_of_rewards(rewards, message):
    task = open_task()
    with pytest.raises(TypeError, match=message):
        task.tell_many([0, 1], rewards)
    assert sum(task.pulls.values()) == 0
    task.close()


@pytest.mark.parametrize("arms", [numpy.array([0, -1]), numpy.array([0, 3]), numpy.array([0, 2**63], dtype="uint64")])
def test_indices_out_of_range(arms):
    task = open_task()
    with pytest.raises(ValueError, match="reward 1 of the batch: .*need 0 to 2") as raised:
        task.tell_many(arms, [1, 1])
    assert str(2**64 - 1) not in str(raised.value) and sum(task.pulls.values()) == 0
    task.close()


@pytest.mark.parametrize("call,message", [
    (lambda task: task.tell("a", "1"), "the reward is '1'; need a number"),
    (lambda task: task.tell("a", None), "the reward is None; need a number"),
    (lambda task: task.ask(1.5), "count is 1.5; need a whole number"),
    (lambda task: task.ask(exclude=5), "exclude is 5; need a set of arms"),
    (lambda task: segue.Learner(5), "arms is 5; need a list of names"),
    (lambda task: segue.Learner(["a", "b"], steps=1.5), "steps is 1.5; need a whole number"),
    (lambda task: segue.Learner(["a", "b"], range=5), "range is 5; need the lowest and the highest reward"),
    (lambda task: segue.Learner(["a", "b"], range="ab"), "range is 'ab'; need the lowest and the highest reward")])
def test_wrong_types_are_named(call, message):
    with open_task() as task:
        with pytest.raises((TypeError, ValueError)) as raised:
            call(task)
        assert str(raised.value).startswith(message)


def test_masked_and_complex_rewards_are_not_told():
    task = segue.Learner(["a", "b"], 30).task()
    with pytest.raises(TypeError, match=r"rewards\[1\] is None; need a number"):
        task.tell_many([0, 1], numpy.ma.array([1.0, 0.5], mask=[0, 1]))
    for kind in ("complex64", "complex128"):
        with pytest.raises(TypeError, match="rewards has complex numbers; need real ones"):
            task.tell_many([0, 1], numpy.array([1, 0.5], dtype=kind))
    assert sum(task.pulls.values()) == 0
    task.tell_many(numpy.ma.array([0, 1]), numpy.ma.array([1.0, 0.5]))
    assert task.pulls == {"a": 1, "b": 1}
    task.close()


def test_probabilities_have_a_limit_of_draws():
    with segue.Learner(["a", "b"], 30).task() as task:
        with pytest.raises(ValueError, match="^draws is 4611686018427387904; need at most 1000000"):
            task.probabilities(2**62)
