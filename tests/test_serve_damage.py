#!/usr/bin/python3
"""Damaged stores, through the program: what `segue store check` and `segue serve` say and do.

tests/unit/store/test_store_damage.c has the many random ones; here are a few, with exit codes and standard error.

usage: test_serve_damage.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from browser import CHROMIUM, Browser
from program import SEGUE, Folder, answer
from service import SHORT, Service, check_store
from stores import allow_nulls, change, files_only, is_stored, store_name

FLIPS = 4 if SHORT else 12  # starts of the program on a file with a changed byte


class Damage(Folder):
    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "a.db")
        service = Service(SEGUE, self.store)
        client = service.client()
        for name in "abc":
            client.post("/v1/learners", {"name": name, "arms": ["A", "B"], "close_after": 2, "control": 0})
            for i in range(7):
                client.tell(client.ask(name, f"t{i // 2}")[1]["decision"], 1.0)
        self.assertEqual(service.stop(), 0)

    def damage(self, *statements):
        allow_nulls(self.store)
        change(self.store, *statements)

    def test_a_learner_is_set_apart_and_the_others_are_served(self):
        self.damage("UPDATE task SET key = NULL WHERE learner = 2", "UPDATE arm SET position = position + 2 WHERE learner = 3")
        done = subprocess.run([SEGUE, "store", "check", "--store", store_name(self.store)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^segue: .*: 2 of 3 learners are damaged; restore a backup, or delete them in the service\n$")
        self.assertRegex(done.stdout, r"learner 'b': the store is damaged: table task, id \d+, column key: NULL; need a text")
        self.assertRegex(done.stdout, r"learner 'c': the store is damaged: table arm, learner 3, position 2")
        service = Service(SEGUE, self.store)
        client = service.client()
        lines = {line["name"]: line for line in client.get("/v1/learners")[1]["learners"]}
        self.assertEqual(sorted(lines), ["a", "b", "c"])
        self.assertNotIn("damaged", lines["a"])
        self.assertIn("column key: NULL", lines["b"]["damaged"])
        self.assertEqual(client.get("/readyz"), (200, {"status": "ready", "durability": "disk", "damaged": 2}))
        self.assertIn(b"\nsegue_learners_damaged 2\n", client.raw("GET", "/metrics")[1])
        self.assertEqual(client.ask("b", "t3")[0], 500)
        self.assertIsNone(client.answer_headers["Retry-After"])
        self.assertEqual(client.tell(client.ask("a", "t3")[1]["decision"], 1.0)[0], 200)
        for name in "bc":
            self.assertEqual(client.call("DELETE", f"/v1/learners/{name}")[0], 200)
        self.assertEqual(client.get("/readyz"), (200, {"status": "ready", "durability": "disk"}))
        self.assertEqual(service.stop(), 0)
        self.assertEqual(len(re.findall("is damaged and is not served", "".join(service.errors))), 2)
        self.assertIn("sound; 1 learner,", check_store(SEGUE, self.store))

    def test_a_damaged_snapshot_is_replaced(self):
        self.damage("UPDATE snapshot SET bytes = zeroblob(100)")
        self.refused_of_many("store", "check", "--store", store_name(self.store))
        service = Service(SEGUE, self.store)
        self.assertEqual(service.client().get("/v1/learners/a")[1]["tasks"]["closed"], 3)
        self.assertEqual(service.stop(), 0)
        self.assertEqual("".join(service.errors).count("its snapshot is damaged; it was recovered from its event log"), 3)
        check_store(SEGUE, self.store)

    def refused_of_many(self, *args):
        done = subprocess.run([SEGUE, *args], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
        return done.stdout

    @files_only("it has no file")
    def test_the_whole_file_is_refused(self):
        sound = pathlib.Path(self.store).read_bytes()
        for says, text in (("no key", "DELETE FROM meta WHERE name = 'key'"),
                           ("sqlite_sequence", "UPDATE sqlite_sequence SET seq = 'x'"),
                           ("not those of format", "ALTER TABLE task ADD COLUMN more")):
            with contextlib.closing(sqlite3.connect(self.store)) as db, db:
                db.execute(text)
            self.refused(2, says, "serve", "--store", store_name(self.store), "--listen", "127.0.0.1:0")
            self.refused(2, says, "store", "check", "--store", store_name(self.store))
            pathlib.Path(self.store).write_bytes(sound)
        pathlib.Path(self.store).write_bytes(b"no database" * 500)
        self.refused(2, "not a database", "serve", "--store", store_name(self.store), "--listen", "127.0.0.1:0")

    def import_changed(self, old, new):
        """Exit code and standard error of an import of the export with another text; and the new store."""
        out, copy = self.folder / "out.jsonl", self.folder / "copy.db"
        answer("store", "export", "--store", store_name(self.store), "--file", out)
        text = out.read_text()
        self.assertIn(old, text)
        out.write_text(text.replace(old, new))
        done = subprocess.run([SEGUE, "store", "import", "--store", store_name(copy), "--file", out], capture_output=True, text=True)
        return done.returncode, done.stderr, copy

    def test_an_import_restores_the_learners_that_are_not_damaged(self):
        code, said, copy = self.import_changed('"arm","row":[2,1,', '"arm","row":[2,7,')
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"learner '.*damaged(.|\n)*imported, but 1 of \d+ learners are damaged, and will not be served")
        service = Service(SEGUE, copy)
        lines = service.client().get("/v1/learners")[1]["learners"]
        self.assertEqual([line["name"] for line in lines if "damaged" in line], [said.split("'")[1]])
        self.assertGreater(len(lines), 1)
        service.stop()

    def test_an_import_of_impossible_rows_leaves_nothing(self):
        code, said, copy = self.import_changed('"task","row":[1,1,"t0"', '"task","row":[1,1,null')
        self.assertNotEqual(code, 0, said)
        self.assertFalse(is_stored(copy))

    def test_what_a_terminal_would_obey_is_not_printed(self):
        change(self.store, "UPDATE learner SET name = '\x1b[2J\n\x9b\u202e' WHERE id = 1")
        done = subprocess.run([SEGUE, "store", "check", "--store", store_name(self.store)], capture_output=True, text=True)
        service = Service(SEGUE, self.store)
        service.stop()
        said = done.stdout + done.stderr + "".join(service.errors)
        self.assertIn("damaged", said)
        self.assertEqual([c for c in said if c in "\x1b\x9b\u202e"], [])

    @files_only("it has no file")
    def test_a_changed_byte_crashes_nothing(self):
        rng, sound = random.Random(3), pathlib.Path(self.store).read_bytes()
        for _ in range(FLIPS):
            data, at = bytearray(sound), rng.randrange(len(sound))
            data[at] ^= rng.randrange(1, 256)
            pathlib.Path(self.store).write_bytes(data)
            checked = subprocess.run([SEGUE, "store", "check", "--store", store_name(self.store)], capture_output=True, text=True)
            self.assertIn(checked.returncode, (0, 2), (at, checked))
            try:
                service = Service(SEGUE, self.store)
            except AssertionError:  # it was refused
                self.assertEqual(checked.returncode, 2, at)
                continue
            client = service.client()
            lines = client.get("/v1/learners")[1]["learners"]
            if checked.returncode == 0:
                self.assertFalse([line for line in lines if "damaged" in line], at)
            for line in lines:
                client.get(f"/v1/learners/{line['name']}/tasks?explain=true")
                client.ask(line["name"], "t3")
            self.assertIn(service.stop(), (0, 1), at)
            self.assertGreaterEqual(service.process.returncode, 0)

    @unittest.skipUnless(CHROMIUM, "there is no Chromium")
    def test_the_dashboard_shows_what_is_damaged(self):
        self.damage("UPDATE arm SET name = NULL WHERE learner = 2")
        service = Service(SEGUE, self.store)
        self.addCleanup(service.stop)
        holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(holder.cleanup)
        browser = Browser(holder.name)
        self.addCleanup(browser.close)
        browser.open(f"http://127.0.0.1:{service.port}/", 1280, False)
        browser.wait("document.querySelector('main').innerText.includes('Not served: the store is damaged')")
        self.assertEqual(browser.value("document.querySelectorAll('.card').length"), 3)
        browser.value("location.hash = '#/learner/b'")
        browser.wait("document.querySelector('main').innerText.includes('is damaged and is not served')")
        browser.value("location.hash = '#/learner/a'")
        browser.wait("document.querySelector('main').innerText.includes('Closed tasks')")
        self.assertFalse(browser.value("document.querySelector('main').innerText.includes('not served')"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
