#!/usr/bin/python3
"""The store of a running program is sound after random operations, ends and kills.  tests/unit/store/test_store_check.c
does much more of it, without sockets.

usage: test_store_check.py SEGUE SOURCE [unittest options]; SEGUE_SEQUENCES=N plays N sequences
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import sys
import unittest

from program import SEGUE, Folder
from service import SHORT, Service, check_store

SEQUENCES = int(os.environ.get("SEGUE_SEQUENCES", "3" if SHORT else "8"))
FORMS = ({"method": "tts:window=16", "close_after": 2}, {"steps": 3}, {"close_after": 1, "reward_deadline": 0.2, "default_reward": 0.5},
         {"method": "tucb", "models": 2, "steps": 6}, {"idle": 0.2, "close_after": 4})


class Sequences(Folder):
    def step(self, client):
        name, draw = f"l{self.random.randrange(3)}", self.random.random()
        path = f"/v1/learners/{name}"
        if draw < 0.08:
            return client.post("/v1/learners", {"name": name, "arms": ["A", "B", "C"], **self.random.choice(FORMS)})
        if draw < 0.10:
            return client.call("DELETE", path)
        if draw < 0.14:
            return client.post(path + "/arms", {"arm": f"n{self.random.randrange(9)}"})
        if draw < 0.18:
            return client.call("DELETE", f"{path}/arms/{self.random.choice(['A', 'B', 'C', 'n1', 'n2'])}")
        if draw < 0.22:
            return client.post(f"{path}/tasks/k{self.random.randrange(30)}/close")
        more = {"event": "e"} if self.random.random() < 0.2 else {}
        status, body = client.ask(name, f"k{self.random.randrange(30)}", **more)
        if status == 200:
            return client.tell(body["decision"], self.random.randrange(2))
        return status, body

    def play(self, store):
        service = Service(SEGUE, store)
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        for _ in range(self.random.randint(1, 4)):
            client = service.client()
            for _ in range(self.random.randint(1, 80)):
                self.assertLess(self.step(client)[0], 500)
            client.close()
            if self.random.random() < 0.5:
                service.kill()
            else:
                self.assertEqual(service.stop(), 0)
            check_store(SEGUE, store)
            service.start()
        self.assertEqual(service.stop(), 0)
        check_store(SEGUE, store)

    def test_the_store_is_sound_after_any_sequence(self):
        for seed in range(SEQUENCES):
            with self.subTest(seed=seed):
                self.random = random.Random(seed)
                self.play(str(self.folder / f"{seed}.db"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
