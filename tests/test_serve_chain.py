#!/usr/bin/python3
"""The hash chain of a store that the service wrote, computed again from its rows by another program: this one.

Digests are BLAKE2b-256 (hashlib) over fields as store/store_digest.h describes them.  Every kind of event that has rows of its own takes
part, and so do removed rewards, erased tasks, features, shadow mode, and several rewards per decision.

usage: test_serve_chain.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import csv
import hashlib
import json
import struct
import sys
import time
import unittest

from program import SEGUE, Folder, answer, run
from service import Service, check_store
from stores import bytes_literal, change, open_rows, query, store_name

CLOSE, ADD_ARM, RETIRE_ARM, SETTINGS, PAUSE, TRIM, ERASE, MERGE = 1, 4, 5, 8, 9, 10, 11, 12
NONE = 2**64 - 1  # the length of no text, the number of no arm


def digest(what, *fields):
    """Integers and doubles in 8 bytes, texts with their length before them, digests as they are."""
    data = what.encode() + b"\0"
    for field in fields:
        if field is None:
            data += struct.pack("<Q", NONE)
        elif isinstance(field, str):
            text = field.encode()
            data += struct.pack("<Q", len(text)) + text
        elif isinstance(field, bytes):
            data += field
        else:
            data += struct.pack("<d" if isinstance(field, float) else "<Q", field if isinstance(field, float) else field % 2**64)
    return hashlib.blake2b(data, digest_size=32).digest()


def blob(data):
    return struct.pack("<Q", len(data)) + data


class Rows:
    """A store's rows, and the digests that follow from them."""

    def __init__(self, db):
        self.db = db

    def all(self, select, *values):
        return self.db.execute(select, values).fetchall()

    def learner(self, learner):
        return digest("learner", *self.all("SELECT id, name, config, created FROM learner WHERE id = ?", learner)[0])

    def arm(self, learner, position, retired):
        (name, added, when), = self.all("SELECT name, added, retired FROM arm WHERE learner = ? AND position = ?", learner, position)
        fields = [position, name, added] + ([int(when is not None)] if retired else [])
        return digest("retired arm" if retired else "arm", *fields)

    def rewards(self, task):
        """The digest of a task's rewards, and their counts per arm."""
        fields, counts = [], {}
        for number, position, arm, value, created, default, probability, asks, shadow_arm, shadow in self.all(
                "SELECT number, position, arm, value, created, by_default, probability, asks, segue_arm, segue_probability FROM reward "
                "WHERE task = ? ORDER BY position", task):
            fields += [number, position, arm, value, created, default, probability or 0.0, asks,
                       NONE if shadow_arm is None else shadow_arm, shadow or 0.0]
            pulls, total = counts.get(arm, (0, 0.0))
            counts[arm] = pulls + 1, total + value
        for part in self.all("SELECT number, event, position, value, created FROM reward_part WHERE task = ? ORDER BY number, event",
                             task):
            fields += part
        text = ",".join(f'"{arm}":[{pulls},{total:.17g}]' for arm, (pulls, total) in sorted(counts.items()))
        return digest("rewards", *fields), "{" + text + "}"

    def task(self, task):
        (learner, key, control, share, version, n_arms, opened, closed, seq, rewards, total, tag, features), = self.all(
            "SELECT learner, key, control, control_share, version, n_arms, opened, closed, closed_seq, rewards, total, tag, features "
            "FROM task WHERE id = ?", task)
        removed = self.all("SELECT counts, bytes, erased FROM removed WHERE task = ?", task)
        key_digest = digest("key", tag, key, features)
        if removed:
            (counts, remains, erased), = removed
            reward_digest = remains[:32]
            key_digest = remains[32:] if erased else key_digest
        else:
            reward_digest, counts = self.rewards(task)
        return digest("task", task, learner, control, share, version, n_arms, opened, closed, seq, rewards, total, key_digest, counts,
                      reward_digest)

    def base(self, learner):
        return digest("base", *[
            field for seq, data in self.all("SELECT seq, bytes FROM base WHERE learner = ?", learner) for field in (seq, blob(data))])

    def merged(self, learner, number):
        return digest("merged", *[field for origins, data in self.all(
            "SELECT origins, bytes FROM merged WHERE learner = ? AND number = ?", learner, number) for field in (origins, blob(data))])

    def of_event(self, kind, learner, subject):
        """The digest of an event's rows as they are now."""
        if kind == CLOSE:
            return self.task(subject)
        if kind in (ADD_ARM, RETIRE_ARM):
            return self.arm(learner, subject, kind == RETIRE_ARM)
        if kind in (SETTINGS, PAUSE):
            return self.learner(learner)
        if kind in (TRIM, ERASE):
            return self.base(learner)
        return self.merged(learner, subject) if kind == MERGE else bytes(32)


