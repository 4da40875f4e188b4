#!/usr/bin/python3
"""Several rewards of one decision: random sequences of tells, with repeats, conflicts and kills, agree with a simple
model of each aggregate, call by call; and the store, its export and what recovery gives agree, too.

usage: test_serve_aggregate.py SEGUE [STEPS of each aggregate]
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import subprocess
import sys

from service import Service, check_store, folder, parts_of, SHORT
from stores import query, store_name

LOWEST, HIGHEST = -4.0, 8.0
AGGREGATES = {"sum": lambda parts: sum(parts), "last": lambda parts: parts[-1], "max": max}
CLOSE_AFTER = 6  # decisions with a reward


class Model:
    """What a learner with this aggregate should answer."""

    def __init__(self, aggregate):
        self.aggregate = aggregate
        self.parts = {}  # decision: {event: value}, in the order of arrival
        self.closed = set()
        self.rewarded = {}  # task: decisions with a reward

    def reward(self, decision):
        return AGGREGATES[self.aggregate](list(self.parts[decision].values()))

    def tell(self, task, decision, event, value):
        """(HTTP status, status, reward); changes what a service should change."""
        if event is None and self.aggregate != "max":
            return 400, None, None
        event = f"={value}" if event is None else event
        parts = self.parts.setdefault(decision, {})
        if event in parts:
            return (200, "duplicate", self.reward(decision)) if parts[event] == value else (409, None, None)
        if task in self.closed:
            return 410, None, None
        after = AGGREGATES[self.aggregate]([*parts.values(), value])
        if not LOWEST <= (after if self.aggregate == "sum" else value) <= HIGHEST:
            fits_later = self.aggregate == "sum" and abs(value) <= HIGHEST - LOWEST
            return 409 if fits_later else 400, None, None
        parts[event] = value
        done = self.rewarded.setdefault(task, set())
        done.add(decision)
        if len(done) == CLOSE_AFTER:
            self.closed.add(task)
        return 200, "counted", self.reward(decision)

    def stored(self):
        return {parts_of(d)[1:3]: self.reward(d) for d, parts in self.parts.items() if parts}


class Driver:
    def __init__(self, service, aggregate, seed):
        self.service, self.client, self.model = service, service.client(), Model(aggregate)
        self.random, self.name = random.Random(seed), aggregate
        self.open, self.given, self.count, self.tasks = [], [], 0, 0
        body = {"name": aggregate, "arms": ["A", "B", "C"], "range": [LOWEST, HIGHEST], "aggregate": aggregate,
                "close_after": CLOSE_AFTER, "control": 0.2}
        status, answer = self.client.post("/v1/learners", body)
        assert status == 201 and answer["settings"]["aggregate"] == aggregate, answer

    def ask(self):
        task = f"t{self.tasks}"
        status, body = self.client.ask(self.name, task)
        if status == 409:
            assert task in self.model.closed, body
            self.tasks += 1
            return
        self.open.append((task, body["decision"]))
        self.open = self.open[-12:]

    def draw(self):
        """A tell: new, of a new event, repeated, or of a known event with another value."""
        if self.given and self.random.random() < 0.3:
            task, decision, event, value = self.random.choice(self.given[-60:])
            return task, decision, event, value + self.random.choice([0, 0, 0.25])
        open_ones = [pair for pair in self.open if pair[0] not in self.model.closed]
        task, decision = self.random.choice(open_ones if open_ones and self.random.random() < 0.9 else self.open)
        event = None if self.random.random() < 0.1 else f"e{self.random.randrange(12)}"
        return task, decision, event, self.random.randrange(-20, 36) / 4

    def check(self, sent, status, body):
        expected = self.model.tell(*sent)
        given = body if status == 200 else {}
        assert (status, given.get("status"), given.get("reward")) == expected, (sent, status, body, expected)
        if status == 200:
            assert given["closed"] == (sent[0] in self.model.closed), (sent, body)

    def tell(self):
        sent = self.draw()
        self.given.append(sent)
        fields = {"decision": sent[1], "reward": sent[3], **({"event": sent[2]} if sent[2] else {})}
        dice = self.random.random()
        if dice < 0.7:
            self.check(sent, *self.client.post("/v1/tell", fields))
        elif dice < 0.85:  # twice in one transaction
            status, body = self.client.post("/v1/tell", {"rewards": [fields, fields]})
            assert status == 200, body
            for result in body["results"]:
                self.check(sent, result.get("http_status", 200), result)
        else:
            status, body = self.client.ask(self.name, "asked", tell=fields)
            self.check(sent, status, body.get("tell", {}))

    def step(self):
        self.ask() if not self.open or self.random.random() < 0.15 else self.tell()

    def kill(self):
        self.service.kill()
        self.service.start()
        self.client = self.service.client()

    def compare(self):
        stored = self.model.stored()
        there = {(task, number): value for task, number, value in query(
            self.service.store, "SELECT task, number, value FROM reward WHERE task IN (SELECT id FROM task WHERE learner = "
                                f"(SELECT id FROM learner WHERE name = '{self.name}'))")}
        assert there == stored, (len(there), len(stored))
        learner = self.client.get(f"/v1/learners/{self.name}")[1]
        assert learner["rewards"] == len(stored), (learner["rewards"], len(stored))
        for task, done in self.model.rewarded.items():
            answer = self.client.get(f"/v1/learners/{self.name}/tasks/{task}")[1]
            mean = sum(self.model.reward(d) for d in done) / len(done)
            assert abs(answer["reward_per_step"] - mean) < 1e-9, (task, answer, mean)


def export(program, store, to):
    done = subprocess.run([program, "store", "export", "--store", store_name(store), "--file", to], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    with open(to, "rb") as file:
        return file.read()


def check_export(program, where, store):
    """An import gives the same rows, and the parts are among them."""
    rows = export(program, store, os.path.join(where, "out.jsonl"))
    assert rows.count(b'"reward_part"') > 0
    copy = os.path.join(where, "copy.db")
    done = subprocess.run([program, "store", "import", "--store", store_name(copy), "--file",
                           os.path.join(where, "out.jsonl")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check_store(program, copy)
    assert export(program, copy, os.path.join(where, "again.jsonl")) == rows


def check_purge(service, store):
    """A deleted learner leaves no parts."""
    client = service.client()
    for name in AGGREGATES:
        assert client.call("DELETE", f"/v1/learners/{name}")[0] == 200
    assert service.stop() == 0
    service.start()
    assert service.stop() == 0
    return [query(store, f"SELECT count(*) FROM {table}")[0][0] for table in ("reward", "reward_part")]


def main(program, steps):
    seed = random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    with folder() as where:
        store = os.path.join(where, "aggregate.db")
        service = Service(program, store)
        drivers = [Driver(service, aggregate, f"{seed} {aggregate}") for aggregate in AGGREGATES]
        for i in range(steps):
            for driver in drivers:
                driver.step()
            if i % (steps // 8) == steps // 10:
                for driver in drivers[:1]:
                    driver.kill()
                for driver in drivers:
                    driver.client = service.client()
                    driver.compare()
        for driver in drivers:
            driver.compare()
        assert service.stop() == 0, service.errors
        check_store(program, store)
        check_export(program, where, store)
        counts = {p.name: (sum(map(len, p.model.parts.values())), len(p.model.stored()), len(p.model.closed))
                  for p in drivers}
        assert all(closed > 0 for _, _, closed in counts.values()), counts
        service.start()
        left = check_purge(service, store)
        assert left == [0, 0], left
    print(", ".join(f"{name}: {parts} rewards given, {rewards} decisions, {closed} tasks closed"
                    for name, (parts, rewards, closed) in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 240 if SHORT else 800)
