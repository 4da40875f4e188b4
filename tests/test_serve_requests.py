#!/usr/bin/python3
"""Requests of products: every method of a verdict, changed settings, pauses, batches; with restarts in between.

usage: test_serve_requests.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import re
import sys
import unittest

from program import SEGUE, answer
from served import TOKEN, Served
from service import check_store

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

    def new(self, name, **settings):
        return self.must("POST", "/v1/learners", {"name": name, "arms": ["A", "B", "C"], **settings}, 201)

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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
