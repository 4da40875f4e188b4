#!/usr/bin/python3
"""What 16 connections saw while a fault was injected can have happened one after the other (history_model.py), no reward
that was acknowledged is lost, and the store is sound.

usage: test_serve_history_faults.py SEGUE DISK_SHIM CLOCK_SHIM [SECONDS of each fault [FAULT...]]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import errno
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import sys
import time

from disk import HALF, NOTHING, SYNC, WRITE, Control, preload
from history import LEARNER, Caller, Shared, wait_for_defaults
from history_model import acknowledged, check, check_learner, is_unknown
from service import Service, check_store, folder
from test_serve_wal import HARMLESS
from stores import skip_unless_files

skip_unless_files("the disk and its faults are its server's; serve_cluster_faults has those of a database")

CALLERS = 16
CONNECTIONS = 32  # at most, in the fault that uses them up
DAY = 86400


class Scene:
    """A service under load, and what a fault needs; `injected` counts."""

    def __init__(self, program, shims, where, *options):
        self.where, self.control = where, Control(os.path.join(where, "control"))
        self.offset = pathlib.Path(where) / "offset"
        self.offset.write_text("0\n")
        self.store = os.path.join(where, "history.db")
        shim = preload(shims[0], self.store, self.control)
        self.injected, self.random = 0, random.Random(7)

        def before():
            shim()
            os.environ.update(LD_PRELOAD=f"{shims[0]} {shims[1]}", CLOCK_SHIM=str(self.offset))
        self.service = Service(program, self.store, *options, before=before)

    def rest(self, shortest=0.05, longest=0.3):
        time.sleep(self.random.uniform(shortest, longest))

    def start_again(self):
        """After it has ended by itself, or was killed."""
        if self.service.process.poll() is None:
            return
        self.service.reader.join()
        self.service.clients.clear()
        self.service.start()


def kill(scene):
    scene.rest()
    scene.service.kill()
    scene.service.start()


def stop(scene):
    scene.rest(0.2, 0.5)
    scene.service.process.send_signal(signal.SIGTERM)
    assert scene.service.process.wait(timeout=60) == 0
    scene.start_again()


def pause(scene):
    scene.rest()
    scene.service.process.send_signal(signal.SIGSTOP)
    scene.rest()
    scene.service.process.send_signal(signal.SIGCONT)


def fail_disk(kind, error, part, times):
    def inject(scene):
        scene.rest()
        scene.control.arm(kind, scene.random.randrange(20), times, error, part, "-wal")
        scene.rest(0.2, 0.4)
        happened = scene.control.failures() > 0
        scene.control.disarm()
        scene.rest(0.15, 0.25)  # it may end
        scene.start_again()
        return happened
    return inject


def jump(scene):
    scene.rest()
    new = scene.offset.with_suffix(".new")
    new.write_text(f"{scene.random.choice([-DAY, -60, 60, DAY])}\n")
    new.replace(scene.offset)


def drop(scene):
    """Clients that go away in the middle of a request, or before its response."""
    request = b"POST /v1/learners/l/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" \
              b"Content-Length: 16\r\n\r\n{\"task\":\"gone\"}"
    for _ in range(8):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", scene.service.port)) as client:
            client.sendall(request[:scene.random.randrange(1, len(request) + 1)])
    scene.rest()


def dawdle(scene):
    """A client that sends one byte at a time, and reads nothing."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", scene.service.port)) as client:
        for byte in b"GET /v1/learners/l HTTP/1.1\r\nHost: x\r\n":
            client.sendall(bytes([byte]))
            time.sleep(0.01)


def read_long(scene):
    """A reader of the store, which prevents checkpoints."""
    with contextlib.closing(sqlite3.connect(f"file:{scene.store}?mode=ro", uri=True)) as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM reward").fetchone()
        scene.rest(0.3, 0.6)


