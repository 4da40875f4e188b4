#!/usr/bin/python3
"""Requests that read much or decide long: they are answered rightly, and others do not wait for them.

usage: test_serve_load.py PROGRAM [TEST...]; SEGUE_TEST_SHORT=N asks for an N-th of the time
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import sys
import threading
import time
import unittest

from service import SHORT, Service, check_store, folder

PROGRAM = None
ARMS = 100 if SHORT else 400
SECONDS = 1.0 if SHORT else 3.0
LONG_LIST = "/v1/learners/big/tasks?limit=1000&explain=true"


class Load(unittest.TestCase):
    def setUp(self):
        self.folder = folder()
        self.store = os.path.join(self.folder.name, "l.db")
        self.service = Service(PROGRAM, self.store)
        client = self.service.client()
        for name, arms, steps in (("big", ARMS, 1000), ("small", 3, 1000)):
            status, body = client.post("/v1/learners", {"name": name, "arms": [f"arm{i}" for i in range(arms)],
                                                        "steps": steps, "control": 0, "seed": 7})
            self.assertEqual(status, 201, body)
        self.close_tasks(client)
        for i in range(20):
            self.assertEqual(client.ask("big", f"open{i}")[0], 200)
        for i in range(5):
            self.assertEqual(client.ask("small", f"s{i}")[0], 200)
        self.running = True

    def tearDown(self):
        if self.service:  # another code is a sanitizer's
            self.assertEqual(self.service.stop(), 0, self.service.errors)
        self.folder.cleanup()

    def close_tasks(self, client):
        """Close tasks of two kinds, so that there are types to explain."""
        draws = random.Random(1)
        for task in range(16):
            _, body = client.ask("big", f"t{task}", count=20)
            for d in body["decisions"]:
                good = int(d["arm"][3:]) % 2 == task % 2
                client.tell(d["decision"], int(draws.random() < (0.9 if good else 0.1)))
            client.post(f"/v1/learners/big/tasks/t{task}/close")

    def press(self, count):
        """Clients that ask for much, again and again, until `running` ends; statuses that they get."""
        statuses = []

        def one(k):
            client = self.service.client()
            while self.running:
                if k % 4 == 0:
                    statuses.append(client.ask("big", f"open{k}", count=1000, probability=True)[0])
                else:
                    path = (LONG_LIST, "/v1/learners/big", "/v1/learners/big/versions")[k % 4 - 1]
                    statuses.append(client.raw("GET", path)[0])
        threads = [threading.Thread(target=one, args=(k,)) for k in range(count)]
        for thread in threads:
            thread.start()
        return threads, statuses

    def relieve(self, threads):
        self.running = False
        for thread in threads:
            thread.join()

    def test_short_requests_do_not_wait_for_long_ones(self):
        client, took = self.service.client(), []
        decisions = [body["decision"] for body in client.ask("big", "open2", count=100)[1]["decisions"]]
        threads, statuses = self.press(8)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if decisions:  # while its task is copied
                self.assertEqual(client.tell(decisions.pop(), 1)[0], 200)
            for call in (lambda: client.get("/healthz"), lambda: client.ask("small", "s1")):
                begun = time.monotonic()
                self.assertEqual(call()[0], 200)
                took.append(time.monotonic() - begun)
        self.relieve(threads)
        took.sort()
        self.assertGreater(len(took), 50 if SHORT else 200)
        self.assertLess(took[len(took) // 2], 0.1)
        self.assertEqual(set(statuses), {200})

    def read_at_once(self, paths, alone):
        """Read all paths by six clients at once; the paths whose bytes differ."""
        wrong = []

        def one():
            other = self.service.client()
            for path, wanted in zip(paths, alone):
                if other.raw("GET", path) != wanted:
                    wrong.append(path)
        threads = [threading.Thread(target=one) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return wrong

    def test_long_reads_give_the_same_bytes_as_when_alone(self):
        client = self.service.client()
        paths = [LONG_LIST, "/v1/learners/big", "/v1/learners/big/versions", "/v1/learners/big/tasks/open1",
                 "/v1/learners/big/tasks/t1", "/v1/learners/big/history"]
        for _ in range(20):  # a background refit may be published meanwhile; then read again
            alone = [client.raw("GET", path) for path in paths]
            self.assertEqual({status for status, _ in alone}, {200})
            wrong = self.read_at_once(paths, alone)
            if [client.raw("GET", path) for path in paths] == alone:
                break
        else:
            self.fail("the learner changes all the time")
        self.assertEqual(wrong, [])

    def test_decisions_of_long_asks_are_all_different_and_count_once(self):
        given, lock = [], threading.Lock()

        def one(k):
            client = self.service.client()
            status, body = client.ask("big", "shared", count=30, explain=k == 0)
            with lock:
                self.assertEqual(status, 200, body)
                given.extend(d["decision"] for d in body["decisions"])
            for d in body["decisions"]:
                self.assertEqual(client.tell(d["decision"], 1)[1].get("status"), "counted")
        threads = [threading.Thread(target=one, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(given)), 120)
        self.assertEqual(self.service.client().get("/v1/learners/big/tasks/shared")[1]["rewards"], 120)

    def test_an_event_that_is_decided_long_is_given_once(self):
        client = self.service.client()
        first = client.ask("big", "new", event="e", count=50, probability=True)
        self.assertEqual(first[0], 200, first)
        self.assertEqual(client.ask("big", "new", event="e", count=50, probability=True), first)
        status, body = client.ask("big", "new", event="e", count=50, probability=True, explain=True)
        self.assertEqual((status, body["decisions"]), (200, first[1]["decisions"]))
        self.assertIn("explanation", body)
        decision = first[1]["decisions"][0]["decision"]
        status, body = client.ask("big", "new", tell={"decision": decision, "reward": 1})
        self.assertEqual((status, body["tell"]["status"]), (200, "counted"), body)
        self.assertEqual(client.ask("missing", "new")[0], 404)
        self.assertEqual(self.service.stop(), 0)
        self.service = None
        check_store(PROGRAM, self.store)

    def test_a_task_that_is_closed_meanwhile_is_answered_as_closed(self):
        codes = set()
        for i in range(5):
            self.service.client().ask("big", f"c{i}")
            asker, closer = self.service.client(), self.service.client()
            thread = threading.Thread(target=lambda i=i, c=asker: codes.add(c.ask("big", f"c{i}", count=1000)[0]))
            thread.start()
            time.sleep(0.003 * i)
            self.assertEqual(closer.post(f"/v1/learners/big/tasks/c{i}/close")[0], 200)
            thread.join()
        self.assertLessEqual(codes, {200, 409})

    def test_too_many_are_rejected_with_retry_after(self):
        ask = ("POST", "/v1/learners/big/ask", '{"task":"open1","count":1000,"probability":true}',
               {"Content-Type": "application/json"})
        waiting = [self.service.client() for _ in range(300)]
        for client in waiting:
            client.connection.request(*ask)
        probe, until = self.service.client(), time.monotonic() + 60
        while b"segue_reads_waiting 256\n" not in probe.raw("GET", "/metrics")[1]:
            self.assertLess(time.monotonic(), until, "256 long asks wait at a time")
        found = probe.post("/v1/learners/big/ask", {"task": "open2", "count": 1000, "probability": True})
        self.assertEqual(found[0], 503, found)
        self.assertIn("retry later", found[1]["error"]["message"])
        self.assertEqual(probe.answer_headers["Retry-After"], "1")
        self.assertEqual(probe.ask("small", "s1")[0], 200)
        for path in ("/v1/learners", "/v1/learners/small", "/v1/learners/small/tasks"):
            begun = time.monotonic()  # reads have places of their own, and wait for turns, not for asks
            self.assertEqual(probe.get(path)[0], 200)
            self.assertLess(time.monotonic() - begun, 20 if SHORT else 5)

    def test_ends_in_time_with_long_requests_under_way(self):
        clients = [self.service.client() for _ in range(12)]
        for k, client in enumerate(clients):
            if k % 2:
                client.connection.request("GET", LONG_LIST)
            else:
                client.connection.request("POST", "/v1/learners/big/ask",
                                          f'{{"task":"open{k}","count":1000,"probability":true}}',
                                          {"Content-Type": "application/json"})
        time.sleep(0.1)
        begun = time.monotonic()
        self.assertEqual(self.service.stop(), 0)
        self.assertLess(time.monotonic() - begun, 30 if SHORT else 10)
        self.service = None


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
