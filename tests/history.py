"""Callers of a service that note what they saw, and a check that it can have happened one after the other: each task
and each decision is compared with a sequential model, with the times at which calls began and ended.

A call without an answer, or whose answer is that the outcome is not known, may have happened or not; one whose answer
is that nothing has changed did not happen.
SPDX-License-Identifier: Apache-2.0"""
import collections
import http.client
import random
import threading
import time

from disk import UNCHANGED, rewards_in
from service import parts_of

TASKS = 40  # open at once, shared by all
LEARNER = {"name": "l", "arms": ["A", "B", "C"], "control": 0.2}

Call = collections.namedtuple("Call", "begun ended kind task key value status body")


def is_unknown(call):
    """It may have happened."""
    return call.status == 0 or (call.status == 503 and UNCHANGED not in call.body["error"]["message"])


class Shared:
    def __init__(self, service):
        self.service, self.over = service, False
        self.lock = threading.Lock()
        self.decisions = collections.deque(maxlen=400)
        self.generation = [0] * TASKS

    def task(self, slot):
        return f"task-{slot}-{self.generation[slot]}"


class Caller(threading.Thread):
    """Makes this number of operations; None: until shared.over.  `faults`: calls may fail."""

    def __init__(self, shared, number, operations=None, faults=False):
        super().__init__()
        self.client, self.shared, self.operations, self.faults = None, shared, operations, faults
        self.random = random.Random(number)
        self.calls, self.failed = [], None

    def run(self):
        try:
            while not self.shared.over and self.operations != 0:
                self.operations = self.operations and self.operations - 1
                self.step()
        except Exception as failure:  # reported by the main thread
            self.failed = failure

    def send(self, call):
        try:
            self.client = self.client or self.shared.service.client()
            return call(self.client)
        except (OSError, http.client.HTTPException, ValueError):
            if not self.faults:
                raise
            self.client = None
            time.sleep(0.005)
            return 0, {}

    def note(self, kind, task, key, value, call):
        begun = time.monotonic()
        status, body = self.send(call)
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
            self.note("open", task, None, None, lambda client: client.post("/v1/learners/l/tasks", {"task": task}))
        else:
            status, _ = self.note("close", task, None, None,
                                  lambda client: client.post(f"/v1/learners/l/tasks/{task}/close"))
            if status == 200:
                with self.shared.lock:
                    if self.shared.task(slot) == task:
                        self.shared.generation[slot] += 1

    def ask(self, task):
        event = f"e{self.random.randrange(5)}" if self.random.random() < 0.1 else None
        more = {"event": event} if event else {}
        status, body = self.note("ask", task, event, None, lambda client: client.ask("l", task, **more))
        if status == 200:
            self.shared.decisions.append((task, body["decision"]))

    def tell(self):
        try:
            task, decision = self.random.choice(self.shared.decisions)
        except IndexError:
            return
        value = float(self.random.random() < 0.5)
        self.note("tell", task, decision, value, lambda client: client.tell(decision, value))


def check_decision(decision, calls, closes, there):
    """At most one tell counts; the others agree with it, and did not come before it.  The store has it."""
    counted = [c for c in calls if c.status == 200 and c.body["status"] == "counted"]
    unknown = [c for c in calls if is_unknown(c)]
    assert len(counted) <= 1, ("counted twice", decision, counted)
    stored = there.get(parts_of(decision)[1:3])
    for call in calls:
        if call.status in (0, 503) or call in counted:
            continue
        assert call.status in (200, 409, 410), call
        first = counted or [c for c in unknown if (c.value == call.value) == (call.status == 200)]
        if call.status == 410:  # the task was being closed, at the latest, when this ended
            assert closes and min(c.begun for c in closes) < call.ended, ("gone while open", call)
            assert not counted or counted[0].ended > call.begun, ("gone though counted", call)
            continue
        assert first, ("a duplicate of nothing", call)
        assert min(c.begun for c in first) < call.ended, ("a duplicate before the first", call)
        assert (call.status == 200) == (call.value == stored), ("neither the same nor another", call, stored)
    if counted:
        assert stored == counted[0].value, ("lost or changed", counted[0], stored)
    elif stored is not None:
        assert stored in [c.value for c in unknown], ("no caller told it", decision, stored)
    closed = [c for c in closes if c.status == 200]
    if counted and closed:
        first = min(closed, key=lambda c: c.ended)
        assert counted[0].begun < first.ended, ("counted after it was closed", counted[0], first)


def check_task(task, calls):
    """Returns the calls that closed it, or may have."""
    closes = [c for c in calls if c.kind == "close" and (c.status == 200 or is_unknown(c))]
    closed = min((c.ended for c in closes if c.status == 200), default=float("inf"))
    events, seen = {}, set()
    for call in calls:
        if call.kind != "ask" or call.status in (0, 503):
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
    """Compare all calls with each other and with the store; returns the number of stored rewards."""
    by_task, by_decision = collections.defaultdict(list), collections.defaultdict(list)
    for call in calls:
        by_task[call.task].append(call)
        if call.kind == "tell":
            by_decision[call.key].append(call)
    there = rewards_in(store)
    closes = {task: check_task(task, of) for task, of in by_task.items()}
    for decision, of in by_decision.items():
        check_decision(decision, of, closes[of[0].task], there)
    sent = {parts_of(decision)[1:3] for decision in by_decision}
    assert set(there) <= sent, "the store has rewards that no caller told"
    return len(there)
