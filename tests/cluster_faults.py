"""Several servers on a database with a synchronous standby, faults of all of them, clients on every server, and what
must hold then (docs/cluster-protocol.md): I1, I3, I4, I5, and that `segue store check` rebuilds every learner to the
bytes of its snapshot (I6).

bench/cluster runs it for long, test_serve_cluster_faults.py for a short time.
SPDX-License-Identifier: Apache-2.0"""
import collections
import contextlib
import itertools
import random
import signal
import subprocess
import threading
import time

from cluster_machines import ANSWERS, LEASE, PG, REQUESTS, WAIT_FOR_STANDBY, Cluster, call  # noqa: F401
from service import parts_of

LEARNERS = 6


# ---- faults --------------------------------------------------------------------------------


class Record:
    """Which faults there were, which two of them at the same moment, and what clients were told during each."""

    def __init__(self, measure):
        self.measure, self.lock, self.active = measure, threading.Lock(), []
        self.times, self.pairs = collections.Counter(), collections.Counter()
        self.during = collections.defaultdict(collections.Counter)

    @contextlib.contextmanager
    def fault(self, name):
        with self.lock:
            self.times[name] += 1
            self.pairs.update(" and ".join(sorted((name, other))) for other in self.active)
            self.active.append(name)
        before = self.measure()
        try:
            yield
        finally:
            with self.lock:
                self.active.remove(name)
                self.during[name].update(self.measure() - before)


class Faults(threading.Thread):
    """One fault after the other, beside the other threads of faults.  Each leaves the cluster able to recover by itself;
    programs that ended are started again.  `order`: those to begin with, shared."""

    def __init__(self, cluster, record, order, seed):
        super().__init__(daemon=True)
        self.cluster, self.record, self.order, self.random = cluster, record, order, random.Random(seed)
        self.failed, self.over = None, False

    @staticmethod
    def kinds(cluster):
        names = ["kill_server", "stop_server", "terminate", "restart_database", "promote", "cut", "lose_answers", "partition",
                 "separate"]
        if cluster.databases.shim:
            names += ["set_server_clock", "set_database_clock"]
        if all(disk.is_mounted for disk in cluster.databases.disks):
            names += ["fill_primary", "fill_standby", "fill_both"]
        return names

    def run(self):
        try:
            while not self.over or self.order:
                time.sleep(self.random.random() * 1.5)
                self.any()
        except Exception as failure:  # reported by the main thread
            self.failed = failure

    def any(self):
        drawn = self.random.choice(self.kinds(self.cluster))
        try:
            name = self.order.popleft()
        except IndexError:
            name = drawn
        server = self.random.choice(self.cluster.servers)
        with self.record.fault(name):
            getattr(self, name)(server)
        for server in self.cluster.servers:
            server.revive()

    def sleep(self, low, high):
        """From `low` to `high` leases."""
        time.sleep(LEASE * self.random.uniform(low, high))

    def kill_server(self, server):
        process = server.process
        process.kill()
        process.wait()
        self.sleep(0, 1)

    def stop_server(self, server):
        process = server.process
        process.send_signal(signal.SIGSTOP)
        self.sleep(1.2, 2.2)
        process.send_signal(signal.SIGCONT)

    def terminate(self, server):
        process = server.process
        process.terminate()
        process.wait(60)

    def restart_database(self, _):
        self.cluster.databases.restart()

    def promote(self, _):
        self.cluster.databases.promote()

    def cut(self, server):
        for proxy in server.database:
            proxy.cut()

    def lose_answers(self, server):
        for proxy in server.database:
            proxy.cut_answers = 3

    def partition(self, server):
        """Nothing reaches the database, or none of its answers arrives; then both."""
        way = self.random.choice((REQUESTS, ANSWERS))
        for proxy in server.database:
            proxy.stalls = (way,)
        self.sleep(0, 1)
        for proxy in server.database:
            proxy.refuses = True
            proxy.cut()
        self.sleep(0, 1.5)
        for proxy in server.database:
            proxy.stalls, proxy.refuses = (), False

    def separate(self, server):
        """The other servers do not reach it, or its answers do not reach them; it reaches them."""
        if self.random.random() < 0.5:
            server.entry.refuses = True
            server.entry.cut()
        else:
            server.entry.stalls = (ANSWERS,)
        self.sleep(0, 1)
        server.entry.cut()
        server.entry.stalls, server.entry.refuses = (), False

    def jump(self):
        """Seconds: from one to a year, in either direction."""
        return self.random.choice((-1, 1)) * int(10 ** self.random.uniform(0, 7.5))

    def set_server_clock(self, server):
        """It stays so; then it is set again."""
        server.clock.set(self.jump())
        self.sleep(0, 1)
        server.clock.set(self.jump())

    def set_database_clock(self, _):
        """The primary's or the standby's; a start or a promotion is not under way."""
        with self.cluster.databases.lock:
            self.random.choice(self.cluster.databases.clocks).set(self.jump())
        self.sleep(0, 1)

    def fill(self, disks):
        """Nearly; and a new segment of the WAL needs more at some time."""
        for disk in disks:
            disk.fill(self.random.choice((0, self.random.randrange(1 << 20))))
        self.sleep(0.2, 0.7)
        with contextlib.suppress(AssertionError):
            self.cluster.databases.sql("SELECT pg_switch_wal()")
        self.sleep(0.2, 0.7)
        for disk in disks:
            disk.empty()
        self.cluster.databases.revive()

    def fill_primary(self, _):
        self.fill([self.cluster.databases.disks[self.cluster.databases.primary]])

    def fill_standby(self, _):
        self.fill([self.cluster.databases.disks[self.cluster.databases.standby]])

    def fill_both(self, _):
        self.fill(self.cluster.databases.disks)


