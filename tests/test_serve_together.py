#!/usr/bin/python3
"""Features, limits, costs, several rewards per decision, shadow mode and merges in one store: the hash chain finds every
change, removals and erasures leave what was learned, and a kill, an export or an upgrade loses nothing of it.

usage: test_serve_together.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import sqlite3
import sys
import time
import unittest

from audited import audit
from old_formats import FORMAT_9
from program import SEGUE, run
from service import check_store, last_version
from stores import change, files_only, store_name
from together import ARMS, LEARNERS, Together

OF = "(SELECT id FROM learner WHERE name = '{}')"
TASK = f"(SELECT min(id) FROM task WHERE learner = {OF})"


class Tampering(Together):
    def test_each_change_is_found(self):
        client = self.start()
        self.create(client)
        self.play(client, 4)
        self.merge(client)
        self.play(client, 1, "more")
        self.merge(client)
        self.stop()
        task, part, merged = "subject {}): the task, its rewards", TASK.format("sum"), "the learner that was merged"
        shadow = TASK.format("shadow")
        first = {name: self.query(f"SELECT {TASK.format(name)}")[0][0] for name in LEARNERS}
        featured = self.query("SELECT min(id) FROM task WHERE features IS NOT NULL")[0][0]
        for sql, says in (
                (f"UPDATE task SET features = '{{\"class\":\"c9\"}}' WHERE id = {featured}", task.format(featured)),
                (f"UPDATE task SET features = NULL WHERE id = {featured}", task.format(featured)),
                (f"UPDATE reward_part SET created = created + 1 WHERE task = {part}", task.format(first["sum"])),
                (f"UPDATE reward_part SET event = event || 'x' WHERE task = {part}", task.format(first["sum"])),
                (f"UPDATE reward_part SET value = value + 1 WHERE task = {part}", "rewards that differ from their parts"),
                (f"DELETE FROM reward_part WHERE task = {part}", "rewards that differ from their parts"),
                (f"UPDATE reward SET segue_arm = (segue_arm + 1) % 3 WHERE task = {shadow}", task.format(first["shadow"])),
                (f"UPDATE reward SET segue_probability = segue_probability / 2 WHERE task = {shadow}", task.format(first["shadow"])),
                (f"UPDATE reward SET segue_arm = NULL, segue_probability = NULL WHERE task = {shadow}", "segue_arm"),
                ("UPDATE merged SET bytes = (SELECT bytes FROM merged WHERE number = 2) WHERE number = 1", merged),
                ("UPDATE merged SET origins = replace(origins, 'a', 'b') WHERE number = 1", merged),
                ("DELETE FROM merged WHERE number = 2", merged)):
            with self.subTest(sql=sql):
                copy = self.import_copy()
                change(copy, sql)
                done = run("store", "check", "--store", store_name(copy))
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(says, done.stdout + done.stderr)


class Removal(Together):
    def test_what_was_learned_survives_the_removal_of_rewards(self):
        client = self.start()
        self.create(client)
        self.play(client, 12)
        self.merge(client)
        before = self.state(client)
        self.stop()
        client = self.start("--keep", "0.2s")
        self.wait_for("SELECT count(*) FROM reward", 0)
        self.assertEqual(self.query("SELECT count(*) FROM reward_part")[0][0], 0)
        self.assertEqual(self.state(client), before)
        self.assertEqual(before["report"]["tasks"], 12)
        self.service.kill()
        check_store(SEGUE, self.store)
        client = self.start("--keep", "0.2s")
        self.assertEqual(self.state(client), before)
        self.merge(client)  # after the base
        self.play(client, 3, "late")
        self.wait_for("SELECT count(*) FROM reward", 0)
        after = self.state(client)
        self.assertEqual(after["report"]["tasks"], 15)
        self.service.kill()
        check_store(SEGUE, self.store)
        copy = self.import_copy()
        for table in ("merged", "base", "removed", "chain", "task"):
            self.assertEqual(*(sorted(self.query(f"SELECT * FROM {table}", store)) for store in (self.store, copy)))
        for store in (self.store, copy):
            self.assertEqual(self.state(self.start(store=store)), after)
            self.stop(store)

    def test_an_erasure_removes_features_and_parts(self):
        client = self.start()
        self.create(client)
        self.play(client, 4)
        for name in LEARNERS:
            status, body = client.ask(name, "open", **self.fields(name))
            self.assertEqual(status, 200, body)
            self.tell(client, name, body["decision"])
        before = self.state(client)
        for name in LEARNERS:
            for key in ("k1", "open"):
                task = self.query(f"SELECT id FROM task WHERE key = '{key}' AND learner = {OF.format(name)}")[0][0]
                self.retry(lambda: client.call("DELETE", f"/v1/learners/{name}/tasks/{key}"))
                for table in ("reward", "reward_part", "decision"):
                    self.assertEqual(self.query(f"SELECT count(*) FROM {table} WHERE task = {task}")[0][0], 0)
                self.assertEqual(self.query(f"SELECT count(*) FROM task WHERE id = {task} AND features IS NOT NULL")[0][0], 0)
            before[name]["rewards"] -= 1  # of the open task
            before[name]["tasks"]["open"] -= 1
        self.assertEqual(self.state(client), before)
        self.service.kill()
        check_store(SEGUE, self.store)
        self.assertEqual(self.state(self.start()), before)
        self.stop()
        check_store(SEGUE, self.import_copy())


class Shadow(Together):
    def test_the_probability_is_that_of_the_mixture(self):
        client = self.start()
        client.post("/v1/learners", {"name": "tutor", "arms": ARMS, "mode": "shadow", "floor": 0.2, "shares": {"C": 0.3}})
        for i in range(80):
            chosen = "BC"[i % 2]
            status, body = client.ask("tutor", f"k{i // 20}", eligible=["B", "C"], chosen=chosen, probability=True)
            self.assertEqual(status, 200, body)
            self.assertIn(body["would_choose"], "BC")  # not A, which has no floor here
            self.assertAlmostEqual(body["segue_probability"], 0.3 if chosen == "C" else 0.7)
            self.assertAlmostEqual(body["would_choose_probability"], 0.3 if body["would_choose"] == "C" else 0.7)
        self.assertEqual(client.call("DELETE", "/v1/learners/tutor/arms/A")[0], 200)
        for i in range(40):
            _, body = client.ask("tutor", f"r{i // 20}", chosen="B", probability=True)
            self.assertIn(body["would_choose"], "BC")
            self.assertAlmostEqual(body["segue_probability"], 0.7)
        self.stop()


class Merges(Together):
    def test_learners_with_features_and_without_are_merged(self):
        client = self.start()
        for name, features in (("with", True), ("without", False)):
            client.post("/v1/learners", {"name": name, "arms": ARMS, "steps": 4, "control": 0})
            for i in range(40):
                more = {"features": {"class": f"c{i // 4 % 2}"}} if features else {}
                client.tell(client.ask(name, f"k{i // 4}", **more)[1]["decision"], i // 4 % 2)
        exports = {}
        for name in ("with", "without"):
            last_version(lambda: client.get(f"/v1/learners/{name}")[1])
            exports[name] = client.get(f"/v1/learners/{name}/export")[1]
        for into, other in (("with", "without"), ("without", "with")):
            self.retry(lambda: client.post(f"/v1/learners/{into}/merge", exports[other]))
            body = last_version(lambda: client.get(f"/v1/learners/{into}")[1])
            self.assertEqual([feature["tasks"] for feature in body["features"]], [10], body["features"])
        status, body = client.post("/v1/learners", {"name": "copy", "saved": exports["with"]["saved"]})
        self.assertEqual(status, 201, body)
        self.assertEqual(len(client.get("/v1/learners/copy")[1]["features"]), 1)
        self.assertEqual(client.ask("copy", "t", features={"class": "c1"})[0], 200)
        names = ("with", "without", "copy")
        before = [client.get(f"/v1/learners/{name}/export")[1]["saved"] for name in names]
        self.service.kill()
        check_store(SEGUE, self.store)
        client = self.start()
        self.assertEqual([client.get(f"/v1/learners/{name}/export")[1]["saved"] for name in names], before)
        self.stop()


class Upgrade(Together):
    OLD = {"auto": {"control": 0.2}, "default": {"method": "ts", "reward_deadline": 0.3, "default_reward": 0},
           "tucb": {"method": "tucb", "models": 2}, "graded": {"method": "tts", "range": [-1, 1]}}

    def play_old(self, client, name, n, key="k"):
        decision = None
        for i in range(4 * n + 2):  # a task stays open
            decision = client.ask(name, f"{key}{i // 4}")[1]["decision"]
            self.assertEqual(client.tell(decision, i % 2)[0], 200)
        return decision

    @files_only("it has had the present format only")
    def test_learners_of_format_9_stay_what_they_are(self):
        client, old = self.start(), None
        for name, settings in self.OLD.items():
            client.post("/v1/learners", {"name": name, "arms": ARMS, "steps": 4, **settings})
            self.play_old(client, name, 6)
        for name in ("auto", "graded"):
            self.assertEqual(client.call("PATCH", f"/v1/learners/{name}", {"idle": 5000})[0], 200)
            self.assertEqual(client.post(f"/v1/learners/{name}/arms", {"arm": "D"})[0], 201)
            self.assertEqual(client.call("DELETE", f"/v1/learners/{name}/arms/A")[0], 200)
            old = self.play_old(client, name, 2, "more")
        before = self.reports(client)
        self.stop()
        db = sqlite3.connect(self.store)
        db.executescript(FORMAT_9)
        for (id_, config) in db.execute("SELECT id, config FROM learner").fetchall():
            settings = json.loads(config)
            for change in settings.get("changes", []):
                change.pop("mode")
            db.execute("UPDATE learner SET config = ? WHERE id = ?", (json.dumps(settings, separators=(",", ":")), id_))
        db.commit()
        db.close()
        self.assertEqual(run("store", "upgrade", "--store", f"sqlite:{self.store}").returncode, 0)
        check_store(SEGUE, self.store)
        code, _, err = audit(self.store, old)
        self.assertEqual(code, 2)
        self.assertIn("has not all asks before it", err)
        client = self.start()
        self.assertEqual(self.reports(client), before)
        status, body = client.ask("auto", "new", features={"class": "c"})
        self.assertEqual((status, client.tell(body["decision"], 1)[0]), (200, 200))
        status, more = client.ask("auto", "more2")  # open since before
        self.assertEqual((status, client.tell(more["decision"], 1)[0]), (200, 200))
        self.assertEqual(client.call("PATCH", "/v1/learners/tucb", {"mode": "shadow"})[0], 200)
        for decision in (body["decision"], more["decision"]):
            self.assertEqual(audit(self.store, decision)[0], 0)
        self.stop()

    def reports(self, client):
        time.sleep(0.5)  # default rewards count
        return [(last_version(lambda: client.get(f"/v1/learners/{name}")[1]), client.get(f"/v1/learners/{name}/export")[1]["saved"])
                for name in self.OLD]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
