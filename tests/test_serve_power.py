#!/usr/bin/python3
"""The power fails at any moment: what was acknowledged before is in the store.

A service works under load, is killed and stopped, and every write, sync, truncation and removal of
its files is recorded, with the acknowledgements in between (disk_shim.c).  The files are then made
again as they may be after a loss of power at some point of the record: what was synced is there; of
what was not, nothing, all, any part, sectors of it, or any part in another order.

usage: test_serve_power.py SEGUE SHIM [POINTS]; POINTS = 300 takes some minutes
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import os
import random
import shutil
import sqlite3
import sys
import threading
import time

from disk import TUTOR, preload
from service import Service, check_store, folder, parts_of
from stores import skip_unless_files

skip_unless_files("what a disk loses is its server's to recover")

SECTOR = 512
PARTS = ("", "-wal", "-journal")  # the last: while the tables are made
MODES = ("dropped", "all", "any", "torn", "reordered")
LIVES = ("kill", "stop", "kill", "kill")


# ---- what happens ---------------------------------------------------------------------------

class Student(threading.Thread):
    """Tells rewards; each that is acknowledged is appended to the record at once."""

    def __init__(self, service, number, trace):
        super().__init__(daemon=True)
        self.client, self.number, self.trace = service.client(), number, trace

    def run(self):
        fd = os.open(self.trace, os.O_WRONLY | os.O_APPEND)
        task = f"s{self.number}-{random.random()}"
        with contextlib.suppress(Exception):  # it is killed
            while True:
                for body in self.client.ask("tutor", task, count=20)[1]["decisions"]:
                    if self.client.tell(body["decision"], 1.0)[0] == 200:
                        os.write(fd, f"ack {body['decision']} 0 0\n\n".encode())
        os.close(fd)


def live(program, store, before, trace, end):
    service = Service(program, store, before=before)
    client = service.client()
    assert client.post("/v1/learners", TUTOR)[0] in (200, 201)
    students = [Student(service, i, trace) for i in range(4)]
    for student in students:
        student.start()
    time.sleep(0.5)
    client.post("/v1/learners", {"name": f"large{time.monotonic()}", "arms": [f"{k:0200}" for k in range(300)]})
    time.sleep(0.1)
    if end == "kill":
        service.kill()
    else:
        assert service.stop() == 0
    for student in students:
        student.join(60)


def read_trace(path):
    """(kind, path, offset, data), in the order in which it happened."""
    raw = open(path, "rb").read()
    at, found = 0, []
    while at < len(raw):
        end = raw.index(b"\n", at)
        kind, name, offset, size = raw[at:end].decode().split(" ")
        data = raw[end + 1:end + 1 + int(size)]
        at = end + 2 + int(size)
        found.append((kind, name, int(offset), data))
    return found


# ---- what the disk may hold -----------------------------------------------------------------

class File:
    """Synced bytes, and changes that are not: (offset, data), or (size, None) for a truncation."""

    def __init__(self):
        self.synced, self.pending = bytearray(), []

    def sync(self):
        for change in self.pending:
            apply(self.synced, *change)
        self.pending = []

    def after(self, mode, rng):
        """The bytes that a loss of power may leave."""
        bytes_ = bytearray(self.synced)
        for change in choose(self.pending, mode, rng):
            apply(bytes_, *change)
        return bytes_


def apply(content, at, data):
    size = at if data is None else max(len(content), at + len(data))
    content.extend(bytes(max(0, size - len(content))))
    if data is None:
        del content[at:]
    else:
        content[at:at + len(data)] = data


def choose(pending, mode, rng):
    if mode in ("dropped", "all"):
        return pending if mode == "all" else []
    share = rng.random()
    chosen = [change for change in pending if rng.random() < share]
    if mode == "torn":
        return [part for change in chosen for part in sectors(*change) if rng.random() < 0.8]
    if mode == "reordered":
        rng.shuffle(chosen)
    return chosen


def sectors(at, data):
    """Of a write: the parts of it in each sector of the disk."""
    if data is None:
        return [(at, None)]
    edges = [0, *range(SECTOR - at % SECTOR, len(data), SECTOR), len(data)]
    return [(at + a, data[a:b]) for a, b in zip(edges, edges[1:])]


class Disk:
    """Names lead to files; a change of names is certain when their folder was synced."""

    def __init__(self, store):
        self.store, self.folder = store, os.path.dirname(store)
        self.names, self.maybe = {}, {}  # name: the file now; the files (or None) since the last sync
        self.acknowledged = []

    def name(self, path, file):
        self.maybe.setdefault(path, [self.names.get(path)]).append(file)
        self.names[path] = file

    def step(self, kind, path, offset, data):
        if kind == "ack":
            self.acknowledged.append(path)
        elif path == self.folder and kind == "sync":
            self.maybe.clear()
        elif path not in [self.store + suffix for suffix in PARTS]:
            return  # the WAL index is made again
        elif kind == "open" and self.names.get(path) is None:
            self.name(path, File())
        elif kind == "unlink":
            self.name(path, None)
        elif kind == "sync":
            self.names[path].sync()
        elif kind in ("write", "truncate"):
            self.names[path].pending.append((offset, data if kind == "write" else None))

    def file(self, path, mode, rng):
        files = self.maybe.get(path, [self.names.get(path)])
        return files[0] if mode == "dropped" else files[-1] if mode == "all" else rng.choice(files)

    def write(self, to, mode, rng):
        for suffix in PARTS:
            file = self.file(self.store + suffix, mode, rng)
            if file:
                with open(to + suffix, "wb") as out:
                    out.write(file.after(mode, rng))


def check_point(disk, to, mode, rng):
    disk.write(to, mode, rng)
    if not os.path.exists(to):
        assert not disk.acknowledged
        return
    with contextlib.closing(sqlite3.connect(to)) as db:
        db.execute("PRAGMA synchronous = OFF")  # it is thrown away
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'reward'").fetchone():
            assert not disk.acknowledged
            return
        there = set(db.execute("SELECT task, number FROM reward"))
    lost = [decision for decision in disk.acknowledged if parts_of(decision)[1:3] not in there]
    assert not lost, f"{len(lost)} of {len(disk.acknowledged)} are lost"


def replay(program, where, store, records, points):
    rng = random.Random(points)
    at = {*range(0, 40, 4), *rng.sample(range(len(records)), min(points, len(records)))}  # first, the tables are made
    disk, checks = Disk(store), 0
    for i, record in enumerate(records):
        disk.step(*record)
        if i not in at:
            continue
        for mode in MODES:
            to = os.path.join(where, "after")
            os.mkdir(to)
            try:
                check_point(disk, os.path.join(to, "test.db"), mode, rng)
                if disk.acknowledged and rng.random() < 0.05:
                    check_store(program, os.path.join(to, "test.db"))
            except (AssertionError, sqlite3.Error) as wrong:
                raise AssertionError(f"record {i} of {len(records)}, what was not synced: {mode}") from wrong
            shutil.rmtree(to)
            checks += len(disk.acknowledged)
    return len(disk.acknowledged), len(at) * len(MODES), checks


def main(program, shim, points):
    with folder() as where:
        store, trace = os.path.join(where, "live", "test.db"), os.path.join(where, "trace")
        os.mkdir(os.path.dirname(store))
        for end in LIVES:
            live(program, store, preload(shim, store, trace=trace), trace, end)
        records = read_trace(trace)
        acknowledged, stores, checks = replay(program, where, store, records, points)
    kinds = {kind: sum(record[0] == kind for record in records) for kind in ("write", "sync", "truncate", "unlink")}
    assert acknowledged > 100 and min(kinds.values()) > 0, (acknowledged, kinds)
    print(f"{acknowledged} rewards acknowledged, {kinds}; {stores} stores after a loss of power, {checks} checks, none lost")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 40)
