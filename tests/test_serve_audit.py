#!/usr/bin/python3
"""`segue audit` computes decisions of a running service again: same arm, same probability.  The hash chain finds every
row that another program altered, removed or moved.

usage: test_serve_audit.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import subprocess
import sys
import unittest

from audited import Audited, audit
from program import SEGUE, Folder
from service import Service, check_store
from stores import change, copy_store, import_copy, query, store_name

FORMS = ({"steps": 12, "control": 0.3}, {"method": "tts:window=16", "close_after": 9}, {"method": "kl-ucb", "steps": 8},
         {"method": "tucb", "models": 2, "steps": 12}, {"steps": 15, "reward_deadline": 0.5, "default_reward": 0})


class Audits(Audited):
    def run_form(self, form):
        service = Service(SEGUE, self.store)
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        client = service.client()
        self.assertEqual(client.post("/v1/learners", {"name": "tutor", "arms": ["A", "B", "C", "D"], **form})[0], 201)
        self.play(client, 150)
        if form.get("method") != "tucb":
            self.assertEqual(client.call("DELETE", "/v1/learners/tutor/arms/B")[0], 200)
            self.assertEqual(client.post("/v1/learners/tutor/arms", {"arm": "E"})[0], 201)
        self.play(client, 100)
        client.close()
        service.kill()
        self.run += 1
        service.start()
        client = service.client()
        self.play(client, 200)
        self.check_all()  # while the service runs
        client.close()
        self.assertEqual(service.stop(), 0)
        check_store(SEGUE, self.store)

    def test_every_decision_with_a_reward_is_computed_again(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.setUp()
                self.run_form(form)


class Tampering(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "test.db"
        service = Service(SEGUE, str(self.store))
        client = service.client()
        client.post("/v1/learners", {"name": "tutor", "arms": ["A", "B", "C"], "close_after": 4, "method": "ts"})
        self.decisions = []
        for i in range(24):
            status, body = client.ask("tutor", f"k{i // 4}", probability=True)
            self.assertEqual(status, 200)
            self.decisions.append(body["decision"])
            self.assertEqual(client.tell(body["decision"], i % 2)[0], 200)
        self.assertEqual(client.post("/v1/learners/tutor/arms", {"arm": "D"})[0], 201)
        self.assertEqual(client.call("DELETE", "/v1/learners/tutor/arms/A")[0], 200)
        self.assertEqual(client.call("PATCH", "/v1/learners/tutor", {"idle": 99})[0], 200)
        client.close()
        self.assertEqual(service.stop(), 0)
        check_store(SEGUE, str(self.store))

    def change(self, *statements):
        """The check of a copy that was changed, and says why it is damaged."""
        copy = self.folder / "copy.db"
        copy_store(self.store, copy)
        change(copy, *statements)
        result = subprocess.run([SEGUE, "store", "check", "--store", store_name(copy)], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, (statements, result.stdout))
        return result.stdout + result.stderr

    def test_each_change_of_a_row_is_found_and_named(self):
        for sql, says in (
                ("UPDATE reward SET created = created + 1 WHERE task = 3 AND position = 1", "subject 3): the task, its rewards"),
                ("UPDATE reward SET probability = 0.5 WHERE task = 2 AND position = 0", "subject 2): the task, its rewards"),
                ("UPDATE reward SET asks = '0:2;' WHERE task = 2 AND position = 1", "subject 2): the task, its rewards"),
                ("UPDATE reward SET number = number + 1 WHERE task = 2 AND position = 3", "subject 2): the task, its rewards"),
                ("UPDATE task SET key = 'other' WHERE id = 4", "subject 4): the task"),
                ("UPDATE task SET opened = opened - 60 WHERE id = 4", "subject 4): the task"),
                ("UPDATE task SET control_share = 0.5 WHERE id = 4", "subject 4): the task"),
                ("UPDATE event SET created = created + 1 WHERE seq = 2", "hash chain: event 2"),
                ("UPDATE chain SET bytes = zeroblob(64) WHERE seq = 3", "hash chain: event 3"),
                ("DELETE FROM chain WHERE seq = 3", "hash chain: event 3 has no link"),
                ("DELETE FROM chain WHERE seq = 0", "first link is missing"),
                ("UPDATE arm SET added = added + 1 WHERE position = 3", "the arm changed"),
                ("UPDATE learner SET created = created + 1", "settings or time of creation"),
                ("UPDATE learner SET config = replace(config, '99', '98')", "")):
            with self.subTest(sql=sql):
                self.assertIn(says, self.change(sql))

    def test_removed_and_reordered_rows_are_found(self):
        swap = [f"UPDATE reward SET position = {p} WHERE task = 1 AND position = {q}" for p, q in ((9, 0), (0, 1), (1, 9))]
        self.assertIn("subject 1): the task, its rewards", self.change(*swap))
        last = "(SELECT max(seq) FROM event)"
        self.assertIn("hash chain: event", self.change(f"DELETE FROM event WHERE seq = {last}"))
        self.assertIn("changed after event", self.change(f"DELETE FROM chain WHERE seq = {last}", f"DELETE FROM event WHERE seq = {last}"))
        swap = [f"UPDATE event SET seq = {p} WHERE seq = {q}" for p, q in ((900, 7), (7, 8), (8, 900))]  # arm added, arm retired
        self.change(*swap)
        self.change("DELETE FROM reward WHERE task = 5")
        self.change("INSERT INTO removed VALUES (5, 1, '{}', zeroblob(64), 0)", "DELETE FROM reward WHERE task = 5")

    def test_an_altered_reward_gives_another_decision_or_says_so(self):
        copy = self.folder / "copy.db"
        copy_store(self.store, copy)
        change(copy, "UPDATE reward SET value = 1 - value")
        codes = [audit(copy, d)[0] for d in self.decisions]
        self.assertIn(1, codes)
        self.assertEqual({audit(self.store, d)[0] for d in self.decisions}, {0})

    def test_each_format_says_which_arm_was_decided(self):
        decision = self.decisions[-1]
        found = json.loads(audit(self.store, decision, "--format", "json")[1])
        rows = list(csv.DictReader(audit(self.store, decision, "--format", "csv")[1].splitlines()))
        flags = ("allowed", "decided", "computed")
        self.assertEqual([[row[f] for f in flags] for row in rows], [[json.dumps(arm[f]) for f in flags] for arm in found["arms"]])
        self.assertEqual([arm["arm"] for arm in found["arms"] if arm["decided"]], [found["decided"]])
        table = audit(self.store, decision)[1]
        self.assertRegex(table, rf"(?m)^ *{found['decided']} +yes\b.* yes +yes *$")

    def test_wrong_input_is_refused(self):
        for arguments, says in (((), "give a decision"), (("x",), "not a decision of this store"),
                                ((self.decisions[0][:-1] + "!",), "not a decision"),
                                ((self.decisions[0], "--format", "xml"), "xml")):
            result = subprocess.run([SEGUE, "audit", *arguments, "--store", store_name(self.store)], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(says, result.stderr)

    def test_an_export_keeps_the_chain(self):
        copy = self.folder / "imported.db"
        import_copy(SEGUE, self.store, copy)
        rows = [query(s, "SELECT * FROM chain ORDER BY seq") for s in (self.store, copy)]
        self.assertEqual(*rows)
        self.assertEqual(audit(copy, self.decisions[-1])[0], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
