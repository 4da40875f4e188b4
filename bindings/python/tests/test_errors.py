"""What is wrong is an exception with a sentence, and changes nothing.
SPDX-License-Identifier: Apache-2.0"""
import numpy
import pytest
import segue

ARMS = ["a", "b", "c"]


@pytest.mark.parametrize("call,kind,sentence", [
    (lambda: segue.Learner(), TypeError, r"Learner\(\) needs the argument 'arms'"),
    (lambda: segue.Learner("abc"), TypeError, "need a list of names"),
    (lambda: segue.Learner(7), TypeError, "arms is 7; need a list of names"),
    (lambda: segue.Learner(["a", 1]), TypeError, "an arm is 1; need its name"),
    (lambda: segue.Learner(["a", "a"]), ValueError, "there are two arms 'a'"),
    (lambda: segue.Learner(["a", ""]), ValueError, "name"),
    (lambda: segue.Learner(["a", "b\0"]), ValueError, "without NUL"),
    (lambda: segue.Learner(["a", "x" * 257]), ValueError, "256"),
    (lambda: segue.Learner([]), ValueError, "arms"),
    (lambda: segue.Learner(ARMS, steps=-1), ValueError, "steps is -1; need a whole number"),
    (lambda: segue.Learner(ARMS, steps=1.5), TypeError, "steps is 1.5; need a whole number"),
    (lambda: segue.Learner(ARMS, steps=2**63), ValueError, "steps is 9223372036854775808"),
    (lambda: segue.Learner(ARMS, method="tsl"), KeyError, "tsl"),
    (lambda: segue.Learner(ARMS, method="ts\0:x"), ValueError, "method is 'ts.*need a text without NUL"),
    (lambda: segue.Learner(ARMS, method=3), TypeError, "method is 3; need a text"),
    (lambda: segue.Learner(ARMS, 30, "tla", colour=3), KeyError, "colour"),
    (lambda: segue.Learner(ARMS, 30, "tla", cap="x"), ValueError, "cap"),
    (lambda: segue.Learner(ARMS, range=(1, 0)), ValueError, "range|lowest|highest"),
    (lambda: segue.Learner(ARMS, range=(0, 1, 2)), ValueError, "need the lowest and the highest"),
    (lambda: segue.Learner(ARMS, range=(0, float("nan"))), ValueError, ""),
    (lambda: segue.Learner(ARMS, arms=ARMS), TypeError, "'arms' twice"),
    (lambda: segue.Learner(*range(9)), TypeError, "at most 7"),
    (lambda: segue.Task(), TypeError, "cannot create"),
    (lambda: segue.load("/nonexistent/file"), OSError, "/nonexistent/file"),
    (lambda: segue.load(7), TypeError, ""),
    (lambda: segue.load("a\0b"), ValueError, "null"),
    (lambda: segue.load(__file__), OSError, "not a learner"),
    (lambda: segue.load("/dev/zero"), OSError, "not a learner"),
    (lambda: segue.from_bytes(b"nonsense"), OSError, "data"),
    (lambda: segue.from_bytes("nonsense"), TypeError, "bytes-like"),
])
def test_a_wrong_learner_is_rejected(call, kind, sentence):
    with pytest.raises(kind, match=sentence) as caught:
        call()
    assert not str(caught.value).startswith('"')


