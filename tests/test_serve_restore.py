#!/usr/bin/python3
"""A store that was restored from a backup counts a decision for its own task, or refuses it.

Both ways of backing up that docs/service.md names, `segue store export` and SQLite's `.backup`, are
taken while the service runs.  Every decision gets a reward of a value of its own, so that a row of
the store says whose it is.

usage: test_serve_restore.py SEGUE SOURCE [unittest options]; SEGUE_RESTORES=N plays N random histories
SPDX-License-Identifier: Apache-2.0"""
import copy
import os
import pathlib
import random
import sys
import tempfile
import unittest

from program import SEGUE, Folder, answer
from service import SHORT, Service, check_store, parts_of
from stores import copy_store, query, remove_store, store_name

RESTORES = int(os.environ.get("SEGUE_RESTORES", "4" if SHORT else "10"))
WAYS = "export", "backup"
GONE = "restored from a backup"


class Instance:
    """A store that is served, backed up and restored."""

    def __init__(self, folder, way):
        self.store, self.saved, self.way = str(folder / "a.db"), str(folder / f"saved.{way}"), way
        self.service = Service(SEGUE, self.store)
        self.client = self.service.client()

    def stop(self, kill=False):
        self.client.close()
        if kill:
            self.service.kill()
        else:
            assert self.service.stop() == 0

    def start(self):
        self.service.start()
        self.client = self.service.client()

    def restart(self, kill=False):
        self.stop(kill)
        self.start()

    def back_up(self):
        if self.way == "export":
            answer("store", "export", "--store", store_name(self.store), "--file", self.saved)
            return
        copy_store(self.store, self.saved)

    def restore(self, kill=False):
        self.stop(kill)
        remove_store(self.store)
        if self.way == "export":
            answer("store", "import", "--store", store_name(self.store), "--file", self.saved)
        else:
            copy_store(self.saved, self.store)
        self.start()


class Restored(Folder):
    def instance(self, way):
        instance = Instance(pathlib.Path(tempfile.mkdtemp(dir=self.folder)), way)
        self.addCleanup(lambda: instance.service.process.poll() is None and instance.service.kill())
        return instance

    def make(self, instance, name="tutor", **more):
        self.assertEqual(instance.client.post("/v1/learners", {"name": name, "arms": ["A", "B"], **more})[0], 201)

    def ask(self, instance, task, learner="tutor", **more):
        status, body = instance.client.ask(learner, task, **more)
        self.assertEqual(status, 200, body)
        return body["decision"]

    def gone(self, instance, decision):
        status, body = instance.client.tell(decision, 1)
        self.assertEqual(status, 410, body)
        self.assertIn(GONE, body["error"]["message"])

    def counted(self, instance, decision, task, status="counted"):
        code, body = instance.client.tell(decision, 0)
        self.assertEqual((code, body.get("status"), body.get("task")), (200, status, task), body)


class Pairs(Restored):
    """One task before the restore, another one after it."""

    def test_a_lost_task_s_decision_does_not_count_for_the_task_that_has_its_id(self):
        for way in WAYS:
            for restart in False, True:
                with self.subTest(way=way, restart=restart):
                    instance = self.instance(way)
                    self.make(instance, close_after=3)
                    instance.back_up()
                    if restart:
                        instance.restart()
                    lost = [self.ask(instance, f"{restart}k1") for _ in range(3)]
                    instance.restore()
                    self.gone(instance, lost[0])  # no task has its id
                    own = [self.ask(instance, f"{restart}k2") for _ in range(3)]
                    self.assertEqual(parts_of(lost[0])[:2], parts_of(own[0])[:2], "the ids repeat; else this tests nothing")
                    self.gone(instance, lost[0])
                    for decision in own:
                        self.counted(instance, decision, f"{restart}k2")
                    for decision in lost:
                        self.gone(instance, decision)  # the task is closed
                    self.counted(instance, own[0], f"{restart}k2", "duplicate")
                    instance.stop()
                    check_store(SEGUE, instance.store)

    def test_a_decision_of_a_task_in_the_backup_counts_once_and_takes_no_other_s_number(self):
        for way in WAYS:
            with self.subTest(way=way):
                instance = self.instance(way)
                self.make(instance)
                early = self.ask(instance, "old")
                event = self.ask(instance, "old", event="e")
                instance.back_up()
                lost = [self.ask(instance, "old") for _ in range(5)]
                instance.restart(kill=True)
                lost += [self.ask(instance, "old") for _ in range(5)]
                instance.restore(kill=True)
                own = [self.ask(instance, "old") for _ in range(10)]
                given = [early, event, *lost, *own]
                self.assertEqual(len({parts_of(decision)[1:3] for decision in given}), len(given))
                self.assertEqual(self.ask(instance, "old", event="e"), event)
                for decision in given:
                    self.counted(instance, decision, "old")
                    self.counted(instance, decision, "old", "duplicate")
                instance.stop()

    def test_a_lost_learner_s_decision_does_not_count_for_the_learner_that_has_its_id(self):
        instance = self.instance("backup")
        instance.back_up()
        self.make(instance, "first", range=[0, 10])
        lost = self.ask(instance, "k", "first")
        instance.restore()
        self.gone(instance, lost)
        self.make(instance, "second", range=[-1, 0.5])
        own = self.ask(instance, "k", "second")
        self.assertEqual(parts_of(lost)[:2], parts_of(own)[:2])
        self.gone(instance, lost)
        instance.stop()

    def test_keys_that_are_made_up_do_not_repeat(self):
        instance = self.instance("backup")
        self.make(instance)
        instance.back_up()
        seen = set()
        for _ in range(3):
            seen |= {instance.client.post("/v1/learners/tutor/tasks")[1]["task"] for _ in range(4)}
            instance.restore()
        self.assertEqual(len(seen), 12)
        instance.stop()

    def test_a_restart_alone_loses_nothing(self):
        instance = self.instance("backup")
        self.make(instance)
        given = {}
        for life in range(4):
            given |= {self.ask(instance, f"k{life}-{i}"): f"k{life}-{i}" for i in range(3)}
            given |= {self.ask(instance, "same"): "same" for _ in range(3)}
            instance.restart(kill=life % 2 == 0)
        for decision, task in given.items():
            self.counted(instance, decision, task)
        instance.stop()
        check_store(SEGUE, instance.store)

