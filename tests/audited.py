"""A client whose decisions `segue audit` computes again.
SPDX-License-Identifier: Apache-2.0"""
import json
import random
import subprocess

from program import SEGUE, Folder
from service import SHORT
from stores import store_name

DECISIONS = 20 if SHORT else 60  # audited per form


def audit(store, decision, *options):
    result = subprocess.run([SEGUE, "audit", decision, "--store", store_name(store), *options], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


class Audited(Folder):
    """A client of 'tutor' that asks and tells at random, and audits what was told."""

    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.random = random.Random(7)
        self.rewarded, self.waiting, self.run = [], [], 0

    def key(self):
        return f"k{self.random.randrange(6)}-{self.run}-{len(self.rewarded) // 25}"

    def more(self):
        """Further fields of an ask."""
        return {}

    def ask(self, client):
        """One request, maybe of several decisions, with whatever an ask can have."""
        draw, more = self.random.random(), {}
        if draw < 0.25:
            more["count"] = self.random.randint(2, 5)
        if self.random.random() < 0.3:
            more["probability"] = True
        if self.random.random() < 0.2:
            more["exclude"] = ["A"]
        if self.random.random() < 0.2:
            more["event"] = f"e{self.random.randrange(10**9)}"
        if self.random.random() < 0.1:
            more["explain"] = True
        if self.random.random() < 0.03:  # long enough for the read pool
            more.update(count=1000, probability=True)
        more.update(self.more())
        status, body = client.ask("tutor", self.key(), **more)
        if status == 200:
            self.waiting += [(d["decision"], self.run) for d in body.get("decisions", [body])[:5] if "decision" in d]

    def tell(self, client):
        """The reward of any decision that waits, in any order; some never get one."""
        decision, run = self.waiting.pop(self.random.randrange(len(self.waiting)))
        if self.random.random() < 0.15:
            return
        status, body = client.tell(decision, self.random.randrange(2))
        if status == 200 and body["status"] == "counted":
            self.rewarded.append((decision, run == self.run))

    def play(self, client, steps):
        for _ in range(steps):
            if self.waiting and self.random.random() < 0.5:
                self.tell(client)
            else:
                self.ask(client)

    def check_all(self):
        same_run = [d for d, same in self.rewarded if same]
        for decision in self.random.sample(same_run, min(DECISIONS, len(same_run))):
            code, out, err = audit(self.store, decision, "--format", "json")
            self.assertEqual(code, 0, err + out)
            result = json.loads(out)
            self.assertTrue(result["same"])
            self.assertAlmostEqual(sum(arm["probability"] for arm in result["arms"]), 1)
            self.assertEqual(result["probability"], result["computed_probability"])
        for decision in [d for d, same in self.rewarded if not same]:  # asked before a kill: the same, or it says why not
            code, _, err = audit(self.store, decision)
            self.assertTrue(code == 0 or (code == 2 and "has not all asks before it" in err), err)
