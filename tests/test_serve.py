#!/usr/bin/python3
"""The service on its socket: who may call, bad input, a full disk, its end, its clients.

usage: test_serve.py SEGUE SOURCE [unittest options]; SEGUE_REQUESTS=N sends N malformed requests
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import pty
import random
import resource
import signal
import socket
import sqlite3
import sys
import time
import unittest

from program import SEGUE, SOURCE, Folder, answer, run
from service import SHORT, Service, check_store, make_old

REQUESTS = int(os.environ.get("SEGUE_REQUESTS", "400" if SHORT else "3000"))
TOKEN = "this-is-the-token-of-a-test"
FEW = "no more files may be open"  # where the machine allows few
TUTOR = {"name": "tutor", "arms": ["A", "B", "C"], "steps": 20}


class Served(Folder):
    options, before, create = (), None, True
    reports = (FEW,)  # of what may be on its standard error

    def setUp(self):
        super().setUp()
        self.store = str(self.folder / "test.db")
        self.log = self.folder / "log"
        self.service = Service(SEGUE, self.store, "--access-log", str(self.log), *self.options_of(),
                               before=self.before)
        self.client = self.service.client(TOKEN)
        self.addCleanup(self.end)
        if self.create:
            self.assertEqual(self.client.post("/v1/learners", TUTOR)[0], 201)

    def options_of(self):
        return self.options

    def end(self):
        self.client.close()
        if self.service.process.poll() is None:
            self.assertEqual(self.service.stop(), 0)
        self.assertEqual([line for line in self.service.errors if not any(says in line for says in self.reports)], [])

    def refused_call(self, status, says, method, path, body=None, **headers):
        code, raw = self.client.raw(method, path, body, **headers)
        self.assertEqual(code, status, raw)
        self.assertIn(says, json.loads(raw)["error"]["message"])


class Guarded(Served):
    reports = (FEW, "without a valid token refused")

    def options_of(self):
        text = f"# two of them{' and more' * 100}\nanother-token-of-the-test\r\n{TOKEN}"
        return "--token-file", self.file(text, "tokens")

    def test_only_tokens_open_it_and_none_is_logged(self):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"},
                        {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Bearer {TOKEN[:-1]}"}):
            stranger = self.service.client()
            for path in ("/v1/learners", "/metrics", "/v1/nothing", "/v1/learners/tutor"):
                status, raw = stranger.raw("GET", path, **headers)
                self.assertEqual(status, 401, (headers, path, raw))
            self.assertEqual(stranger.answer_headers["WWW-Authenticate"], "Bearer")
            self.assertEqual(stranger.raw("GET", "/healthz", **headers)[0], 200)
        other = self.service.client("another-token-of-the-test")
        self.assertEqual(other.get("/v1/learners")[0], 200)
        self.assertEqual(self.service.stop(), 0)
        log = self.log.read_text()
        self.assertGreater(log.count("\n"), 20)
        self.assertNotIn("token", log.lower())
        for line in log.splitlines():
            self.assertLessEqual({"time", "request", "method", "path", "route", "status", "bytes", "ms"},
                                 set(json.loads(line)))

    def test_the_program_uses_a_token(self):
        url = f"http://127.0.0.1:{self.service.port}"
        self.refused(2, "has no token", "learners", "--url", url)
        listed = json.loads(answer("learners", "--url", url, "--token-file", self.file(f"# mine\n\n{TOKEN}\n", "mine")))
        self.assertEqual([line["name"] for line in listed["learners"]], ["tutor"])
        for says, text in (("line 2: a token has 16 to 256", "# mine\n" + 257 * "x"), ("no token", "# " + 600 * "x"),
                           ("line 1: a token", TOKEN + "\0x")):
            self.refused(2, says, "learners", "--url", url, "--token-file", self.file(text, "wrong"))


class Slow(Served):
    options, create = ("--rate", "0.0001"), False  # one request in three hours

    def test_too_many_requests_are_refused(self):
        self.assertEqual(self.client.get("/v1/learners")[0], 200)
        self.refused_call(429, "requests per second", "GET", "/v1/learners")
        self.assertEqual(self.client.answer_headers["Retry-After"], "10000")
        self.assertEqual(self.client.get("/healthz")[0], 200)


class Few(Served):
    """Few files may be open, hence few connections."""
    reports = (FEW, "connections are in use")
    before = staticmethod(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160)))

    def test_connections_are_as_many_as_there_may_be_files(self):
        with contextlib.ExitStack() as all_of_them:
            for _ in range(100):
                connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=60)
                all_of_them.enter_context(contextlib.closing(connection))
            self.assertEqual(self.client.ask("tutor", "s")[0], 200)
        self.service.stop()
        self.assertIn("at most 96 connections", "".join(self.service.errors))


class Local(Served):
    def test_a_store_is_served_once(self):
        (self.folder / "soft.db").symlink_to(self.store)
        os.link(self.store, self.folder / "hard.db")
        for name in ("test.db", "soft.db", "hard.db"):
            self.refused(2, "another process", "serve", "--store", self.folder / name, "--listen", "127.0.0.1:0")
        self.assertEqual(self.client.ask("tutor", "s")[0], 200)
        self.assertEqual(self.service.stop(), 0)
        self.assertIn("1 learner,", check_store(SEGUE, self.store))

    def test_a_port_is_served_once_and_again_after_a_kill(self):
        address = f"127.0.0.1:{self.service.port}"
        self.refused(1, "another process does", "serve", "--store", self.folder / "b.db", "--listen", address)
        self.assertEqual(self.client.ask("tutor", "s")[0], 200)
        self.service.kill()
        self.service.listen = address
        self.service.start()
        self.assertEqual(self.service.client().ask("tutor", "s")[0], 200)

    def test_other_origins_and_hosts_are_refused(self):
        own = f"127.0.0.1:{self.service.port}"
        self.assertEqual(self.client.raw("GET", "/v1/learners", Origin=f"http://{own}")[0], 200)
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{self.service.port + 1}", "https://" + own + ".evil"):
            for method, path in (("GET", "/v1/learners"), ("OPTIONS", "/v1/tell"), ("DELETE", "/v1/learners/tutor")):
                self.refused_call(403, "origin", method, path, Origin=origin)
                self.assertIsNone(self.client.answer_headers["Access-Control-Allow-Origin"])
        self.refused_call(403, "localhost", "GET", "/v1/learners", Host="evil.example")
        self.refused_call(403, "localhost", "GET", "/v1/learners", Host="localhost.evil.example")
        self.assertEqual(self.client.get("/v1/learners/tutor")[0], 200)

    def test_no_path_leads_out(self):
        for path in ("/../../etc/passwd", "/v1/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/openapi.json/../../etc/passwd", "/..%2f..%2fetc/passwd"):
            status, raw = self.client.raw("GET", path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", raw)

    def test_limits_are_told(self):
        self.refused_call(413, "65536", "POST", "/v1/tell", "x" * 70000)
        self.client.close()
        self.refused_call(400, "at most 256", "POST", "/v1/learners/tutor/ask", json.dumps({"task": "x" * 257}))
        self.refused_call(400, "1 to 256", "GET", "/v1/learners/" + "x" * 257)
        self.refused_call(415, "application/json", "POST", "/v1/tell", "{}", Content_Type="text/plain")
        self.refused_call(405, "POST", "GET", "/v1/tell")
        self.assertEqual(self.client.answer_headers["Allow"], "POST")
        self.assertEqual(self.client.ask("tutor", "x" * 256)[0], 200)

    def test_a_request_keeps_its_id(self):
        self.client.raw("GET", "/healthz", X_Request_Id="mine-1")
        self.assertEqual(self.client.answer_headers["X-Request-Id"], "mine-1")
        self.client.raw("GET", "/healthz", X_Request_Id="no good \"")
        self.assertRegex(self.client.answer_headers["X-Request-Id"], r"^[0-9a-f]+-[0-9a-f]+$")

    def test_what_it_serves_is_what_the_tree_has(self):
        status, raw = self.client.raw("GET", "/openapi.json")
        self.assertEqual((status, raw), (200, (SOURCE / "src/service/api/openapi.json").read_bytes()))
        described = json.loads(raw)["paths"]
        for path, operations in described.items():
            for method in operations:
                if method == "parameters":
                    continue
                real = path.replace("{learner}", "no").replace("{task}", "no").replace("{arm}", "no")
                code, _ = self.client.raw(method.upper(), real, "{}" if method == "post" else None)
                self.assertNotIn(code, (405, 501), (method, path))
                if "no" not in real:
                    self.assertNotEqual(code, 404, (method, path))

    def test_metrics_are_prometheus(self):
        self.client.ask("tutor", "s")
        _, raw = self.client.raw("GET", "/metrics")
        for line in raw.decode().splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) segue_\w+ .+|segue_\w+(\{[^}]*\})? [0-9.e+-]+)$')
        self.assertIn('segue_requests_total{route="ask",status="2xx"} 1', raw.decode())

    def test_a_log_that_is_moved_away_is_begun_anew(self):
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

    def test_an_end_answers_what_was_taken(self):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            clients = [self.service.client() for _ in range(16)]
            asked = list(pool.map(lambda c: c.ask("tutor", "s")[1]["decision"], clients))
            told = [pool.submit(c.tell, d, 1.0) for c, d in zip(clients, asked)]
            self.assertEqual(self.service.stop(), 0)
            done = []
            for future in told:
                try:
                    done.append(future.result()[0])
                except OSError:
                    done.append(None)  # it came too late, and was not taken
                except Exception as why:
                    self.assertIn("Remote end closed", str(why))
                    done.append(None)
        self.assertLessEqual(set(done), {200, 503, None})
        self.service.start()
        _, learner = self.service.client().get("/v1/learners/tutor")
        self.assertGreaterEqual(learner["rewards"], done.count(200))
        self.assertLessEqual(learner["rewards"], done.count(200) + done.count(None))

    def test_decisions_that_wait_outlast_any_end(self):
        """Those of the last tenth of a second are lost in a kill, and none with an orderly end."""
        def kept():
            with contextlib.closing(sqlite3.connect(self.store)) as db:
                return db.execute("SELECT count(*) FROM decision").fetchone()[0]

        waits = dict(TUTOR, name="waits", steps=0, reward_deadline=600, default_reward=0.5, control=0)
        self.assertEqual(self.client.post("/v1/learners", waits)[0], 201)
        for _ in range(5):
            self.assertEqual(self.client.ask("waits", "s", count=1000)[0], 200)
        deadline = time.monotonic() + 60
        while kept() < 5000:
            self.assertLess(time.monotonic(), deadline, "5000 decisions were asked for")
            time.sleep(0.02)
        self.client.close()
        self.service.kill()
        self.assertEqual(kept(), 5000)
        self.service.start()
        self.client = self.service.client()
        self.assertEqual(self.client.ask("waits", "s", count=1000)[0], 200)
        self.assertEqual(self.service.stop(), 0)
        self.assertEqual(kept(), 6000)

    def test_a_store_that_is_gone_ends_it(self):
        for name in ("test.db", "test.db-wal", "test.db-shm"):
            (self.folder / name).unlink()
        self.client.close()
        self.assertEqual(self.service.process.wait(timeout=60), 1)
        self.service.reader.join()
        self.assertIn("moved or removed", "".join(self.service.errors))
        self.service.process.stderr.close()
        self.service.errors.clear()
        self.assertFalse((self.folder / "test.db").exists())

    def test_every_method_learns_aside_and_comes_back(self):
        """Tasks of two types; then a kill: the learner is the one that it was."""
        methods = ("auto", "tts", "tla", "ts-prior", "tucb", "tucb:estimator=em", "tucb:models=2")
        chance = random.Random(5)
        for method in methods:
            models = 0 if "models" in method else 2
            self.assertEqual(self.client.post("/v1/learners", dict(TUTOR, name=method, method=method, models=models,
                                                                   control=0))[0], 201)
            for task in range(30):
                for _ in range(TUTOR["steps"]):
                    d = self.client.ask(method, f"s{task}")[1]
                    self.client.tell(d["decision"], float(chance.random() < (0.9 if d["arm"] == "AB"[task % 2] else 0.2)))
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

    def test_clients_and_store(self):
        url = f"http://127.0.0.1:{self.service.port}/"
        words = self.file(json.dumps({"name": "a b/ä", "arms": ["x", "y", "z"]}), "words.json")
        self.assertEqual(json.loads(answer("learners", "--create", words, "-u", url))["name"], "a b/ä")
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
            answer("store", "export", "--store", self.store, "--file", out)
            self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
            os.chmod(out, 0o644)
        self.assertIn("sound; 2 learners", answer("store", "import", "--store", self.folder / "copy.db", "--file", out))
        self.refused(2, "already", "store", "import", "--store", self.folder / "copy.db", "--file", out)
        self.spoil_export((self.folder / "out.jsonl").read_text().splitlines(keepends=True))
        json.loads(answer("learners", "a b/ä", "--delete", "-u", url))
        self.refused(2, "no learner", "learners", "a b/ä", "-u", url)

    def test_a_terminal_gets_lines(self):
        """The same JSON, with a line a value; elsewhere it is one line."""
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
        """An export that lacks something, or has more, is refused."""
        for says, spoilt in (("cut off", lines[:-1]), ("cut off", lines[:1]), ("other rows", lines[:-2] + lines[-1:]),
                             ("behind the last", lines + lines[-2:-1]), ("not an object", lines[:-1] + [lines[-1][:-3]])):
            path = self.file("".join(spoilt), "spoilt.jsonl")
            self.refused(2, says, "store", "import", "--store", self.folder / "spoilt.db", "--file", path)
            self.assertEqual(list(self.folder.glob("spoilt.db*")), [])


class Wrong(Folder):
    def test_what_cannot_be_served_is_refused(self):
        self.refused(2, "--token-file", "serve", "--listen", "0.0.0.0:0", "--store", self.folder / "a.db")
        self.refused(2, "not an address", "serve", "--listen", "here", "--store", self.folder / "a.db")
        self.refused(2, "not an address", "serve", "--listen", "example.org:80", "--store", self.folder / "a.db")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.refused(1, "another process does", "serve", "--listen", f"127.0.0.1:{taken.getsockname()[1]}",
                         "--store", self.folder / "a.db")
        self.assertEqual(list(self.folder.glob("a.db*")), [])  # and nothing is left behind
        self.refused(2, "16 to 256", "serve", "--token-file", self.file("short\n"), "--store", self.folder / "a.db")
        self.refused(2, "no token", "serve", "--token-file", self.file("# none\n"), "--store", self.folder / "a.db")
        self.refused(2, "no token", "serve", "--token-file", self.file("# " + 600 * "x"), "--store", self.folder / "a.db")
        self.refused(2, "line 3: a token", "serve", "--token-file", self.file(f"#\n{TOKEN}\n" + 257 * "x"), "--store",
                     self.folder / "a.db")
        self.refused(2, "not a database", "serve", "--store", self.file("x" * 5000, "b.db"))
        self.refused(2, "no store 'postgres:x'", "serve", "--store", "postgres:x")
        self.refused(2, "opened: there is no such file", "store", "check", "--store", self.folder / "none.db")
        self.refused(2, "opened: its folder is missing", "serve", "--store", self.folder / "none" / "a.db")
        self.refused(2, "opened: is a folder", "serve", "--store", self.folder)
        self.refused(2, "opened: is a folder", "store", "check", "--store", self.folder)
        self.refused(2, "say check", "store")
        self.refused(1, "nobody answers", "learners", "--url", "http://127.0.0.1:1")
        self.refused(1, "nobody answers", "learners", "--url", "127.0.0.1:1")
        self.refused(2, "not the address", "learners", "--url", "ftp://x")
        self.refused(2, "--task", "ask", "x")
        self.refused(2, "--reward", "tell", "x")
        self.refused(2, "--task", "close", "x")

    def test_an_answer_that_is_cut_off_is_an_error(self):
        """As of a service that was killed while it answered; on a terminal, too."""
        for says, length, body in (("", 10, b'{"a":"b"}\n'), ("cut off: 8 of its 10", 10, b'{"a":"b\\'),
                                   ("does not tell its length", None, b"{}"), ("", 8, b'{"a":"b\\'), ("", 2, b"},")):
            with socket.create_server(("127.0.0.1", 0)) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
                head = b"HTTP/1.1 200 OK\r\nX: 1\r\n" + (b"content-length: %d\r\n" % length if length else b"")
                done = pool.submit(self.answer_once, server, head + b"\r\n" + body)
                main, side = pty.openpty()
                found = run("learners", "-u", f"127.0.0.1:{server.getsockname()[1]}", stdout=side)
                done.result()
                os.close(side)
                os.close(main)
            self.assertIn(says, found.stderr)
            self.assertEqual(found.returncode, 1 if says else 0, found.stderr)

    @staticmethod
    def answer_once(server, answer):
        connection, _ = server.accept()
        with connection:
            while not connection.recv(65536).endswith(b"\r\n\r\n"):
                pass
            connection.sendall(answer)

    def test_every_address_of_this_machine_alone_is_served(self):
        for host in ("127.0.0.5", "localhost", "[::1]"):
            try:
                service = Service(SEGUE, str(self.folder / "a.db"), listen=f"{host}:0")
            except AssertionError as why:
                self.assertIn("Cannot assign", str(why))  # there is no IPv6 here
                continue
            self.assertEqual(json.loads(answer("learners", "-u", f"{host}:{service.port}")), {"learners": []})
            self.assertEqual(service.stop(), 0)

    def test_who_may_only_read_can_check_and_export(self):
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
        self.refused(2, "opened: no permission", "store", "check", "--store", store, **stranger)
        for running in (True, False):
            for path in self.folder.glob("*.db*"):
                path.chmod(0o644)
            self.assertIn("1 learner,", run("store", "check", "--store", store, **stranger).stdout)
            done = run("store", "export", "--store", store, "--file", out / f"{running}.jsonl", **stranger)
            self.assertEqual((done.returncode, done.stderr.count("\n"), "written to" in done.stderr), (0, 1, True))
            if running:
                self.assertEqual(service.stop(), 0)
        self.assertEqual((out / "True.jsonl").read_text().count("\n"), (out / "False.jsonl").read_text().count("\n"))
        self.assertEqual([path.name for path in self.folder.glob("*.db-*")], [])
        self.refused(2, "written to: no permission", "serve", "--store", store, "--listen", "127.0.0.1:0", **stranger)

    def test_an_older_store_is_upgraded(self):
        """Format 1 had no probabilities of decisions; its snapshots are not taken over."""
        store, out = str(self.folder / "old.db"), str(self.folder / "out.jsonl")
        service = Service(SEGUE, store)
        client = service.client()
        client.post("/v1/learners", dict(TUTOR, close_after=1))
        for task in range(12):
            client.tell(client.ask("tutor", f"s{task}", event="e")[1]["decision"], 1.0)
        client.ask("tutor", "s", event="e")
        self.assertEqual(service.stop(), 0)
        make_old(store)
        service = Service(SEGUE, store)
        before = service.client().ask("tutor", "s", event="e")
        self.assertEqual(service.stop(), 0)
        make_old(store, 1)
        with contextlib.closing(sqlite3.connect(store)) as db, db:
            self.assertEqual(db.execute("SELECT count(*) FROM snapshot").fetchone(), (1,))
        self.refused(2, "'segue store upgrade' makes it so", "serve", "--store", store, "--listen", "127.0.0.1:0")
        self.refused(2, "'segue store upgrade' makes it so", "store", "check", "--store", store)
        self.assertRegex(answer("store", "upgrade", "--store", store), "was of format 1, and is of format 3(.|\n)*sound")
        self.assertIn("nothing is to be done", answer("store", "upgrade", "--store", store))
        service = Service(SEGUE, store)
        self.refused(2, "another process serves", "store", "upgrade", "--store", store)
        self.assertEqual(service.client().ask("tutor", "s", event="e"), before)
        self.assertEqual(service.stop(), 0)
        answer("store", "export", "--store", store, "--file", out)
        rows = [json.loads(line) for line in pathlib.Path(out).read_text().splitlines()]
        self.assertNotIn("snapshot", [row.get("table") for row in rows])
        rows.insert(-1, {"table": "snapshot", "row": [1, 1, {"hex": "00"}]})  # exports had them, and they are skipped
        rows[-1]["rows"] += 1
        new = self.file("\n".join(map(json.dumps, rows)), "new.jsonl")
        self.assertIn("sound; 1 learner,", answer("store", "import", "--store", self.folder / "new.db", "--file", new))
        service = Service(SEGUE, str(self.folder / "new.db"))
        self.assertEqual(service.client().ask("tutor", "s", event="e"), before)
        self.assertEqual(service.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.folder / "new.db")) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM snapshot").fetchone(), (1,))
        rows = [row for row in rows if row.get("table") != "sqlite_sequence"]
        rows[0]["segue_store"] = 1  # and an export of that time
        rows[-1]["rows"] = len(rows) - 2
        for row in rows:
            if row.get("table") == "decision":
                del row["row"][6:]
            elif row.get("table") == "task":
                del row["row"][11:]
        old = self.file("\n".join(map(json.dumps, rows)), "old.jsonl")
        self.assertIn("sound; 1 learner,", answer("store", "import", "--store", self.folder / "copy.db", "--file", old))

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
        whole = pathlib.Path(store).read_bytes()
        for says, spoil in (("the journal does not say", "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal "
                                                         "WHERE kind = 1)"),
                            ("column closed_seq: 3; need NULL", "UPDATE task SET closed = NULL WHERE id = 3"),
                            ("the journal does not say", "UPDATE task SET closed_seq = 1 WHERE id = 3"),
                            ("count other rewards", "UPDATE task SET total = 5 WHERE id = 3"),
                            ("count other rewards", "UPDATE arm SET pulls = pulls + 1 - 2 * place WHERE place < 2"),
                            ("column arm: 99; need 0 to", "UPDATE reward SET arm = 99 WHERE task = 13"),
                            ("column arm: -1; need", "UPDATE decision SET arm = -1"),
                            ("of no task or arm", "INSERT INTO reward VALUES (99, 0, 0, 0, 1, 0, 0)"),
                            ("from 0 to 1", "UPDATE reward SET value = 1e300 WHERE task = 13"),
                            ("no key", "DELETE FROM meta WHERE name = 'key'"),
                            ("no key", "UPDATE meta SET value = 'x' WHERE name = 'key'"),
                            ("call it", "UPDATE learner SET name = 'other'")):
            with contextlib.closing(sqlite3.connect(store)) as db, db:
                self.assertGreater(db.execute(spoil).rowcount, 0, spoil)
            self.refused(2, says, "store", "check", "--store", store)
            pathlib.Path(store).write_bytes(whole)
        with sqlite3.connect(store) as db:
            db.execute("UPDATE reward SET value = 0 WHERE task = 5")
            db.execute("UPDATE task SET total = 0 WHERE id = 5")
        self.refused(2, "does not lead to", "store", "check", "--store", store)
        with sqlite3.connect(store) as db:
            db.execute("DELETE FROM reward WHERE task = 5")
        self.refused(2, "count other rewards", "store", "check", "--store", store)


    def test_a_number_is_never_given_again(self):
        """A decision of a learner that is gone counts for no other one, also after an export."""
        store, out, copy = (str(self.folder / name) for name in ("a.db", "out.jsonl", "copy.db"))
        service = Service(SEGUE, store)
        client = service.client()
        for name in "keep", "old":
            client.post("/v1/learners", dict(TUTOR, name=name))
        gone = client.ask("old", "s")[1]["decision"]
        client.call("DELETE", "/v1/learners/old")
        self.assertEqual(client.tell(gone, 1.0)[0], 404)
        self.refused(2, "another process serves", "store", "import", "--store", store, "--file", self.file("{}"))
        self.assertEqual(service.stop(), 0)
        for name in (store, f"sqlite:{store}"):
            self.refused(2, "--file and --store name the same file", "store", "export", "--store", name, "--file", store)
        self.refused(2, "--file needs a file", "store", "export", "--store", store, "--file", "-")
        answer("store", "export", "--store", store, "--file", out)
        answer("store", "import", "--store", copy, "--file", out)
        service = Service(SEGUE, copy)
        client = service.client()
        client.post("/v1/learners", dict(TUTOR, name="new"))
        client.ask("new", "s")
        self.assertEqual(client.tell(gone, 1.0)[0], 404)
        self.assertEqual(service.stop(), 0)

    def test_a_file_that_is_no_store_stays_as_it_is(self):
        other, empty = str(self.folder / "other.db"), self.file("", "empty.db")
        with contextlib.closing(sqlite3.connect(other)) as db, db:
            db.execute("CREATE TABLE x (y)")
        before = pathlib.Path(other).read_bytes()
        for word in "check", "upgrade":
            self.refused(2, "not a store", "store", word, "--store", other)
            self.refused(2, "not a store", "store", word, "--store", empty)
        self.refused(2, "not a store", "serve", "--store", other, "--listen", "127.0.0.1:0")
        self.assertEqual((pathlib.Path(other).read_bytes(), os.path.getsize(empty)), (before, 0))


class Full(Served):
    """The disk takes no more: RLIMIT_FSIZE stands for it."""

    def limit(self, size):
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def test_tells_wait_and_asks_go_on(self):
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
        self.assertIn("nothing can be stored, and asks go on", said[0])
        self.assertIn("can be written again", said[1])
        self.service.errors.clear()
        for decision in decisions[1:]:
            self.assertEqual(self.client.tell(decision, 1.0)[1]["status"], "counted")
        self.assertEqual(self.client.tell(decisions[0], 1.0)[1]["status"], "duplicate")
        self.assertEqual(self.client.get("/v1/learners/tutor/tasks/s")[1]["rewards"], 15)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)


class Malformed(Served):
    PATHS = ["/v1/learners", "/v1/learners/tutor", "/v1/learners/tutor/ask", "/v1/learners/tutor/tasks",
             "/v1/learners/tutor/tasks/s/close", "/v1/learners/tutor/arms", "/v1/learners/tutor/history", "/v1/tell",
             "/healthz", "/metrics", "/openapi.json"]
    BODIES = ['{"task":"s"}', '{"task":"s","count":3,"probability":true,"explain":true}',
              '{"decision":"AQAAAAEAAAAAAAAAAAAAAAEAAAACAAAAAAB83-vioQGV_zx-KsgKIMWyEAv97GsZ","reward":1}',
              '{"name":"new","arms":["A","B"],"steps":10,"reward_deadline":1,"default_reward":0}', '{"arm":"D"}',
              '{"task":"s","exclude":["A"],"event":"e","tell":{"decision":"x","reward":0}}']

    def spoil(self, chance, raw):
        """Flip, cut, repeat and insert bytes."""
        data = bytearray(raw)
        for _ in range(chance.choice([1, 1, 2, 5, 20])):
            at = chance.randrange(len(data)) if data else 0
            what = chance.random()
            if what < 0.4 and data:
                data[at] = chance.randrange(256)
            elif what < 0.6:
                del data[at:at + chance.randrange(1, 20)]
            elif what < 0.8:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 8)))
            else:
                data[at:at] = data[at:at + chance.randrange(1, 60)]
        return bytes(data)

    def request(self, chance):
        method = chance.choice(["GET", "POST", "POST", "POST", "DELETE", "PUT", "HEAD", "OPTIONS"])
        path, body = chance.choice(self.PATHS), chance.choice(self.BODIES).encode()
        if chance.random() < 0.4:
            path = self.spoil(chance, path.encode()).decode("latin-1")
        if chance.random() < 0.6:
            body = self.spoil(chance, body)
        if method == "DELETE" and "/tutor" in path:
            method = "POST"  # the learner must stay
        length = len(body) if chance.random() < 0.95 else chance.choice([0, 1, len(body) + 5, 10**7, -1])
        raw = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               f"Content-Length: {length}\r\nConnection: close\r\n\r\n").encode("latin-1") + body
        return self.spoil(chance, raw) if chance.random() < 0.2 else raw

    def send(self, seed):
        """The first digit of the status; 0: it was hung up on."""
        chance = random.Random(seed)
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=20) as link:
            try:
                link.sendall(self.request(chance))
                link.shutdown(socket.SHUT_WR)
                said = link.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                return 0
        if not said:
            return 0
        status = int(said.split(b" ", 2)[1])
        if 400 <= status < 500 and b"\r\n\r\n{" in said:
            # what is left over may have been another request, with an answer of its own
            json.JSONDecoder().raw_decode(said.split(b"\r\n\r\n", 1)[1].decode())
        if status >= 500 and status != 505:  # 505: a version of HTTP that there is not
            raise AssertionError((seed, said))
        return min(status // 100, 4)

    def test_malformed_requests_are_refused(self):
        seen = {}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for digit in pool.map(self.send, range(REQUESTS)):
                seen[digit] = seen.get(digit, 0) + 1
        self.assertNotIn(5, seen, seen)
        self.assertGreater(seen.get(4, 0), REQUESTS // 3, seen)
        self.assertIsNone(self.service.process.poll())
        self.assertEqual(self.client.ask("tutor", "after")[0], 200)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)


class Demo(Served):
    options, create = ("--demo",), False

    def test_it_is_alive_in_ten_seconds(self):
        until = time.monotonic() + 60  # so much for a machine that is busy
        learner = {"tasks": {"closed": 0}}
        while learner["tasks"]["closed"] < 20 and time.monotonic() < until:
            time.sleep(0.1)
            _, learner = self.client.get("/v1/learners/demo")
        self.assertGreaterEqual(learner["tasks"]["closed"], 20)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
