#!/usr/bin/python3
"""A log that no one reads does not hold up the service, and one that is read has every line.

usage: test_serve_log.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest

from program import SEGUE, Folder
from service import SHORT, Client
from stores import store_name

PATH = "/v1/" + "x" * 4000  # a line of the log has it, so that few requests fill what is between
BUFFER = 1 << 20  # of the service, twice; the pipe has 64 KiB more
PATIENCE = 30  # seconds, where a healthy service takes less than two


class Piped(Folder):
    """`segue serve` whose standard output and error are pipes that the test reads when it likes."""

    def setUp(self):
        super().setUp()
        self.process = None
        self.addCleanup(self.kill)

    def start(self, *options):
        self.process = subprocess.Popen(
            [SEGUE, "serve", "--store", store_name(self.folder / 'test.db'), "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        if "acknowledged rewards are on" in line:  # of a database
            line = self.process.stderr.readline().decode()
        self.client = Client(int(re.search(r"listening on \S+:(\d+),", line).group(1)))
        self.addCleanup(self.client.close)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            self.process.stdout.close()
            self.process.stderr.close()

    def end(self):
        """SIGTERM must end it in time; returns the exit code."""
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    def metric(self, name):
        text = self.client.raw("GET", "/metrics")[1].decode()
        return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))

    def fill(self):
        """Requests until lines are dropped: more than the pipe and the buffers hold."""
        for i in range(4 * BUFFER // len(PATH)):
            self.assertEqual(self.client.raw("GET", PATH)[0], 404, i)
            if i % 64 == 0 and self.metric("segue_access_log_dropped_total") > 64:
                return
        self.fail("no line was dropped")


class Stuck(Piped):
    def test_the_service_answers_and_ends_though_nobody_reads_its_log(self):
        self.start("--access-log", "-")
        self.fill()
        for _ in range(100):
            self.assertEqual(self.client.get("/healthz")[0], 200)
        self.assertEqual(self.client.post("/v1/learners", {"name": "a", "arms": ["A", "B"]})[0], 201)
        self.assertEqual(self.end(), 0)
        reported = self.process.stderr.read().decode()
        self.assertEqual(reported.count("access log is full and lines are dropped"), 1, reported)

    def test_a_log_that_goes_on_says_how_many_lines_it_lacks(self):
        self.start("--access-log", "-")
        self.fill()
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(self.process.stdout))
        reader.start()
        deadline = time.monotonic() + PATIENCE
        while not any(b'"dropped"' in line for line in lines):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.client.get("/v1/learners")
        dropped = self.metric("segue_access_log_dropped_total")
        asked = sum(map(int, re.findall(r'^segue_requests_total\{.*\} (\d+)$',
                                        self.client.raw("GET", "/metrics")[1].decode(), re.M)))
        self.assertEqual(self.end(), 0)
        reader.join()
        lines = [json.loads(line) for line in lines]
        self.assertEqual(sum(line.get("dropped", 0) for line in lines), dropped)
        self.assertEqual(len([line for line in lines if "path" in line]), asked + 1 - dropped)  # and /metrics itself
        at = next(i for i, line in enumerate(lines) if "dropped" in line)
        self.assertIn("/v1/learners", [line.get("path") for line in lines[at:]])

    def test_reports_that_nobody_reads_hold_up_nothing(self):
        """Standard error is full before the service has something to say."""
        tokens = self.file("a-token-that-is-long-enough\n", "tokens")
        self.start("--access-log", str(self.folder / "log"), "--token-file", tokens)
        writer = os.open(f"/proc/{self.process.pid}/fd/2", os.O_WRONLY | os.O_NONBLOCK)
        try:
            while True:
                os.write(writer, b"x" * 4096)
        except BlockingIOError:
            os.close(writer)
        (self.folder / "log").unlink()
        (self.folder / "log").mkdir()
        self.process.send_signal(signal.SIGHUP)  # it cannot open the log anew, and reports that
        for _ in range(50):
            self.assertEqual(self.client.get("/healthz")[0], 200)
            self.assertEqual(self.client.get("/v1/learners")[0], 401)  # which it reports, too
            time.sleep(0.01)
        self.assertEqual(self.end(), 0)


class Read(Piped):
    def test_no_line_is_lost_when_the_reader_is_prompt(self):
        self.start("--access-log", "-")
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(self.process.stdout))
        reader.start()
        count = 500 if SHORT else 5000
        clients = [Client(self.client.connection.port) for _ in range(4)]

        def ask(client):
            for i in range(count):
                client.raw("GET", "/v1/" + "y" * 500)
            client.close()

        threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.metric("segue_access_log_dropped_total"), 0)
        self.assertEqual(self.end(), 0)
        reader.join()
        self.assertEqual(sum(b"yyy" in line for line in lines), 4 * count)
        self.assertEqual(len({json.loads(line)["request"] for line in lines}), 4 * count + 1)

    def test_lines_are_seen_soon_and_the_file_is_its_owners(self):
        old_mask = os.umask(0)
        self.addCleanup(os.umask, old_mask)
        log = self.folder / "log"
        self.start("--access-log", str(log))
        self.client.get("/v1/learners")
        deadline = time.monotonic() + PATIENCE
        while "/v1/learners" not in log.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
        log.rename(self.folder / "log.1")
        self.process.send_signal(signal.SIGHUP)
        while not log.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
        self.assertEqual(self.end(), 0)

    def test_a_reader_that_is_gone_is_an_error_and_no_end(self):
        self.start("--access-log", "-")
        self.process.stdout.close()
        for _ in range(20):
            self.assertEqual(self.client.get("/healthz")[0], 200)
        time.sleep(0.3)
        self.assertEqual(self.client.get("/healthz")[0], 200)
        self.assertEqual(self.end(), 1)
        self.assertIn("the access log cannot be written: Broken pipe", self.process.stderr.read().decode())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
