#!/usr/bin/python3
"""Another program takes the service's WAL away, cuts it, writes into it or keeps it from being
emptied: nothing is acknowledged that would be lost, and the service says what is wrong.

usage: test_serve_wal.py SEGUE [ROUNDS]; ROUNDS of each kind under four clients, default 1
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import http.client
import os
import random
import shutil
import sqlite3
import sys
import threading
import time
import unittest

from disk import TUTOR, Ledger, recover, rewards_in
from service import Service, check_store, folder
from stores import skip_unless_files

skip_unless_files("its WAL is not a file beside the store")

FRAME = 24 + 4096


def overwrite(path, at, size):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(os.urandom(size))


def replace(path):
    with open(path + ".new", "wb") as file:
        file.write(b"another file\n" * 1000)
    os.replace(path + ".new", path)


def replace_by_older(path):
    shutil.copyfile(path + ".older", path + ".new")
    os.replace(path + ".new", path)


def replace_by_link(path):
    os.rename(path, path + ".moved")
    os.symlink(path + ".moved", path)


# Changes to STORE-wal.  All that was acknowledged is there after a start ...
HARMLESS = {
    "removed": os.unlink,
    "moved": lambda wal: os.rename(wal, wal + ".moved"),
    "replaced": replace,
    "replaced by an older one": replace_by_older,
    "replaced by a link": replace_by_link,
    "header overwritten": lambda wal: overwrite(wal, 0, 32),
    "index removed": lambda wal: os.unlink(wal[:-3] + "shm"),
    "index replaced": lambda wal: replace(wal[:-3] + "shm"),
}
# ... or a part of it is gone already, and nothing more is acknowledged.
HARMFUL = {
    "cut to nothing": lambda wal: os.truncate(wal, 0),
    "cut in the middle": lambda wal: os.truncate(wal, os.path.getsize(wal) // 2),
    "cut by a byte": lambda wal: os.truncate(wal, os.path.getsize(wal) - 1),
    "frame overwritten": lambda wal: overwrite(wal, 32 + 5 * FRAME + 1000, 100),
    "last frame overwritten": lambda wal: overwrite(wal, os.path.getsize(wal) - 2000, 100),
}


def wait_for_rest(wal):
    """Until the service writes no more by itself: what is overwritten while it writes may not be seen."""
    seen, since = None, time.monotonic()
    while time.monotonic() < since + 0.3:
        if seen != os.stat(wal).st_mtime_ns:
            seen, since = os.stat(wal).st_mtime_ns, time.monotonic()
        time.sleep(0.02)


class Case:
    """A service with some rewards in its WAL."""

    def __init__(self, test, where, *options):
        self.store = os.path.join(where, "test.db")
        self.wal = self.store + "-wal"
        self.service = Service(SEGUE, self.store, *options)
        test.addCleanup(lambda: self.service.process.poll() is None and self.service.kill())
        self.client, self.ledger = self.service.client(), Ledger()
        assert self.client.post("/v1/learners", TUTOR)[0] == 201
        self.tell(5)
        shutil.copyfile(self.wal, self.wal + ".older")
        self.tell(20)

    def decisions(self, count, client=None, task="s"):
        return [body["decision"] for body in (client or self.client).ask("tutor", task, count=count)[1]["decisions"]]

    def tell(self, count):
        for decision in self.decisions(count):
            assert self.ledger.tell(self.client, decision, 1.0) == 200

    def wait(self):
        """Its exit code, and what it said."""
        code = self.service.process.wait(timeout=60)
        self.service.reader.join()
        self.service.process.stderr.close()
        self.service.close_clients()
        return code, "".join(self.service.errors)


class Tampering(unittest.TestCase):
    def check_ends(self, case, name):
        code, said = case.wait()
        self.assertEqual(code, 1, said)
        self.assertIn("-shm" if "index" in name else "-wal", said)
        self.assertIn("start it again", said)
        self.assertIn("all that was acknowledged is in" if name in HARMLESS else "may be lost", said)

    def tamper(self, name, act):
        with folder() as where:
            case = Case(self, where)
            late = case.decisions(3)
            wait_for_rest(case.wal)
            act(case.wal)
            for decision in late:
                self.assertNotEqual(case.ledger.tell(case.client, decision, 1.0), 200)
            self.assertFalse(case.ledger.unchanged)
            self.check_ends(case, name)
            self.come_back(case, name)

    def come_back(self, case, name):
        if name in HARMLESS:
            recover(SEGUE, case.store, case.ledger)
            return
        there = rewards_in(case.store)  # what was before the damage
        lost = len(case.ledger.acknowledged) - len(there)
        print(f"{name}: {len(case.ledger.acknowledged)} rewards acknowledged before, {lost} of them lost", flush=True)
        self.assertGreaterEqual(lost, 0 if name in ("cut by a byte", "last frame overwritten") else 1)  # the clock, maybe
        service = Service(SEGUE, case.store)
        self.assertEqual(service.stop(), 0)
        check_store(SEGUE, case.store)

    def test_nothing_is_acknowledged_that_would_be_lost(self):
        for name, act in {**HARMLESS, **HARMFUL}.items():
            with self.subTest(name):
                self.tamper(name, act)

    def test_what_was_acknowledged_is_saved_under_load(self):
        for i in range(ROUNDS):
            for name in HARMLESS if ROUNDS > 1 else ("removed", "replaced by an older one", "index removed"):
                with self.subTest(name, round=i):
                    self.tamper_under_load(name, HARMLESS[name], random.Random(i))

    def tamper_under_load(self, name, act, rng):
        with folder() as where:
            case = Case(self, where)
            ledgers = [Ledger() for _ in range(4)]
            threads = [threading.Thread(target=self.play, args=(case, ledger, f"t{i}"))
                       for i, ledger in enumerate(ledgers)]
            for thread in threads:
                thread.start()
            time.sleep(rng.uniform(0.02, 0.1))
            act(case.wal)
            for thread in threads:
                thread.join()
            self.check_ends(case, name)
            for ledger in ledgers:
                self.assertFalse(ledger.unchanged)
                case.ledger.acknowledged.update(ledger.acknowledged)
                case.ledger.unknown.update(ledger.unknown)
            recover(SEGUE, case.store, case.ledger)

    def play(self, case, ledger, task):
        with contextlib.suppress(OSError, http.client.HTTPException, KeyError):  # it ends before it is asked
            client = case.service.client()
            for decision in case.decisions(900, client, task):
                if ledger.tell(client, decision, 1.0) != 200:
                    return

    def test_a_store_that_is_cut_ends_it(self):
        with folder() as where:
            case = Case(self, where)
            self.assertEqual(case.service.stop(), 0)  # all is in the main file
            case.service.start()
            client = case.service.client()
            decision = case.decisions(1, client)[0]
            os.truncate(case.store, os.path.getsize(case.store) // 2)
            self.assertNotEqual(case.ledger.tell(client, decision, 1.0), 200)
            code, said = case.wait()
            self.assertEqual(code, 1, said)
            self.assertIn("test.db was cut off", said)

    def test_a_wal_that_is_missing_at_shutdown_is_reported(self):
        with folder() as where:
            case = Case(self, where)
            case.service.process.send_signal(19)  # it is stopped while this happens
            os.unlink(case.wal)
            case.service.process.terminate()
            case.service.process.send_signal(18)
            code, said = case.wait()
            self.assertEqual(code, 1, said)
            recover(SEGUE, case.store, case.ledger)


class Reader(unittest.TestCase):
    """An open read transaction lets the WAL grow, up to --max-wal."""

    def create(self, client, i):
        """Some 40 pages in one transaction."""
        return client.post("/v1/learners", {"name": f"large{i}", "arms": [f"{k:0200}" for k in range(300)]})

    def metric(self, client, name):
        text = client.raw("GET", "/metrics")[1].decode()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))

    def is_ready(self, client):
        status, body = client.get("/readyz")
        return status == 200 and body["status"] == "ready" and "warning" not in body

    def wait_for(self, test, what):
        until = time.monotonic() + 60
        while not test():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.02)

    def test_a_reader_stops_writes_and_not_asks(self):
        with folder() as where:
            case = Case(self, where, "--max-wal", "32")
            with contextlib.closing(sqlite3.connect(case.store, isolation_level=None)) as db:
                db.execute("BEGIN")
                before = db.execute("SELECT count(*) FROM reward").fetchone()
                status, body, i = 201, {}, 0
                while status == 201 and i < 1000:
                    i += 1
                    status, body = self.create(case.client, i)
                self.assertEqual(status, 503, i)
                self.assertIn("--max-wal", body["error"]["message"])
                self.assertIn("nothing has changed", body["error"]["message"])
                self.assertEqual(case.client.get("/readyz")[0], 503)
                self.assertEqual(case.client.ask("tutor", "s")[0], 200)
                self.assertGreater(self.metric(case.client, "segue_wal_bytes"), 30 << 20)
                self.assertLess(self.metric(case.client, "segue_wal_bytes"), 40 << 20)
                self.assertEqual(db.execute("SELECT count(*) FROM reward").fetchone(), before)
            self.wait_for(lambda: self.is_ready(case.client), "it is ready again")
            self.wait_for(lambda: self.metric(case.client, "segue_wal_bytes") <= 21 << 20, "the WAL is cut")
            case.tell(10)
            case.service.reported("small again")
            said = "".join(case.service.errors)
            for part in ("prevents checkpoints", "nothing can be stored", "can be written again", "small again"):
                self.assertEqual(said.count(part), 1, said)
            self.assertEqual(case.service.stop(), 0)
            case.ledger.compare(case.store)
            check_store(SEGUE, case.store)

    def test_a_large_wal_is_reported_before_it_stops_writes(self):
        with folder() as where:
            case = Case(self, where, "--max-wal", "40")
            with contextlib.closing(sqlite3.connect(case.store, isolation_level=None)) as db:
                db.execute("BEGIN")
                db.execute("SELECT count(*) FROM reward").fetchone()
                i = 0
                while self.metric(case.client, "segue_wal_bytes") < 33 << 20:
                    i += 1
                    self.assertEqual(self.create(case.client, i)[0], 201)
                status, body = case.client.get("/readyz")
                self.assertEqual((status, body["status"]), (200, "ready"))
                self.assertIn("WAL is large", body["warning"])
            self.wait_for(lambda: self.metric(case.client, "segue_wal_bytes") <= 21 << 20, "by itself, without a write")
            self.assertEqual(case.service.stop(), 0)

    def test_without_a_reader_it_stays_small(self):
        with folder() as where:
            case = Case(self, where)
            largest = 0
            for i in range(150):
                self.assertEqual(self.create(case.client, i)[0], 201)
                largest = max(largest, self.metric(case.client, "segue_wal_bytes"))
            self.assertGreater(self.metric(case.client, "segue_checkpoints_total"), 0)
            self.assertLess(largest, 20 << 20)
            self.assertEqual(case.service.stop(), 0)


if __name__ == "__main__":
    SEGUE, ROUNDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
