#!/usr/bin/python3
"""The service at the end of its memory: by --max-memory, and because the system gives no more.

usage: test_serve_memory.py PROGRAM [TEST...]
SPDX-License-Identifier: Apache-2.0"""
import os
import re
import resource
import subprocess
import sys
import time
import unittest

from service import Service, check_store, folder
from stores import store_name

PROGRAM = None
MIB = 1 << 20


def allow(size):
    """For a process to come: this many bytes of address space."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def needs_limits(test):
    """A program with a sanitizer needs all addresses that there are."""
    def run(self):
        if subprocess.run([PROGRAM, "--version"], preexec_fn=allow(1000 * MIB), capture_output=True).returncode != 0:
            self.skipTest("the program does not start with 1000 MiB of addresses: a sanitizer")
        test(self)
    return run


def metrics(client):
    _, raw = client.raw("GET", "/metrics")
    return {name: float(value) for name, value in re.findall(r"^(\w+) (\S+)$", raw.decode(), re.M)}


class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = folder()
        self.store = os.path.join(self.folder.name, "m.db")
        self.service = None

    def tearDown(self):
        if self.service:  # another code is a sanitizer's
            self.assertEqual(self.service.stop(), 0, self.service.errors)
        self.folder.cleanup()

    def start(self, *options, **more):
        self.service = Service(PROGRAM, self.store, *options, **more)
        return self.service.client()

    def fail_to_start(self, *options, before=None):
        """What it says."""
        done = subprocess.run([PROGRAM, "serve", "--store", store_name(self.store), "--listen", "127.0.0.1:0",
                               *options], preexec_fn=before, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def create(self, client, arms, **more):
        status, body = client.post("/v1/learners", {"name": "l", "arms": [f"arm{i}" for i in range(arms)],
                                                    "steps": 1000, "control": 0, **more})
        self.assertEqual(status, 201, body)

    def open_until_refused(self, client, prefix, limit):
        """The keys that were opened, and the refusal."""
        for i in range(limit):
            status, body = client.ask("l", f"{prefix}{i}")
            if status != 200:
                return [f"{prefix}{k}" for k in range(i)], status, body["error"]["message"]
        self.fail(f"{limit} tasks, and no end")

    def close_task(self, client, key):
        """At the end of memory a transaction may fail; the next one has the spare."""
        for _ in range(3):
            status, body = client.post(f"/v1/learners/l/tasks/{key}/close")
            if status == 200:
                return
        self.fail(body)

    def test_refuses_tasks_beyond_the_limit_and_serves_those_that_are_open(self):
        client = self.start("--max-memory", "32M")
        self.create(client, 200)
        keys, status, message = self.open_until_refused(client, "a", 2000)
        self.assertEqual(status, 503)
        self.assertRegex(message, r"use \d+\.\d MiB, and --max-memory allows them 24\.0 of its 32\.0 MiB; close tasks")
        self.assertGreater(len(keys), 50)
        found = metrics(client)
        self.assertLessEqual(found["segue_memory_bytes"], 26 * MIB)
        self.assertGreater(found["segue_memory_bytes"], 20 * MIB)
        self.assertEqual(found["segue_memory_limit_bytes"], 32 * MIB)
        self.assertEqual(found["segue_memory_full"], 1)
        self.assertGreater(found["process_resident_memory_bytes"], MIB)
        self.assertEqual(client.post("/v1/learners", {"name": "other", "arms": ["A", "B"]})[0], 503)
        status, body = client.ask("l", keys[0])  # all else goes on
        self.assertEqual(status, 200, body)
        self.assertEqual(client.tell(body["decision"], 1)[0], 200)
        self.assertEqual(client.get("/v1/learners/l/tasks?limit=1000&explain=true")[0], 200)
        self.assertEqual(client.get("/v1/learners/l")[1]["tasks"]["open"], len(keys))
        for key in keys[:20]:  # a closed task makes room for another
            self.assertEqual(client.post(f"/v1/learners/l/tasks/{key}/close")[0], 200)
        more, status, _ = self.open_until_refused(client, "b", 200)
        self.assertEqual(status, 503)
        self.assertGreater(len(more), 10)
        self.service.reported("are rejected")
        self.service.reported("again")

    def test_starts_with_more_than_the_limit_and_takes_tasks_when_some_are_closed(self):
        client = self.start("--max-memory", "48M")
        self.create(client, 200)
        keys, _, _ = self.open_until_refused(client, "a", 2000)
        self.assertEqual(self.service.stop(), 0)
        client = self.start("--max-memory", "32M")
        self.assertEqual(client.get("/readyz")[0], 200)
        self.assertEqual(client.ask("l", "new")[0], 503)
        self.assertEqual(client.ask("l", keys[-1])[0], 200)
        for key in keys[:len(keys) // 2]:
            self.assertEqual(client.post(f"/v1/learners/l/tasks/{key}/close")[0], 200)
        self.assertEqual(client.ask("l", "new")[0], 200)

    def test_open_tasks_with_a_default_are_served_at_the_limit(self):
        client = self.start("--max-memory", "32M")
        self.create(client, 1000)
        client.post("/v1/learners", {"name": "d", "arms": ["A", "B"], "steps": 0, "close_after": 0, "default_reward": 0.0,
                                     "reward_deadline": 3600})
        self.assertEqual(client.ask("d", "t")[0], 200)
        self.open_until_refused(client, "a", 2000)
        self.assertEqual({client.ask("d", "t")[0] for _ in range(3000)}, {200})

    def test_decisions_that_wait_for_a_default_are_counted(self):
        client = self.start("--max-memory", "32M")
        self.create(client, 2, default_reward=0.0, reward_deadline=3600)
        self.assertEqual(client.ask("l", "t")[0], 200)
        for _ in range(1000):
            status, body = client.ask("l", "t", count=1000)
            if status != 200 and "not stored yet" not in body["error"]["message"]:
                break
            time.sleep(0.0 if status == 200 else 0.05)
        self.assertEqual(status, 503)
        self.assertIn("--max-memory", body["error"]["message"])
        self.assertNotIn("Retry-After", client.answer_headers)  # a task must be closed
        self.assertEqual(client.post("/v1/learners/l/tasks/t/close")[0], 200)

    def test_bodies_and_responses_are_counted_while_they_are_under_way(self):
        client = self.start("--max-memory", "32M")
        before = metrics(client)["segue_memory_bytes"]
        half = [self.service.client() for _ in range(100)]
        for other in half:  # 60,000 bytes each, and the last one is missing
            other.connection.putrequest("POST", "/v1/tell")
            other.connection.putheader("Content-Type", "application/json")
            other.connection.putheader("Content-Length", "60001")
            other.connection.endheaders(b" " * 60000)
        for _ in range(100):
            held = metrics(client)["segue_memory_bytes"] - before
            if held >= 5 * MIB:
                break
        self.assertGreaterEqual(held, 5 * MIB)
        self.assertLessEqual(held, 9 * MIB)
        for other in half:
            other.close()
        for _ in range(1000):
            if metrics(client)["segue_memory_bytes"] <= before + MIB:
                break
        self.assertLessEqual(metrics(client)["segue_memory_bytes"], before + MIB)

    @needs_limits
    def test_the_default_is_half_of_what_the_system_allows(self):
        self.assertEqual(metrics(self.start(before=allow(1000 * MIB)))["segue_memory_limit_bytes"], 500 * MIB)

    @needs_limits
    def test_a_system_that_gives_no_more_memory_ends_nothing(self):
        """Each life opens tasks until it is refused, is killed, and starts again with what it had."""
        size, lives = 300 * MIB, []
        client = self.start("--max-memory", "4G", before=allow(size))
        self.create(client, 1000)
        for life in range(4):
            keys, status, message = self.open_until_refused(client, f"life{life}-", 3000)
            lives.append(len(keys))
            self.assertEqual(status, 503)
            self.assertIn("memory", message)
            for _ in range(20):  # it lives, and answers
                self.assertIn(client.ask("l", "another")[0], (200, 503))
                self.assertEqual(client.get("/healthz")[0], 200)
            self.assertIn(client.ask("l", "life0-0")[0], (200, 503))
            self.assertIsNone(self.service.process.poll())
            self.service.close_clients()
            self.service.kill()
            client = self.start("--max-memory", "4G", before=allow(size))
        self.assertGreater(lives[0], 50)
        # Closing frees memory, and needs none that is not there.  A new task needs the spare back: one block of twice the
        # memory of the learner, which grows with closed tasks.  30 to 36 of 159 closed tasks suffice, by what lies where.
        for i in range(lives[0] // 2):
            self.close_task(client, f"life0-{i}")
        status, body = client.ask("l", "after")
        self.assertEqual(status, 200, body)
        self.assertEqual(self.service.stop(), 0)
        self.service = None
        check_store(PROGRAM, self.store)

    @needs_limits
    def test_a_start_that_cannot_be_says_what_it_lacks(self):
        client = self.start("--max-memory", "4G")
        self.create(client, 1000)
        for i in range(600):
            self.assertEqual(client.ask("l", f"t{i}")[0], 200)
        self.service.stop()
        self.service = None
        self.assertRegex(self.fail_to_start(before=allow(200 * MIB)),
                         r"out of memory after \d+ open tasks, which take \d+\.\d MiB")

    def test_a_size_that_is_none_is_refused(self):
        for size in ("12Q", "M", "1M", "-1G", "", "1GB"):
            self.assertIn("--max-memory is '", self.fail_to_start("--max-memory", size))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