@pytest.mark.parametrize("call,kind,sentence", [
    (lambda task: task.tell("a", 2), ValueError, "the reward is 2; need a number from 0 to 1"),
    (lambda task: task.tell("a", float("nan")), ValueError, "the reward is -?nan"),
    (lambda task: task.tell("a", "1"), TypeError, "the reward is '1'; need a number"),
    (lambda task: task.tell("a", 10**400), ValueError, "the reward is too large; need a number"),
    (lambda task: task.tell("a"), TypeError, r"tell\(\) needs the argument 'reward'"),
    (lambda task: task.tell("a", 1, 2), TypeError, "at most 2"),
    (lambda task: task.tell("a", reward=1, colour=2), TypeError, "no argument 'colour'"),
    (lambda task: task.tell("a", 1, arm="b"), TypeError, "'arm' twice"),
    (lambda task: task.tell("d", 1), KeyError, "there is no arm 'd'; need one of the 3 arms: 'a', ..."),
    (lambda task: task.tell(3, 1), ValueError, "there is no arm 3; need 0 to 2"),
    (lambda task: task.tell(-1, 1), ValueError, "there is no arm -1"),
    (lambda task: task.tell(2**64, 1), ValueError, "there is no arm"),
    (lambda task: task.tell(None, 1), TypeError, "an arm is None; need its name, or its index"),
    (lambda task: task.tell(1.0, 1), TypeError, "an arm is 1.0"),
    (lambda task: task.ask(-1), ValueError, "count is -1"),
    (lambda task: task.ask(10**7), ValueError, "count is 10000000; need 0 to 1000000"),
    (lambda task: task.ask("a"), TypeError, "count is 'a'; need a whole number"),
    (lambda task: task.ask(exclude="a"), TypeError, "need a set of arms"),
    (lambda task: task.ask(exclude={"d"}), KeyError, "there is no arm 'd'"),
    (lambda task: task.ask(exclude=ARMS), ValueError, "arm"),
    (lambda task: task.ask(5, exclude=ARMS), ValueError, "arm"),
    (lambda task: task.probabilities(0), ValueError, "draws"),
    (lambda task: task.tell_many(["a"], [1, 1]), ValueError, "1 arms and 2 rewards"),
    (lambda task: task.tell_many(["a", "b"], [1, 7]), ValueError, "reward 1 of the batch: the reward is 7"),
    (lambda task: task.tell_many([0, 1] * 500, [1] * 999 + [7]), ValueError, "reward 999 of the batch"),
    (lambda task: task.tell_many(numpy.array([0, 3]), [1, 1]), ValueError, "reward 1 of the batch: there is no arm 3"),
    (lambda task: task.tell_many(numpy.array([0, -1]), [1, 1]), ValueError, "there is no arm"),
    (lambda task: task.tell_many("ab", [1, 1]), TypeError, "arms is 'ab'; need a list or an array"),
    (lambda task: task.tell_many(["a", "b"], [1, "x"]), TypeError, r"rewards\[1\] is 'x'; need a number"),
    (lambda task: task.tell_many(["a", "b"], numpy.zeros((2, 2))), TypeError, "rewards has rows and columns"),
    (lambda task: task.tell_many(7, 8), TypeError, "arms is 7; need a list or an array"),
    (lambda task: task.tell_many({"a"}, [1]), TypeError, "arms is {'a'}; need a list or an array"),
    (lambda task: task.tell_many(["a"], {"a": 1}), TypeError, "rewards is {'a': 1}; need a list or an array"),
    (lambda task: task.tell_many(["a", "b"], [1, 10**400]), ValueError, r"rewards\[1\] is too large; need a number"),
    (lambda task: task.tell_many(["a"], numpy.array(1.0)), TypeError, "rewards is array"),
    (lambda task: task.tell_many(numpy.array(1), [1]), TypeError, "arms is array"),
    (lambda task: task.learner.merge(3), TypeError, "need a segue.Learner"),
    (lambda task: task.learner.add_arm("a"), ValueError, "two arms 'a'"),
    (lambda task: task.learner.add_arm(""), ValueError, "0 bytes; need 1 to 256"),
    (lambda task: task.learner.add_arm("\udc80"), ValueError, ""),
    (lambda task: task.learner.retire_arm("d"), KeyError, "there is no arm 'd'"),
    (lambda task: task.learner.task(3), (TypeError, AttributeError), ""),
    (lambda task: task.learner.task({1: 2}), TypeError, "a feature has the name 1"),
    (lambda task: task.learner.task({"x": None}), TypeError, "feature 'x' is None; need a number or a text"),
    (lambda task: task.learner.task({"x": 10**400}), ValueError, "feature 'x' is too large; need a number or a text"),
    (lambda task: task.learner.task({"x\0": 1}), ValueError, "the name of a feature is .* without NUL"),
    (lambda task: task.learner.task(costs={"a": "1"}), TypeError, "a cost is '1'; need a number"),
    (lambda task: task.learner.task(switch_cost=None), TypeError, "switch_cost is None; need a number"),
    (lambda task: task.learner.task({"x": float("nan")}), ValueError, "x"),
    (lambda task: task.learner.task({str(i): i for i in range(1000)}), ValueError, "feature"),
    (lambda task: task.learner.task(costs={"a": -1}), ValueError, "a cost is -1"),
    (lambda task: task.learner.task(costs={"d": 1}), KeyError, "'d'"),
    (lambda task: task.learner.task(switch_cost=float("nan")), ValueError, "a cost is"),
    (lambda task: task.learner.save("/nonexistent/file"), OSError, "/nonexistent"),
])
def test_a_wrong_call_is_rejected_and_changes_nothing(call, kind, sentence):
    with segue.Learner(ARMS, steps=30).task() as task:
        task.tell("a", 1)
        learner = task.learner
        before = (task.pulls, learner.to_bytes(), learner.opened, learner.arms, task.probabilities())
        with pytest.raises(kind, match=sentence):
            call(task)
        assert before == (task.pulls, learner.to_bytes(), learner.opened, learner.arms, task.probabilities())


@pytest.mark.parametrize("call", [lambda task: task.ask(), lambda task: task.ask(1000), lambda task: task.tell("a", 1),
                                  lambda task: task.tell_many(["a"], [1]), lambda task: task.explain(),
                                  lambda task: task.probabilities(), lambda task: task.__enter__(),
                                  lambda task: task.tell_many([0] * 1000, [1] * 1000)])
def test_a_closed_task_is_rejected(call):
    with segue.Learner(ARMS, steps=30).task() as task:
        pass
    with pytest.raises(ValueError, match="the task is closed; open the next one"):
        call(task)


def test_learners_of_other_arms_do_not_merge():
    here = segue.Learner(["a", "b"], steps=30)
    with pytest.raises(ValueError, match="arm 1 is 'b' here and 'c' in the other learner"):
        here.merge(segue.Learner(["a", "c"], steps=30))
    with pytest.raises(ValueError):
        here.merge(segue.Learner(["a", "b", "c"], steps=30))
    with pytest.raises(ValueError):
        here.merge(segue.Learner(["a", "b"], steps=30, method="ts"))


def test_a_method_without_a_posterior_does_not_explain():
    with segue.Learner(ARMS, method="ucb1").task() as task, pytest.raises(ValueError, match="posterior"):
        task.explain()
