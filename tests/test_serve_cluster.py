#!/usr/bin/python3
"""Three servers on one database: any of them answers, learners move, and requests that no server can answer say so.

usage: test_serve_cluster.py SEGUE
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import postgresql
from cluster_machines import call, free_port

PROGRAM = os.path.abspath(sys.argv.pop(1))
LEASE = 1.5


class Server:
    def __init__(self, store, where, number, *more):
        self.port, self.log = free_port(), f"{where}/access{number}.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store", store, "--listen", f"127.0.0.1:{self.port}", "--advertise", self.url,
             "--lease", f"{LEASE}s", "--threads", "2", "--access-log", self.log, *more],
            stderr=subprocess.PIPE, text=True)
        self.wait_ready()

    def wait_ready(self):
        while call(self.port, "GET", "/readyz")[0] != 200:
            assert self.process.poll() is None, self.process.stderr.read()
            time.sleep(0.05)

    def call(self, method, path, body=None, **headers):
        return call(self.port, method, path, body, 20, {key.replace("_", "-"): value for key, value in headers.items()})

    def owned(self):
        status, body = self.call("GET", "/v1/learners", Segue_Hop="test")
        assert status == 200, body
        return [learner["name"] for learner in body["learners"]]

    def metric(self, name):
        text = urllib.request.urlopen(f"{self.url}/metrics").read().decode()
        return float(next(line for line in text.splitlines() if line.startswith(name + " ")).split()[1])

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        self.process.communicate(timeout=60)
        return self.process.returncode


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = postgresql.own_server()

    def setUp(self):
        self.where = tempfile.TemporaryDirectory(prefix="segue-cluster-")
        self.store = self.database.store(f"c_{self._testMethodName[5:45]}")
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            server.end()
        self.where.cleanup()

    def start(self, n=3):
        for i in range(n):
            self.servers.append(Server(self.store, self.where.name, len(self.servers)))
        return self.servers

    def create(self, n):
        for i in range(n):
            server = self.servers[i % len(self.servers)]
            self.assertEqual(server.call("POST", "/v1/learners", {"name": f"l{i}", "arms": ["a", "b"], "steps": 4})[0], 201)

    def ask(self, server, name, event="e"):
        status, body = server.call("POST", f"/v1/learners/{name}/ask", {"task": "t", "event": event})
        self.assertEqual(status, 200, body)
        return body["decision"]

    def test_any_server_answers_for_any_learner(self):
        servers = self.start()
        self.create(6)
        for i in range(6):
            decisions = {self.ask(server, f"l{i}") for server in servers}
            self.assertEqual(len(decisions), 1)
            tells = [server.call("POST", "/v1/tell", {"decision": decisions.copy().pop(), "reward": 1})[1]["status"] for server in servers]
            self.assertEqual(sorted(tells), ["counted", "duplicate", "duplicate"])
            other = servers[0].call("POST", "/v1/tell", {"decision": decisions.pop(), "reward": 0})
            self.assertEqual(other[0], 409)
        shown = [server.call("GET", "/v1/learners/l3") for server in servers]
        self.assertEqual(shown[0], shown[1])
        self.assertEqual(shown[0], shown[2])
        self.assertEqual({server.call("GET", "/v1/learners/none")[0] for server in servers}, {404})
        self.assertEqual(sorted(sum((server.owned() for server in servers), [])), [f"l{i}" for i in range(6)])

    def test_a_list_and_rewards_of_all_learners_are_one_request(self):
        servers = self.start()
        self.create(5)
        decisions = [self.ask(servers[0], f"l{i}") for i in range(5)]
        rewards = [{"decision": d, "reward": 1} for d in decisions] + [{"decision": "x", "reward": 1}, {"decision": decisions[0], "reward": 0}]
        time.sleep(LEASE)  # every server knows the others
        for server in servers:
            status, body = server.call("GET", "/v1/learners")
            self.assertEqual((status, [one["name"] for one in body["learners"]]), (200, [f"l{i}" for i in range(5)]))
        status, body = servers[1].call("POST", "/v1/tell", {"rewards": rewards})
        self.assertEqual(status, 200, body)
        self.assertEqual([one["status"] for one in body["results"]], ["counted"] * 5 + ["rejected"] * 2)
        self.assertEqual([one.get("http_status") for one in body["results"][5:]], [400, 409])

    def test_a_clock_of_the_database_that_was_set_back_delays_by_a_lease(self):
        one, two = self.start(2)
        one.call("POST", "/v1/learners", {"name": "l0", "arms": ["a", "b"]})
        decision = self.ask(one, "l0")
        one.process.kill()
        one.process.wait()
        self.database.run(f"UPDATE c_{self._testMethodName[5:45]}.server SET expires = expires + interval '1 year'")
        until = time.monotonic() + 60  # else a year
        while (answer := two.call("POST", "/v1/learners/l0/ask", {"task": "t", "event": "e"}))[0] != 200:
            self.assertLess(time.monotonic(), until, answer)
        self.assertEqual(answer[1]["decision"], decision)

    def test_logs_metrics_and_readyz_say_where_a_request_went(self):
        one, two = self.start(2)
        one.call("POST", "/v1/learners", {"name": "l0", "arms": ["a", "b"]})
        self.ask(two, "l0")
        session = one.call("GET", "/readyz")[1]["session"]
        self.assertEqual(len(session), 32)
        self.assertEqual((one.metric("segue_cluster_owned"), two.metric("segue_cluster_owned")), (1, 0))
        self.assertEqual(two.metric("segue_cluster_forwards_total"), 1)
        status, body = two.call("POST", "/v1/learners/l0/ask", {"task": "t"}, Segue_Hop=session)
        self.assertEqual((status, body["error"]["code"]), (421, "misdirected"))  # never a second hop
        sender = two.call("GET", "/readyz")[1]["session"]
        self.assertEqual((one.end(), two.end()), (0, 0))
        lines = [line for server in (one, two) for line in pathlib.Path(server.log).read_text().splitlines()]
        asks = [json.loads(line) for line in lines if '"ask"' in line]
        self.assertEqual([line.get("from") for line in asks], [sender, None, session])
        self.assertEqual([line.get("to") for line in asks], [None, one.url, None])
        self.assertEqual(asks[0]["request"], asks[1]["request"])

    def move(self, how):
        """Another server answers for the learners of one that is signalled."""
        servers = self.start()
        self.create(6)
        decisions = {f"l{i}": self.ask(servers[0], f"l{i}") for i in range(6)}
        begun = time.monotonic()
        servers[0].process.send_signal(how)
        for name, decision in decisions.items():
            while (answer := servers[1].call("POST", f"/v1/learners/{name}/ask", {"task": "t", "event": "e"}))[0] == 503:
                pass
            self.assertEqual((answer[0], answer[1].get("decision")), (200, decision))
        self.seconds = time.monotonic() - begun
        return servers, decisions

    def assert_moved_within(self, seconds):
        if "SEGUE_TEST_SHORT" not in os.environ:  # sanitizers slow it down
            self.assertLess(self.seconds, seconds)

    def test_others_take_over_from_a_killed_server(self):
        servers, _ = self.move(signal.SIGKILL)
        self.assert_moved_within(LEASE + 1)
        self.assertGreater(sum(server.metric("segue_cluster_takeovers_total") for server in servers[1:]), 0)

    def test_others_take_over_from_a_server_that_ends(self):
        servers, _ = self.move(signal.SIGTERM)
        self.assert_moved_within(LEASE)  # it took 0.1 s; under load more
        self.assertEqual(servers[0].end(), 0)
        self.assertEqual(sum(server.metric("segue_cluster_takeovers_total") for server in servers[1:]), 0)

    def test_a_slow_client_keeps_no_learner_of_a_server_that_ends(self):
        one, two = self.start(2)
        one.call("POST", "/v1/learners", {"name": "l0", "arms": ["a", "b"]})
        decision = self.ask(one, "l0")
        with socket.create_connection(("127.0.0.1", one.port)) as slow:
            slow.sendall(b"POST /v1/tell HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
            time.sleep(0.2)
            one.process.terminate()
            while (answer := two.call("POST", "/v1/learners/l0/ask", {"task": "t", "event": "e"}))[0] == 503:
                pass
            self.assertEqual((answer[0], answer[1].get("decision")), (200, decision))
            self.assertEqual(two.metric("segue_cluster_takeovers_total"), 0)  # the lease did not have to expire
            with self.assertRaises(ConnectionRefusedError):  # others would wait for an answer
                socket.create_connection(("127.0.0.1", one.port))
            self.assertIsNone(one.process.poll())
        self.assertEqual(one.process.wait(60), 0)

    def test_a_server_that_was_stopped_forgets_what_others_took(self):
        servers, decisions = self.move(signal.SIGSTOP)
        servers[0].process.send_signal(signal.SIGCONT)
        servers[0].wait_ready()
        for name, decision in decisions.items():
            self.assertEqual(self.ask(servers[0], name), decision)
        self.assertEqual(servers[0].metric("segue_cluster_lost_sessions_total"), 1)
        for server in servers:
            self.assertEqual(server.end(), 0)
        done = subprocess.run([PROGRAM, "store", "check", "--store", self.store], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_learners_spread_over_servers_that_come(self):
        self.start(1)
        self.create(9)
        self.start(2)
        while True:
            owned = [len(server.owned()) for server in self.servers]
            if max(owned) <= 4 and sum(owned) == 9:  # one that moves has no owner for a moment
                break
            time.sleep(0.1)
        self.assertGreater(self.servers[0].metric("segue_cluster_resigned_total"), 0)

    def test_a_store_of_one_server_becomes_one_of_several_and_back(self):
        port = free_port()
        alone = [PROGRAM, "serve", "--store", self.store, "--listen", f"127.0.0.1:{port}"]
        first = subprocess.Popen(alone, stderr=subprocess.DEVNULL)
        while call(port, "GET", "/readyz")[0] != 200:
            time.sleep(0.05)
        call(port, "POST", "/v1/learners", {"name": "l0", "arms": ["a", "b"]})
        done = subprocess.run([PROGRAM, "serve", "--store", self.store, "--listen", "127.0.0.1:0", "--advertise", "http://127.0.0.1:1"],
                              capture_output=True, text=True)
        self.assertIn("has this store alone", done.stderr)
        first.terminate()
        first.wait()
        servers = self.start(2)
        self.assertEqual(self.ask(servers[0], "l0"), self.ask(servers[1], "l0"))
        done = subprocess.run(alone, capture_output=True, text=True)
        self.assertIn("another process serves this store", done.stderr)
        decision = self.ask(servers[0], "l0")
        for server in servers:
            self.assertEqual(server.end(), 0)
        again = subprocess.Popen(alone, stderr=subprocess.DEVNULL)
        while call(port, "GET", "/readyz")[0] != 200:
            time.sleep(0.05)
        self.assertEqual(call(port, "POST", "/v1/learners/l0/ask", {"task": "t", "event": "e"})[1]["decision"], decision)
        again.terminate()
        self.assertEqual(again.wait(), 0)

    def test_options_that_do_not_fit_are_refused(self):
        for args, says in ((("--lease", "5s"), "--lease needs --advertise"),
                           (("--advertise", "10.0.0.1:8080"), "need the URL"),
                           (("--advertise", "http://x/path"), "need the URL"),
                           (("--advertise", "http://x", "--lease", "0.1s"), "need 0.5s to 10m"),
                           (("--advertise", "http://x", "--store", f"sqlite:{self.where.name}/s.db"), "for one server")):
            done = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", self.store, *args], capture_output=True, text=True)
            self.assertEqual((done.returncode, says in done.stderr), (2, True), (args, done.stderr))


if __name__ == "__main__":
    try:
        postgresql.own_server()
    except unittest.SkipTest as why:
        print(why)
        sys.exit(77)
    unittest.main()
