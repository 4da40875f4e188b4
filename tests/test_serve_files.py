#!/usr/bin/python3
"""Files of the service: what an interrupted export leaves, what no output may replace, who may read
them, and names that hide what they are.

usage: test_serve_files.py SEGUE SOURCE [unittest options]; SEGUE_KILLS=N interrupts N exports
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
import urllib.parse

import postgresql
from old_formats import FORMAT_9
from program import PAPER, SEGUE, Folder, answer, run
from service import SHORT, Service, check_store
from stores import change, files_only, store_name

KILLS = int(os.environ.get("SEGUE_KILLS", "12" if SHORT else "40"))
TOKEN = "this-is-the-token-of-a-test"
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
HIDDEN = [*range(1, 0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)]


class Stored(Folder):
    """A folder with a store in it."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "a.db"

    def serve(self, *options):
        service = Service(SEGUE, str(self.store), *options)
        self.addCleanup(lambda: service.process.poll() is None and service.kill())
        return service

    def make(self):
        service = self.serve()
        self.assertEqual(service.client().post("/v1/learners", {"name": "l", "arms": ["A", "B"]})[0], 201)
        return service

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Interrupted(Stored):
    ROWS = 40_000

    def setUp(self):
        super().setUp()
        self.assertEqual(self.make().stop(), 0)
        change(self.store, "INSERT INTO learner VALUES (9, NULL, '{}', 0)",  # that is being deleted
               "INSERT INTO task (id, learner, key, control, version, n_arms, opened, rewards, total, tag, control_share) "
               "VALUES (99, 9, 'k', 0, 0, 2, 0, 0, 0, 1, 0)",
               "INSERT INTO reward WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c "
               f"WHERE i < {self.ROWS - 1}) SELECT 99, i, i, 0, 1.0, 1.0, 0, NULL, NULL, NULL, NULL FROM c")
        self.out, self.store_name = self.folder / "out.jsonl", store_name(self.store)
        begin = time.monotonic()
        self.export().wait()
        self.seconds = time.monotonic() - begin
        self.whole = self.out.read_bytes()
        self.assertEqual(json.loads(self.whole.splitlines()[-1])["rows"], self.whole.count(b"\n") - 2)

    def export(self):
        return subprocess.Popen([SEGUE, "store", "export", "--store", self.store_name, "--file", str(self.out)],
                                stderr=subprocess.DEVNULL)

    def has_unnamed_files(self):
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
        except OSError:
            return False
        return os.path.exists("/proc/self/fd")

    def test_an_export_that_is_ended_leaves_nothing_or_all(self):
        """SIGKILL between two system calls may leave a whole file by another name, where one is replaced;
        where files must have a name it leaves a part."""
        rng, ends = random.Random(1), {True: 0, False: 0}
        signals = SIGNALS if self.has_unnamed_files() else SIGNALS[:-1]
        for kill in range(KILLS):
            there = kill % 3 == 0
            self.out.unlink(missing_ok=True)
            if there:
                self.out.write_text("old")
            with self.export() as process:
                time.sleep(rng.uniform(0, 1.1 * self.seconds))
                process.send_signal(signals[kill % len(signals)])
            self.assertIn(process.returncode, (0, 1, -signals[kill % len(signals)]))
            left = [name for name in self.names() if not name.startswith("a.db")]
            if there and signals[kill % len(signals)] == signal.SIGKILL:
                left = [name for name in left if name[0] != "." or (self.folder / name).read_bytes() != self.whole]
            done = "out.jsonl" in left and self.out.read_bytes() != b"old"
            self.assertEqual(left, ["out.jsonl"] if there or done else [], signals[kill % len(signals)])
            if done:
                self.assertEqual(self.out.read_bytes(), self.whole)
                self.assertEqual(self.out.stat().st_mode & 0o777, 0o600)
            ends[done] += 1
        self.assertGreater(ends[False], 0, "none was ended before its end: this tests nothing")


class Replaced(Stored):
    @files_only("it has no files")
    def test_no_output_replaces_a_file_of_a_store(self):
        service = self.make()
        client = service.client()
        os.symlink("a.db-wal", self.folder / "soft")
        os.link(f"{self.store}-wal", self.folder / "hard")
        os.link(self.store, self.folder / "copy")
        before = self.names()
        store = f"sqlite:{self.store}"
        for name in "a.db-wal", "a.db-shm", "a.db-journal", "soft", "hard", "copy", "./a.db-wal", f"../{self.folder.name}/a.db-wal":
            path = f"{self.folder}/{name}"
            says = "name the same file" if name == "copy" else "is part of a store"
            self.refused(2, says, "store", "export", "--store", store, "--file", path)
            self.refused(2, "is part of a store", "serve", "--store", f"{self.folder}/b.db", "--access-log", path)
            self.refused(2, "is part of a store", "simulate", "--models", PAPER, "--tasks", 2, "--steps", 50, "--runs", 1,
                         "--policy", "mucb", "--out", path)
        self.refused(2, "is part of a store", "simulate", "--models", PAPER, "--tasks", 2, "--steps", 50, "--runs", 1,
                     "--policy", "mucb", "--out", self.store)
        self.assertEqual(self.names(), before)
        self.assertEqual(client.tell(client.ask("l", "k")[1]["decision"], 1)[0], 200)
        client.close()
        service.kill()
        check_store(SEGUE, self.store)
        service = self.serve()
        self.assertEqual(service.client().get("/v1/learners/l/tasks/k")[1]["rewards"], 1)
        self.assertEqual(service.stop(), 0)


