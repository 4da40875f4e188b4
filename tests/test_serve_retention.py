#!/usr/bin/python3
"""--keep removes old rewards, DELETE erases a task: what was learned stays, the store is sound, also after a kill in the
middle, and an export of it can be imported.

usage: test_serve_retention.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import random
import sys
import time
import unittest

import postgresql
from program import SEGUE, Folder, answer, run
from service import SHORT, Service, check_store
from stores import change, import_copy, query, store_name

KILLS = 4 if SHORT else 12
LEARNER = {"name": "tutor", "arms": ["A", "B", "C"], "steps": 4, "control": 0.2}


class Retained(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.random = random.Random(3)
        self.service = None

    def start(self, *options):
        self.service = Service(SEGUE, self.store, *options)
        self.addCleanup(lambda: self.service.process.poll() is None and self.service.kill())
        return self.service.client()

    def stop(self):
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)

    def play(self, client, n, name="k"):
        """Close n tasks, and return the decisions."""
        decisions = []
        for i in range(n):
            for _ in range(4):
                status, body = client.ask("tutor", f"{name}{i}")
                self.assertEqual(status, 200, body)
                decisions.append(body["decision"])
                self.assertEqual(client.tell(body["decision"], self.random.randrange(2))[0], 200)
        return decisions

    def count(self, select):
        return query(self.store, select)[0][0]

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "nothing happened")
            time.sleep(0.05)

    def learner(self, client):
        """The learner when its refits are published."""
        body, last = client.get("/v1/learners/tutor")[1], None
        while body["version"] != last:
            last = body["version"]
            time.sleep(0.5)
            body = client.get("/v1/learners/tutor")[1]
        return {key: body[key] for key in ("version", "arms", "effect", "tasks") if key in body}

    def erase(self, client, key):
        """During a refit there is no snapshot: the response says to retry."""
        status, body = client.call("DELETE", f"/v1/learners/tutor/tasks/{key}")
        while status == 503:
            time.sleep(0.1)
            status, body = client.call("DELETE", f"/v1/learners/tutor/tasks/{key}")
        return status, body

    def import_copy(self):
        copy = str(self.folder / f"copy{self.random.random()}.db")
        import_copy(SEGUE, self.store, copy)
        return copy


class Retention(Retained):
    def test_old_rewards_go_and_what_was_learned_stays(self):
        client = self.start()
        client.post("/v1/learners", LEARNER)
        self.play(client, 30)
        before = self.learner(client)
        tasks = [client.get(f"/v1/learners/tutor/tasks/k{i}")[1] for i in range(30)]
        self.stop()
        client = self.start("--keep", "0.5s")
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward") == 0)
        self.assertEqual(self.learner(client), before)
        self.assertEqual([client.get(f"/v1/learners/tutor/tasks/k{i}")[1] for i in range(30)], tasks)
        self.assertEqual(self.count("SELECT count(*) FROM removed"), 30)
        self.play(client, 5, "new")
        self.service.kill()
        check_store(SEGUE, self.store)
        after = self.learner(self.start())
        self.stop()
        copy = self.import_copy()
        self.service = Service(SEGUE, copy)
        self.assertEqual(self.learner(self.service.client()), after)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, copy)

    def test_decisions_with_events_go_too(self):
        client = self.start("--keep", "1s")
        client.post("/v1/learners", LEARNER)
        for i in range(5):
            for k in range(4):
                decision = client.ask("tutor", f"k{i}", event=f"e{k}", probability=True)[1]["decision"]
                self.assertEqual(client.tell(decision, 1)[0], 200)
        open_task = client.ask("tutor", "open", event="e0")[1]["decision"]
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward") == 0)
        self.assertEqual(self.count("SELECT count(*) FROM decision"), 1)
        self.assertEqual(client.get("/v1/learners/tutor/decisions")[1], {"decisions": []})
        status, body = client.ask("tutor", "k0", event="e0", probability=True)
        self.assertEqual(status, 409, body)
        self.assertIn("is closed", body["error"]["message"])
        status, body = client.tell(decision, 1)  # it has counted
        self.assertEqual(status, 410, body)
        self.assertIn("its rewards were removed", body["error"]["message"])
        self.assertEqual(client.ask("tutor", "open", event="e0")[1]["decision"], open_task)
        self.stop()

    def test_a_metric_has_the_time_of_the_oldest_rewards(self):
        def shown():
            lines = client.raw("GET", "/metrics")[1].decode().splitlines()
            return [float(line.split()[1]) for line in lines if line.startswith("segue_learner_oldest_stored_timestamp_seconds{")]

        client = self.start("--keep", "8s")  # it searches every 2 s
        client.post("/v1/learners", LEARNER)
        self.play(client, 2)
        self.wait_for(shown)
        self.assertEqual(shown(), [client.get("/v1/learners/tutor/tasks/k0")[1]["closed"]])
        self.stop()

    def test_a_kill_at_any_moment_leaves_a_sound_store(self):
        client = self.start()
        client.post("/v1/learners", LEARNER)
        self.play(client, 150)
        self.stop()
        for i in range(KILLS):
            client = self.start("--keep", "0.1s")
            self.play(client, self.random.randrange(3), f"r{i}-")
            client.call("DELETE", f"/v1/learners/tutor/tasks/k{i}")
            time.sleep(self.random.random() * 0.1)
            self.service.kill()
            check_store(SEGUE, self.store)
        self.start("--keep", "0.1s")
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward AS r JOIN task AS t ON t.id = r.task "
                                         "WHERE t.closed IS NOT NULL") == 0)
        self.stop()

    def test_what_remains_cannot_be_changed(self):
        client = self.start()
        client.post("/v1/learners", LEARNER)
        self.play(client, 10)
        self.stop()
        self.start("--keep", "0.1s")
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward") == 0)
        self.stop()
        for sql, says in (("UPDATE removed SET counts = '{\"0\":[4,1]}' WHERE task = 2", ""),
                          ("UPDATE removed SET bytes = zeroblob(64) WHERE task = 2", "subject 2): the task, its rewards"),
                          ("DELETE FROM removed WHERE task = 2", ""),
                          ("UPDATE task SET total = total + 1 WHERE id = 2", "subject 2): the task, its rewards"),
                          ("DELETE FROM base", ""), ("UPDATE base SET seq = seq + 1", "")):
            with self.subTest(sql=sql):
                copy = self.import_copy()
                change(copy, sql)
                done = run("store", "check", "--store", store_name(copy))
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stdout + done.stderr)

    def test_a_decision_whose_rewards_are_gone_says_so(self):
        client = self.start()
        client.post("/v1/learners", LEARNER)
        decision = self.play(client, 3)[0]
        self.assertEqual(run("audit", decision, "--store", store_name(self.store)).returncode, 0)
        self.stop()
        self.start("--keep", "0.1s")
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward") == 0)
        done = run("audit", decision, "--store", store_name(self.store))
        self.assertEqual(done.returncode, 2)
        self.assertIn("were removed", done.stderr)
        self.stop()

    def test_wrong_durations_are_refused(self):
        for text in ("90", "0d", "-1d", "d", "1y", "1e9w", ""):
            done = run("serve", "--store", store_name(self.store), "--keep", text)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("is not a duration", done.stderr)


class Erasure(Retained):
    def setUp(self):
        super().setUp()
        self.client = self.start()
        self.client.post("/v1/learners", LEARNER)

    def test_a_closed_task_is_erased(self):
        decisions = self.play(self.client, 6, "student-")
        before = self.learner(self.client)
        status, receipt = self.erase(self.client, "student-2")
        self.assertEqual(status, 200, receipt)
        self.assertEqual((receipt["erased"], receipt["rewards"], receipt["was_open"]), ("student-2", 4, False))
        self.assertIn("window", receipt["remains"])
        self.assertEqual(self.learner(self.client), before)
        self.assertEqual(self.client.get("/v1/learners/tutor/tasks/student-2")[0], 404)
        self.assertEqual(self.erase(self.client, "student-2")[0], 404)
        self.assertEqual(self.client.tell(decisions[8], 1)[0], 410)
        self.assertEqual(self.count(f"SELECT bytes FROM chain WHERE seq = {receipt['event']}")[32:].hex(), receipt["hash"].lower())
        self.stop()
        self.assertEqual(self.count("SELECT count(*) FROM reward"), 20)
        if not postgresql.is_chosen():
            with open(self.store, "rb") as file:
                self.assertNotIn(b"student-2", file.read())
        client = self.start()
        self.assertEqual(self.learner(client), before)
        self.assertEqual(client.ask("tutor", "student-2")[0], 200)  # the key is free again
        self.stop()
        self.import_copy()

    def audit(self, decision):
        return run("audit", decision, "--store", store_name(self.store))

    def test_an_erasure_ends_the_audit_of_earlier_tasks(self):
        before = self.play(self.client, 3)
        still_open = self.client.ask("tutor", "open")[1]["decision"]
        self.client.tell(still_open, 1)
        self.assertEqual([self.audit(decision).returncode for decision in (before[0], still_open)], [0, 0])
        self.assertEqual(self.erase(self.client, "k1")[0], 200)
        late = self.client.ask("tutor", "open")[1]["decision"]
        self.client.tell(late, 1)
        after = self.play(self.client, 1, "new")
        for decision in (before[0], still_open, late):
            done = self.audit(decision)
            self.assertEqual(done.returncode, 2)
            self.assertIn("were removed; use a backup from before", done.stderr)
        self.assertEqual(self.audit(after[0]).returncode, 0)
        events = self.count("SELECT max(seq) FROM event") - self.count("SELECT seq FROM base")
        self.assertIn(f"rebuilt from {events} event", check_store(SEGUE, self.store))
        self.stop()

    def test_an_open_task_is_discarded(self):
        self.play(self.client, 2)
        before = self.learner(self.client)
        decision = self.client.ask("tutor", "open", event="e")[1]["decision"]
        self.assertEqual(self.client.tell(decision, 1)[0], 200)
        status, receipt = self.erase(self.client, "open")
        self.assertEqual((status, receipt["was_open"], receipt["rewards"]), (200, True, 1))
        self.assertEqual(self.learner(self.client), before)
        self.assertEqual(self.client.tell(decision, 1)[0], 410)
        self.assertEqual(self.count("SELECT count(*) FROM task WHERE closed IS NULL"), 0)
        self.assertEqual(self.count("SELECT count(*) FROM decision"), 0)
        self.stop()

    def test_a_trimmed_task_is_erased_too(self):
        self.play(self.client, 5)
        self.stop()
        client = self.start("--keep", "0.1s")
        self.wait_for(lambda: self.count("SELECT count(*) FROM reward") == 0)
        self.assertEqual(self.erase(client, "k3")[0], 200)
        self.assertEqual(self.count("SELECT count(*) FROM removed WHERE erased = 1"), 1)
        self.stop()

    def test_what_does_not_exist_gets_404(self):
        self.assertEqual(self.client.call("DELETE", "/v1/learners/tutor/tasks/none")[0], 404)
        self.assertEqual(self.client.call("DELETE", "/v1/learners/none/tasks/k")[0], 404)
        self.stop()

    def test_the_command_prints_the_receipt(self):
        self.play(self.client, 1)
        self.learner(self.client)
        out = answer("erase", "tutor", "--task", "k0", "--url", f"http://127.0.0.1:{self.service.port}")
        self.assertIn('"erased":"k0"', out)
        self.assertEqual(run("erase", "tutor").returncode, 2)
        self.stop()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
