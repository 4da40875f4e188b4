#!/usr/bin/python3
"""The service on PostgreSQL: the database restarts, loses connections and promises less; stores move from SQLite; passwords stay hidden.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time
import unittest

os.environ["SEGUE_TEST_STORE"] = "postgresql"
import postgresql  # noqa: E402
from program import SEGUE, Folder  # noqa: E402
from service import SHORT, Service, check_store  # noqa: E402
from stores import query, store_name  # noqa: E402

TUTOR = {"name": "tutor", "arms": ["A", "B", "C"], "steps": 20}


def run(*arguments):
    return subprocess.run([SEGUE, *arguments], capture_output=True, text=True, check=False)


class Student(threading.Thread):
    """Asks and tells until it is stopped; a request without an answer is sent again."""

    def __init__(self, service, name):
        super().__init__()
        self.client, self.name_of = service.client(), name
        self.counted, self.repeated, self.waited, self.longest, self.stopped = {}, 0, 0, 0.0, False

    def call(self, path, body):
        begun = time.monotonic()
        while True:
            status, found = self.client.post(path, body)
            if status != 503:
                self.longest = max(self.longest, time.monotonic() - begun)
                return status, found
            self.waited += 1
            time.sleep(0.05)

    def run(self):
        task = 0
        while not self.stopped:
            _, asked = self.call("/v1/learners/tutor/ask", {"task": f"{self.name_of}-{task // 20}"})
            reward = float(task % 2)
            status, body = self.call("/v1/tell", {"decision": asked["decision"], "reward": reward})
            assert status == 200, body
            self.repeated += body["status"] != "counted"
            self.counted[asked["decision"]] = reward
            task += 1


class Proxy:
    """A socket before the server's.  Once `armed`, it cuts the connection of the next COMMIT: before it arrives, or before its answer."""

    def __init__(self, folder, server):
        self.server, self.armed = f"{server}/.s.PGSQL.5432", None
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(f"{folder}/.s.PGSQL.5432")
        self.listening.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listening.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as back:
            back.connect(self.server)
            swallow = False
            while True:
                for side in select.select([client, back], [], [])[0]:
                    data = side.recv(65536)
                    if not data or (side is back and swallow):
                        return
                    if side is client and b"COMMIT\0" in data and self.armed:
                        order, self.armed = self.armed, None
                        swallow = order == "answer"
                        if order == "commit":
                            return
                    (back if side is client else client).sendall(data)