class Private(Stored):
    @files_only("it has no files")
    def test_what_the_program_makes_is_its_owner_s_alone(self):
        mask = os.umask(0)
        try:
            log, out, new = self.folder / "log", self.folder / "out", self.folder / "b.db"
            service = self.serve("--access-log", str(log))
            service.client().post("/v1/learners", {"name": "l", "arms": ["A", "B"]})
            answer("store", "export", "--store", self.store, "--file", out)
            answer("store", "import", "--store", new, "--file", out)
            log.rename(self.folder / "log.1")
            service.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + 60
            while not log.exists() and time.monotonic() < end:
                time.sleep(0.01)
            made = self.names()
            self.assertLessEqual({"a.db", "a.db-wal", "a.db-shm", "b.db", "log", "log.1", "out"}, set(made))
            for name in made:
                self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600, name)
            self.assertEqual((service.stop(), service.errors), (0, []))
        finally:
            os.umask(mask)

    def warnings(self, *options):
        service = self.serve(*options)
        self.assertEqual(service.stop(), 0)
        return "".join(line for line in service.errors if "the limit of open files is too low" not in line)

    def test_files_that_others_can_read_are_named_at_the_start(self):
        log, tokens = self.folder / "log", self.folder / "tokens"
        tokens.write_text(TOKEN + "\n")
        tokens.chmod(0o600)
        options = "--access-log", str(log), "--token-file", str(tokens)
        self.assertEqual(self.warnings(*options), "")
        files = [(log, "the access log"), (tokens, "the token file")]
        if not postgresql.is_chosen():
            files.append((self.store, "the store"))
        for path, what in files:
            for mode, how in (0o640, "read by others"), (0o602, "written by others"), (0o666, "read and written by others"):
                if os.geteuid() == 0 and mode == 0o640:  # root's may be read by the group
                    mode = 0o644
                path.chmod(mode)
                said = self.warnings(*options)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertIn(f"{what} {path} can be {how} (mode {mode:03o})", said)
            path.chmod(0o600)

    @files_only("it has no files")
    def test_files_of_others_are_named_at_the_start(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        self.warnings()
        os.chown(self.store, 12345, -1)
        self.assertIn(f"the store {self.store} belongs to another user, 12345", self.warnings())

    def test_a_client_names_a_token_file_that_others_can_read(self):
        tokens = self.folder / "tokens"
        tokens.write_text(TOKEN + "\n")
        service = self.serve("--token-file", str(tokens))
        for mode, lines in (0o600, 0), (0o604, 1):
            tokens.chmod(mode)
            done = run("learners", "--url", f"http://127.0.0.1:{service.port}", "--token-file", tokens)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (0, lines), done.stderr)
            self.assertEqual("can be read by others" in done.stderr, lines > 0)
        self.assertEqual(service.stop(), 0)


class Named(Stored):
    def test_names_that_hide_what_they_are_are_refused(self):
        service = self.make()
        client = service.client()
        path = "/v1/learners/l"
        for code in HIDDEN:
            name = f"a{chr(code)}b"
            for target, body in (("/v1/learners", {"name": name, "arms": ["A", "B"]}),
                                 ("/v1/learners", {"name": "m", "arms": ["A", name]}),
                                 (f"{path}/arms", {"arm": name}), (f"{path}/ask", {"task": name}),
                                 (f"{path}/tasks", {"task": name}), (f"{path}/ask", {"task": "k", "event": name})):
                status, said = client.post(target, body)
                self.assertEqual(status, 400, (hex(code), target))
                self.assertIn(f"U+{code:04X}", said["error"]["message"])
        for name in "Zoë", "日本語", "שלום", "👩\u200d🚀", "a\u00a0b":
            self.assertEqual(client.ask("l", name)[0], 200)
        self.assertEqual(service.stop(), 0)

    @files_only("it has had the present format only")
    def test_a_store_that_has_such_names_is_served_and_they_are_escaped(self):
        name = "a\u202e\u009bb\u2028"
        service = self.make()
        given = service.client().ask("l", "k")[1]["decision"]
        self.assertEqual(service.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.store)) as db, db:
            config = json.loads(db.execute("SELECT config FROM learner").fetchone()[0])
            config.update(name=name, arms=["A", name])
            db.execute("UPDATE learner SET name = ?, config = ?", (name, json.dumps(config)))
            db.execute("UPDATE arm SET name = ? WHERE position = 1", (name,))
            db.execute("UPDATE task SET key = ?", (name,))
            db.executescript(FORMAT_9)  # without a hash chain, which would find the change
        answer("store", "upgrade", "--store", self.store)
        check_store(SEGUE, self.store)
        log = self.folder / "log"
        service = self.serve("--access-log", str(log))
        client, path = service.client(), "/v1/learners/" + urllib.parse.quote(name)
        for target in "/v1/learners", path, path + "/tasks", path + "/tasks/" + urllib.parse.quote(name):
            status, raw = client.raw("GET", target)
            self.assertEqual(status, 200, raw)
            self.assertTrue(raw.isascii(), raw)
            self.assertIn(name, json.dumps(json.loads(raw), ensure_ascii=False))
        self.assertEqual(client.tell(given, 1), (200, {"status": "counted", "task": name, "closed": False}))
        self.assertEqual(client.post(path + "/ask", {"task": name, "exclude": [name]})[1]["arm"], "A")
        self.assertEqual(client.post(path + "/ask", {"task": name + "2"})[0], 400)
        self.assertEqual(client.post(f"{path}/tasks/{urllib.parse.quote(name)}/close")[0], 200)
        self.assertEqual(service.stop(), 0)
        self.assertTrue(log.read_text().isascii())
        check_store(SEGUE, self.store)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
