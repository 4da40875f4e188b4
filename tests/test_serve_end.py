#!/usr/bin/python3
"""Shutdown, restart, a full disk, a store that is removed.

usage: test_serve_end.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import random
import resource
import signal
import sys
import time
import unittest

from program import SEGUE
from served import FEW, TUTOR, Served
from service import check_store
from stores import files_only, query


class End(Served):
    def test_sighup_opens_a_new_access_log(self):
        old = self.folder / "log.1"
        self.client.get("/v1/learners")
        self.log.rename(old)
        self.service.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 30
        while not (self.log.exists() and "/v1/learners/tutor" in self.log.read_text()):
            self.assertLess(time.monotonic(), deadline)
            self.client.get("/v1/learners/tutor")
            time.sleep(0.05)
        self.assertIn('"/v1/learners"', old.read_text())

    def test_shutdown_answers_accepted_requests(self):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            clients = [self.service.client() for _ in range(16)]
            asked = list(pool.map(lambda c: c.ask("tutor", "s")[1]["decision"], clients))
            sent = [pool.submit(c.tell, d, 1.0) for c, d in zip(clients, asked)]
            self.assertEqual(self.service.stop(), 0)
            done = []
            for future in sent:
                try:
                    done.append(future.result()[0])
                except OSError:
                    done.append(None)  # it came too late and was not accepted
                except Exception as why:
                    self.assertIn("Remote end closed", str(why))
                    done.append(None)
        self.assertLessEqual(set(done), {200, 503, None})
        self.service.start()
        _, learner = self.service.client().get("/v1/learners/tutor")
        self.assertGreaterEqual(learner["rewards"], done.count(200))
        self.assertLessEqual(learner["rewards"], done.count(200) + done.count(None))

    def test_decisions_with_a_default_survive_shutdown_and_kill(self):
        """A kill loses those of the last tenth of a second, a shutdown none."""
        def stored():
            return query(self.store, "SELECT count(*) FROM decision")[0][0]

        waits = dict(TUTOR, name="waits", steps=0, reward_deadline=600, default_reward=0.5, control=0)
        self.assertEqual(self.client.post("/v1/learners", waits)[0], 201)
        for _ in range(5):
            self.assertEqual(self.client.ask("waits", "s", count=1000)[0], 200)
        deadline = time.monotonic() + 60
        while stored() < 5000:
            self.assertLess(time.monotonic(), deadline, "5000 decisions were asked for")
            time.sleep(0.02)
        self.client.close()
        self.service.kill()
        self.assertEqual(stored(), 5000)
        self.service.start()
        self.client = self.service.client()
        self.assertEqual(self.client.ask("waits", "s", count=1000)[0], 200)
        self.assertEqual(self.service.stop(), 0)
        self.assertEqual(stored(), 6000)

    @files_only("it has no files that could be removed")
    def test_a_removed_store_stops_the_service(self):
        for name in ("test.db", "test.db-wal", "test.db-shm"):
            (self.folder / name).unlink()
        self.client.close()
        self.assertEqual(self.service.process.wait(timeout=60), 1)
        self.service.reader.join()
        self.assertIn("moved or removed", "".join(self.service.errors))
        self.service.process.stderr.close()
        self.service.errors.clear()
        self.assertFalse((self.folder / "test.db").exists())

    def test_every_method_refits_in_background_and_recovers(self):
        """Tasks of two types, then a kill: the learner is the same."""
        methods = ("auto", "tts", "tla", "ts-prior", "tucb", "tucb:estimator=em", "tucb:models=2")
        rng = random.Random(5)
        for method in methods:
            models = 0 if "models" in method else 2
            self.assertEqual(self.client.post("/v1/learners", dict(TUTOR, name=method, method=method, models=models,
                                                                   control=0))[0], 201)
            for task in range(30):
                for _ in range(TUTOR["steps"]):
                    d = self.client.ask(method, f"s{task}")[1]
                    self.client.tell(d["decision"], float(rng.random() < (0.9 if d["arm"] == "AB"[task % 2] else 0.2)))
        for method in methods:
            deadline = time.monotonic() + 60
            while self.client.get(f"/v1/learners/{method}")[1]["version"] == 0:
                self.assertLess(time.monotonic(), deadline, method)
                time.sleep(0.02)
        self.assertEqual(self.client.get("/v1/learners/tucb")[1]["method"], "tucb")
        self.client.close()
        self.service.kill()
        check_store(SEGUE, self.store)
        self.service.start()
        self.client = self.service.client()
        for method in methods:
            found = self.client.get(f"/v1/learners/{method}")[1]
            self.assertEqual((found["rewards"], found["version"] > 0), (30 * TUTOR["steps"], True), method)


class Full(Served):
    """A full disk, simulated by RLIMIT_FSIZE."""

    def limit(self, size):
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    @files_only("the disk is its server's")
    def test_a_full_disk_rejects_tells_and_serves_asks(self):
        decisions = [self.client.ask("tutor", "s")[1]["decision"] for _ in range(15)]
        self.assertEqual(self.client.tell(decisions[0], 1.0)[0], 200)
        self.limit(4096)
        for decision in decisions[1:4]:
            status, body = self.client.tell(decision, 1.0)
            self.assertEqual(status, 503)
            self.assertIn("nothing has changed", body["error"]["message"])
            self.assertEqual(self.client.answer_headers["Retry-After"], "1")
            self.assertEqual(self.client.ask("tutor", "s")[0], 200)
        self.assertEqual(self.client.get("/readyz")[0], 503)
        self.assertEqual(self.client.get("/healthz")[0], 200)
        self.limit(resource.RLIM_INFINITY)
        until = time.monotonic() + 30
        while self.client.get("/readyz")[0] != 200:  # by itself
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.service.reported("can be written again")
        said = [line for line in self.service.errors if FEW not in line]
        self.assertEqual(len(said), 2, said)  # when it begins, and when it ends
        self.assertIn("nothing can be stored; asks continue", said[0])
        self.assertIn("can be written again", said[1])
        self.service.errors.clear()
        for decision in decisions[1:]:
            self.assertEqual(self.client.tell(decision, 1.0)[1]["status"], "counted")
        self.assertEqual(self.client.tell(decisions[0], 1.0)[1]["status"], "duplicate")
        self.assertEqual(self.client.get("/v1/learners/tutor/tasks/s")[1]["rewards"], 15)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
