#!/usr/bin/python3
"""`segue audit` computes decisions again that were made with features, a floor, shares, eligible arms and costs, before
and after changes of settings, merges and restarts.  It says why there is nothing to compute in shadow mode and with
several rewards per decision.

usage: test_serve_audit_terms.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import sys
import time
import unittest

from audited import Audited, audit
from program import SEGUE
from service import Service, check_store

ARMS = ["A", "B", "C", "D"]
LIMITS = {"floor": 0.05, "shares": {"B": 0.2}, "costs": {"A": 0.1, "C": 0.3}, "switch_cost": 0.05}
FORMS = ({"steps": 12, "control": 0.3, **LIMITS}, {"method": "tts", "close_after": 9, "switch_cost": 0.2},
         {"steps": 12, "floor": 0.25}, {"method": "tla", "steps": 30, "shares": {"A": 0.5, "B": 0.5}})
CHANGES = ({"shares": {"C": 0.3}, "floor": 0.1, "costs": {}}, {"shares": {}, "floor": 0, "costs": {"D": 0.2}, "switch_cost": 0.1})


class Terms(Audited):
    def start(self, form):
        self.service = Service(SEGUE, self.store)
        self.addCleanup(lambda: self.service.process.poll() is None and self.service.kill())
        client = self.service.client()
        self.assertEqual(client.post("/v1/learners", {"name": "tutor", "arms": ARMS, **form})[0], 201)
        return client

    def key(self):
        """Some tasks are open during a restart."""
        return f"k{self.random.randrange(6)}-{len(self.rewarded) // 40}"

    def more(self):
        draw, more = self.random.random(), {}
        if draw < 0.6:
            more["features"] = {"class": f"c{self.random.randrange(3)}", "age": self.random.randrange(90)}
        if self.random.random() < 0.3:
            more["eligible"] = self.random.sample(ARMS, self.random.randint(2, 4))
        return more

    def restart(self, client):
        client.close()
        self.service.kill()
        self.run += 1
        self.service.start()
        return self.service.client()

    def merge(self, client, features):
        """Merge another learner of the service, which had tasks with features or without; a refit may run."""
        name = f"other{self.run}"
        settings = {key: client.get("/v1/learners/tutor")[1][key] for key in ("method", "arms")}
        arms = [arm["name"] for arm in settings["arms"]]
        status, said = client.post("/v1/learners", {"name": name, "arms": arms, "method": settings["method"], "steps": 8})
        self.assertEqual(status, 201, said)
        for i in range(40):
            more = {"features": {"class": f"c{i // 8 % 3}"}} if features else {}
            client.tell(client.ask(name, f"t{i // 8}", **more)[1]["decision"], i % 2)
        status, body = 503, client.get(f"/v1/learners/{name}/export")[1]
        while status == 503:
            status, said = client.post("/v1/learners/tutor/merge", body)
            time.sleep(0.05)
        self.assertEqual((status, said.get("status")), (200, "merged"), said)

    def run_form(self, form):
        client = self.start(form)
        self.play(client, 150)
        self.merge(client, True)
        self.play(client, 60)  # tasks with a prior from before the merge, and from after it
        self.assertEqual(client.call("PATCH", "/v1/learners/tutor", CHANGES[0])[0], 200)
        self.play(client, 60)
        client = self.restart(client)
        self.play(client, 80)
        self.assertEqual(client.post("/v1/learners/tutor/arms", {"arm": "E"})[0], 201)
        self.assertEqual(client.call("PATCH", "/v1/learners/tutor", CHANGES[1])[0], 200)
        self.play(client, 60)
        self.merge(client, False)
        self.play(client, 60)
        client = self.restart(client)
        self.play(client, 60)
        self.check_all()
        client.close()
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)

    def test_decisions_with_all_terms_are_computed_again(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.setUp()
                self.run_form(form)


class NotComputed(Terms):
    test_decisions_with_all_terms_are_computed_again = None

    def refuse(self, decision, says):
        code, out, err = audit(self.store, decision)
        self.assertEqual((code, out), (2, ""), err)
        self.assertIn(says, err)

    def test_a_decision_in_shadow_mode(self):
        client = self.start({"mode": "shadow", "steps": 3})
        for i in range(7):
            _, body = client.ask("tutor", f"k{i // 3}", chosen="B", chosen_probability=0.5)
            self.refuse(body["decision"], "is in shadow mode, and the caller chose the arm")  # without a reward
            self.assertEqual(client.tell(body["decision"], 1)[0], 200)
            self.refuse(body["decision"], "is in shadow mode, and the caller chose the arm")
        self.assertEqual(client.call("PATCH", "/v1/learners/tutor", {"mode": "active"})[0], 200)
        self.refuse(body["decision"], "is in shadow mode, and the caller chose the arm")
        _, body = client.ask("tutor", "active")
        self.assertEqual(client.tell(body["decision"], 1)[0], 200)
        self.assertEqual(audit(self.store, body["decision"])[0], 0)

    def test_a_decision_with_several_rewards(self):
        client = self.start({"aggregate": "sum", "steps": 3})
        _, body = client.ask("tutor", "k")
        self.refuse(body["decision"], "takes several rewards per decision ('aggregate' is \"sum\")")
        self.assertEqual(client.post("/v1/tell", {"decision": body["decision"], "reward": 0.5, "event": "e"})[0], 200)
        self.refuse(body["decision"], "takes several rewards per decision ('aggregate' is \"sum\")")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
