"""Callers of a service that note what they saw; history_model.py checks that it can have happened.

They ask for one decision or several, with and without an event id, tell one reward or several at once, open, close and
erase shared tasks, pause and resume the learner and change its settings.  A decision without a reward gets a default.
SPDX-License-Identifier: Apache-2.0"""
import collections
import http.client
import random
import threading
import time

TASKS = 40  # open at once, shared by all
STEPS = 40  # rewards after which a task closes
DEADLINE, DEFAULT = 1, 0.25  # callers tell 0 and 1 alone
LEARNER = {"name": "l", "arms": ["A", "B", "C"], "steps": STEPS, "control": 0.2, "reward_deadline": DEADLINE,
           "default_reward": DEFAULT}

Call = collections.namedtuple("Call", "begun ended kind task key value status body")


class Shared:
    def __init__(self, service):
        self.service, self.over = service, False
        self.lock = threading.Lock()
        self.decisions = collections.deque(maxlen=400)
        self.generation = [0] * TASKS

    def task(self, slot):
        return f"task-{slot}-{self.generation[slot]}"

    def next_task(self, slot, task):
        """Other callers may still use the one before."""
        with self.lock:
            if self.task(slot) == task:
                self.generation[slot] += 1


class Caller(threading.Thread):
    """Makes this number of operations; None: until shared.over.  `faults`: calls may fail."""

    def __init__(self, shared, number, operations=None, faults=False):
        super().__init__()
        self.client, self.shared, self.operations, self.faults = None, shared, operations, faults
        self.random = random.Random(number)
        self.calls, self.failed = [], None
        self.kinds = {self.ask: 42, self.tell: 42, self.tell_many: 11, self.open: 1.5, self.close: 1.5, self.erase: 1, self.pause: 0.4,
                      self.change: 0.4}

    def run(self):
        try:
            while not self.shared.over and self.operations != 0:
                self.operations = self.operations and self.operations - 1
                self.step()
        except Exception as failure:  # reported by the main thread
            self.failed = failure

    def step(self):
        slot = self.random.randrange(TASKS)
        kind, = self.random.choices(list(self.kinds), list(self.kinds.values()))
        kind(slot, self.shared.task(slot))

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

    def ask(self, slot, task):
        event = f"e{self.random.randrange(5)}" if self.random.random() < 0.1 else None
        more = {"event": event} if event else {"count": self.random.randint(2, 4)} if self.random.random() < 0.1 else {}
        status, body = self.note("ask", task, event, None, lambda client: client.ask("l", task, **more))
        if status == 200:
            self.shared.decisions.extend((task, made["decision"]) for made in decisions_of(body))
        elif status == 409 and "is closed" in body["error"]["message"]:
            self.shared.next_task(slot, task)

    def draw(self):
        """A decision and a reward for it."""
        task, decision = self.random.choice(self.shared.decisions)
        return task, decision, float(self.random.random() < 0.5)

    def tell(self, slot, task):
        if self.shared.decisions:
            of, decision, value = self.draw()
            self.note("tell", of, decision, value, lambda client: client.tell(decision, value))

    def tell_many(self, slot, task):
        if self.shared.decisions:
            sent = [self.draw() for _ in range(self.random.randint(2, 5))]
            rewards = [{"decision": decision, "reward": value} for _, decision, value in sent]
            self.note("tells", None, None, sent, lambda client: client.post("/v1/tell", {"rewards": rewards}))

    def open(self, slot, task):
        self.note("open", task, None, None, lambda client: client.post("/v1/learners/l/tasks", {"task": task}))

    def close(self, slot, task):
        path = f"/v1/learners/l/tasks/{task}/close"
        if self.note("close", task, None, None, lambda client: client.post(path))[0] == 200:
            self.shared.next_task(slot, task)

    def erase(self, slot, task):
        path = f"/v1/learners/l/tasks/{task}"
        if self.note("erase", task, None, None, lambda client: client.call("DELETE", path))[0] == 200:
            self.shared.next_task(slot, task)

    def patch(self, kind, name, value):
        return self.note(kind, None, None, value, lambda client: client.call("PATCH", "/v1/learners/l", {name: value}))[0]

    def pause(self, slot, task):
        self.patch("pause", "paused", True)
        while self.patch("pause", "paused", False) != 200 and not self.shared.over:
            time.sleep(0.005)

    def change(self, slot, task):
        self.patch("change", "control", self.random.randrange(1, 50) / 100)


def decisions_of(body):
    """The decisions of an answer, one or several."""
    return body.get("decisions", [body])


def wait_for_defaults(service):
    """Until every decision has a reward or a default; returns the learner."""
    client, since = service.client(), time.monotonic()
    newest = client.get("/v1/learners/l")[1]
    while time.monotonic() < since + DEADLINE + 0.5:
        time.sleep(0.1)
        now = client.get("/v1/learners/l")[1]
        if now["rewards"] != newest["rewards"]:
            since = time.monotonic()
        newest = now
    return newest
