"""Fixtures of the client's tests: a real service, a client of it, a proxy that fails on demand.
SPDX-License-Identifier: Apache-2.0"""
import importlib.util
import os
import pathlib
import signal
import socket
import sys
import threading

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
SOURCE = pathlib.Path(os.environ.get("SEGUE_SOURCE", PACKAGE.parent.parent))
PROGRAM = os.environ.get("SEGUE", str(SOURCE / "build/release/segue"))
if importlib.util.find_spec("segue") is None:
    sys.path.insert(0, str(PACKAGE))
sys.path.append(str(SOURCE / "tests"))

import segue  # noqa: E402
from service import Service, check_store  # noqa: E402

TOKEN = "this-is-the-token-of-a-test"
__all__ = ["PROGRAM", "SOURCE", "TOKEN", "Proxy", "Restarting", "check_store", "client", "proxy", "segue", "service"]


class Restarting(Service):
    """A service that keeps its port over restarts."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def restart(self):
        self.kill()
        self.listen = f"127.0.0.1:{self.port}"
        self.start()


@pytest.fixture
def service(tmp_path):
    """A service; its store must be sound at the end."""
    running = Restarting(PROGRAM, tmp_path / "test.db", "--access-log", str(tmp_path / "access"))
    yield running
    if running.process.poll() is None:
        running.process.send_signal(signal.SIGCONT)
        assert running.stop() == 0
    check_store(PROGRAM, running.store)


@pytest.fixture
def client(service):
    with segue.Client(service.url) as made:
        yield made


@pytest.fixture
def proxy(service):
    made = Proxy(service.port)
    yield made
    made.close()


class Proxy:
    """Forward connections to a port. The next responses, after the service has sent them, are cut off or replaced.

    fate: a list with one entry per response: None (forward), "cut" (close without a byte), "part" (three quarters of it, then close),
    a number (that many bytes of it, then close), bytes (sent instead of it, without forwarding the request). A response without
    an entry is forwarded."""

    def __init__(self, port):
        self.target, self.fate, self.requests, self.connections = port, [], [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        with near:
            while request := read_message(near):
                self.requests.append(request)
                fate = self.fate.pop(0) if self.fate else None
                if isinstance(fate, bytes):
                    near.sendall(fate)
                    continue
                response = self._forward(request)
                if fate is None:
                    near.sendall(response)
                    continue
                if fate != "cut":
                    near.sendall(response[:len(response) * 3 // 4 if fate == "part" else fate])
                return

    def _forward(self, request):
        with socket.create_connection(("127.0.0.1", self.target)) as far:
            far.sendall(request)
            return read_message(far)

    def close(self):
        self.listener.close()


def read_message(connection):
    """A request or response with its body; b"" at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
