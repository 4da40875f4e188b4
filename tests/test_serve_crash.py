#!/usr/bin/python3
"""A service that is killed at any moment, under 16 clients, loses no reward that it acknowledged,
counts none twice, and recovers the state of its event log.

usage: test_serve_crash.py SEGUE [KILLS]
SPDX-License-Identifier: Apache-2.0"""
import base64
import http.client
import os
import random
import subprocess
import sys
import threading
import time

from service import Service, check_store, folder, parts_of, SHORT
from stores import query

CLIENTS = 16
STEPS = 12
LEARNERS = {"tutor": {"arms": ["A", "B", "C", "D"]}, "largest": {"arms": ["A", "B", "C"], "aggregate": "max"},
            "models": {"arms": ["A", "B", "C"], "method": "tucb", "models": 2},
            "shadow": {"arms": ["A", "B", "C"], "mode": "shadow"}, "merged": {"arms": ["A", "B", "C", "D"]}}


def saved_learner(program, where):
    """A learner that learned from a log, for the field "saved"."""
    log, out = os.path.join(where, "log.csv"), os.path.join(where, "log.segue")
    with open(log, "w", encoding="utf-8") as file:
        file.write("task,arm,reward\n")
        file.writelines(f"t{t},{arm},{int((t + i) % 3 == 0)}\n" for t in range(60) for i, arm in enumerate("ABC" * 4))
    subprocess.run([program, "learn", log, "--out", out, "--steps", str(STEPS - 2)], check=True, capture_output=True)
    with open(out, "rb") as file:
        return base64.b64encode(file.read()).decode()


class Student(threading.Thread):
    """Plays task after task; notes what was acknowledged, and tells again what was not."""

    def __init__(self, shared, number):
        super().__init__(daemon=True)
        self.shared, self.number, self.random = shared, number, random.Random(number)
        self.learner = list(LEARNERS)[number % len(LEARNERS)]
        self.acknowledged, self.unsure, self.wrong = {}, {}, []
        self.asked = 0

    def run(self):
        client = None
        task = 0
        while not self.shared.over:
            try:
                client = client or self.shared.service.client()
                self.tell_again(client)
                task += 1
                self.play(client, f"s{self.number}-{task}")
            except (OSError, http.client.HTTPException):
                if client:
                    client.close()
                client = None
                time.sleep(0.005)

    def tell(self, client, decision, reward):
        self.unsure[decision] = reward
        status, body = client.tell(decision, reward)
        if status == 200:
            self.acknowledged[decision] = self.unsure.pop(decision)
        elif status == 410:  # its task was closed before this reward was stored
            self.unsure.pop(decision)
        elif status != 503:
            self.wrong.append((status, body))
        return status

    def tell_again(self, client):
        for decision, reward in list(self.unsure.items()):
            self.tell(client, decision, reward)

    def ask(self, client, task, waiting):
        """Maybe with an event, maybe with a reward; the answer, or None where the task is over."""
        more = {"event": f"e{self.asked}"} if self.random.random() < 0.2 else {}
        if self.random.random() < 0.1:
            more["probability"] = True  # which the id then carries
        if self.learner == "tutor" and self.random.random() < 0.5:  # only those of the first ask count
            more["features"] = {"class": f"c{self.random.randrange(3)}", "age": self.random.randrange(90)}
        if self.learner == "shadow":  # the caller chooses
            more.update(chosen=self.random.choice("ABC"), chosen_probability=1 / 3)
        if waiting and self.random.random() < 0.3:
            decision, reward = waiting.pop()
            self.unsure[decision] = reward
            more["tell"] = {"decision": decision, "reward": reward}
        status, body = client.ask(self.learner, task, **more)
        if "tell" in body:
            self.acknowledged[decision] = self.unsure.pop(decision)
        elif "tell" in more and status == 410:  # as in tell
            self.unsure.pop(decision)
        elif status not in (200, 409, 503):
            self.wrong.append((status, body))
        return body if "decision" in body else None

    def play(self, client, task):
        waiting = []
        for _ in range(STEPS):
            body = self.ask(client, task, waiting)
            if not body:
                return
            self.asked += 1
            waiting.append((body["decision"], float(self.random.random() < 0.5)))
            self.random.shuffle(waiting)  # rewards are late, and out of order
            while waiting and self.random.random() < 0.7:
                decision, reward = waiting.pop()
                self.tell(client, decision, reward)
                if self.random.random() < 0.1:
                    self.tell(client, decision, reward)


