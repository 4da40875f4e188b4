#!/usr/bin/python3
"""The k-th write, sync or truncation fails, for every k: no reward that was acknowledged is lost, no
answer is false, and the next start puts all right.

usage: test_serve_disk.py SEGUE SHIM [K]; K = 30 takes some minutes
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import errno
import os
import sys
import time

from disk import HALF, NOTHING, SYNC, TRUNCATE, TUTOR, WHOLE, WRITE, Control, Ledger, copy_store, preload, recover
from service import Service, folder
from stores import skip_unless_files

skip_unless_files("a library that is preloaded fails the service's own files")

FAULTS = {  # kind, error, what a failed write wrote
    "write EIO": (WRITE, errno.EIO, NOTHING),
    "half a write EIO": (WRITE, errno.EIO, HALF),
    "whole write EIO": (WRITE, errno.EIO, WHOLE),
    "write ENOSPC": (WRITE, errno.ENOSPC, NOTHING),
    "half a write ENOSPC": (WRITE, errno.ENOSPC, HALF),
    "sync EIO": (SYNC, errno.EIO, NOTHING),
    "truncate EIO": (TRUNCATE, errno.EIO, NOTHING),
}


class Bench:
    """A store to begin with, and a folder for each case."""

    def __init__(self, program, shim, where):
        self.program, self.shim, self.where = program, shim, where
        self.store = os.path.join(where, "first.db")
        self.crashed = os.path.join(where, "crashed.db")
        self.ledger = Ledger()
        service = Service(program, self.store)
        client = service.client()
        assert client.post("/v1/learners", TUTOR)[0] == 201
        assert client.ask("tutor", "s")[0] == 200
        assert service.stop() == 0
        self.crash()

    def crash(self):
        """A store with a WAL that a kill has left."""
        copy_store(self.store, self.crashed)
        service = Service(self.program, self.crashed)
        client = service.client()
        for body in client.ask("tutor", "s", count=12)[1]["decisions"]:
            assert self.ledger.tell(client, body["decision"], 1.0) == 200
        service.kill()

    def prepare(self, name, store):
        path = os.path.join(self.where, name.replace(" ", "-"))
        os.mkdir(path)
        return copy_store(store, os.path.join(path, "test.db")), Control(os.path.join(path, "control"))


def ends_with_a_reason(service):
    assert service.process.wait(timeout=60) == 1
    service.reader.join()
    service.process.stderr.close()
    said = "".join(service.errors)
    assert "start it again" in said, said


def work(bench, name, fault, k, times, at_once):
    """The k-th call fails under a service that works; at_once: it is killed after the first refusal."""
    kind, error, part = FAULTS[fault]
    store, control = bench.prepare(name, bench.store)
    service = Service(bench.program, store, before=preload(bench.shim, store, control))
    client, ledger = service.client(), Ledger()
    decisions = [body["decision"] for body in client.ask("tutor", "s", count=8)[1]["decisions"]]
    control.arm(kind, k - 1, times, error, part)
    for i, decision in enumerate(decisions):
        if ledger.tell(client, decision, i % 2) != 200 and at_once:
            break
        if kind == WRITE and error == errno.ENOSPC:
            assert client.ask("tutor", "s")[0] == 200  # asks go on
    failed = control.failures()
    if not at_once and ledger.unknown:
        ends_with_a_reason(service)
    elif not at_once:
        time.sleep(0.15)  # a tick tries it again
        for decision, reward in list(ledger.unchanged.items()):
            ledger.tell(client, decision, reward)
    if service.process.poll() is None:
        service.kill()
    service.close_clients()
    ledger.compare(store)
    assert fault != "sync EIO" or not ledger.unchanged, "after a failed sync nothing is known"
    recover(bench.program, store, ledger)
    return failed


def begin(bench, name, fault, k):
    """The k-th call of a start fails, after a kill: it starts, or ends with a reason; the next one starts."""
    kind, error, part = FAULTS[fault]
    store, control = bench.prepare(name, bench.crashed)
    control.arm(kind, k - 1, 1, error, part)
    try:
        service = Service(bench.program, store, before=preload(bench.shim, store, control))
        service.kill()
    except AssertionError as refused:
        assert "segue serve" in str(refused) or "segue:" in str(refused), refused
    bench.ledger.compare(store)
    recover(bench.program, store, bench.ledger)
    return control.failures()


def cases(limit):
    for fault in FAULTS:
        for k in range(1, limit + 1):
            yield begin, (f"begin {fault} {k}", fault, k)
            for times in (1, 6) if limit > 12 else (1 + 5 * (k % 2),):
                for at_once in (False, True) if limit > 12 or "sync" in fault else (k % 3 == 0,):
                    yield work, (f"work {fault} {k} {times} {at_once}", fault, k, times, at_once)


def fill(client, ledger):
    """Let the WAL grow."""
    for body in client.ask("tutor", f"t{len(ledger.acknowledged)}", count=200)[1]["decisions"]:
        ledger.tell(client, body["decision"], 1.0)


def checkpoint(bench):
    """The main file fails in checkpoints: that is seen, and nothing is lost."""
    store, control = bench.prepare("checkpoint", bench.store)
    service = Service(bench.program, store, before=preload(bench.shim, store, control))
    client, ledger = service.client(), Ledger()
    control.arm(WRITE | SYNC, 0, 10**9, errno.EIO, suffix=".db")
    until = time.monotonic() + 120
    while b"checkpoint_failures_total 0\n" in client.raw("GET", "/metrics")[1]:
        assert time.monotonic() < until, "no checkpoint was tried"
        fill(client, ledger)
    service.reported("the WAL checkpoint failed")
    assert client.get("/readyz")[0] == 200
    control.disarm()
    while not any("WAL checkpoints work again" in line for line in service.errors):
        assert time.monotonic() < until, "the disk is back"
        fill(client, ledger)
    assert not ledger.unchanged and not ledger.unknown
    control.arm(WRITE | SYNC, 0, 10**9, errno.EIO, suffix=".db")
    service.kill()
    assert len(ledger.compare(store)) == len(ledger.acknowledged)
    recover(bench.program, store, ledger)


def main(program, shim, limit):
    with folder() as where, concurrent.futures.ThreadPoolExecutor(4) as pool:
        bench = Bench(program, shim, where)
        last = pool.submit(checkpoint, bench)
        running = {arguments[0]: pool.submit(function, bench, *arguments) for function, arguments in cases(limit)}
        failed = {}
        for name, future in running.items():
            try:
                failed[name] = future.result()
            except AssertionError as wrong:
                raise AssertionError(name) from wrong
        last.result()
    hit = sum(count > 0 for count in failed.values())
    assert hit >= len(failed) // 3, failed
    print(f"{len(failed)} cases, {hit} of which met their fault, {sum(failed.values())} calls failed")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 8)
