"""A headless Chromium for tests of pages: speaks the DevTools protocol over two pipes.

Where none is installed the tests that use it are skipped, or fail if SEGUE_REQUIRE_BROWSER is set.
SPDX-License-Identifier: Apache-2.0"""
import base64
import json
import os
import shutil
import subprocess
import sys

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not CHROMIUM and os.environ.get("SEGUE_REQUIRE_BROWSER"):
    sys.exit("no Chromium is installed, and SEGUE_REQUIRE_BROWSER is set; 'scripts/install-deps browser' installs it")


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

    def open(self, url, width, mobile):
        """Load a page, its images too."""
        self.resize(width, 800, mobile)
        self.call("Page.navigate", url=url)
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        self.value("Promise.all([...document.images].map(i => i.decode()))")

    def resize(self, width, height, mobile):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefer(self, scheme):
        """Light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, code=None, text=None, modifiers=0):
        """A key, as a keyboard sends it; `code` is its number in Windows, which the browser goes by."""
        params = {"key": key, "windowsVirtualKeyCode": code or 0, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **params, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def wait(self, expression, seconds=20):
        """Until it is true; what it is then."""
        return self.value(
            f"new Promise((done, fail) => {{ const end = Date.now() + {1000 * seconds};"
            f" const look = () => {{ const found = ({expression}); if (found) done(found);"
            " else if (Date.now() > end) fail(new Error('waited in vain'));"
            " else setTimeout(look, 50); }; look(); })")

    def screenshot(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

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