class Merger(threading.Thread):
    """Merges 'tutor' into 'merged', again and again."""

    def __init__(self, shared):
        super().__init__(daemon=True)
        self.shared, self.merged, self.wrong = shared, 0, []

    def run(self):
        while not self.shared.over:
            try:
                client = self.shared.service.client()
                status, body = client.get("/v1/learners/tutor/export")
                if status == 200:
                    status, body = client.post("/v1/learners/merged/merge", {**body, "force": True})
                self.merged += status == 200
                if status not in (200, 503):
                    self.wrong.append((status, body))
                client.close()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)


class Shared:
    def __init__(self, service):
        self.service, self.over = service, False


def rewards_in(store):
    return {(task, number): (arm, value) for task, number, arm, value in
            query(store, "SELECT task, number, arm, value FROM reward")}


def compare(students, store):
    """What was acknowledged is stored with its value; what is stored was sent."""
    there = rewards_in(store)
    sent = {}
    for student in students:
        assert not student.wrong, student.wrong[:3]
        for decision, reward in student.acknowledged.items():
            _, task, number, arm, _, _ = parts_of(decision)
            assert there.get((task, number)) == (arm, reward), ("lost or changed", decision, reward)
            sent[task, number] = reward
        for decision, reward in student.unsure.items():
            _, task, number, _, _, _ = parts_of(decision)
            sent[task, number] = reward
    extra = set(there) - set(sent)
    # a tell that was cut off and then refused because its task had closed was not stored
    assert not extra, ("no client sent these", list(extra)[:3])
    return len(there)


def main(program, kills):
    moments = random.Random(kills)
    slowest = 0.0
    with folder() as where:
        store = os.path.join(where, "crash.db")
        service = Service(program, store)
        LEARNERS["saved"] = {"saved": saved_learner(program, where)}
        for name, settings in LEARNERS.items():
            status, _ = service.client().post("/v1/learners", {"name": name, "steps": STEPS - 2, "control": 0.1, **settings})
            assert status == 201
        shared = Shared(service)
        students = [Student(shared, i) for i in range(CLIENTS)]
        merger = Merger(shared)
        for thread in [*students, merger]:
            thread.start()
        for i in range(kills):
            time.sleep(moments.uniform(0.02, 0.5))
            if i % 5 == 2:
                check_store(program, store)  # while it works
            service.kill()
            begun = time.monotonic()
            service.start()
            slowest = max(slowest, time.monotonic() - begun)
        time.sleep(0.5)
        shared.over = True
        for thread in [*students, merger]:
            thread.join(60)
        assert merger.merged > 0 and not merger.wrong, merger.wrong[:3]
        last = service.client()
        for student in students:
            student.tell_again(last)
        count = compare(students, store)
        learners = [last.get(f"/v1/learners/{name}")[1] for name in LEARNERS]
        assert sum(learner["rewards"] for learner in learners) == count, (learners, count)
        assert sum(arm["pulls"] for learner in learners for arm in learner["arms"]) <= count
        assert service.stop() == 0
        said = check_store(program, store)
    acknowledged = sum(len(student.acknowledged) for student in students)
    closed = [learner["tasks"]["closed"] for learner in learners]
    assert acknowledged > 0 and min(closed) > 0
    assert SHORT or all(learner["version"] > 0 for learner in learners)
    print(f"{kills} kills, {acknowledged} rewards acknowledged, {count} stored, {sum(closed)} tasks "
          f"closed, slowest start {slowest * 1000:.0f} ms; {said.strip()}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5 if SHORT else 20)
