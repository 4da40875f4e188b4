#!/usr/bin/python3
"""The report in a real browser: every figure is there, nothing overflows, the console is empty.

Speaks the DevTools protocol to headless Chromium over two pipes.  Exit code 77, 'skipped', where
there is no Chromium or no gnuplot.

usage: test_report.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import SOURCE, answer
from test_paper import tiny_experiments

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FIGURES = 20


class Browser:
    """A headless Chromium, and what it has complained about."""

    def __init__(self, folder):
        read_end, self.to_browser = os.pipe()
        self.from_browser, write_end = os.pipe()

        def wire():
            # the protocol is on 3 and 4; keep both ends out of each other's way first
            first, second = os.dup2(read_end, 10), os.dup2(write_end, 11)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=wire, env={**os.environ, "HOME": folder})
        os.close(read_end)
        os.close(write_end)
        self.buffer, self.number, self.session, self.complaints = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.from_browser, 1 << 20)
            if not more:
                raise EOFError("the browser ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(message)
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(reply["error"])
                return reply["result"]

    def open(self, path, width, mobile):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=mobile)
        self.call("Page.navigate", url=path.as_uri())
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        self.value("Promise.all([...document.images].map(i => i.decode()))")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.holder.cleanup)
        folder = pathlib.Path(cls.holder.name)
        answer("paper", "--experiments", tiny_experiments(folder), "--out", folder / "out")
        cls.page = folder / "out" / "report.html"
        cls.browser = Browser(cls.holder.name)
        cls.addClassCleanup(cls.browser.close)

    def test_figures_layout_and_console_at_every_width(self):
        for width, mobile in [(1280, False), (768, True), (390, True), (320, True)]:
            with self.subTest(width=width):
                self.browser.open(self.page, width, mobile)
                sizes = self.browser.value(
                    "[...document.querySelectorAll('figure img')].map(i => [i.naturalWidth, i.getBoundingClientRect().width])")
                self.assertEqual(len(sizes), FIGURES)
                for natural, shown in sizes:
                    self.assertEqual(natural, 400 if width <= 600 else 760)
                    self.assertGreater(shown, 250)
                overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                self.assertEqual(self.browser.value(overflow), 0)
                wide = self.browser.value(
                    "[...document.body.querySelectorAll('*')].filter(e => !e.closest('.table') &&"
                    " e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))")
                self.assertEqual(wide, [])
                self.assertEqual(self.browser.complaints, [])

    def test_every_link_leads_somewhere(self):
        self.browser.open(self.page, 1280, False)
        lost = self.browser.value("[...document.links].map(a => a.getAttribute('href')).filter(h => "
                                  "!h.startsWith('#') || !document.getElementById(h.slice(1)))")
        self.assertEqual(lost, [])
        self.assertGreater(self.browser.value("document.links.length"), 10)
        self.assertEqual(self.browser.value("[...document.images].filter(i => i.alt.length < 20).length"), 0)

    def test_a_complaint_would_be_seen(self):
        self.browser.open(self.page, 1280, False)
        self.browser.value("console.error('seen')")
        self.browser.value("1")
        self.assertEqual(len(self.browser.complaints), 1)
        self.browser.complaints.clear()


if __name__ == "__main__":
    if not CHROMIUM or not shutil.which("gnuplot"):
        print("skipped: no Chromium, or no gnuplot, is installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