class Ledger:
    """What the service has acknowledged; of one history."""

    def __init__(self):
        self.learners, self.counted = {}, {}  # by name: arms; by decision: task


class Histories(Restored):
    """Random asks, tells, learners, arms, restarts, backups and restores, beside a ledger."""

    def setUp(self):
        super().setUp()
        self.given = {}  # by decision: (learner, task, arm, value), over all histories
        self.numbers, self.made = {}, 0

    def step_make(self, instance):
        self.made += 1
        name = f"l{self.made}"
        arms = [f"{name}-{i}" for i in range(self.random.randint(2, 4))]
        more = {"reward_deadline": 1000, "default_reward": 0.5} if self.random.random() < 0.3 else {}
        self.assertEqual(instance.client.post("/v1/learners", {"name": name, "arms": arms, **more})[0], 201)
        self.ledger.learners[name] = arms

    def step_delete(self, instance):
        if len(self.ledger.learners) > 2:
            name = self.random.choice(list(self.ledger.learners))
            self.assertEqual(instance.client.call("DELETE", f"/v1/learners/{name}")[0], 200)
            del self.ledger.learners[name]
            self.ledger.counted = {d: t for d, t in self.ledger.counted.items() if t[0] != name}

    def step_arm(self, instance):
        name = self.random.choice(list(self.ledger.learners))
        self.made += 1
        self.assertEqual(instance.client.post(f"/v1/learners/{name}/arms", {"arm": f"{name}+{self.made}"})[0], 201)

    def step_ask(self, instance):
        name = self.random.choice(list(self.ledger.learners))
        task = f"k{self.random.randrange(6)}" if self.random.random() < 0.5 else f"u{self.random.randrange(10**9)}"
        more = {"event": f"e{self.random.randrange(3)}"} if self.random.random() < 0.3 else {}
        status, body = instance.client.ask(name, task, count=2, **more)
        if status == 409:  # it is closed
            return
        self.assertEqual(status, 200, body)
        for one in body["decisions"]:
            number, value = parts_of(one["decision"])[:3], (len(self.given) + 1) * 2.0 ** -20
            self.assertEqual(self.numbers.setdefault(number, one["decision"]), one["decision"], "a number twice")
            self.given.setdefault(one["decision"], (name, task, one["arm"], value))

    def step_tell(self, instance):
        if not self.given:
            return
        decision = self.random.choice(list(self.given))
        name, task, _, value = self.given[decision]
        status, body = instance.client.tell(decision, value)
        self.assertIn(status, (200, 404, 410), body)
        if status == 200:
            self.assertEqual(body["task"], task)
            self.assertIn(name, self.ledger.learners)
            self.assertEqual(body["status"], "duplicate" if decision in self.ledger.counted else "counted")
            self.ledger.counted[decision] = (name, task)

    def step_close(self, instance):
        name = self.random.choice(list(self.ledger.learners))
        instance.client.post(f"/v1/learners/{name}/tasks/k{self.random.randrange(6)}/close")

    def step_restart(self, instance):
        instance.restart(kill=self.random.random() < 0.5)

    def check_rows(self, instance):
        """Every reward in the store is of the decision that its tell names."""
        by_value = {given[3]: (*given[:3], decision) for decision, given in self.given.items()}
        rows = query(instance.store, "SELECT l.name, t.key, a.name, r.value FROM reward AS r JOIN task AS t ON t.id = r.task "
                     "JOIN learner AS l ON l.id = t.learner JOIN arm AS a ON a.learner = l.id AND a.position = r.arm "
                     "WHERE l.name IS NOT NULL AND r.by_default = 0")
        found = set()
        for name, key, arm, value in rows:
            self.assertEqual((name, key, arm), by_value[value][:3])
            found.add(by_value[value][3])
        self.assertEqual(found, set(self.ledger.counted))

    def play(self, way):
        self.ledger = Ledger()
        instance = self.instance(way)
        self.step_make(instance)
        steps = [self.step_ask] * 10 + [self.step_tell] * 10 + [self.step_arm, self.step_make, self.step_close,
                                                               self.step_delete]
        for _ in range(3):
            for _ in range(self.random.randint(5, 25)):
                self.random.choice(steps)(instance)
            instance.back_up()
            saved = copy.deepcopy(self.ledger)
            for _ in range(self.random.randint(5, 25)):
                self.random.choice(steps)(instance)
                if self.random.random() < 0.04:
                    self.step_restart(instance)
            instance.restore(kill=self.random.random() < 0.5)
            self.ledger = saved
            for _ in range(self.random.randint(5, 25)):
                self.random.choice(steps)(instance)
            for _ in range(25):
                self.step_tell(instance)
        instance.stop()
        check_store(SEGUE, instance.store)
        self.check_rows(instance)

    def test_random_histories(self):
        for seed in range(RESTORES):
            with self.subTest(seed=seed):
                self.random = random.Random(seed)
                self.given, self.numbers = {}, {}
                self.play(WAYS[seed % 2])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