class OnPostgresql(Folder):
    def setUp(self):
        super().setUp()
        self.server = postgresql.own_server()
        self.store = str(self.folder / "a")

    def serve(self, *options):
        service = Service(SEGUE, self.store, *options)
        self.addCleanup(lambda: service.process.poll() is None and service.stop())
        return service

    def test_the_database_restarts_under_load(self):
        service = self.serve()
        self.assertEqual(service.client().post("/v1/learners", TUTOR)[0], 201)
        students = [Student(service, f"s{i}") for i in range(4)]
        for student in students:
            student.start()
        for i in range(2 if SHORT else 5):
            time.sleep(0.5)
            if i % 2 == 0:
                self.server.command("kill")
                time.sleep(0.3)
                self.server.command("start")
            else:
                self.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                                "AND pid <> pg_backend_pid()")
        time.sleep(1.0)
        for student in students:
            student.stopped = True
        for student in students:
            student.join()
        self.assertIsNone(service.process.poll(), service.errors)
        counted = sum(len(student.counted) for student in students)
        self.assertGreater(counted, 20)
        self.assertEqual(query(self.store, "SELECT count(*) FROM reward"), [(counted,)])
        self.assertEqual(query(self.store, "SELECT sum(value) FROM reward")[0][0], sum(sum(s.counted.values()) for s in students))
        client = service.client()
        self.assertEqual(client.get("/readyz"), (200, {"status": "ready", "durability": "disk"}))
        self.assertEqual(client.get("/v1/learners/tutor")[1]["rewards"] > 0, True)
        client.close()
        self.assertEqual(service.stop(), 0)
        self.assertIn("sound; 1 learner", check_store(SEGUE, self.store))

    def test_a_commit_without_an_answer_is_found(self):
        """The reward counts once: the client gets `counted`, or 503 where COMMIT did not arrive, and then `counted`."""
        proxy = Proxy(self.folder, self.server.folder)
        name = store_name(self.store).replace(f"host={self.server.folder}", f"host={self.folder}")
        service = Service(SEGUE, self.store, "--store", name)  # the last --store counts
        self.addCleanup(service.stop)
        client = service.client()
        self.addCleanup(client.close)
        self.assertEqual(client.post("/v1/learners", TUTOR)[0], 201)
        for step, order in enumerate(("answer", "commit", "answer", "commit")):
            decision = client.ask("tutor", "t")[1]["decision"]
            time.sleep(0.3)  # probes after a 503 have ended
            proxy.armed = order
            status, body = client.tell(decision, 1.0)
            self.assertIsNone(proxy.armed)
            self.assertEqual((status, body.get("status")), (200, "counted") if order == "answer" else (503, None), body)
            self.assertEqual(client.tell(decision, 1.0)[1]["status"], "duplicate" if order == "answer" else "counted")
            self.assertEqual(query(self.store, "SELECT count(*) FROM reward"), [(step + 1,)])
        service.reported("finding out")

    def test_a_database_that_promises_nothing_is_refused(self):
        self.server.command("set synchronous_commit off")
        self.addCleanup(self.server.command, "set synchronous_commit on")
        done = run("serve", "--store", store_name(self.store), "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--allow-loss", done.stderr)
        service = self.serve("--allow-loss")
        client = service.client()
        self.assertEqual(client.get("/readyz"), (200, {"status": "ready", "durability": "none"}))
        client.close()
        service.reported("can lose acknowledged rewards")

    def test_one_service_serves_a_store(self):
        self.serve()
        done = run("serve", "--store", store_name(self.store), "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("another process serves this store", done.stderr)

    def test_a_store_moves_from_sqlite(self):
        """Exports of both are the same bytes, and so are the learners."""
        first, second = self.folder / "first.jsonl", self.folder / "second.jsonl"
        os.environ["SEGUE_TEST_STORE"] = "sqlite"
        try:
            service = Service(SEGUE, self.store)
            client = service.client()
            for name in ("tutor", "other"):
                client.post("/v1/learners", {**TUTOR, "name": name})
                for task in range(6):
                    for step in range(20):
                        decision = client.ask(name, f"t{task}")[1]["decision"]
                        client.tell(decision, float((task + step) % 3 == 0))
            client.call("DELETE", "/v1/learners/other")
            saved = client.raw("GET", "/v1/learners/tutor/export")[1]
            client.close()
            self.assertEqual(service.stop(), 0)
            sqlite = store_name(self.store)
        finally:
            os.environ["SEGUE_TEST_STORE"] = "postgresql"
        self.assertEqual(run("store", "export", "--store", sqlite, "--file", str(first)).returncode, 0)
        done = run("store", "import", "--store", store_name(self.store), "--file", str(first))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sound; 1 learner", done.stdout)
        done = run("store", "export", "--store", store_name(self.store), "--file", str(second))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertEqual(run("store", "upgrade", "--store", store_name(self.store)).returncode, 0)
        service = self.serve()
        client = service.client()
        self.assertEqual(client.raw("GET", "/v1/learners/tutor/export")[1], saved)
        client.close()

    def test_a_failed_import_leaves_no_table(self):
        broken = self.folder / "broken.jsonl"
        broken.write_text('{"segue_store":10}\n{"table":"learner","row":[1,"a","{}",1.5]}\n')
        name = store_name(self.store)
        done = run("store", "import", "--store", name, "--file", str(broken))
        self.assertEqual(done.returncode, 2, done.stderr)
        schema = name.rpartition("=")[2]
        self.assertEqual(self.server.run(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'"), ["0"])

    def test_a_password_is_shown_nowhere(self):
        self.server.run("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'geheim' SUPERUSER")
        store_name(self.store)
        schema = store_name(self.store).rpartition("=")[2]
        uri = f"postgresql://locked:geheim@/postgres?host={self.server.folder}&options=-csearch_path%3D{schema}"
        process = subprocess.Popen([SEGUE, "serve", "--store", uri, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        line = ""
        while "listening" not in line:
            line = process.stderr.readline()
            self.assertTrue(line)
            self.assertNotIn("geheim", line)
        self.assertNotIn(b"geheim", pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes())
        process.terminate()
        self.assertNotIn("geheim", process.communicate()[1])
        self.assertEqual(process.returncode, 0)
        done = run("store", "check", "--store", uri.replace("geheim", "falsch"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("password authentication failed", done.stderr)
        self.assertNotIn("falsch", done.stderr)
        self.assertIn("sound", run("store", "check", "--store", uri).stdout)


if __name__ == "__main__":
    postgresql.own_server()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
