#!/usr/bin/python3
"""The service under a service manager: messages to NOTIFY_SOCKET, as systemd would get them.

usage: test_serve_notify.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import os
import signal
import socket
import sys
import time
import unittest

from program import SEGUE, Folder, run
from service import Service


@contextlib.contextmanager
def environment(**variables):
    """Variables of the processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


class Notify(Folder):
    def setUp(self):
        super().setUp()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.settimeout(60)
        self.addCleanup(self.manager.close)

    def listen(self, name):
        """`name` as in NOTIFY_SOCKET."""
        self.manager.bind("\0" + name[1:] if name.startswith("@") else name)
        return name

    def start(self, **variables):
        with environment(**variables):
            service = Service(SEGUE, self.folder / "test.db")
        self.addCleanup(lambda: service.process.returncode is None and service.kill())
        return service

    def message(self):
        return self.manager.recv(4096).decode().split("\n")

    def test_ready_after_recovery_and_stopping_at_the_end(self):
        for name in (str(self.folder / "notify"), f"@segue-test-{os.getpid()}"):
            with self.subTest(name=name):
                self.listen(name)
                service = self.start(NOTIFY_SOCKET=name)
                self.assertIn("READY=1", self.message())
                self.assertEqual(service.client().get("/readyz")[0], 200)
                self.assertEqual(service.stop(), 0)
                self.assertIn("STOPPING=1", self.message())
                self.manager.close()
                self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self.manager.settimeout(60)
                self.addCleanup(self.manager.close)

    def test_a_start_that_fails_is_never_ready(self):
        name = self.listen(str(self.folder / "notify"))
        wrong = self.file("x" * 5000, "b.db")
        with environment(NOTIFY_SOCKET=name):
            self.refused(2, "not a database", "serve", "--store", wrong, "--listen", "127.0.0.1:0")
        self.manager.setblocking(False)
        self.assertRaises(BlockingIOError, self.manager.recv, 4096)

    def test_it_reports_again_and_again_while_it_is_alive(self):
        name = self.listen(str(self.folder / "notify"))
        service = self.start(NOTIFY_SOCKET=name, WATCHDOG_USEC="400000")
        self.assertIn("READY=1", self.message())
        for _ in range(5):
            self.assertEqual(self.message(), ["WATCHDOG=1"])
        service.process.send_signal(signal.SIGSTOP)  # and a stopped process does not
        os.waitid(os.P_PID, service.process.pid, os.WSTOPPED | os.WNOWAIT)  # all its threads stand still
        self.drain()
        time.sleep(1)
        self.manager.setblocking(False)
        self.assertRaises(BlockingIOError, self.manager.recv, 4096)
        service.process.send_signal(signal.SIGCONT)
        self.manager.settimeout(60)
        self.assertEqual(self.message(), ["WATCHDOG=1"])
        service.process.send_signal(signal.SIGTERM)
        message = ["WATCHDOG=1"]
        while message == ["WATCHDOG=1"]:
            message = self.message()
        self.assertIn("STOPPING=1", message)
        self.assertEqual(service.process.wait(timeout=60), 0)
        service.reader.join()
        service.process.stderr.close()

    def drain(self):
        self.manager.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.manager.recv(4096)
        self.manager.settimeout(60)

    def test_the_watchdog_of_another_process_gets_nothing(self):
        name = self.listen(str(self.folder / "notify"))
        service = self.start(NOTIFY_SOCKET=name, WATCHDOG_USEC="200000", WATCHDOG_PID="1")
        self.assertIn("READY=1", self.message())
        time.sleep(0.5)
        self.assertEqual(service.stop(), 0)
        self.assertIn("STOPPING=1", self.message())

    def test_it_serves_without_the_manager(self):
        service = self.start(NOTIFY_SOCKET=str(self.folder / "missing"), WATCHDOG_USEC="200000")
        service.reported("NOTIFY_SOCKET: the service manager cannot be reached: No such file or directory")
        self.assertEqual(service.client().get("/readyz")[0], 200)
        self.assertEqual(service.stop(), 0)

    def test_malformed_variables_are_refused(self):
        good = str(self.folder / "notify")
        for says, variables in (("NOTIFY_SOCKET is 'here'; need an absolute path", {"NOTIFY_SOCKET": "here"}),
                                ("WATCHDOG_USEC is '1s'; need", {"NOTIFY_SOCKET": good, "WATCHDOG_USEC": "1s"}),
                                ("WATCHDOG_PID is 'me'; need",
                                 {"NOTIFY_SOCKET": good, "WATCHDOG_USEC": "1", "WATCHDOG_PID": "me"})):
            with environment(**variables):
                self.refused(2, says, "serve", "--store", self.folder / "a.db", "--listen", "127.0.0.1:0")
        with environment(NOTIFY_SOCKET="here"):
            self.assertEqual(run("version").returncode, 0)  # only the service uses them


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
