"""A service on a disk that misbehaves, and what its clients were told; for tests.
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import errno
import http.client
import mmap
import os
import shutil
import sqlite3
import struct

import postgresql
from service import Service, check_store, parts_of
from stores import query

WRITE, SYNC, TRUNCATE = 1, 2, 4
NOTHING, HALF, WHOLE = 0, 1, 2
UNCHANGED = "nothing has changed"
TUTOR = {"name": "tutor", "arms": ["A", "B", "C"], "steps": 1000}


class Control:
    """What disk_shim.c fails; its fields are those of `control` there."""

    FORMAT = "=7I36s"

    def __init__(self, path):
        with open(path, "w+b") as file:
            file.truncate(mmap.PAGESIZE)
            self.map = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        self.path = path

    def arm(self, kind, skip, times=1, error=errno.EIO, part=NOTHING, suffix=""):
        self.map[:64] = struct.pack(self.FORMAT, 0, skip, times, error, part, 0, 0, suffix.encode())
        self.map[:4] = struct.pack("=I", kind)

    def disarm(self):
        self.map[:4] = struct.pack("=I", 0)

    def failures(self):
        return struct.unpack("=I", self.map[24:28])[0]


def preload(shim, store, control=None, trace=None):
    """For the child, before it becomes the service."""
    def change():
        os.environ["LD_PRELOAD"] = shim
        os.environ["SEGUE_DISK_PREFIX"] = store
        if control:
            os.environ["SEGUE_DISK_CONTROL"] = control.path
        if trace:
            os.environ["SEGUE_DISK_TRACE"] = trace
    return change


def copy_store(store, to):
    """With the WAL that a kill leaves; the WAL index is made of it again."""
    for suffix in ("", "-wal"):
        if os.path.lexists(store + suffix):
            shutil.copyfile(store + suffix, to + suffix)
    return to


def rewards_in(store):
    """{(task, number): value}, of a copy: to read a file is to recover it."""
    if postgresql.is_chosen():
        return {(task, number): value for task, number, value in query(store, "SELECT task, number, value FROM reward")}
    copy = copy_store(store, store + ".copy")
    try:
        with contextlib.closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA synchronous = OFF")  # it is thrown away
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            return {(task, number): value for task, number, value in
                    db.execute("SELECT task, number, value FROM reward")}
    finally:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(copy + suffix)


class Ledger:
    """What was answered to each tell."""

    def __init__(self):
        self.acknowledged, self.unchanged, self.unknown = {}, {}, {}

    def tell(self, client, decision, reward):
        """The status; 0: there was no answer."""
        for known in (self.unchanged, self.unknown):
            known.pop(decision, None)
        try:
            status, body = client.tell(decision, reward)
        except (OSError, http.client.HTTPException, ValueError):
            status, body = 0, {}
        if status == 200:
            self.acknowledged[decision] = reward
        elif UNCHANGED in body.get("error", {}).get("message", ""):
            self.unchanged[decision] = reward
        else:
            self.unknown[decision] = reward
        return status

    def compare(self, store):
        """Nothing that was acknowledged is lost, and no answer was false."""
        there = rewards_in(store)
        for decision, reward in self.acknowledged.items():
            assert there.get(parts_of(decision)[1:3]) == reward, ("lost", decision, reward)
        for decision in self.unchanged:
            assert parts_of(decision)[1:3] not in there, ("it had changed", decision)
        return there

    def tell_again(self, client):
        """After a start all is told as it should be."""
        expected = {"duplicate": self.acknowledged, "counted": self.unchanged, None: self.unknown}
        for status, decisions in expected.items():
            for decision, reward in decisions.items():
                code, body = client.tell(decision, reward)
                assert code == 200 and status in (body["status"], None), (code, body, status)


def recover(program, store, ledger):
    """Start it again on a sound disk: all is there, and it goes on."""
    service = Service(program, store)
    ledger.tell_again(service.client())
    assert service.stop() == 0
    check_store(program, store)
