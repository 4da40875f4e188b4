#!/usr/bin/python3
"""What 32 connections saw can have happened one after the other (history.py).

usage: test_serve_history.py SEGUE [OPERATIONS]
SPDX-License-Identifier: Apache-2.0"""
import collections
import os
import sys
import time

from history import LEARNER, Caller, Shared, check
from service import Service, check_store, folder, SHORT
from stores import query

CONNECTIONS = 32


def check_tasks(calls, store):
    """A closed task has the number of its rewards that were counted."""
    tasks = {key: (rewards, closed) for key, rewards, closed in
             query(store, "SELECT key, rewards, closed IS NOT NULL FROM task")}
    sums = collections.Counter(c.task for c in calls if c.kind == "tell" and c.body.get("status") == "counted")
    for task in {c.task for c in calls if c.kind == "close" and c.status == 200}:
        assert tasks[task] == (sums[task], 1), (task, tasks[task], sums[task])


def check_that_it_can_fail(calls, store):
    """A history that cannot have happened is found: a counted reward with another value, one that counts twice."""
    at = next(i for i, c in enumerate(calls) if c.kind == "tell" and c.body.get("status") == "counted")
    for wrong in (calls[at]._replace(value=1 - calls[at].value), None):
        changed = [*calls[:at], wrong, *calls[at + 1:]] if wrong else [*calls, calls[at]]
        try:
            check(changed, store)
        except AssertionError:
            continue
        raise SystemExit("the check found nothing")


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
        assert all(call.status not in (0, 503) for call in calls)
        _, learner = service.client().get("/v1/learners/l")
        assert service.stop() == 0, service.errors
        assert not service.errors, service.errors[:20]
        counted = check(calls, store)
        check_tasks(calls, store)
        check_that_it_can_fail(calls, store)
        assert learner["rewards"] == counted
        check_store(program, store)
    print(f"{len(calls)} calls in {seconds:.1f} s, {counted} rewards, {learner['tasks']['closed']} tasks closed: "
          "as one after the other")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500 if SHORT else 6000)
