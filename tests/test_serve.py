#!/usr/bin/python3
"""The service on its socket: tokens, limits, origins, paths, usage errors, the demo.

usage: test_serve.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import contextlib
import json
import os
import pty
import resource
import socket
import sys
import time
import unittest

import postgresql

from program import SEGUE, SOURCE, Folder, answer, run
from served import FEW, TOKEN, Served
from service import Service, check_store
from stores import store_name


class Guarded(Served):
    reports = (FEW, "without a valid token rejected")

    def options_of(self):
        text = f"# two of them{' and more' * 100}\nanother-token-of-the-test\r\n{TOKEN}"
        return "--token-file", self.file(text, "tokens")

    def test_requests_need_a_token_and_no_token_is_logged(self):
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

    def test_file_limits_bound_the_connections(self):
        with contextlib.ExitStack() as all_of_them:
            for _ in range(100):
                connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=60)
                all_of_them.enter_context(contextlib.closing(connection))
            self.assertEqual(self.client.ask("tutor", "s")[0], 200)
        self.service.stop()
        self.assertIn("at most 96 connections", "".join(self.service.errors))


class Local(Served):
    def test_a_store_is_served_once(self):
        names = [store_name(self.store)]
        if not postgresql.is_chosen():
            (self.folder / "soft.db").symlink_to(self.store)
            os.link(self.store, self.folder / "hard.db")
            names += [self.folder / "soft.db", self.folder / "hard.db"]
        for name in names:
            self.refused(2, "another process", "serve", "--store", name, "--listen", "127.0.0.1:0")
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

    def test_no_path_reaches_the_file_system(self):
        for path in ("/../../etc/passwd", "/v1/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/openapi.json/../../etc/passwd", "/..%2f..%2fetc/passwd"):
            status, raw = self.client.raw("GET", path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", raw)

    def test_errors_name_the_limits(self):
        self.refused_call(413, "65536", "POST", "/v1/learners/tutor/ask", "x" * 70000)
        self.client.close()
        self.refused_call(400, "at most 256", "POST", "/v1/learners/tutor/ask", json.dumps({"task": "x" * 257}))
        self.refused_call(400, "1 to 256", "GET", "/v1/learners/" + "x" * 257)
        self.refused_call(415, "application/json", "POST", "/v1/tell", "{}", Content_Type="text/plain")
        self.refused_call(405, "POST", "GET", "/v1/tell")
        self.assertEqual(self.client.answer_headers["Allow"], "POST")
        self.assertEqual(self.client.ask("tutor", "x" * 256)[0], 200)

    def test_the_response_has_the_request_id(self):
        self.client.raw("GET", "/healthz", X_Request_Id="mine-1")
        self.assertEqual(self.client.answer_headers["X-Request-Id"], "mine-1")
        self.client.raw("GET", "/healthz", X_Request_Id="no good \"")
        self.assertRegex(self.client.answer_headers["X-Request-Id"], r"^[0-9a-f]+-[0-9a-f]+$")

    def test_every_described_route_exists(self):
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

    def test_metrics_have_the_format_of_prometheus(self):
        self.client.ask("tutor", "s")
        _, raw = self.client.raw("GET", "/metrics")
        for line in raw.decode().splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) (segue|process)_\w+ .+|(segue|process)_\w+(\{[^}]*\})? [0-9.e+-]+)$')
        self.assertIn('segue_requests_total{route="ask",status="2xx"} 1', raw.decode())


class Wrong(Folder):
    def test_wrong_usage_is_rejected_with_a_reason(self):
        self.refused(2, "--token-file", "serve", "--listen", "0.0.0.0:0", "--store", self.folder / "a.db")
        self.refused(2, "not an address", "serve", "--listen", "here", "--store", self.folder / "a.db")
        self.refused(2, "not an address", "serve", "--listen", "example.org:80", "--store", self.folder / "a.db")
        with socket.create_server(("127.0.0.1", 0)) as other:
            self.refused(1, "another process does", "serve", "--listen", f"127.0.0.1:{other.getsockname()[1]}",
                         "--store", self.folder / "a.db")
        self.assertEqual(list(self.folder.glob("a.db*")), [])  # and nothing is left behind
        self.refused(2, "16 to 256", "serve", "--token-file", self.file("short\n"), "--store", self.folder / "a.db")
        self.refused(2, "no token", "serve", "--token-file", self.file("# none\n"), "--store", self.folder / "a.db")
        self.refused(2, "no token", "serve", "--token-file", self.file("# " + 600 * "x"), "--store", self.folder / "a.db")
        self.refused(2, "line 3: a token", "serve", "--token-file", self.file(f"#\n{TOKEN}\n" + 257 * "x"), "--store",
                     self.folder / "a.db")
        self.refused(2, "not a database", "serve", "--store", self.file("x" * 5000, "b.db"))
        self.refused(2, "no kind of store 'postgres'", "serve", "--store", "postgres:x")
        self.refused(2, "opened: there is no such file", "store", "check", "--store", self.folder / "none.db")
        self.refused(2, "opened: its folder is missing", "serve", "--store", self.folder / "none" / "a.db")
        self.refused(2, "opened: is a folder", "serve", "--store", self.folder)
        self.refused(2, "opened: is a folder", "store", "check", "--store", self.folder)
        self.refused(2, "need check, upgrade, export or import", "store")
        self.refused(1, "connection failed: Connection refused; start the service with 'segue serve'", "learners", "--url", "http://127.0.0.1:1")
        self.refused(1, "connection failed: Connection refused; start the service with 'segue serve'", "learners", "--url", "127.0.0.1:1")
        self.refused(2, "not the address", "learners", "--url", "ftp://x")
        self.refused(2, "--task", "ask", "x")
        self.refused(2, "--reward", "tell", "x")
        self.refused(2, "--task", "close", "x")

    def test_a_truncated_response_is_an_error(self):
        """As of a service that was killed while it answered; on a terminal, too."""
        for says, length, body in (("", 10, b'{"a":"b"}\n'), ("the response is incomplete: transfer closed with 2 bytes remaining", 10, b'{"a":"b\\'),
                                   ("the response has no length", None, b"{}"), ("", 8, b'{"a":"b\\'), ("", 2, b"},")):
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

    def test_every_loopback_address_is_served(self):
        for host in ("127.0.0.5", "localhost", "[::1]"):
            try:
                service = Service(SEGUE, str(self.folder / "a.db"), listen=f"{host}:0")
            except AssertionError as why:
                self.assertIn("Cannot assign", str(why))  # there is no IPv6 here
                continue
            self.assertEqual(json.loads(answer("learners", "-u", f"{host}:{service.port}")), {"learners": []})
            self.assertEqual(service.stop(), 0)


class Demo(Served):
    options, create = ("--demo",), False

    def test_the_demo_closes_tasks_within_seconds(self):
        until = time.monotonic() + 60  # so much for a machine that is busy
        learner = {"tasks": {"closed": 0}}
        while learner["tasks"]["closed"] < 20 and time.monotonic() < until:
            time.sleep(0.1)
            _, learner = self.client.get("/v1/learners/demo")
        self.assertGreaterEqual(learner["tasks"]["closed"], 20)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
