#!/usr/bin/python3
"""The program as a client of the service: addresses, TLS, and responses that are none.

usage: test_serve_client.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import socket
import subprocess
import sys
import threading
import unittest

from program import SEGUE, Folder
from service import Service

# A machine without a resolver: its files are hidden.
NAMELESS = """
set -e
for file in /etc/hosts /etc/resolv.conf /etc/nsswitch.conf; do
    if [ -e "$file" ]; then mount --bind "$0" "$file"; fi
done
exec "$@"
"""


# Sends each request on to the service at PORT, over TLS, with a certificate and its key.
FRONT = """
import http.client, http.server, ssl, sys

class Front(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        back = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
        size = int(self.headers.get("Content-Length") or 0)
        back.request(self.command, self.path, self.rfile.read(size) if size else None,
                     {"Content-Type": self.headers.get("Content-Type", "")} if size else {})
        response = back.getresponse()
        body = response.read()
        self.send_response(response.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"""


class Tls(Folder):
    """A service behind a server that ends TLS, with a certificate that only --cacert makes trusted."""

    def setUp(self):
        super().setUp()
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert,
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       check=True, capture_output=True, timeout=60)
        self.cert = str(cert)
        both = self.file(key.read_text() + cert.read_text(), "both.pem")
        self.service = Service(SEGUE, str(self.folder / "test.db"))
        self.addCleanup(self.service.stop)
        front = subprocess.Popen([sys.executable, "-c", FRONT, str(self.service.port), both], stdout=subprocess.PIPE,
                                 text=True)
        self.addCleanup(front.stdout.close)
        self.addCleanup(front.wait)
        self.addCleanup(front.kill)
        self.url = f"https://localhost:{int(front.stdout.readline())}"

    def call(self, *arguments, **environment):
        plain = {name: value for name, value in os.environ.items() if name != "SSL_CERT_FILE"}
        return subprocess.run([SEGUE, *arguments, "--url", self.url], capture_output=True, text=True, timeout=60,
                              env={**plain, **environment}, input='{"name": "tutor", "arms": ["A", "B"]}')

    def test_https_works_with_the_certificate_of_its_authority(self):
        for arguments, environment in ((("--cacert", self.cert), {}), ((), {"SSL_CERT_FILE": self.cert})):
            done = self.call("learners", *arguments, **environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(json.loads(done.stdout), {"learners": []})
        self.assertEqual(self.call("learners", "--create", "-", "--cacert", self.cert).returncode, 0)
        asked = json.loads(self.call("ask", "tutor", "--task", "a/b c", "--cacert", self.cert).stdout)
        reported = self.call("tell", asked["decision"], "--reward", "1", "--cacert", self.cert)
        self.assertEqual(reported.returncode, 0, reported.stderr)
        closed = self.call("close", "tutor", "--task", "a/b c", "--cacert", self.cert)
        self.assertEqual(closed.returncode, 0, closed.stderr)

    def test_a_certificate_that_is_not_trusted_is_rejected_with_the_next_step(self):
        done = self.call("learners")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the certificate is not trusted", done.stderr)
        self.assertIn("give the CA's with --cacert FILE", done.stderr)

    def test_a_file_that_holds_no_certificate_is_named(self):
        done = self.call("learners", "--cacert", self.file("no certificate", "bad.pem"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.pem: cannot be read as certificates; need a PEM file", done.stderr)

    def test_https_to_a_service_without_tls_names_the_next_step(self):
        self.refused(1, "use http:// if the service has no TLS", "learners", "--url",
                     f"https://localhost:{self.service.port}")


class Answering(Folder):
    """What answers at the address is not a service, or is one that dies."""

    def answering(self, text):
        """The address of a server that sends this and closes."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(text)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}"

    def test_an_answer_that_is_not_http(self):
        self.refused(1, "not an HTTP server; check host and port of --url", "learners", "--url",
                     self.answering(b"SSH-2.0-OpenSSH_9.2\r\n"))

    def test_a_response_that_ends_early_is_not_printed(self):
        for text in (b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"learners\"", b"HTTP/1.1 200 OK\r\nConte", b""):
            self.refused(1, "incomplete", "learners", "--url", self.answering(text))
        self.refused(1, "the response has no length, and may be incomplete", "learners", "--url",
                     self.answering(b"HTTP/1.1 200 OK\r\n\r\n{}"))

    def test_a_local_service_is_not_reached_through_a_proxy(self):
        url = self.answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        done = subprocess.run([SEGUE, "learners", "--url", url], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "http_proxy": "http://127.0.0.1:9", "no_proxy": ""})
        self.assertEqual((done.returncode, done.stdout), (0, "{}\n"), done.stderr)


class Addresses(Folder):
    def test_other_schemes_are_rejected_with_the_next_step(self):
        for url in ("ftp://127.0.0.1", "file:///etc/passwd", "http://", "", "http://a b"):
            self.refused(2, "is not the address of a service; need one such as http://127.0.0.1:8080", "learners",
                         "--url", url)

    def test_localhost_needs_no_resolver(self):
        empty = self.file("", "empty")
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        nameless = [*unshare, "sh", "-c", NAMELESS, empty]
        try:
            here = subprocess.run([*nameless, "getent", "hosts", "localhost"], capture_output=True, timeout=60)
        except FileNotFoundError:
            self.skipTest("there is no unshare")
        if here.returncode != 2:  # not found
            self.skipTest(f"the resolver's files cannot be hidden here: {here.stderr.decode().strip()}")
        service = Service(SEGUE, str(self.folder / "test.db"))
        self.addCleanup(service.stop)
        for name in ("localhost", "LOCALHOST", "http://localhost", "127.0.0.1"):
            done = subprocess.run([*nameless, SEGUE, "learners", "--url", f"{name}:{service.port}"],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout), {"learners": []})

    def test_a_refused_connection_names_the_address_and_the_next_step(self):
        self.refused(1, "localhost:9: connection failed: Connection refused; start the service with 'segue serve'",
                     "learners", "--url", "localhost:9")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
