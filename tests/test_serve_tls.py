#!/usr/bin/python3
"""HTTPS: many clients that wait for the disk, pipelined requests, a new certificate, wrong files.

usage: test_serve_tls.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import unittest

from program import answer
from served import FEW, TOKEN, Served
from service import SHORT, Client

PATIENCE = 30  # seconds, where a healthy service takes less than one
KINDS = {"ec": ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"), "rsa": ("rsa:2048",)}


def make_certificate(folder, name, kind="ec"):
    """Paths of a certificate that signs itself, and of its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", *KINDS[kind], "-nodes", "-keyout", key, "-out", certificate,
                    "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


class Https(Served):
    create = False

    def options_of(self):
        self.certificate, self.key = make_certificate(self.folder, "one")
        return ("--tls-cert", str(self.certificate), "--tls-key", str(self.key), "--token-file",
                self.file(f"all admin {TOKEN}\n", "tokens"))

    def setUp(self):
        super().setUp()
        self.client.close()
        self.client = self.connect()

    def context(self, certificate=None):
        return ssl.create_default_context(cafile=certificate or self.certificate)

    def connect(self, certificate=None):
        client = Client(self.service.port, TOKEN)
        client.connection = http.client.HTTPSConnection("127.0.0.1", self.service.port, timeout=60,
                                                        context=self.context(certificate))
        self.addCleanup(client.close)
        return client

    def raw_socket(self):
        plain = socket.create_connection(("127.0.0.1", self.service.port), timeout=60)
        secure = self.context().wrap_socket(plain, server_hostname="127.0.0.1")
        self.addCleanup(secure.close)
        return secure

    def make(self):
        self.assertEqual(self.client.post("/v1/learners", {"name": "tutor", "arms": ["A", "B"]})[0], 201)


