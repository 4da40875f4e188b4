#!/usr/bin/python3
"""What 32 connections saw can have happened one after the other (history_model.py).

usage: test_serve_history.py SEGUE [OPERATIONS]
SPDX-License-Identifier: Apache-2.0"""
import collections
import os
import re
import sys
import time

from history import DEFAULT, LEARNER, Caller, Shared, decisions_of, wait_for_defaults
from history_model import acknowledged, check, check_learner, expand
from service import SHORT, Service, check_store, folder, parts_of
from stores import query

CONNECTIONS = 32


def check_tasks(calls, store):
    """A closed task has the number of its rewards that were counted, by a tell or by default."""
    tasks = {key: (rewards, closed, defaults) for key, rewards, closed, defaults in
             query(store, "SELECT key, rewards, closed IS NOT NULL, (SELECT count(*) FROM reward AS r WHERE r.task = t.id AND "
                          f"r.value = {DEFAULT}) FROM task AS t")}
    sums = collections.Counter(call.task for call in acknowledged(calls))
    erased = {c.task for c in calls if c.kind == "erase" and c.status == 200}
    for task in {c.task for c in calls if c.kind == "close" and c.status == 200} - erased:
        rewards, closed, defaults = tasks[task]
        assert closed and rewards == sums[task] + defaults, (task, tasks[task], sums[task])


def wrong_calls(calls):
    """Histories that cannot have happened: a counted reward with another value, one that counts twice, rewards of a task that was
    erased, a decision while the learner was paused; and the sentence of each."""
    counted = next(c for c in acknowledged(calls) if all(e.task != c.task for e in calls if e.kind == "erase"))
    at = calls.index(counted) if counted in calls else next(i for i, c in enumerate(calls) if c.kind == "tells" and counted in expand([c]))
    rest = [*calls[:at], *expand([calls[at]]), *calls[at + 1:]]
    rest.remove(counted)
    yield "lost or changed|no caller told it|neither the same", [*rest, counted._replace(value=1 - counted.value)]
    yield "counted twice", [*calls, counted]
    erase = counted._replace(begun=counted.ended, ended=counted.ended + 1, kind="erase", key=None, body={"task_id": parts_of(counted.key)[1]})
    yield "erased, and still there", [*calls, erase]
    begun = max(c.ended for c in calls) + 1
    pause = counted._replace(begun=begun, ended=begun + 1, kind="pause", task=None, key=None, value=True, body={})
    asked = next(c for c in calls if c.kind == "ask" and c.status == 200 and not c.key)
    other = {"decision": decisions_of(asked.body)[0]["decision"][:-4] + "----"}
    late = asked._replace(begun=begun + 2, ended=begun + 3, task="never closed", body=other)
    yield "decided while paused", [*calls, pause, late]


def check_that_it_can_fail(calls, store):
    for sentence, wrong in wrong_calls(calls):
        try:
            check(wrong, store)
        except AssertionError as found:
            assert re.search(sentence, str(found)), (sentence, found)
            continue
        raise SystemExit(f"the check did not find: {sentence}")


def main(program, operations):
    with folder() as where:
        store = os.path.join(where, "history.db")
        service = Service(program, store)
        assert service.client().post("/v1/learners", LEARNER)[0] == 201
        shared = Shared(service)
        callers = [Caller(shared, i, operations // CONNECTIONS) for i in range(CONNECTIONS)]
        begun = time.monotonic()
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
            if caller.failed:
                service.process.kill()
                service.reader.join()
                raise AssertionError("".join(service.errors[:60])) from caller.failed
        seconds = time.monotonic() - begun
        calls = [call for caller in callers for call in caller.calls]
        assert all(call.status not in (0, 503) or call.kind == "erase" for call in calls)
        learner = wait_for_defaults(service)
        assert service.stop() == 0, service.errors
        assert not service.errors, service.errors[:20]
        stored = check(calls, store)
        check_tasks(calls, store)
        check_that_it_can_fail(calls, store)
        check_learner(calls, store, learner)
        check_store(program, store)
    print(f"{len(calls)} calls in {seconds:.1f} s, {len(acknowledged(calls))} rewards acknowledged, {stored} stored, "
          f"{learner['tasks']['closed']} tasks closed: as one after the other")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500 if SHORT else 6000)