# ---- clients -------------------------------------------------------------------------------


Tell = collections.namedtuple("Tell", "client begun ended value status result")


def is_unknown(tell):
    """It may have counted, also later."""
    return tell.status in (0, 503)


def check_register(decision, tells, stored):
    """A decision is a register that is written once: the tells of all clients have an order in which each was answered
    right, and which keeps the order of those that did not overlap.  `stored`: the reward in the store, or None.

    A server repeats a tell if the owner's answer is lost: then "duplicate" is the answer to the tell that counted."""
    counted = [t for t in tells if t.result == "counted"]
    known = [t for t in tells if t.status in (200, 409)]
    values = {t.value if t.status == 200 else 1.0 - t.value for t in known}
    assert len(counted) <= 1, ("counted twice", decision, tells)
    assert len(values) <= 1, ("both rewards counted", decision, tells)
    assert not known or stored in values, ("I1: acknowledged and not stored", decision, tells, stored)
    assert not any(t.status == 410 for t in tells) or stored is None, ("gone and stored", decision, tells, stored)
    if stored is None:
        return
    writes = counted or [t for t in tells if (is_unknown(t) or t.status == 200) and t.value == stored]
    assert writes, ("I1: stored and never sent", decision, tells, stored)
    first = min(t.begun for t in writes)
    assert all(first < t.ended for t in known), ("known before it was told", decision, tells)