class Load(Https):
    def test_many_clients_wait_for_the_disk(self):
        """Each tell suspends its connection until its transaction is stored; a connection carries ten of them."""
        clients, rounds = (16, 10) if SHORT else (64, 30)
        self.make()

        def play(number):
            client = self.connect()
            for i in range(rounds):
                status, reply = client.ask("tutor", f"t{number}-{i // 5}")
                self.assertEqual(status, 200, reply)
                self.assertEqual(client.tell(reply["decision"], 1)[0], 200)
                if i % 10 == 9:
                    client.close()  # the next one makes a handshake
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            list(pool.map(play, range(clients)))
        self.assertEqual(self.client.get("/v1/learners/tutor")[1]["rewards"], clients * rounds)

    def test_pipelined_requests_of_one_record(self):
        """The rest of a decrypted record waits in memory, where poll() does not see it."""
        self.make()
        sent = b"".join(b"POST /v1/learners/tutor/tasks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (TOKEN.encode(), len(body), body)
                        for body in (json.dumps({"task": f"t{i}"}).encode() for i in range(40)))
        self.assertLess(len(sent), 16384)
        secure, got = self.raw_socket(), b""
        secure.sendall(sent)
        while got.count(b"HTTP/1.1 201") < 40:
            more = secure.recv(65536)
            self.assertTrue(more, got)
            got += more

    def test_a_long_body_and_a_long_response(self):
        arms = ["x" * 250 + str(i) for i in range(240)]
        self.assertEqual(self.client.post("/v1/learners", {"name": "long", "arms": arms})[0], 201)
        self.assertEqual([arm["name"] for arm in self.client.get("/v1/learners/long")[1]["arms"]], arms)

    def test_the_program_is_a_client_of_it(self):
        self.make()
        listed = json.loads(answer("learners", "--url", f"https://127.0.0.1:{self.service.port}", "--cacert",
                                   self.certificate, "--token-file", self.folder / "tokens"))
        self.assertEqual([line["name"] for line in listed["learners"]], ["tutor"])

    def test_what_is_not_tls_is_closed(self):
        plain = socket.create_connection(("127.0.0.1", self.service.port), timeout=60)
        plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertNotIn(b"HTTP/1.1", plain.recv(1000))
        plain.close()
        for version, accepted in (("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
            done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.service.port}", version, "-cipher",
                                   "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.assertEqual("BEGIN CERTIFICATE" in done.stdout, accepted, (version, done.stderr))
        self.assertEqual(self.client.get("/v1/learners")[0], 200)

    def test_shutdown_answers_and_ends(self):
        self.make()
        idle = self.raw_socket()
        self.assertEqual(self.service.stop(), 0)
        self.assertEqual(idle.recv(10), b"")


class Reload(Https):
    reports = (FEW, "the old certificate is still used")

    def presented(self):
        """The certificate of a new connection."""
        return ssl.get_server_certificate(("127.0.0.1", self.service.port)).strip()

    def wait_for(self, certificate):
        until = time.monotonic() + PATIENCE
        while self.presented() != certificate.read_text().strip():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def install(self, certificate, key):
        os.replace(certificate, self.certificate)
        os.replace(key, self.key)
        self.service.process.send_signal(signal.SIGHUP)

    def test_sighup_serves_the_new_certificate(self):
        self.wait_for(self.certificate)
        self.assertEqual(self.client.get("/v1/learners")[0], 200)
        for kind in ("rsa", "ec"):
            self.install(*make_certificate(self.folder, "two", kind))
            self.wait_for(self.certificate)
            self.assertEqual(self.connect().get("/v1/learners")[0], 200)
            self.assertEqual(self.client.get("/v1/learners")[0], 200)  # an open connection goes on

    def test_wrong_files_do_not_replace_the_certificate(self):
        before = self.certificate.read_text().strip()
        certificate, key = make_certificate(self.folder, "two")
        os.replace(certificate, self.certificate)  # without its key
        self.service.process.send_signal(signal.SIGHUP)
        self.service.reported("one.key: is not the key of the certificate")
        self.service.reported("the old certificate is still used; correct it and send SIGHUP again")
        self.assertEqual(self.presented(), before)
        os.replace(key, self.key)
        self.service.process.send_signal(signal.SIGHUP)
        self.wait_for(self.certificate)

    def test_reloads_during_handshakes(self):
        pairs = [make_certificate(self.folder, f"new{i}") for i in range(2 if SHORT else 6)]
        trusted = self.folder / "all.pem"
        trusted.write_text("".join(path.read_text() for path in [self.certificate, *(c for c, _ in pairs)]))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            done = [pool.submit(lambda: [self.connect(trusted).get("/healthz")[0] for _ in range(15)]) for _ in range(4)]
            for pair in pairs:
                self.install(*pair)
                time.sleep(0.15)
            for future in done:
                self.assertEqual(future.result(), [200] * 15)


class Start(Https):
    def test_wrong_files_are_named(self):
        other, other_key = make_certificate(self.folder, "two")
        sealed = self.folder / "sealed.key"
        subprocess.run(["openssl", "pkcs8", "-topk8", "-in", other_key, "-out", sealed, "-passout", "pass:x"], check=True,
                       capture_output=True)
        serve = "serve", "--store", str(self.folder / "b.db"), "--listen", "127.0.0.1:0"
        for says, certificate, key in (
                ("two.pem; name its own key with --tls-key", other, self.key),
                ("none.pem: cannot be read: No such file", self.folder / "none.pem", self.key),
                ("none.key: cannot be read: No such file", other, self.folder / "none.key"),
                ("two.key: is not a certificate", other_key, other_key), ("two.pem: is not a private key", other, other),
                ("sealed.key: is not a private key", other, sealed)):
            self.refused(2, says, *serve, "--tls-cert", certificate, "--tls-key", key)
        self.refused(2, "--tls-cert and --tls-key belong together; give --tls-key too", *serve, "--tls-cert", other)
        self.refused(2, "give --tls-cert too", *serve, "--tls-key", other_key)
        self.assertFalse((self.folder / "b.db").exists())

    def test_a_chain_is_sent_whole(self):
        chain = self.folder / "chain.pem"
        other, _ = make_certificate(self.folder, "two")
        chain.write_text(self.certificate.read_text() + other.read_text())
        os.replace(chain, self.certificate)
        self.service.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + PATIENCE
        while True:
            shown = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.service.port}", "-showcerts"],
                                   stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if len(re.findall("BEGIN CERTIFICATE", shown.stdout)) == 2:
                return
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def test_a_key_that_others_can_read_is_reported(self):
        self.reports = (*self.reports, "one.key can be read by others")
        self.assertEqual(self.service.stop(), 0)
        self.key.chmod(0o644)
        self.service.start()
        self.service.reported("one.key can be read by others")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
