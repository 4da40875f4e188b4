#!/usr/bin/python3
"""Tasks with features: the same learner after kill -9, an export and an import; damage is found.

usage: test_serve_features.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import random
import sys
import unittest

from program import SEGUE, Folder, answer
from service import Service, last_version
from stores import change, import_copy, store_name

MEANS = {"de": {"a": 0.9, "b": 0.1}, "fr": {"a": 0.1, "b": 0.9}}
STEPS = 12


class Features(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "a.db")
        self.service = Service(SEGUE, self.store)
        self.addCleanup(self.service.kill)
        self.rng = random.Random(55)

    def play(self, client, count):
        """Play tasks, each with a country that names its type and a number that says nothing; the arms in turn, so
        that rewards show the type."""
        for number in range(count):
            country = "de" if number % 2 else "fr"
            more = {"features": {"country": country, "age": self.rng.randrange(90), "email": None}}
            for step in range(STEPS):
                status, got = client.ask("x", f"t{number}", exclude=["ab"[step % 2]], **more)
                self.assertEqual(status, 200, got)
                reward = int(self.rng.random() < MEANS[country][got["arm"]])
                self.assertEqual(client.tell(got["decision"], reward)[0], 200)

    def learner(self, client):
        status, body = client.get("/v1/learners/x")
        self.assertEqual(status, 200)
        return {field: body[field] for field in ("types", "no_type", "features", "version", "rewards")}

    def test_a_killed_service_recovers_the_same_learner(self):
        """40 tasks of two types, six rewards of each of two arms that are 0.8 apart: the averages of a task are on the wrong
        side of each other with a probability below 1e-3."""
        client = self.service.client()
        self.assertEqual(client.post("/v1/learners", {"name": "x", "arms": ["a", "b"], "steps": STEPS, "close_after": STEPS,
                                                      "control": 0})[0], 201)
        self.play(client, 40)
        before = last_version(lambda: self.learner(client))
        country, age = before["features"][1], before["features"][0]
        self.assertEqual([country["name"], age["name"]], ["country", "age"])
        self.assertGreater(country["relevance"], 0.99)
        self.assertEqual({entry["value"] for entry in country["types"][:2]}, {"de", "fr"})
        self.assertEqual((age["kind"], age["tasks"]), ("number", 40))
        self.assertEqual(client.ask("x", "open", features={"country": "fr"})[0], 200)
        task = client.get("/v1/learners/x/tasks/open")[1]
        self.assertGreater(max(entry["weight"] for entry in task["explanation"]["types"]), 0.85)
        self.service.kill()
        self.assertIn("sound", answer("store", "check", "--store", store_name(self.store)))
        self.service.start()
        client = self.service.client()
        self.assertEqual(self.learner(client), before)
        again = client.get("/v1/learners/x/tasks/open")[1]
        self.assertEqual(again["features"], {"country": "fr"})
        self.assertEqual(again["explanation"], task["explanation"])
        self.assertEqual(client.get("/v1/learners/x/tasks/t1")[1]["features"]["country"], "de")
        self.assertEqual(self.service.stop(), 0)
        self.import_again(before)
        self.damage()

    def import_again(self, before):
        new = self.folder / "new.db"
        import_copy(SEGUE, self.store, new)
        service = Service(SEGUE, str(new))
        self.assertEqual(self.learner(service.client()), before)
        self.assertEqual(service.stop(), 0)

    def damage(self):
        """Features that are not what the service stores, of a closed task."""
        change(self.store, "DELETE FROM snapshot")
        for text in "[1]", '{"country":{}}', "{}", "x":
            change(self.store, f"UPDATE task SET features = '{text}' WHERE key = 't3'")
            self.refused(2, "column features", "store", "check", "--store", store_name(self.store))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
