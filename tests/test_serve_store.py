#!/usr/bin/python3
"""The files of a service: client commands, export, import, upgrade, damage.

usage: test_serve_store.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import json
import os
import pathlib
import pty
import re
import sqlite3
import sys
import unittest

import postgresql
from old_formats import FORMAT_5
from program import SEGUE, SOURCE, Folder, answer, run
from served import TUTOR, Served
from service import Service, check_store
from stores import change, copy_store, files_only, is_stored, query, store_name

FORMAT = int(re.search(r"SEGUE_STORE_FORMAT (\d+)", (SOURCE / "src/store/store.h").read_text()).group(1))


def set_format(path, version):
    if postgresql.is_chosen():
        change(path, f"UPDATE meta SET format = {version}")
        return
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(f"PRAGMA user_version = {version}")


class Clients(Served):
    def test_clients_and_store(self):
        url = f"http://127.0.0.1:{self.service.port}/"
        settings = self.file(json.dumps({"name": "a b/ä", "arms": ["x", "y", "z"]}), "settings.json")
        self.assertEqual(json.loads(answer("learners", "--create", settings, "-u", url))["name"], "a b/ä")
        first = json.loads(answer("ask", "a b/ä", "--task", "s/1", "-u", url, "--exclude", "x,y"))
        self.assertEqual(first["arm"], "z")
        again = [answer("ask", "a b/ä", "--task", "s/1", "-u", url, "--event", "e") for _ in range(2)]
        self.assertEqual(*again)
        self.assertEqual(len(json.loads(answer("ask", "a b/ä", "--task", "s/1", "-u", url, "--count", 3,
                                               "--probability", "--explain"))["decisions"]), 3)
        self.assertEqual(json.loads(answer("tell", first["decision"], "-r", 0.5, "-u", url))["status"], "counted")
        self.refused(2, "already", "tell", first["decision"], "-r", 0, "-u", url)
        self.assertFalse(json.loads(answer("close", "a b/ä", "--task", "s/1", "-u", url))["open"])
        self.assertEqual(len(json.loads(answer("learners", "a b/ä", "--add-arm", "w", "-u", url))["arms"]), 4)
        self.assertTrue(json.loads(answer("learners", "a b/ä", "--retire-arm", "x", "-u", url))["arms"][0]["retired"])
        out = str(self.folder / "out.jsonl")
        for _ in range(2):  # it holds the key that decisions are signed with
            answer("store", "export", "--store", store_name(self.store), "--file", out)
            self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
            os.chmod(out, 0o644)
        self.assertIn("sound; 2 learners", answer("store", "import", "--store", store_name(self.folder / "copy.db"), "--file", out))
        self.refused(2, "already", "store", "import", "--store", store_name(self.folder / "copy.db"), "--file", out)
        self.spoil_export((self.folder / "out.jsonl").read_text().splitlines(keepends=True))
        json.loads(answer("learners", "a b/ä", "--delete", "-u", url))
        self.refused(2, "no learner", "learners", "a b/ä", "-u", url)

    def test_a_terminal_gets_indented_json(self):
        """On a terminal the JSON has a line per value; elsewhere it is one line."""
        url = f"http://127.0.0.1:{self.service.port}"
        self.client.post("/v1/learners", {"name": 'odd "{[,:\\ ', "arms": ["x", "y"]})
        main, side = pty.openpty()
        try:
            self.assertEqual(run("learners", "-u", url, stdout=side).returncode, 0)
            os.close(side)
            shown = b""
            with contextlib.suppress(OSError):  # which is a terminal's end
                while part := os.read(main, 4096):
                    shown += part
        finally:
            os.close(main)
        self.assertEqual(json.loads(shown), json.loads(answer("learners", "-u", url)))
        self.assertEqual(answer("learners", "-u", url), answer("learners", "-u", url.removeprefix("http://")))
        with open("/dev/full", "w") as full:
            self.assertEqual(run("learners", "-u", url, stdout=full).returncode, 1)
        self.assertIn(b'{\r\n  "learners": [\r\n    {\r\n      "name": "', shown)

    def spoil_export(self, lines):
        """Check that an incomplete export, or one with extra rows, is rejected."""
        for says, spoilt in (("cut off", lines[:-1]), ("cut off", lines[:1]), ("other rows", lines[:-2] + lines[-1:]),
                             ("follows the last", lines + lines[-2:-1]), ("not a JSON object", lines[:-1] + [lines[-1][:-3]])):
            path = self.file("".join(spoilt), "spoilt.jsonl")
            self.refused(2, says, "store", "import", "--store", store_name(self.folder / "spoilt.db"), "--file", path)
            self.assertFalse(is_stored(self.folder / "spoilt.db"))


class Stores(Folder):
    @files_only("its users and rights are the database's")
    def test_a_user_with_read_access_can_check_and_export(self):
        stranger = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            run("version", **stranger)
        except PermissionError:
            self.skipTest("needs root, and a program that others may run")
        store, out = self.folder / "50% ?#.db", self.folder / "out"
        service = Service(SEGUE, str(store))
        service.client().post("/v1/learners", TUTOR)
        out.mkdir()
        out.chmod(0o777)
        self.folder.chmod(0o755)
        self.refused(2, "opened: no permission", "store", "check", "--store", store_name(store), **stranger)
        for running in (True, False):
            for path in self.folder.glob("*.db*"):
                path.chmod(0o644)
            self.assertIn("1 learner,", run("store", "check", "--store", store_name(store), **stranger).stdout)
            done = run("store", "export", "--store", store_name(store), "--file", out / f"{running}.jsonl", **stranger)
            self.assertEqual((done.returncode, done.stderr.count("\n"), "written to" in done.stderr), (0, 1, True))
            if running:
                self.assertEqual(service.stop(), 0)
        self.assertEqual((out / "True.jsonl").read_text().count("\n"), (out / "False.jsonl").read_text().count("\n"))
        self.assertEqual([path.name for path in self.folder.glob("*.db-*")], [])
        self.refused(2, "written to: no permission", "serve", "--store", store_name(store), "--listen", "127.0.0.1:0", **stranger)

    def test_a_store_of_another_format_is_refused(self):
        store, out = str(self.folder / "a.db"), str(self.folder / "out.jsonl")
        service = Service(SEGUE, store)
        client = service.client()
        client.post("/v1/learners", dict(TUTOR, close_after=1))
        for task in range(12):
            client.tell(client.ask("tutor", f"s{task}", event="e")[1]["decision"], 1.0)
        before = client.ask("tutor", "s", event="e")
        self.refused(2, "another process serves", "store", "upgrade", "--store", store_name(store))
        self.assertEqual(service.stop(), 0)
        self.assertIn("nothing to do", answer("store", "upgrade", "--store", store_name(store)))
        answer("store", "export", "--store", store_name(store), "--file", out)
        for version, says in (1, "it was written before"), (3, "it was written before"), (FORMAT + 1, "use the program that wrote it"):
            set_format(store, version)
            if version < FORMAT and postgresql.is_chosen():
                says = "there is no upgrade from it"
            self.refused(2, f"has format {version}; need {FORMAT}; {says}", "serve", "--store", store_name(store), "--listen", "127.0.0.1:0")
            for word in "check", "upgrade", "export":
                self.refused(2, f"has format {version}; need {FORMAT}; {says}", "store", word, "--store", store_name(store),
                             *(("--file", str(self.folder / "no.jsonl")) if word == "export" else ()))
        rows = [json.loads(line) for line in pathlib.Path(out).read_text().splitlines()]
        self.assertNotIn("snapshot", [row.get("table") for row in rows])
        for version, says in (FORMAT - 1, "an older program"), (FORMAT + 1, "a newer program"):
            rows[0]["segue_store"] = version
            file = self.file("\n".join(map(json.dumps, rows)), "other.jsonl")
            self.refused(2, f"line 1: the export was written by {says}", "store", "import", "--store", store_name(self.folder / "other.db"), "--file", file)
        rows[0]["segue_store"] = FORMAT
        key = next(row for row in rows if row.get("table") == "meta" and "hex" in str(row))
        for i, value in enumerate(key["row"]):  # the value before it is of bytes, this one only seems so
            if isinstance(value, dict):
                self.assertIn("hex", value)
                twice = rows[:rows.index(key) + 1] + [dict(key, row=[*key["row"][:i], {"hex": 1}, *key["row"][i + 1:]])]
                file = self.file("\n".join(map(json.dumps, twice)), "other.jsonl")
                self.refused(2, f"line {len(twice)}: ", "store", "import", "--store", store_name(self.folder / "other.db"), "--file", file)
        self.assertIn("sound; 1 learner,", answer("store", "import", "--store", store_name(self.folder / "new.db"), "--file", out))
        service = Service(SEGUE, str(self.folder / "new.db"))
        self.assertEqual(service.client().ask("tutor", "s", event="e"), before)
        self.assertEqual(service.stop(), 0)
        self.assertEqual(query(self.folder / "new.db", "SELECT count(*) FROM snapshot"), [(1,)])
        if not postgresql.is_chosen():  # which has had the present format only
            self.upgrade_from_format_5(before)

    def upgrade_from_format_5(self, before):
        with contextlib.closing(sqlite3.connect(self.folder / "new.db")) as db:
            db.executescript(FORMAT_5)
        self.refused(2, f"has format 5; need {FORMAT}; 'segue store upgrade' brings it to this format", "serve",
                     "--store", store_name(self.folder / "new.db"), "--listen", "127.0.0.1:0")
        done = answer("store", "upgrade", "--store", store_name(self.folder / "new.db"))
        self.assertIn(f"upgraded from format 5 to {FORMAT}", done)
        self.assertIn("sound; 1 learner,", done)
        service = Service(SEGUE, str(self.folder / "new.db"))
        self.assertEqual(service.client().ask("tutor", "s", event="e"), before)
        self.assertEqual(service.stop(), 0)

    def test_a_changed_snapshot_is_found(self):
        store = str(self.folder / "a.db")
        service = Service(SEGUE, store)
        client = service.client()
        client.post("/v1/learners", dict(TUTOR, close_after=2, control=0))
        for task in range(13):  # of which the last stays open
            for i in range(2 if task < 12 else 1):
                client.tell(client.ask("tutor", f"s{task}", event=f"e{i}")[1]["decision"], 1.0)
        self.assertEqual(service.stop(), 0)
        check_store(SEGUE, store)
        (closed,), = query(store, "SELECT closed_seq FROM task WHERE id = 3")
        copy = str(self.folder / "copy.db")
        for says, spoil in (("disagrees with the event log", "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event "
                                                             "WHERE kind = 1)"),
                            (f"column closed_seq: {closed}; need NULL", "UPDATE task SET closed = NULL WHERE id = 3"),
                            ("disagrees with the event log: 1", "UPDATE task SET closed_seq = 1 WHERE id = 3"),
                            ("counts differ from their rewards", "UPDATE task SET total = 5 WHERE id = 3"),
                            ("counts differ from their rewards", "UPDATE arm SET pulls = pulls + CASE WHEN position = "
                                                                "(SELECT position FROM arm ORDER BY pulls DESC LIMIT 1) THEN -1 ELSE 1 END "
                                                                "WHERE position IN (SELECT position FROM arm ORDER BY pulls DESC LIMIT 2)"),
                            ("column arm: 99; need 0 to", "UPDATE reward SET arm = 99 WHERE task = 13"),
                            ("column arm: -1; need", "UPDATE decision SET arm = -1"),
                            ("of no task or arm", "INSERT INTO reward VALUES (99, 0, 0, 0, 1, 0, 0, NULL, NULL, NULL, NULL)"),
                            ("from 0 to 1", "UPDATE reward SET value = 1e300 WHERE task = 13"),
                            ("no key", "DELETE FROM meta WHERE name = 'key'"),
                            ("no key", "UPDATE meta SET value = 'x' WHERE name = 'key'"),
                            ("call it", "UPDATE learner SET name = 'other'")):
            if " meta " in spoil and postgresql.is_chosen():
                continue  # its table has the key in a column
            copy_store(store, copy)
            change(copy, spoil)
            self.refused(2, says, "store", "check", "--store", store_name(copy))
        change(store, "UPDATE reward SET value = 0 WHERE task = 5", "UPDATE task SET total = 0 WHERE id = 5")
        self.refused(2, "subject 5): the task, its rewards or their counts changed", "store", "check", "--store", store_name(store))
        change(store, "DELETE FROM reward WHERE task = 5")
        self.refused(2, "counts differ from their rewards", "store", "check", "--store", store_name(store))

    def test_ids_are_never_reused(self):
        """A decision of a deleted learner counts for no other learner, also after an export."""
        store, out, copy = (str(self.folder / name) for name in ("a.db", "out.jsonl", "copy.db"))
        service = Service(SEGUE, store)
        client = service.client()
        for name in "keep", "old":
            client.post("/v1/learners", dict(TUTOR, name=name))
        gone = client.ask("old", "s")[1]["decision"]
        client.call("DELETE", "/v1/learners/old")
        self.assertEqual(client.tell(gone, 1.0)[0], 404)
        self.refused(2, "another process serves", "store", "import", "--store", store_name(store), "--file", self.file("{}"))
        self.assertEqual(service.stop(), 0)
        for name in () if postgresql.is_chosen() else (store, f"sqlite:{store}"):
            self.refused(2, "--file and --store name the same file", "store", "export", "--store", name, "--file", store)
        self.refused(2, "--file needs a file", "store", "export", "--store", store_name(store), "--file", "-")
        answer("store", "export", "--store", store_name(store), "--file", out)
        answer("store", "import", "--store", store_name(copy), "--file", out)
        service = Service(SEGUE, copy)
        client = service.client()
        client.post("/v1/learners", dict(TUTOR, name="new"))
        client.ask("new", "s")
        self.assertEqual(client.tell(gone, 1.0)[0], 404)
        self.assertEqual(service.stop(), 0)

    @files_only("it has no files")
    def test_a_file_that_is_not_a_store_is_not_changed(self):
        other, empty = str(self.folder / "other.db"), self.file("", "empty.db")
        with contextlib.closing(sqlite3.connect(other)) as db, db:
            db.execute("CREATE TABLE x (y)")
        before = pathlib.Path(other).read_bytes()
        for word in "check", "upgrade":
            self.refused(2, "not a store", "store", word, "--store", other)
            self.refused(2, "not a store", "store", word, "--store", empty)
        self.refused(2, "not a store", "serve", "--store", other, "--listen", "127.0.0.1:0")
        self.assertEqual((pathlib.Path(other).read_bytes(), os.path.getsize(empty)), (before, 0))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
