#!/usr/bin/python3
"""Requests of products: every method of a verdict, changed settings, pauses, batches; with restarts in between.

usage: test_serve_requests.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import re
import sys
import time
import unittest

from program import SEGUE, answer
from served import TOKEN, Served
from service import check_store
from stores import query

STREAMS = ("sw-ucb", "d-ucb", "carried-ucb")  # no verdict names them
DRAWS = ("ts", "exp3")  # methods without transfer that draw their arms


def names_of_verdicts():
    """Policies and learners that 'segue replay' plays and recommends: all that need no model set."""
    found = re.findall(r"^([ *]) ([a-z][a-z0-9+-]*)  ", answer("help", "policies"), re.M)
    return [name for star, name in found if star == " " and name not in STREAMS]


class Requests(Served):
    create = False

    def restart(self):
        """Stop, check the store and start again."""
        self.client.close()
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)
        self.service.start()
        self.client = self.service.client(TOKEN)

    def must(self, method, path, body=None, status=200):
        code, said = self.client.call(method, path, body)
        self.assertEqual(code, status, said)
        return said

    def wait(self, done):
        until = time.monotonic() + 60
        while not done():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def new(self, name, **settings):
        return self.must("POST", "/v1/learners", {"name": name, "arms": ["A", "B", "C"], **settings}, 201)

    def patch(self, learner, **body):
        return self.must("PATCH", f"/v1/learners/{learner}", body)

    def one(self, learner, task, **more):
        return self.must("POST", f"/v1/learners/{learner}/ask", {"task": task, **more})


class Methods(Requests):
    def test_every_method_of_a_verdict_is_served(self):
        names = names_of_verdicts()
        self.assertGreaterEqual(set(names), {"ts", "la", "kl-ucb", "ucb", "tla", "tts", "ts-prior", "tucb", "auto", "club"})
        for name in [*names, "tla:cap=1", "tucb:models=2"]:
            models = {"models": 2} if name == "tucb" else {}
            self.new(name, method=name, steps=4, control=0, **models)
            for task in "one", "two":
                for step in range(4):
                    got = self.one(name, task, probability=True)
                    self.assertGreater(got["probability"], 0)
                    self.assertEqual(self.client.tell(got["decision"], step % 2)[0], 200)
            self.assertEqual(self.must("GET", f"/v1/learners/{name}")["tasks"]["closed"], 2, name)
        self.restart()
        for name in names:
            self.assertEqual(self.must("GET", f"/v1/learners/{name}")["tasks"]["closed"], 2, name)

    def test_a_policy_that_draws_nothing_has_probability_one(self):
        for name in ("ucb", "ucb1", "kl-ucb", "moss", "imed", "bayes-ucb", "round-robin", *DRAWS):
            self.new(name, method=name, steps=9, control=0)
            got = self.one(name, "t", probability=True)
            exact = (got["probability_by"], got["probability"]) == ("exact", 1)
            self.assertEqual(exact, name not in DRAWS, got)


class Settings(Requests):
    def events(self, learner):
        return query(self.store, "SELECT kind, subject FROM event WHERE learner = (SELECT id FROM learner WHERE name = "
                                 f"'{learner}') AND kind > 7 ORDER BY seq")

    def test_a_change_applies_to_tasks_opened_after_it(self):
        self.new("a", steps=2, control=0, method="tla")
        self.one("a", "old")
        said = self.patch("a", steps=3, control=1)
        self.assertEqual((said["steps"], said["close_after"], said["control"], said["changes"]), (3, 3, 1, 1))
        self.assertEqual((said["settings"]["steps"], said["settings"]["control"]), (3, 1))
        for again in range(2):  # before a restart, and after it
            closed = [self.client.tell(self.one("a", "old")["decision"], 1)[1]["closed"]]
            self.assertEqual(closed, [again == 1])
            new = [self.one("a", f"new{again}") for _ in range(3)]
            self.assertTrue(all(one["control"] for one in new))
            self.assertEqual([self.client.tell(one["decision"], 1)[1]["closed"] for one in new], [False, False, True])
            self.restart()
        self.assertEqual(self.must("GET", "/v1/learners/a")["tasks"], {"open": 0, "closed": 3, "control": 2, "shadow": 0})

    def test_a_repeated_change_stores_nothing(self):
        self.new("a", steps=5)
        for _ in range(3):
            self.assertEqual(self.patch("a", control=0.5, idle=60)["changes"], 1)
        self.assertEqual(self.patch("a")["changes"], 1)
        self.assertEqual(self.patch("a", paused=True, steps=5)["paused"], True)
        self.assertEqual(self.patch("a", paused=True)["changes"], 1)
        self.assertEqual(self.patch("a", paused=False, idle=60.5)["changes"], 1)  # no task lies between them
        self.one("a", "t")
        self.assertEqual(self.patch("a", idle=61)["changes"], 2)
        self.assertEqual(self.events("a"), [(8, 1), (9, 1), (8, 1), (9, 0), (8, 2)])
        self.restart()
        said = self.must("GET", "/v1/learners/a")
        self.assertEqual((said["changes"], said["paused"], said["idle"], said["control"]), (2, False, 61, 0.5))

    def test_settings_that_act_on_the_effect_change(self):
        self.new("a", steps=1, control=0.2)
        said = self.patch("a", grow=True, stop_if_harmful=True, smallest_effect=0.1)
        self.assertEqual((said["grow"], said["stop_if_harmful"], said["smallest_effect"], said["changes"]), (True, True, 0.1, 1))
        self.assertEqual(said["effect"]["control_share"], 0.5)
        self.refused_call(400, "field 'stop_if_harmful': compares tasks with control tasks", "PATCH", "/v1/learners/a",
                          '{"control": 1, "grow": false}')
        self.restart()
        self.one("a", "one")
        self.assertEqual(self.must("GET", "/v1/learners/a/tasks/one")["control_share"], 0.5)
        self.assertEqual(self.patch("a", grow=False, control=0.3)["effect"]["control_share"], 0.3)
        self.one("a", "two")
        self.restart()
        shares = [self.must("GET", f"/v1/learners/a/tasks/{task}")["control_share"] for task in ("one", "two")]
        self.assertEqual(shares, [0.5, 0.3])
        self.assertEqual(self.must("GET", "/v1/learners/a")["stop_if_harmful"], True)

    def test_a_create_agrees_with_the_settings_at_creation_and_of_now(self):
        self.new("a", steps=5)
        self.patch("a", control=0.5)
        body = {"name": "a", "arms": ["A", "B", "C"], "steps": 5}
        self.must("POST", "/v1/learners", body)
        self.must("POST", "/v1/learners", {**body, "control": 0.5})
        self.refused_call(409, "control 0.5, request has 0.25", "POST", "/v1/learners",
                          '{"name": "a", "arms": ["A", "B", "C"], "steps": 5, "control": 0.25}')

    def test_wrong_changes(self):
        self.new("a", steps=5, method="tla", reward_deadline=60, default_reward=0)
        for status, says, body in (
                (400, "cannot change; control, grow, stop_if_harmful, smallest_effect, idle, reward_deadline, default_reward, steps, "
                 "close_after, floor, shares, costs, switch_cost, paused and mode can", '{"arms": ["A", "B"]}'),
                (400, "field 'grow': lets the share of control tasks fall", '{"grow": true, "control": 0.7}'),
                (400, "field 'stop_if_harmful': is a whole number; need true or false", '{"stop_if_harmful": 1}'),
                (400, "field 'smallest_effect': is out of range", '{"smallest_effect": 1.5}'),
                (400, "cannot change", '{"colour": 1}'),
                (400, "field 'control': is out of range", '{"control": 1.5}'),
                (400, "field 'paused': is a whole number; need true or false", '{"paused": 1}'),
                (400, "field 'idle': is 10; need at least the reward deadline of 60", '{"idle": 10}'),
                (400, "field 'default_reward': counts when the deadline passes", '{"reward_deadline": 0}'),
                (400, "field 'default_reward': is out of range", '{"default_reward": 2}'),
                (400, "must know the steps", '{"steps": 0}'),
                (400, "the body is empty", None)):
            self.refused_call(status, says, "PATCH", "/v1/learners/a", body)
        self.refused_call(404, "there is no learner", "PATCH", "/v1/learners/b", "{}")
        self.refused_call(405, "GET, HEAD, PATCH, DELETE", "PUT", "/v1/learners/a", "{}")
        self.refused_call(400, "PATCH it afterwards", "POST", "/v1/learners", '{"name": "b", "arms": ["A", "B"], "paused": true}')
        self.assertEqual(self.must("GET", "/v1/learners/a")["changes"], 0)

    def test_tasks_have_the_deadlines_that_they_were_opened_with(self):
        """A long deadline at the front of the queue does not delay a short one behind it."""
        self.new("a", control=0, reward_deadline=3600, default_reward=0, method="ts")
        old = self.one("a", "old")
        self.patch("a", reward_deadline=0.2, default_reward=1)
        self.one("a", "new")
        self.wait(lambda: self.must("GET", "/v1/learners/a/tasks/new")["rewards"] == 1)
        self.assertEqual(sum(arm["pulls"] * (arm["mean"] or 0) for arm in self.must("GET", "/v1/learners/a/tasks/new")["arms"]), 1)
        self.assertEqual(self.must("GET", "/v1/learners/a/tasks/old")["rewards"], 0)
        self.restart()
        self.one("a", "new")
        self.wait(lambda: self.must("GET", "/v1/learners/a/tasks/new")["rewards"] == 2)
        self.assertEqual(self.client.tell(old["decision"], 0.5)[1]["status"], "counted")
        self.patch("a", default_reward=None, reward_deadline=0)
        self.one("a", "never")
        self.restart()
        self.assertEqual(self.must("GET", "/v1/learners/a/tasks/never")["rewards"], 0)


class Pauses(Requests):
    def test_a_paused_learner_takes_rewards_and_closes(self):
        self.new("a", steps=3, control=0)
        first = self.one("a", "t", event="e")
        held = self.one("a", "t")
        self.assertTrue(self.patch("a", paused=True)["paused"])
        for _ in range(2):  # before a restart, and after it
            self.refused_call(409, "is paused", "POST", "/v1/learners/a/ask", '{"task": "t"}')
            self.refused_call(409, "is paused", "POST", "/v1/learners/a/ask", '{"task": "t", "count": 1000}')
            self.refused_call(409, "is paused", "POST", "/v1/learners/a/ask", '{"task": "t", "event": "f"}')
            self.refused_call(409, "is paused", "POST", "/v1/learners/a/ask", '{"task": "u"}')
            self.refused_call(409, "is paused", "POST", "/v1/learners/a/tasks", '{"task": "u"}')
            self.assertEqual(self.one("a", "t", event="e")["decision"], first["decision"])  # it was made before
            self.assertTrue(self.must("GET", "/v1/learners")["learners"][0]["paused"])
            self.restart()
        self.assertEqual(self.client.tell(held["decision"], 1)[1]["status"], "counted")
        self.must("POST", "/v1/learners/a/tasks/t/close", {})
        self.assertEqual(self.must("GET", "/v1/learners/a")["tasks"]["closed"], 1)
        self.patch("a", paused=False)
        self.one("a", "u")

    def test_a_pause_does_not_count_as_idle(self):
        self.new("a", idle=0.3, control=0, method="ts")
        self.one("a", "t")
        self.patch("a", paused=True)
        time.sleep(0.9)
        self.assertEqual(self.must("GET", "/v1/learners/a")["tasks"]["open"], 1)
        self.patch("a", paused=False)
        self.wait(lambda: self.must("GET", "/v1/learners/a")["tasks"]["open"] == 0)


class Pending(Requests):
    def equal_arms(self, learner, task):
        """Every arm gets a reward of 1 and one of 0."""
        for reward in 1, 0:
            for arm in "ABC":
                got = self.one(learner, task, exclude=[other for other in "ABC" if other != arm])
                self.assertEqual(self.client.tell(got["decision"], reward)[0], 200)

    def test_asks_before_a_reward_take_turns(self):
        for method in "kl-ucb", "la", "ucb":
            self.new(method, method=method, steps=5000, control=0)
            for task in "apart", "together", "long":
                self.equal_arms(method, task)
            apart = [self.one(method, "apart", probability=True) for _ in range(6)]
            together = self.one(method, "together", count=6)["decisions"]
            long = self.one(method, "long", count=1000)["decisions"]  # decided by the read pool
            for name, found in ("apart", apart), ("together", together), ("long", long):
                arms = [one["arm"] for one in found]
                self.assertEqual(set(arms), set("ABC"), (method, name))
            if method != "la":  # which draws a share of its arms
                self.assertEqual({(one["probability"], one["probability_by"]) for one in apart}, {(1, "exact")})
                self.assertLess(max(map([one["arm"] for one in long].count, "ABC")), 350, method)


class Tells(Requests):
    def options_of(self):
        path = self.folder / "tokens"
        path.write_text(TOKEN + "\n")
        path.chmod(0o600)
        return ("--token-file", str(path))

    def tell(self, *rewards):
        return self.must("POST", "/v1/tell", {"rewards": [{"decision": d, "reward": r} for d, r in rewards]})["results"]

    def test_a_thousand_rewards_of_one_request(self):
        self.new("a", control=0, method="ts", steps=1000)
        ids = [one["decision"] for one in self.one("a", "t", count=1000, probability=True)["decisions"]]
        found = self.tell(*[(one, i % 2) for i, one in enumerate(ids)])
        self.assertEqual([one["status"] for one in found], ["counted"] * 1000)
        self.assertEqual([one["closed"] for one in found], [False] * 999 + [True])
        self.restart()
        found = self.tell(*[(one, i % 2) for i, one in enumerate(ids)])
        self.assertEqual({(one["status"], one["task"], one["closed"]) for one in found}, {("duplicate", "t", True)})
        self.assertEqual(self.must("GET", "/v1/learners/a")["rewards"], 1000)

    def test_each_reward_has_its_own_result(self):
        self.new("a", control=0, method="ts", steps=3)
        self.new("b", control=0, method="ts", range=[-2, 2])
        a, b = ([one["decision"] for one in self.one(name, "t", count=5)["decisions"]] for name in "ab")
        found = self.tell((a[0], 1), (a[0], 1), (a[0], 0), ("x", 1), ("A" * 64, 1), (b[0], -2), (a[1], 7), (a[1], 1), (b[1], "1"),
                          (a[2], 0), (a[3], 0))
        self.assertEqual([(one["status"], one.get("http_status")) for one in found],
                         [("counted", None), ("duplicate", None), ("rejected", 409), ("rejected", 400), ("rejected", 400),
                          ("counted", None), ("rejected", 400), ("counted", None), ("rejected", 400), ("counted", None),
                          ("rejected", 410)])
        self.assertIn("is not a decision id", found[3]["error"]["message"])
        self.assertIn("task is closed", found[10]["error"]["message"])
        self.assertEqual(found[9]["closed"], True)
        self.assertEqual(self.tell(("x", 1))[0]["http_status"], 400)
        self.restart()
        self.assertEqual([self.must("GET", f"/v1/learners/{name}")["rewards"] for name in "ab"], [3, 1])

    def test_wrong_lists(self):
        many = '{"rewards": [%s]}' % ",".join(["1"] * 1001)
        for status, says, body in ((400, "1 to 1000", '{"rewards": []}'), (400, "1 to 1000", '{"rewards": 1}'), (400, "1 to 1000", many),
                                   (400, "is not known", '{"rewards": [1], "decision": "x"}')):
            self.refused_call(status, says, "POST", "/v1/tell", body)
        self.refused_call(413, "more than 262144 bytes", "POST", "/v1/tell", " " * 300000)
        self.assertEqual(self.must("POST", "/v1/tell", {"rewards": [7, {}]})["results"][0]["http_status"], 400)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
