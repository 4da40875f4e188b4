"""A service whose learners have features, limits, costs, several rewards per decision, shadow mode and merges at once.
SPDX-License-Identifier: Apache-2.0"""
import random
import time

from program import SEGUE, Folder
from service import Service, check_store, last_version
from stores import import_copy, query

ARMS = ["A", "B", "C"]
LIMITS = {"floor": 0.05, "shares": {"C": 0.2}, "costs": {"A": 0.1}, "switch_cost": 0.05}
LEARNERS = {"tutor": {"control": 0.2, **LIMITS},
            "sum": {"control": 0.3, "aggregate": "sum", "range": [0, 2], "costs": {"B": 0.2}, "switch_cost": 0.1},
            "shadow": {"mode": "shadow", "aggregate": "max", "floor": 0.1, "shares": {"C": 0.3}},
            "merged": {}}


class Together(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.random = random.Random(5)
        self.service, self.reported = None, 0

    def start(self, *options, store=None):
        self.service = Service(SEGUE, store or self.store, *options)
        service = self.service
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        return service.client()

    def stop(self, store=None):
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, store or self.store)

    def create(self, client):
        for name, settings in LEARNERS.items():
            status, body = client.post("/v1/learners", {"name": name, "arms": ARMS, "steps": 4, **settings})
            self.assertEqual(status, 201, body)

    def fields(self, name):
        """What an ask of this learner has."""
        more = {"chosen": self.random.choice(ARMS), "chosen_probability": 1 / 3} if name == "shadow" else {}
        if self.random.random() < 0.5:
            more["probability"] = True
        if self.random.random() < 0.8:
            more["features"] = {"class": f"c{self.random.randrange(3)}", "age": self.random.randrange(90)}
        return more

    def tell(self, client, name, decision):
        """Of a decision, one reward, or one that is corrected."""
        several = "aggregate" in LEARNERS[name]
        for _ in range(1 + several * self.random.randrange(2)):
            event = {"event": f"e{self.reported}"} if several else {}
            self.reported += 1
            status, body = client.post("/v1/tell", {"decision": decision, "reward": self.random.randrange(2), **event})
            self.assertEqual(status, 200, body)
            if body["closed"]:
                return

    def play(self, client, n, key="k"):
        """Close n tasks of each learner."""
        for name in LEARNERS:
            for step in range(4 * n):
                status, body = client.ask(name, f"{key}{step // 4}", **self.fields(name))
                self.assertEqual(status, 200, body)
                self.tell(client, name, body["decision"])

    def retry(self, call):
        """During a refit there is no snapshot and no merge: the response says to retry."""
        status, body = call()
        while status == 503:
            time.sleep(0.05)
            status, body = call()
        self.assertEqual(status, 200, body)
        return body

    def merge(self, client):
        last_version(lambda: client.get("/v1/learners/tutor")[1])
        export = client.get("/v1/learners/tutor/export")[1]
        return self.retry(lambda: client.post("/v1/learners/merged/merge", {**export, "force": True}))

    def state(self, client):
        """All that learners learned: their bytes, and what they report."""
        out = {}
        for name in LEARNERS:
            body = last_version(lambda: client.get(f"/v1/learners/{name}")[1])
            out[name] = {key: body[key] for key in ("version", "arms", "effect", "tasks", "features", "rewards") if key in body}
            out[name]["bytes"] = client.get(f"/v1/learners/{name}/export")[1]["saved"]
        out["report"] = client.get("/v1/learners/shadow/shadow")[1]
        return out

    def query(self, select, store=None):
        return query(store or self.store, select)

    def wait_for(self, select, expected):
        end = time.monotonic() + 60
        while self.query(select)[0][0] != expected:
            self.assertLess(time.monotonic(), end, select)
            time.sleep(0.05)

    def import_copy(self):
        copy = str(self.folder / f"copy{self.random.random()}.db")
        import_copy(SEGUE, self.store, copy)
        return copy
