#!/usr/bin/python3
"""Requests of ambiguous length are rejected, and hidden requests do not run.

Each refused request hides a DELETE of a learner: behind its headers, so that it runs where the body is
taken to be shorter than another server takes it.  The learner must still be there afterwards, the
status must be 400, and the connection must be closed.

usage: test_serve_smuggling.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import socket
import sys
import unittest

from program import SEGUE, Folder
from service import Service

HOST = b"Host: 127.0.0.1\r\n"
HIDDEN = b"DELETE /v1/learners/victim HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SIZE = str(len(HIDDEN)).encode()
CHUNKED = b"0\r\n\r\n" + HIDDEN
ASK = b"POST /v1/learners/victim/ask HTTP/1.1\r\n"
JSON = b"Content-Type: application/json\r\n"


def post(*headers, body=HIDDEN, line=b"POST /v1/tell HTTP/1.1\r\n", host=HOST):
    return line + host + JSON + b"".join(headers) + b"\r\n" + body


REFUSED = {
    "two lengths, the first 0": post(b"Content-Length: 0\r\n", b"Content-Length: " + SIZE + b"\r\n"),
    "two lengths, the last 0": post(b"Content-Length: " + SIZE + b"\r\n", b"Content-Length: 0\r\n"),
    "two lengths, the same": post(2 * (b"Content-Length: 0\r\n")),
    "a list of lengths": post(b"Content-Length: 0, 0\r\n"),
    "a length in capitals": post(b"Content-Length: 0\r\n", b"CONTENT-LENGTH: " + SIZE + b"\r\n"),
    "a length with a plus": post(b"Content-Length: +0\r\n"),
    "a length with a space": post(b"Content-Length: 0 \r\n"),
    "a length in hexadecimal": post(b"Content-Length: 0x0\r\n"),
    "a negative length": post(b"Content-Length:  -1\r\n"),
    "an empty length": post(b"Content-Length: \r\n"),
    "a length in words": post(b"Content-Length: none\r\n"),
    "length and chunked": post(b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n", body=CHUNKED),
    "chunked and length": post(b"Transfer-Encoding: chunked\r\n", b"Content-Length: 4\r\n", body=CHUNKED),
    "a space before the colon of chunked": post(b"Transfer-Encoding : chunked\r\n", body=CHUNKED),
    "a tab before the colon of chunked": post(b"Transfer-Encoding\t: chunked\r\n", body=CHUNKED),
    "a space before the colon of a length": post(b"Content-Length : " + SIZE + b"\r\n"),
    "another encoding": post(b"Transfer-Encoding: identity\r\n"),
    "two encodings": post(b"Transfer-Encoding: gzip, chunked\r\n", body=CHUNKED),
    "chunked in quotes": post(b'Transfer-Encoding: "chunked"\r\n', body=CHUNKED),
    "chunked twice": post(2 * b"Transfer-Encoding: chunked\r\n", body=CHUNKED),
    "chunked and an empty one": post(b"Transfer-Encoding:\r\n", b"Transfer-Encoding: chunked\r\n", body=CHUNKED),
    "an encoding behind a vertical tab": post(b"Transfer-Encoding: \x0bchunked\r\n", body=CHUNKED),
    "chunked in HTTP/1.0": post(b"Transfer-Encoding: chunked\r\n", body=CHUNKED, line=b"POST /v1/tell HTTP/1.0\r\n"),
    "a folded header": post(b"X: a\r\n b\r\n", b"Content-Length: 0\r\n"),
    "a folded length": post(b"Content-Length:\r\n " + SIZE + b"\r\n"),
    "a folded name": post(b"Content-:x\r\n Length\r\n"),
    "a fold at the start": b"POST /v1/tell HTTP/1.1\r\n Content-Length: 5\r\n" + HOST + b"\r\n" + HIDDEN,
    "a NUL in the path": post(line=b"POST /v1/tell\0x HTTP/1.1\r\n"),
    "a NUL in the query": post(line=b"POST /v1/tell?a=\0x HTTP/1.1\r\n"),
    "a NUL at the end of the path": post(line=b"POST /v1/tell\0 HTTP/1.1\r\n"),
    "a NUL in the method": post(line=b"POST\0 /v1/tell HTTP/1.1\r\n"),
    "a NUL in Host": post(host=b"Host: 127.0.0.1\0.evil.example\r\n"),
    "NULs in Host": post(host=b"Host: 127.0.0.1\0\0\0\0\r\n"),
    "a NUL in a name": post(b"Content-Length\0x: 5\r\n"),
    "a NUL in the last header": post(b"X: a\0b\r\n"),
    "NULs in the last header": post(b"X: a\0\0\0\0\r\n"),
    "no Host": post(host=b""),
    "two Host": post(host=HOST + b"Host: evil.example\r\n"),
    "two Host, the same": post(host=2 * HOST),
    "a bare CR in a value": post(b"X: a\rContent-Length: " + SIZE + b"\r\n"),
    "a bare CR before the end": post(b"X: a\r\r\n"),
    "a bare CR in the first line": post(line=b"POST /v1/tell HTTP/1.1\rX: y\r\n"),
    "a bare LF": post(b"X: a\nContent-Length: " + SIZE + b"\r\n"),
    "a bare LF in the first line": post(line=b"POST /v1/tell HTTP/1.1\n"),
    "only LF": post().replace(b"\r\n", b"\n"),
    "a control character in a value": post(b"X: a\x01b\r\n"),
    "a name in brackets": post(b"X(y): a\r\n"),
    "no name": post(b": a\r\n"),
    "no colon": post(b"Content-Length\r\n"),
    "two spaces in the first line": post(line=b"POST  /v1/tell HTTP/1.1\r\n"),
    "a space in the path": post(line=b"POST /v1/te ll HTTP/1.1\r\n"),
    "a space in the query": post(line=b"POST /v1/tell?a= b HTTP/1.1\r\n"),
    "a tab in the first line": post(line=b"POST /v1/tell\tHTTP/1.1\r\n"),
    "a space at the end of the first line": post(line=b"POST /v1/tell HTTP/1.1 \r\n"),
    "no version": post(line=b"POST /v1/tell\r\n"),
    "another version": post(line=b"POST /v1/tell HTTP/1.2\r\n"),
    "a version in small letters": post(line=b"POST /v1/tell http/1.1\r\n"),
    "a bare CR in a chunk's extension": post(b"Transfer-Encoding: chunked\r\n", body=b"0;a\rb\r\n\r\n" + HIDDEN),
}
# These are cut off without a response, or end with the connection: there is nothing to be refused in time.
NO_STATUS = {"a bare CR in a chunk's extension"}


class Smuggling(Folder):
    def setUp(self):
        super().setUp()
        self.service = Service(SEGUE, str(self.folder / "test.db"), "--request-timeout", "10")
        self.client = self.service.client()
        self.addCleanup(self.end)
        self.create()

    def create(self):
        code, _ = self.client.post("/v1/learners", {"name": "victim", "arms": ["A", "B"], "steps": 20})
        self.assertEqual(code, 201)

    def end(self):
        self.client.close()
        if self.service.process.poll() is None:
            self.assertEqual(self.service.stop(), 0)

    def send(self, raw, pieces=1):
        """What comes back until the connection is closed, which must happen within 20 s."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for i in range(pieces):
                    connection.sendall(raw[i * len(raw) // pieces:(i + 1) * len(raw) // pieces])
                while part := connection.recv(65536):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                pass  # it was closed while the rest was sent
        return answer

    def statuses(self, answer):
        return [int(part.split()[0]) for part in answer.split(b"HTTP/1.1 ")[1:]]

    def test_a_request_of_ambiguous_length_is_rejected(self):
        for name, raw in REFUSED.items():
            for pieces in (1, 7):
                with self.subTest(name, pieces=pieces):
                    answer = self.send(raw, pieces)
                    if name not in NO_STATUS and (pieces == 1 or answer):
                        self.assertRegex(answer, rb"^HTTP/1.1 400 ", raw)
                        self.assertIn(b"connection: close", answer.lower())
                    self.assertNotIn(b"HTTP/1.1 200", answer)
                    code, _ = self.client.get("/v1/learners/victim")
                    self.assertEqual(code, 200, f"{name}: the hidden DELETE was run")

    def test_the_hidden_request_does_run_where_it_is_not_hidden(self):
        """Else the test above would show nothing."""
        answer = self.send(b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n" +
                           HIDDEN.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.assertEqual(self.statuses(answer), [200, 200])
        self.assertEqual(self.client.get("/v1/learners/victim")[0], 404)

    def ask(self, *headers, body):
        return ASK + HOST + JSON + b"".join(headers) + b"\r\n" + body

    def test_a_chunked_body_is_accepted_and_closes_the_connection(self):
        body = b'7\r\n{"task"\r\n6;x=y\r\n: "a"}\r\n0\r\n\r\n'
        for encoding in (b"chunked", b"Chunked", b" \tchunked"):
            answer = self.send(self.ask(b"Transfer-Encoding: " + encoding + b"\r\n", body=body) + HIDDEN)
            self.assertEqual(self.statuses(answer), [200], answer)
            self.assertIn("arm", json.loads(answer.split(b"\r\n\r\n")[1]))
            self.assertEqual(self.client.get("/v1/learners/victim")[0], 200)

    def test_requests_may_follow_each_other_at_once(self):
        body = b'{"task": "a"}'
        one = self.ask(b"Content-Length: %d\r\n" % len(body), body=body)
        last = self.ask(b"Content-Length: %d\r\nConnection: close\r\n" % len(body), body=body)
        for pieces in (1, 11, 200):
            self.assertEqual(self.statuses(self.send(9 * one + last, pieces)), 10 * [200])

    def test_a_connection_is_persistent(self):
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=20) as connection:
            for i in range(3):
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                answer = b""
                while b'"ok"' not in answer:
                    answer += connection.recv(4096)

    def test_unusual_but_valid_requests_are_served(self):
        close = b"Connection: close\r\n\r\n"
        for raw in (b"GET /healthz HTTP/1.1\r\nhOST:127.0.0.1\r\n" + close,
                    b"GET /healthz HTTP/1.1\r\nHost: \t 127.0.0.1\r\nX:\r\nY: \r\nZ: a b\tc  \r\n" + close,
                    b"\r\nGET /healthz HTTP/1.1\r\n" + HOST + close,
                    b"GET /v1/learners/victim/tasks?limit=5&explain=true HTTP/1.1\r\n" + HOST + "X: \u00e4\r\n".encode() + close,
                    b"GET /healthz HTTP/1.0\r\n\r\n",
                    b"GET /healthz HTTP/1.1\r\n" + HOST + 60 * b"X-Many: 0123456789\r\n" + close):
            for pieces in (1, 5):
                self.assertEqual(self.statuses(self.send(raw, pieces)), [200], raw)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
