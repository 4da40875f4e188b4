#!/usr/bin/python3
"""Malformed requests are rejected and change nothing.

usage: test_serve_malformed.py SEGUE SOURCE [unittest options]; SEGUE_REQUESTS=N sends N requests
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import json
import os
import random
import socket
import sys
import unittest

from program import SEGUE, answer
from served import Served
from service import SHORT, check_store


REQUESTS = int(os.environ.get("SEGUE_REQUESTS", "400" if SHORT else "3000"))


class Malformed(Served):
    PATHS = ["/v1/learners", "/v1/learners/tutor", "/v1/learners/tutor/ask", "/v1/learners/tutor/tasks",
             "/v1/learners/tutor/tasks/s/close", "/v1/learners/tutor/arms", "/v1/learners/tutor/history", "/v1/tell",
             "/healthz", "/metrics", "/openapi.json"]
    BODIES = ['{"task":"s"}', '{"task":"s","count":3,"probability":true,"explain":true}',
              '{"decision":"AQAAAAEAAAAAAAAAAAAAAAEAAAACAAAAAAB83-vioQGV_zx-KsgKIMWyEAv97GsZ","reward":1}',
              '{"name":"new","arms":["A","B"],"steps":10,"reward_deadline":1,"default_reward":0}', '{"arm":"D"}',
              '{"task":"s","exclude":["A"],"event":"e","tell":{"decision":"x","reward":0}}']

    def spoil(self, rng, raw):
        """Flip, cut, repeat and insert bytes."""
        data = bytearray(raw)
        for _ in range(rng.choice([1, 1, 2, 5, 20])):
            at = rng.randrange(len(data)) if data else 0
            what = rng.random()
            if what < 0.4 and data:
                data[at] = rng.randrange(256)
            elif what < 0.6:
                del data[at:at + rng.randrange(1, 20)]
            elif what < 0.8:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 8)))
            else:
                data[at:at] = data[at:at + rng.randrange(1, 60)]
        return bytes(data)

    def request(self, rng):
        method = rng.choice(["GET", "POST", "POST", "POST", "DELETE", "PUT", "HEAD", "OPTIONS"])
        path, body = rng.choice(self.PATHS), rng.choice(self.BODIES).encode()
        if rng.random() < 0.4:
            path = self.spoil(rng, path.encode()).decode("latin-1")
        if rng.random() < 0.6:
            body = self.spoil(rng, body)
        if method == "DELETE" and "/tutor" in path:
            method = "POST"  # the learner must stay
        length = len(body) if rng.random() < 0.95 else rng.choice([0, 1, len(body) + 5, 10**7, -1])
        raw = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               f"Content-Length: {length}\r\nConnection: close\r\n\r\n").encode("latin-1") + body
        return self.spoil(rng, raw) if rng.random() < 0.2 else raw

    def send(self, seed):
        """The first digit of the status; 0: it was hung up on."""
        rng = random.Random(seed)
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=20) as link:
            try:
                link.sendall(self.request(rng))
                link.shutdown(socket.SHUT_WR)
                said = link.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                return 0
        if not said:
            return 0
        status = int(said.split(b" ", 2)[1])
        if 400 <= status < 500 and b"\r\n\r\n{" in said:
            # what is left over may have been another request, with an answer of its own
            json.JSONDecoder().raw_decode(said.split(b"\r\n\r\n", 1)[1].decode())
        if status >= 500 and status != 505:  # 505: a version of HTTP that there is not
            raise AssertionError((seed, said))
        return min(status // 100, 4)

    def test_malformed_requests_are_refused(self):
        seen = {}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for digit in pool.map(self.send, range(REQUESTS)):
                seen[digit] = seen.get(digit, 0) + 1
        self.assertNotIn(5, seen, seen)
        self.assertGreater(seen.get(4, 0), REQUESTS // 3, seen)
        self.assertIsNone(self.service.process.poll())
        self.assertEqual(self.client.ask("tutor", "after")[0], 200)
        self.assertEqual(self.service.stop(), 0)
        check_store(SEGUE, self.store)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
