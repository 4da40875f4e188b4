"""Any sequence of calls gives what the C library gives.

Hypothesis makes sequences of open, ask, tell (at once, late, never asked for, wrong), close and save; the same calls go to
the C library through ctypes.  Every answer and, at the end, every byte of the saved learners must be the same.
SPDX-License-Identifier: Apache-2.0"""
import math
import os
import pathlib
import tempfile

import pytest
import segue
from clib import CError, CLearner

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import stateful, strategies as st  # noqa: E402

ARMS = ("a", "b", "c")
arms = st.sampled_from(range(3))
rewards = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


class Machine(stateful.RuleBasedStateMachine):
    """Two learners, one in Python and one in C."""

    tasks = stateful.Bundle("tasks")

    @stateful.initialize(method=st.sampled_from(["auto", "tla:cap=1", "tts", "tucb:models=2", "ts", "ucb1"]),
                         seed=st.integers(0, 2**63 - 1))
    def create(self, method, seed):
        self.folder = tempfile.TemporaryDirectory()
        self.paths = [pathlib.Path(self.folder.name) / name for name in ("python", "c")]
        self.learner = segue.Learner(ARMS, 12, method, seed)
        self.learner.save(self.paths[0])
        self.other = CLearner(self.paths[0], len(ARMS))
        self.open, self.pending = [], []

    @stateful.rule(target=tasks)
    def open_task(self):
        pair = (self.learner.task(), self.other.task())
        self.open.append(pair)
        return pair

    @stateful.rule(pair=tasks, exclude=st.sets(arms, max_size=2))
    def ask(self, pair, exclude):
        if pair not in self.open:
            return
        arm = pair[0].ask(exclude={ARMS[i] for i in exclude})
        assert arm == ARMS[pair[1].ask(exclude)]
        self.pending.append((pair, arm))

    @stateful.rule(pair=tasks, count=st.sampled_from([0, 1, 5, 300]))
    def ask_many(self, pair, count):
        if pair in self.open:
            assert list(pair[0].ask(count)) == [pair[1].ask() for _ in range(count)]

    @stateful.rule(data=st.data(), reward=rewards)
    def tell_late(self, data, reward):
        if not self.pending:
            return
        pair, arm = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        if pair in self.open:
            pair[0].tell(arm, reward)
            pair[1].tell(ARMS.index(arm), reward)
        else:
            with pytest.raises(ValueError, match="the task is closed"):
                pair[0].tell(arm, reward)

    @stateful.rule(pair=tasks, batch=st.lists(st.tuples(arms, rewards), max_size=20))
    def tell_many(self, pair, batch):
        if pair not in self.open:
            return
        pair[0].tell_many([arm for arm, _ in batch], [reward for _, reward in batch])
        for arm, reward in batch:
            pair[1].tell(arm, reward)

    @stateful.rule(pair=tasks, arm=st.integers(0, 5), reward=st.sampled_from([-0.1, 1.1, math.inf, math.nan]))
    def tell_wrong(self, pair, arm, reward):
        if pair not in self.open:
            return
        with pytest.raises(CError) as expected:
            pair[1].tell(min(arm, 2), reward)
        with pytest.raises(ValueError) as caught:
            pair[0].tell(min(arm, 2), reward)
        assert str(caught.value) == str(expected.value)

    @stateful.rule(pair=tasks)
    def look(self, pair):
        if pair in self.open:
            assert list(pair[0].probabilities(50).values()) == pair[1].probabilities(50)
            assert str(list(pair[0].means.values())) == str([pair[1].mean(i) for i in range(3)])

    @stateful.rule(pair=tasks)
    def close(self, pair):
        if pair in self.open:
            self.open.remove(pair)
            pair[0].close()
            pair[1].close()
            assert self.learner.version == self.other.version()

    @stateful.invariant()
    def counts_agree(self):
        if hasattr(self, "learner"):
            assert self.learner.opened - self.learner.closed == len(self.open)

    def teardown(self):
        if not hasattr(self, "learner"):
            return
        for pair in self.open:
            pair[0].close()
            pair[1].close()
        self.learner.save(self.paths[0])
        self.other.save(self.paths[1])
        self.other.destroy()
        same = self.paths[0].read_bytes() == self.paths[1].read_bytes()
        self.folder.cleanup()
        assert same


TestMachine = Machine.TestCase
TestMachine.settings = hypothesis.settings(max_examples=int(os.environ.get("SEGUE_EXAMPLES", "60")), stateful_step_count=40,
                                           deadline=None, database=None)