class Chain(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")

    def start(self, *options):
        service = Service(SEGUE, self.store, *options)
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        self.client = service.client()
        return service

    def must(self, method, path, body=None):
        status, answer = self.client.call(method, "/v1" + path, body)
        until = time.monotonic() + 30
        while status == 503 and time.monotonic() < until:  # a refit runs
            time.sleep(0.05)
            status, answer = self.client.call(method, "/v1" + path, body)
        self.assertLess(status, 300, answer)
        return answer

    def play(self, name, tasks, asked=None, **more):
        for task in tasks:
            for step in range(4):
                made = self.must("POST", f"/learners/{name}/ask", {"task": task, **(asked or {})})
                self.must("POST", "/tell", {"decision": made["decision"], "reward": step % 2 / 3, **more})

    def verify(self):
        """Compute every chain again; returns the kinds of events, and how many digests were of rows as they are."""
        kinds, compared = set(), 0
        with contextlib.closing(open_rows(self.store)) as db:
            rows = Rows(db)
            for learner, in rows.all("SELECT id FROM learner"):
                links = {seq: (data[:32], data[32:]) for seq, data in
                         rows.all("SELECT seq, bytes FROM chain WHERE learner = ?", learner)}
                events = rows.all("SELECT seq, kind, subject, created FROM event WHERE learner = ? ORDER BY seq", learner)
                self.assertEqual(sorted(links), [0] + [event[0] for event in events])
                last = {group: max([seq for seq, kind, _, _ in events if kind in group], default=0)
                        for group in ((SETTINGS, PAUSE), (TRIM, ERASE))}
                if last[SETTINGS, PAUSE] == 0:
                    self.assertEqual(links[0][0], rows.learner(learner))
                hash = digest("chain", learner, links[0][0])
                self.assertEqual(links[0][1], hash)
                for seq, kind, subject, created in events:
                    if all(kind not in group or seq == newest for group, newest in last.items()):
                        self.assertEqual(links[seq][0], rows.of_event(kind, learner, subject), (seq, kind))
                        compared += 1
                    hash = digest("event", hash, seq, learner, kind, subject, created, links[seq][0])
                    self.assertEqual(links[seq][1], hash, (seq, kind))
                    kinds.add(kind)
        return kinds, compared

    def fill(self):
        """Learners with rows of every kind."""
        for name, more in (("plain", {}), ("site", {}), ("beside", {"mode": "shadow"}),
                           ("parts", {"aggregate": "max"}), ("late", {"reward_deadline": 0.01, "default_reward": 0})):
            self.must("POST", "/learners", {"name": name, "arms": ["a", "b", "ç"], "close_after": 4, "control": 0.25, **more})
        self.play("plain", ["t1", "t2"], {"features": {"year": "5", "score": 0.25}, "probability": True})
        self.play("plain", ["t3"], {"exclude": ["a"]})
        self.play("plain", ["ünïcode"])
        self.play("site", ["s1", "s2"])
        self.play("beside", ["b1", "b2"], {"chosen": "b", "chosen_probability": 0.5})
        for step in range(2):
            made = self.must("POST", "/learners/parts/ask", {"task": "p"})
            for i in range(3):
                self.must("POST", "/tell", {"decision": made["decision"], "reward": i / 2, "event": f"e{2 - i}"})
        self.must("POST", "/learners/parts/tasks/p/close", {})
        self.must("POST", "/learners/late/ask", {"task": "l"})
        until = time.monotonic() + 30
        while self.must("GET", "/learners/late/tasks/l")["rewards"] == 0 and time.monotonic() < until:
            time.sleep(0.05)
        self.must("POST", "/learners/late/tasks/l/close", {})
        self.must("POST", "/learners/plain/merge", self.must("GET", "/learners/site/export"))
        self.must("POST", "/learners/plain/arms", {"arm": "new"})
        self.must("DELETE", "/learners/plain/arms/b")
        self.must("PATCH", "/learners/plain", {"control": 0.5})
        self.must("PATCH", "/learners/plain", {"paused": True})
        self.must("PATCH", "/learners/plain", {"paused": False})

    def test_another_program_computes_the_same_chain(self):
        service = self.start()
        self.fill()
        self.must("DELETE", "/learners/plain/tasks/t2")
        service.stop()
        check_store(SEGUE, self.store)
        kinds, compared = self.verify()
        self.assertLessEqual({CLOSE, ADD_ARM, RETIRE_ARM, SETTINGS, PAUSE, ERASE, MERGE}, kinds)
        self.assertGreaterEqual(compared, 15)

    def test_digests_of_removed_rewards_remain(self):
        service = self.start()
        self.fill()
        service.stop()
        before, _ = self.verify()
        service = self.start("--keep", "0.1s")
        until = time.monotonic() + 30
        while self.count("SELECT count(*) FROM reward") > 0:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.must("DELETE", "/learners/plain/tasks/t2")
        service.stop()
        check_store(SEGUE, self.store)
        kinds, _ = self.verify()
        self.assertLessEqual(before | {TRIM, ERASE}, kinds)

    def heads(self):
        """Event and hash of each learner's head, as the program prints them."""
        text = answer("store", "check", "--store", store_name(self.store), "--format", "csv")
        return {row["learner"]: (int(row["event"]), row["hash"]) for row in csv.DictReader(text.splitlines())}

    def expect(self, *hashes):
        return run("store", "check", "--store", store_name(self.store), "--expect", ",".join(hashes))

    def test_heads_are_printed_and_found_again(self):
        service = self.start()
        self.fill()
        service.stop()
        noted = self.heads()
        for name, event, data in query(self.store, "SELECT l.name, c.seq, c.bytes FROM chain AS c JOIN learner AS l ON l.id = c.learner "
                                                   "WHERE c.seq = (SELECT max(seq) FROM chain WHERE learner = l.id)"):
            self.assertEqual(noted.pop(name), (event, data[32:].hex()))
        self.assertEqual(noted, {})
        noted = self.heads()
        service = self.start("--keep", "0.1s")
        self.play("site", ["s3"])
        service.stop()
        self.assertNotEqual(self.heads()["site"], noted["site"])
        hashes = [hash for _, hash in noted.values()]
        done = self.expect(*hashes)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{noted['site'][1]}: event {noted['site'][0]} of learner 'site'", done.stdout)
        shown = json.loads(answer("store", "check", "--store", store_name(self.store), "--format", "json", "--expect", hashes[0].upper()))
        self.assertEqual([(entry["learner"], entry["event"]) for entry in shown["expected"]], [(next(iter(noted)), noted[next(iter(noted))][0])])
        self.assertEqual({entry["learner"]: (entry["event"], entry["hash"]) for entry in shown["heads"]}, self.heads())

    def chain_again(self, learner):
        """Replace a chain by one over the rows as they are, as who can write the store can."""
        with contextlib.closing(open_rows(self.store)) as db:
            rows, links = Rows(db), []
            hash = digest("chain", learner, rows.learner(learner))
            links.append((0, rows.learner(learner) + hash))
            for seq, kind, subject, created in rows.all(
                    "SELECT seq, kind, subject, created FROM event WHERE learner = ? ORDER BY seq", learner):
                of = rows.of_event(kind, learner, subject)
                hash = digest("event", hash, seq, learner, kind, subject, created, of)
                links.append((seq, of + hash))
        change(self.store, *[f"UPDATE chain SET bytes = {bytes_literal(data)} WHERE learner = {learner} AND seq = {seq}" for seq, data in links])

    def test_a_noted_hash_finds_a_new_chain(self):
        service = self.start()
        self.must("POST", "/learners", {"name": "l", "arms": ["a", "b"], "close_after": 4})
        self.play("l", ["t1"])
        service.stop()
        first = self.heads()["l"][1]
        service = self.start()
        self.play("l", ["t2", "t3"])
        service.stop()
        last = self.heads()["l"][1]
        task, = query(self.store, "SELECT id FROM task WHERE key = 't2'")[0]
        change(self.store, f"UPDATE reward SET created = created + 1 WHERE task = {task} AND position = 2")
        self.assertEqual(run("store", "check", "--store", store_name(self.store)).returncode, 2)
        self.chain_again(1)
        check_store(SEGUE, self.store)
        self.assertEqual(self.expect(first).returncode, 0)
        for hashes in ([last], [first, last]):
            done = self.expect(*hashes)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"no event has the hash {last}", done.stderr)

    def test_what_is_no_hash_is_refused(self):
        self.start().stop()
        for text in ("", "ab", "g" * 64, "a" * 65, "a" * 64 + ",", "a" * 64 + "," + "b" * 63):
            with self.subTest(text=text):
                done = run("store", "check", "--store", store_name(self.store), "--expect", text)
                self.assertEqual(done.returncode, 2)
                self.assertIn("need 64 hexadecimal digits", done.stderr)
        for option in ("--expect", "--format"):
            done = run("store", "export", "--store", store_name(self.store), "--file", "x", option, "json")
            self.assertIn(f"{option} belongs to 'segue store check'", done.stderr)

    def count(self, select):
        return query(self.store, select)[0][0]

    def test_this_program_finds_a_changed_reward(self):
        service = self.start()
        self.fill()
        service.stop()
        change(self.store, "UPDATE reward SET created = created + 1 WHERE task = 1 AND position = 2")
        with self.assertRaises(AssertionError):
            self.verify()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
