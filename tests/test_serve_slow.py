#!/usr/bin/python3
"""Slow callers lose their connections, and callers with a token are served meanwhile.

usage: test_serve_slow.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import re
import select
import socket
import sys
import threading
import time
import unittest

from program import SEGUE, Folder
from service import Service

TOKEN = "this-is-the-token-of-a-test"
HOST = b"Host: 127.0.0.1\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
PATIENCE = 30  # seconds; what is waited for takes a few


class Slow(Folder):
    options = ()

    def setUp(self):
        super().setUp()
        tokens = self.file(TOKEN + "\n", "tokens")
        self.service = Service(SEGUE, str(self.folder / "test.db"), "--token-file", tokens, *self.options)
        self.opened = contextlib.ExitStack()
        self.addCleanup(self.end)
        self.addCleanup(self.opened.close)

    def end(self):
        if self.service.process.poll() is None:
            self.assertEqual(self.service.stop(), 0)

    def connect(self, *sent, source="127.0.0.1"):
        connection = socket.create_connection(("127.0.0.1", self.service.port), PATIENCE, (source, 0))
        self.opened.enter_context(contextlib.closing(connection))
        for part in sent:
            connection.sendall(part)
        return connection

    def is_open(self, connection):
        """Whether the service has not closed it; what it sent is skipped."""
        try:
            while select.select([connection], [], [], 0)[0]:
                if not connection.recv(65536):
                    return False
        except ConnectionError:
            return False
        return True

    def wait_closed(self, connections):
        deadline = time.monotonic() + PATIENCE
        while any(map(self.is_open, connections)):
            self.assertLess(time.monotonic(), deadline, "a slow connection is still open")
            time.sleep(0.05)

    def trickle(self, connections, stop):
        """A byte of an endless header to each connection, again and again."""
        while not stop.wait(0.1):
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.send(b"x")

    @contextlib.contextmanager
    def trickling(self, connections):
        stop = threading.Event()
        thread = threading.Thread(target=self.trickle, args=(connections, stop))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def metrics(self):
        text = self.service.client(TOKEN).raw("GET", "/metrics")[1].decode()
        dropped = dict(re.findall(r'^segue_connections_dropped_total\{reason="(\w+)"\} (\d+)$', text, re.M))
        opened = int(re.search(r"^segue_connections (\d+)$", text, re.M).group(1))
        return opened, {reason: int(count) for reason, count in dropped.items()}


class Deadline(Slow):
    options = ("--request-timeout", "2")

    def test_a_request_that_never_ends_is_cut_off(self):
        slow = {
            "nothing": self.connect(),
            "a part of the first line": self.connect(b"GET /healthz"),
            "headers without end": self.connect(GET + b"X: "),
            "a body that does not come": self.connect(b"POST /v1/tell HTTP/1.1\r\n" + HOST +
                                                      b"Content-Length: 1000\r\n\r\n"),
            "chunks without end": self.connect(b"POST /v1/tell HTTP/1.1\r\n" + HOST +
                                               b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"),
            "a second request": self.connect(GET + b"\r\n", GET + b"X: "),
        }
        begun = time.monotonic()
        trickled = [one for name, one in slow.items() if name not in ("nothing", "chunks without end")]
        with self.trickling(trickled):
            self.wait_closed(slow.values())
        self.assertGreater(time.monotonic() - begun, 1.0)  # not at once
        opened, dropped = self.metrics()
        self.assertEqual(dropped, {"timeout": len(slow), "full": 0, "address": 0})
        self.assertLessEqual(opened, 2)

    def test_an_honest_caller_may_take_its_time(self):
        """Within the deadline, by parts; and between requests, longer than it."""
        client = self.service.client(TOKEN)
        self.assertEqual(client.get("/v1/learners")[0], 200)
        honest = self.connect()
        for part in (b"GET /hea", b"lthz HTTP/1.1\r\n", HOST, b"\r\n"):
            honest.sendall(part)
            time.sleep(0.1)
        self.assertIn(b"200 OK", honest.recv(4096))
        time.sleep(4)  # idle for twice the deadline of a request
        self.assertTrue(self.is_open(honest))
        honest.sendall(GET + b"\r\n")
        self.assertIn(b"200 OK", honest.recv(4096))
        self.assertEqual(client.get("/v1/learners")[0], 200)
        self.assertEqual(self.metrics()[1]["timeout"], 0)


class Full(Slow):
    """Connections are few, and no deadline helps within the test."""
    options = ("--max-connections", "32", "--request-timeout", "600", "--threads", "2")

    def flood(self, count=64):
        return [self.connect(GET + b"X: ") for _ in range(count)]

    def test_a_client_with_a_token_is_served_though_slow_ones_use_all(self):
        regular = self.service.client(TOKEN)
        self.assertEqual(regular.post("/v1/learners", {"name": "a", "arms": ["A", "B"]})[0], 201)
        slow = self.flood()
        with self.trickling(slow):
            for i in range(10):
                begun = time.monotonic()
                client = self.service.client(TOKEN)
                self.assertEqual(client.ask("a", f"task-{i}")[0], 200)
                self.assertEqual(regular.ask("a", f"task-{i}")[0], 200)  # it was not cut off
                self.assertLess(time.monotonic() - begun, PATIENCE)
                client.close()
                slow += self.flood(8)
        opened, dropped = self.metrics()
        self.assertGreater(dropped["full"], 32)
        self.assertLessEqual(opened, 32)
        reported = [line for line in self.service.errors if "connections are in use" in line]
        self.assertEqual(len(reported), 1, self.service.errors)

    def test_the_oldest_goes_first(self):
        slow = []
        for _ in range(24):
            slow.append(self.connect(GET + b"X: "))
            time.sleep(0.01)
        time.sleep(0.5)
        self.assertTrue(all(map(self.is_open, slow)))  # there is room for all
        more = [self.connect(GET + b"X: ") for _ in range(10)]
        deadline = time.monotonic() + PATIENCE
        while self.is_open(slow[4]):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertFalse(any(map(self.is_open, slow[:4])))
        self.assertTrue(all(map(self.is_open, more)))

    def test_idle_clients_with_a_token_are_closed_for_others(self):
        clients = [self.service.client(TOKEN) for _ in range(40)]
        for client in clients:
            self.assertEqual(client.get("/v1/learners")[0], 200)
        self.assertGreater(self.metrics()[1]["full"], 0)


class OneAddress(Slow):
    options = ("--max-per-address", "10", "--max-connections", "64")

    def test_an_address_has_so_many_connections(self):
        first = [self.connect(GET + b"\r\n", source="127.0.0.2") for _ in range(10)]
        for connection in first:
            self.assertIn(b"200 OK", connection.recv(4096))
        over = [self.connect(source="127.0.0.2") for _ in range(5)]
        self.wait_closed(over)
        self.assertTrue(all(map(self.is_open, first)))
        self.assertEqual(self.metrics()[1]["address"], 5)  # another address is served
        first.pop().close()
        deadline = time.monotonic() + PATIENCE
        while True:  # its room is free again
            with contextlib.suppress(ConnectionError):
                if b"200 OK" in self.connect(GET + b"\r\n", source="127.0.0.2").recv(4096):
                    return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)


class Local(Slow):
    options = ("--max-connections", "64")

    def test_this_machine_has_any_number_unless_it_is_said(self):
        """All callers behind a proxy have its address."""
        many = [self.connect(GET + b"\r\n") for _ in range(40)]
        for connection in many:
            self.assertIn(b"200 OK", connection.recv(4096))
        self.assertEqual(self.metrics()[1]["address"], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
