#!/usr/bin/python3
"""What 32 connections saw can have happened one after the other: each task and each decision is
compared with a sequential model, with the times at which calls began and ended.

usage: test_serve_history.py SEGUE [OPERATIONS]
SPDX-License-Identifier: Apache-2.0"""
import collections
import os
import random
import sqlite3
import sys
import threading
import time

from service import Service, check_store, folder, parts_of, SHORT

CONNECTIONS = 32
TASKS = 40  # open at once, shared by all

Call = collections.namedtuple("Call", "begun ended kind task key value status body")


class Shared:
    def __init__(self):
        self.lock = threading.Lock()
        self.decisions = collections.deque(maxlen=400)
        self.generation = [0] * TASKS

    def task(self, slot):
        return f"task-{slot}-{self.generation[slot]}"


class Caller(threading.Thread):
    def __init__(self, service, shared, number, operations):
        super().__init__()
        self.client, self.shared, self.operations = service.client(), shared, operations
        self.random = random.Random(number)
        self.calls, self.failed = [], None

    def run(self):
        try:
            for _ in range(self.operations):
                self.step()
        except Exception as failure:  # reported by the main thread
            self.failed = failure

    def note(self, kind, task, key, value, call):
        begun = time.monotonic()
        status, body = call()
        self.calls.append(Call(begun, time.monotonic(), kind, task, key, value, status, body))
        return status, body

    def step(self):
        dice = self.random.random()
        slot = self.random.randrange(TASKS)
        task = self.shared.task(slot)
        if dice < 0.5:
            self.ask(task)
        elif dice < 0.97:
            self.tell()
        elif dice < 0.985:
            self.note("open", task, None, None, lambda: self.client.post("/v1/learners/l/tasks", {"task": task}))
        else:
            status, _ = self.note("close", task, None, None,
                                  lambda: self.client.post(f"/v1/learners/l/tasks/{task}/close"))
            if status == 200:
                with self.shared.lock:
                    if self.shared.task(slot) == task:
                        self.shared.generation[slot] += 1

    def ask(self, task):
        event = f"e{self.random.randrange(5)}" if self.random.random() < 0.1 else None
        more = {"event": event} if event else {}
        status, body = self.note("ask", task, event, None, lambda: self.client.ask("l", task, **more))
        if status == 200:
            self.shared.decisions.append((task, body["decision"]))

    def tell(self):
        try:
            task, decision = self.random.choice(self.shared.decisions)
        except IndexError:
            return
        value = float(self.random.random() < 0.5)
        self.note("tell", task, decision, value, lambda: self.client.tell(decision, value))


def check_decision(decision, calls, closes):
    """At most one tell counts; the others agree with it, and did not come before it."""
    counted = [c for c in calls if c.status == 200 and c.body["status"] == "counted"]
    assert len(counted) <= 1, ("counted twice", decision, counted)
    for call in calls:
        assert call.status in (200, 409, 410), call
        if call.status == 410:  # the task was being closed, at the latest, when this ended
            assert closes and min(c.begun for c in closes) < call.ended, ("gone while open", call)
            assert not counted or counted[0].ended > call.begun, ("gone though counted", call)
        elif call not in counted:
            assert counted, ("a duplicate of nothing", call)
            assert counted[0].begun < call.ended, ("a duplicate before the first", call)
            same = call.value == counted[0].value
            assert (call.status == 200) == same, ("neither the same nor another", call, counted[0])
    if counted and closes:
        first = min((c for c in closes), key=lambda c: c.ended)
        assert counted[0].begun < first.ended, ("counted after it was closed", counted[0], first)
    return counted


def check_task(task, calls):
    closes = [c for c in calls if c.kind == "close" and c.status == 200]
    closed = min((c.ended for c in closes), default=float("inf"))
    events, seen = {}, set()
    for call in calls:
        if call.kind != "ask":
            continue
        assert call.status == 200 or (call.status == 409 and closes), call
        if call.status == 409:
            assert min(c.begun for c in closes) < call.ended, ("refused while open", call)
            continue
        assert call.begun < closed or call.key, ("asked after it was closed", call)
        decision = call.body["decision"]
        if call.key:
            assert events.setdefault(call.key, decision) == decision, ("another decision", call)
        else:
            assert decision not in seen, ("the same decision twice", call)
            seen.add(decision)
    return closes


def check(calls, store):
    by_task, by_decision = collections.defaultdict(list), collections.defaultdict(list)
    for call in calls:
        by_task[call.task].append(call)
        if call.kind == "tell":
            by_decision[call.key].append(call)
    closes = {task: check_task(task, of) for task, of in by_task.items()}
    counted = []
    for decision, of in by_decision.items():
        counted += check_decision(decision, of, closes[of[0].task])
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        there = {(task, number): value for task, number, value in db.execute("SELECT task, number, value FROM reward")}
        tasks = {key: (rewards, total, closed) for key, rewards, total, closed in
                 db.execute("SELECT key, rewards, total, closed IS NOT NULL FROM task")}
    sent = {parts_of(c.key)[1:3]: c.value for c in counted}
    assert there == sent, "the store has other rewards than were counted"
    sums = collections.Counter()
    for call in counted:
        sums[call.task] += 1
    for task, of in closes.items():
        if of:
            assert tasks[task][2] and tasks[task][0] == sums[task], (task, tasks[task], sums[task])
    return len(counted)


def main(program, operations):
    with folder() as where:
        store = os.path.join(where, "history.db")
        service = Service(program, store)
        status, _ = service.client().post("/v1/learners", {"name": "l", "arms": ["A", "B", "C"], "control": 0.2})
        assert status == 201
        shared = Shared()
        callers = [Caller(service, shared, i, operations // CONNECTIONS) for i in range(CONNECTIONS)]
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
        _, learner = service.client().get("/v1/learners/l")
        assert service.stop() == 0, service.errors
        assert not service.errors, service.errors[:20]
        counted = check(calls, store)
        assert learner["rewards"] == counted
        check_store(program, store)
    print(f"{len(calls)} calls in {seconds:.1f} s, {counted} rewards, {learner['tasks']['closed']} tasks closed: "
          "as one after the other")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500 if SHORT else 6000)
