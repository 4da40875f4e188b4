"""A running service, and a client of it, for tests.
SPDX-License-Identifier: Apache-2.0"""
import base64
import http.client
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import postgresql
from stores import store_name

SHORT = bool(os.environ.get("SEGUE_TEST_SHORT"))


class Service:
    """`segue serve` on a port of its own."""

    def __init__(self, program, store, *options, listen="127.0.0.1:0", before=None):
        self.program, self.store, self.options = program, store, options
        self.listen, self.before = listen, before
        self.process = None
        self.errors, self.clients = [], []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--store", store_name(self.store), "--listen", self.listen, *self.options],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, preexec_fn=self.before)
        found = None
        while not found:  # reports may come before it
            line = self.process.stderr.readline()
            found = re.search(r"listening on \S+:(\d+), store", line)
            if not line:
                code = self.process.wait()
                self.process.stderr.close()
                raise AssertionError(f"the service did not start, exit code {code}: {''.join(self.errors)}")
            if not found:
                self._add(line)
        self.port = int(found.group(1))
        self.reader = threading.Thread(target=self._drain, args=(self.process,), daemon=True)
        self.reader.start()

    def _drain(self, process):
        for line in process.stderr:
            self._add(line)

    def _add(self, line):
        """What it says of a database at each start is no error."""
        if not postgresql.is_chosen() or "acknowledged rewards are on" not in line:
            self.errors.append(line)

    def reported(self, says, timeout=30):
        """Wait for a line on standard error, which a thread of the service's writes."""
        until = time.monotonic() + timeout
        while not any(says in line for line in list(self.errors)):
            assert time.monotonic() < until, (says, self.errors)
            time.sleep(0.01)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.clients.clear()

    def stop(self):
        """Returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.reader.join()
        self.process.stderr.close()
        self.close_clients()
        return code

    def client(self, token=None):
        client = Client(self.port, token)
        self.clients.append(client)
        return client

    def close_clients(self):
        while self.clients:
            self.clients.pop().close()


def read_description():
    """(pattern of a path, {method: statuses}) of each path of the description."""
    text = (pathlib.Path(__file__).resolve().parent.parent / "src/service/api/openapi.json").read_text(encoding="utf-8")
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/?]+", re.escape(path))), {method.upper(): set(operation["responses"])
             for method, operation in item.items() if "responses" in operation}) for path, item in json.loads(text)["paths"].items()]


DESCRIPTION = read_description()


def check_described(method, path, status):
    """The description has each status that a client gets."""
    for pattern, methods in DESCRIPTION:
        if pattern.fullmatch(path.split("?")[0]) and method in methods:
            assert str(status) in methods[method], f"openapi.json lacks the status {status} of {method} {pattern.pattern}"


class Client:
    """One connection.  Calls give (status, body as JSON)."""

    def __init__(self, port, token=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def call(self, method, path, body=None, **headers):
        status, raw = self.raw(method, path, None if body is None else json.dumps(body), **headers)
        return status, json.loads(raw)

    def raw(self, method, path, body=None, **headers):
        sent = dict(self.headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        self.connection.request(method, path, body, sent)
        answer = self.connection.getresponse()
        self.answer_headers = answer.headers
        check_described(method, path, answer.status)
        return answer.status, answer.read()

    def post(self, path, body=None, **headers):
        return self.call("POST", path, {} if body is None else body, **headers)

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def ask(self, learner, task, **more):
        return self.post(f"/v1/learners/{learner}/ask", {"task": task, **more})

    def tell(self, decision, reward):
        return self.post("/v1/tell", {"decision": decision, "reward": reward})

    def close(self):
        self.connection.close()


def parts_of(decision):
    """(learner, task, number, arm, asked, tag): what an id says in the open."""
    raw = base64.urlsafe_b64decode(decision + "=" * (-len(decision) % 4))
    learner, task, number, arm = struct.unpack("<IQQH", raw[:22])
    return learner, task, number, arm, int.from_bytes(raw[22:28], "little") / 1000, int.from_bytes(raw[28:36], "little")


def last_version(fetch):
    """What fetch() says of a learner once no refit publishes any more: its version is the same for half a second."""
    newest, since = fetch(), time.monotonic()
    until = since + 30
    while time.monotonic() - since < 0.5:
        assert time.monotonic() < until, newest
        time.sleep(0.05)
        now = fetch()
        if now["version"] != newest["version"]:
            newest, since = now, time.monotonic()
    return newest


def check_store(program, store):
    done = subprocess.run([program, "store", "check", "--store", store_name(store)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def folder():
    return tempfile.TemporaryDirectory(prefix="segue-serve-")
