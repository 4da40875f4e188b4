#!/usr/bin/python3
"""The power fails at any moment: what clients saw before can have happened one after the other (history_model.py), and agrees
with each store that the loss may leave.

Clients ask, tell, open and close while every write and sync of the service's files is recorded, with the begin and the end
of each call in between (disk_shim.c).  At some points of the record the files are made again as test_serve_power.py does.
Calls that had ended by then have their outcome; those that had begun may have happened.

usage: test_serve_history_power.py SEGUE DISK_SHIM [POINTS]
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import shutil
import sys
import time

from disk import preload
from history import LEARNER, Caller, Shared
from history_model import acknowledged, check, is_unknown
from service import Service, check_store, folder
from test_serve_power import MODES, Disk, read_trace
from stores import skip_unless_files

skip_unless_files("what a disk loses is its server's to recover")

CALLERS = 8
KILLS = 2


class Recorded(Caller):
    """Each call has a number; its begin and its end are appended to the record at once."""

    def __init__(self, shared, number, trace):
        super().__init__(shared, number, faults=True)
        self.fd = os.open(trace, os.O_WRONLY | os.O_APPEND)
        self.names = []

    def note(self, kind, task, key, value, call):
        name = f"{self.name}-{len(self.names)}"
        self.names.append(name)
        os.write(self.fd, f"begin {name} 0 0\n\n".encode())
        answer = super().note(kind, task, key, value, call)
        os.write(self.fd, f"end {name} 0 0\n\n".encode())
        return answer

    def finish(self):
        self.join()
        os.close(self.fd)
        if self.failed:
            raise self.failed


def live(program, store, before, trace):
    """All calls by their names."""
    service = Service(program, store, before=before)
    assert service.client().post("/v1/learners", LEARNER)[0] == 201
    shared = Shared(service)
    callers = [Recorded(shared, i, trace) for i in range(CALLERS)]
    for caller in callers:
        caller.start()
    for _ in range(KILLS):
        time.sleep(0.6)
        service.kill()
        service.start()
    time.sleep(0.6)
    shared.over = True
    for caller in callers:
        caller.finish()
    assert service.stop() == 0
    return {name: call for caller in callers for name, call in zip(caller.names, caller.calls, strict=True)}


def seen(calls, begun, ended):
    """What was known when the power failed."""
    return [calls[name] if name in ended else calls[name]._replace(status=0, body={}) for name in begun]


def replay(program, where, store, records, calls, points):
    rng = random.Random(points)
    first = next(i for i, record in enumerate(records) if record[0] == "begin")
    at = set(rng.sample(range(first, len(records)), points)) | {len(records) - 1}
    disk, begun, ended, rewards = Disk(store), [], set(), 0
    for i, record in enumerate(records):
        if record[0] in ("begin", "end"):
            (begun.append if record[0] == "begin" else ended.add)(record[1])
        else:
            disk.step(*record)
        for mode in MODES if i in at else ():
            to = os.path.join(where, "after")
            os.mkdir(to)
            disk.write(os.path.join(to, "test.db"), mode, rng)
            try:
                rewards += check(seen(calls, begun, ended), os.path.join(to, "test.db"))
                if rng.random() < 0.05:
                    check_store(program, os.path.join(to, "test.db"))
            except AssertionError as wrong:
                raise AssertionError(f"record {i} of {len(records)}, what was not synced: {mode}") from wrong
            shutil.rmtree(to)
    return len(at) * len(MODES), rewards


def main(program, shim, points):
    with folder() as where:
        store, trace = os.path.join(where, "live", "test.db"), os.path.join(where, "trace")
        os.mkdir(os.path.dirname(store))
        open(trace, "wb").close()
        calls = live(program, store, preload(shim, store, trace=trace), trace)
        stores, rewards = replay(program, where, store, read_trace(trace), calls, points)
    counted = len(acknowledged(calls.values()))
    assert counted > 100, counted
    print(f"{len(calls)} calls, {sum(map(is_unknown, calls.values()))} without an outcome, {counted} rewards acknowledged; "
          f"{stores} stores after a loss of power with {rewards} rewards, 0 lost")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12)