def fill_memory(scene):
    """A learner takes all memory that --max-memory allows; then it is deleted."""
    client = scene.service.client()
    large = {"name": "large", "arms": [f"arm{i}" for i in range(200)], "steps": 1000, "control": 0}
    status = client.post("/v1/learners", large)[0]
    for i in range(2000 if status == 201 else 0):
        status, body = client.ask("large", f"t{i}")
        if status != 200:
            assert "--max-memory" in body["error"]["message"], body
            break
    assert status == 503, status
    scene.rest()
    assert client.call("DELETE", "/v1/learners/large")[0] in (200, 204)
    client.close()


def use_all_connections(scene):
    """More clients than there may be, each with a part of a request."""
    with contextlib.ExitStack() as opened:
        for _ in range(2 * CONNECTIONS):
            with contextlib.suppress(OSError):
                client = opened.enter_context(socket.create_connection(("127.0.0.1", scene.service.port)))
                client.sendall(b"GET /v1/learners/l HTTP/1.1\r\nHost: x\r\nX: ")
        scene.rest()
    return any("connections are in use" in line for line in list(scene.service.errors))


def lose_wal(change):
    """Another program takes the WAL away: the service saves what it acknowledged, and ends."""
    def inject(scene):
        scene.rest(0.2, 0.5)
        shutil.copyfile(scene.store + "-wal", scene.store + "-wal.older")
        scene.rest()
        change(scene.store + "-wal")
        assert scene.service.process.wait(timeout=60) == 1
        scene.start_again()
    return inject


FAULTS = {
    "kill -9": kill,
    "stop and start": stop,
    "SIGSTOP": pause,
    "disk full": fail_disk(WRITE, errno.ENOSPC, NOTHING, 10),
    "half a write, then full": fail_disk(WRITE, errno.ENOSPC, HALF, 1),
    "write error": fail_disk(WRITE, errno.EIO, NOTHING, 1),
    "half a write, then error": fail_disk(WRITE, errno.EIO, HALF, 1),
    "sync error": fail_disk(SYNC, errno.EIO, NOTHING, 1),
    "clock jumps": jump,
    "clients go away": drop,
    "slow client": dawdle,
    "long reader": read_long,
    "memory limit": fill_memory,
    "all connections in use": use_all_connections,
    **{f"WAL {what}": lose_wal(change) for what, change in HARMLESS.items()},
}
OPTIONS = {"memory limit": ("--max-memory", "32M"), "all connections in use": ("--max-connections", str(CONNECTIONS))}


def inject_all(scene, inject, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until or not scene.injected:
        scene.injected += inject(scene) is not False
        assert time.monotonic() < until + 60, "the fault could not be injected"
    time.sleep(0.3)


def play(scene, inject, seconds):
    shared = Shared(scene.service)
    callers = [Caller(shared, i, faults=True) for i in range(CALLERS)]
    for caller in callers:
        caller.start()
    try:
        inject_all(scene, inject, seconds)
    finally:
        shared.over = True
    for caller in callers:
        caller.join()
        if caller.failed:
            raise AssertionError("".join(scene.service.errors[-20:])) from caller.failed
    return [call for caller in callers for call in caller.calls]


def run(program, shims, name, seconds):
    with folder() as where:
        scene = Scene(program, shims, where, *OPTIONS.get(name, ()))
        assert scene.service.client().post("/v1/learners", LEARNER)[0] == 201
        calls = play(scene, FAULTS[name], seconds)
        scene.control.disarm()
        scene.start_again()
        learner = wait_for_defaults(scene.service)
        assert scene.service.stop() == 0, scene.service.errors[-5:]
        stored = check(calls, scene.store)
        check_learner(calls, scene.store, learner)
        check_store(program, scene.store)
    counted = len(acknowledged(calls))
    assert counted > 0
    print(f"{name}: {scene.injected} times, {len(calls)} calls, {sum(map(is_unknown, calls))} without an outcome, "
          f"{counted} rewards acknowledged, {stored} stored, 0 lost", flush=True)


if __name__ == "__main__":
    length = float(sys.argv[4]) if len(sys.argv) > 4 else 3
    for fault in sys.argv[5:] or FAULTS:
        run(sys.argv[1], sys.argv[2:4], fault, length)