class Client(threading.Thread):
    """Asks by events and tells rewards, on any server.  All clients share tasks and events, so that they ask and tell the
    same at the same time, and what one got no answer to, another one repeats."""

    def __init__(self, whole, number):
        super().__init__(daemon=True)
        self.whole, self.random, self.failed = whole, random.Random(number), None
        self.number, self.tells, self.requests = number, collections.defaultdict(list), collections.Counter()

    def call(self, path, body):
        status, answer = call(self.random.choice(self.whole.cluster.servers).port, "POST", path, body)
        self.requests[status] += 1
        assert status in (0, 200, 201, 409, 410, 503), (path, status, answer)
        if status in (0, 503):
            time.sleep(0.05)
        return status, answer

    def run(self):
        try:
            while not self.whole.over:
                self.step()
        except Exception as failure:  # reported by the main thread
            self.failed = failure

    def step(self):
        learner, task = f"l{self.random.randrange(LEARNERS)}", f"t{next(self.whole.rounds) // 40}"
        decision = self.ask(learner, task, f"e{self.random.randrange(8)}" if self.random.random() < 0.8 else None)
        if decision:
            self.whole.recent.append(decision)
            self.tell(decision)
        if self.whole.recent and self.random.random() < 0.3:
            self.tell(self.random.choice(self.whole.recent))

    def ask(self, learner, task, event):
        """The decision or None.  An event has one; without an event, which memory answers, each is a new one."""
        status, answer = self.call(f"/v1/learners/{learner}/ask", {"task": task, **({"event": event} if event else {})})
        if status != 200:
            return None
        decision = answer["decision"]
        if event:
            first = self.whole.decisions.setdefault((learner, task, event), decision)
            assert first == decision, ("I5", learner, task, event, first, decision)
        else:
            number = parts_of(decision)[1:3]
            assert number not in self.whole.alone, ("a decision was given twice", decision)
            self.whole.alone.add(number)
        return decision

    def tell(self, decision):
        value, begun = float(self.random.randrange(2)), time.monotonic()
        status, answer = self.call("/v1/tell", {"decision": decision, "reward": value})
        self.tells[decision].append(Tell(self.number, begun, time.monotonic(), value, status, answer.get("status")))
        if status == 200:
            assert self.whole.counted.setdefault(decision, value) == value, ("both rewards counted", decision)
        elif status == 409:
            assert self.whole.counted.get(decision) != value, ("the reward that counted is refused", decision)


class Watcher(threading.Thread):
    """I4: an event log only grows; I3: epochs do not decrease.

    After a restart of the primary rows are visible that the standby may lack.  They were not acknowledged, and a promotion may
    lose them.  So a poll counts when the standby has what it saw."""

    def __init__(self, whole):
        super().__init__(daemon=True)
        self.whole, self.failed, self.last, self.polls = whole, None, {}, 0

    def poll(self):
        rows = self.whole.cluster.databases.sql(
            "SELECT learner, string_agg(seq || ':' || kind || ':' || subject || ':' || epoch, ' ' ORDER BY seq) FROM event "
            f"GROUP BY learner; {WAIT_FOR_STANDBY}")
        for learner, log in (row.split("|") for row in rows if "|" in row):
            before = self.last.get(learner, "")
            assert log.startswith(before), ("I4", learner, before[-200:], log[len(before) - 200:])
            epochs = [int(event.rsplit(":", 1)[1]) for event in log.split()]
            assert epochs == sorted(epochs), ("I3", learner, epochs)
            self.last[learner] = log
        self.polls += 1

    def run(self):
        while not self.whole.over:
            try:
                self.poll()
            except AssertionError as failure:
                if failure.args and isinstance(failure.args[0], tuple) and failure.args[0][0] in ("I3", "I4"):
                    self.failed = failure
                    return  # else the database is away
            time.sleep(0.5)


class Whole:
    def __init__(self, program, n_clients, seed, shim, at_once):
        self.program, self.over, self.random = program, False, random.Random(seed)
        self.rounds, self.recent = itertools.count(), collections.deque(maxlen=12)
        self.decisions, self.counted = {}, {}  # of all clients: by learner, task and event; and their rewards
        self.alone = set()  # decisions without an event: task and number
        self.cluster = Cluster(program, shim=shim)
        self.cluster.wait_ready()
        for i in range(LEARNERS):
            status, answer = call(self.cluster.servers[i % 3].port, "POST", "/v1/learners",
                                  {"name": f"l{i}", "arms": ["A", "B", "C"], "steps": 6})
            assert status in (200, 201), (status, answer)
        self.clients = [Client(self, i) for i in range(n_clients)]
        self.watcher = Watcher(self)
        self.record = Record(self.measure)
        kinds = Faults.kinds(self.cluster)
        self.order = collections.deque(self.random.sample(kinds, len(kinds)))  # each once, then any
        self.faults = [Faults(self.cluster, self.record, self.order, seed * 1000 + i) for i in range(at_once)]
        for thread in (*self.clients, self.watcher, *self.faults):
            thread.start()

    def measure(self):
        """What clients were told until now."""
        answers = sum((collections.Counter(dict(c.requests)) for c in self.clients), collections.Counter())
        return collections.Counter({"calls": sum(answers.values()), "no answer": answers[0], "503": answers[503],
                                    "acknowledged": len(self.counted)})

    def check_threads(self):
        for thread in (*self.clients, self.watcher, *self.faults):
            if thread.failed:
                raise thread.failed

    def end_faults(self):
        for thread in self.faults:
            thread.over = True
        while any(thread.is_alive() for thread in self.faults):
            self.check_threads()
            time.sleep(0.1)
        self.check_threads()

    def finish(self):
        """Failures have ended: everything answers again, and the store has what was acknowledged."""
        self.cluster.databases.revive()
        self.cluster.wait_ready()
        time.sleep(LEASE)
        self.over = True
        for client in self.clients:
            client.join(30)
        self.check_threads()
        self.watcher.poll()
        known = list(self.decisions.items())
        for (learner, task, event), decision in self.random.sample(known, min(len(known), 200)):
            for server in self.cluster.servers:
                status, answer = call(server.port, "POST", f"/v1/learners/{learner}/ask", {"task": task, "event": event}, 20)
                assert (status, answer.get("decision")) == (200, decision), ("I5 at the end", learner, task, event, status, answer)
        for server in self.cluster.servers:
            assert server.end() == 0, server.number
        return self.check_store()

    def check_store(self):
        stored = {}
        for task, number, value in (row.split("|") for row in self.cluster.databases.sql("SELECT task, number, value FROM reward")):
            assert (int(task), int(number)) not in stored, ("I1: stored twice", task, number)
            stored[int(task), int(number)] = float(value)
        tells = collections.defaultdict(list)
        for client in self.clients:
            for decision, sent in client.tells.items():
                tells[decision] += sent
        for decision, sent in tells.items():
            check_register(decision, sent, stored.get(tuple(parts_of(decision)[1:3])))
        unsent = set(stored) - {tuple(parts_of(decision)[1:3]) for decision in tells}
        assert not unsent, ("I1: stored and never sent", unsent)
        done = subprocess.run([self.program, "store", "check", "--store", self.cluster.store()], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return {"rewards": len(stored), "acknowledged": len(self.counted), "decisions": len(tells), "polls": self.watcher.polls,
                "told by several clients": sum(len({t.client for t in sent}) > 1 for sent in tells.values()),
                "answers to COMMIT lost": sum(proxy.lost_answers for s in self.cluster.servers for proxy in s.database),
                "faults": dict(self.record.times), "pairs": dict(self.record.pairs),
                "during": {name: dict(counts) for name, counts in self.record.during.items()},
                "failures of disks": self.cluster.databases.failures_of_disks(),
                "answers": dict(sum((c.requests for c in self.clients), collections.Counter()))}


def run(program, seconds, n_clients=6, seed=1, shim=None, at_once=2, report=lambda text: None):
    """Returns what was counted; AssertionError if an invariant does not hold.  `shim`: clock_shim.c; without it clocks stay."""
    whole = Whole(program, n_clients, seed, shim, at_once)
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            whole.check_threads()
            time.sleep(1)
            report(f"{sum(whole.record.times.values())} faults, now {', '.join(whole.record.active)}; {dict(whole.measure())}")
        whole.end_faults()
        return whole.finish()
    finally:
        whole.over = True
        for thread in whole.faults:
            thread.over = True
        whole.order.clear()
        whole.cluster.stop()
