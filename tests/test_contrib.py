#!/usr/bin/python3
"""The files of contrib/: others' programs accept them, and they name only metrics that the service has.

promtool and logrotate are installed by scripts/install-deps monitor; without them their tests are skipped.

usage: test_contrib.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import prometheus
from program import SEGUE, SOURCE, Folder
from api_client import ApiClient
from service import Client, Service

CONTRIB = SOURCE / "contrib"
MEANS = {"a": 0.8, "b": 0.3}


def find(program):
    """Some are in folders of the administrator."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def needs(program):
    return unittest.skipUnless(find(program), f"{program} is not installed: scripts/install-deps monitor")


def run(program, *args):
    return subprocess.run([find(program), *map(str, args)], capture_output=True, text=True, timeout=120)


class Names(Folder):
    """Each sample name of a service that has played, told, refitted and closed tasks."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as folder:
            service = Service(SEGUE, f"{folder}/test.db")
            api = ApiClient(service.port)
            api.must("POST", "/v1/learners", {"name": "l", "arms": list(MEANS), "steps": 5, "control": 0.5,
                                              "default_reward": 0, "reward_deadline": 86400})
            for i in range(40):
                api.play("l", f"task {i}", MEANS, 5, random.Random(i))
            cls.text = api.raw("GET", "/metrics")[1].decode()
            api.close()
            service.stop()
        cls.metrics = prometheus.parse(cls.text)
        cls.names = {name for metric in cls.metrics.values() for name, _ in metric.samples}
        cls.labels = {name: set() for name in cls.names}
        for metric in cls.metrics.values():
            for name, labels in metric.samples:
                cls.labels[name] |= {label for label, _ in labels}

    def check_expression(self, expression):
        names = prometheus.names_in(expression) - {"up"}
        self.assertLessEqual(names, self.names, expression)
        for name, matchers in re.findall(r"(\w+)\{([^}]*)\}", expression):
            used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers)) - {"instance", "job"}
            if name != "up":
                self.assertLessEqual(used, self.labels[name], expression)
        return names

    def test_names_in_expressions_are_found(self):
        """The check checks."""
        self.assertEqual(prometheus.names_in('sum by (a, b) (rate(x_total{l="y_z"}[5m])) / on (c) w > 0.5 and v'),
                         {"x_total", "w", "v"})
        self.assertEqual(prometheus.names_in('label_values(x{a="b"}, learner)'), {"x"})
        with self.assertRaises(AssertionError):
            self.check_expression("rate(segue_no_such_total[5m])")
        with self.assertRaises(AssertionError):
            self.check_expression('segue_ready{learner="l"}')

    def test_the_alerts_use_metrics_that_exist(self):
        text = (CONTRIB / "segue-alerts.yml").read_text()
        found = re.findall(r"^ +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", text, re.M)
        self.assertEqual(len(found), text.count("- alert: "))
        for block, line in found:
            self.assertTrue(self.check_expression(block or line) or "up{" in line)

    def test_each_alert_is_explained(self):
        text = (CONTRIB / "segue-alerts.yml").read_text()
        alerts = re.findall(r"- alert: (\w+)\n", text)
        self.assertEqual(len(alerts), len(set(alerts)))
        page = (SOURCE / "docs/monitoring.md").read_text()
        self.assertEqual(set(re.findall(r"`(Segue\w+)`", page)), set(alerts))
        self.assertIn(f"{len(alerts)} alerts", page)

    def panels(self, parts):
        for panel in parts:
            yield panel
            yield from self.panels(panel.get("panels", []))

    def test_the_dashboard_uses_metrics_that_exist(self):
        dashboard = json.loads((CONTRIB / "segue-dashboard.json").read_text())
        panels = list(self.panels(dashboard["panels"]))
        used = set()
        for panel in panels:
            for target in panel.get("targets", []):
                used |= self.check_expression(target["expr"])
                self.assertLessEqual(set(re.findall(r"\$(\w+)", target["expr"])), {"instance", "learner", "__rate_interval"})
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                self.assertTrue(self.check_expression(variable["definition"]))
                self.assertEqual(variable["query"]["query"], variable["definition"])
        self.assertGreater(len(used), 30)

    def test_the_panels_do_not_overlap(self):
        dashboard = json.loads((CONTRIB / "segue-dashboard.json").read_text())
        panels = list(self.panels(dashboard["panels"]))
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        cells = set()
        for panel in panels:
            at = panel["gridPos"]
            covered = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(covered & cells, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            cells |= covered


class Prometheus(unittest.TestCase):
    @needs("promtool")
    def test_promtool_accepts_the_rules(self):
        done = run("promtool", "check", "rules", "--lint-fatal", CONTRIB / "segue-alerts.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @needs("promtool")
    def test_promtool_accepts_the_configuration(self):
        done = run("promtool", "check", "config", "--syntax-only", CONTRIB / "prometheus.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @needs("promtool")
    def test_the_alerts_fire_when_they_should(self):
        done = run("promtool", "test", "rules", SOURCE / "tests/contrib/alerts_test.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Systemd(Folder):
    @needs("systemd-analyze")
    def test_systemd_accepts_the_unit(self):
        unit = (CONTRIB / "segue.service").read_text()
        self.assertIn("\nType=notify\n", unit)
        self.assertRegex(unit, r"\nWatchdogSec=\d+\n")
        self.check(unit)
        drop_in = (CONTRIB / "segue-access-log.conf").read_text()
        self.check(unit, drop_in)

    def check(self, unit, drop_in=None):
        path = self.folder / "segue.service"
        path.write_text(unit.replace("/usr/local/bin/segue", SEGUE))
        if drop_in:
            (self.folder / "segue.service.d").mkdir()
            (self.folder / "segue.service.d/access-log.conf").write_text(drop_in.replace("/usr/local/bin/segue", SEGUE))
        done = run("systemd-analyze", "verify", "--man=no", path)
        about = [line for line in done.stderr.splitlines() if "segue" in line]
        self.assertEqual((done.returncode, about), (0, []), done.stderr)

    def test_the_options_of_the_units_exist(self):
        """The unit starts the service that the drop-in starts, but for the log."""
        commands = [re.search(r"^ExecStart=(/.*)$", (CONTRIB / name).read_text(), re.M)[1]
                    for name in ("segue.service", "segue-access-log.conf")]
        self.assertEqual(commands[0].replace("--access-log -", ""),
                         commands[1].replace("--access-log /var/log/segue/access.log", ""))
        known = subprocess.run([SEGUE, "help", "serve"], capture_output=True, text=True).stdout
        for option in re.findall(r"--[\w-]+", commands[0]):
            self.assertIn(option, known)


class Reload(Folder):
    """The commands of the unit, with its paths in the test's folder."""

    def command(self, name, unit="segue.service"):
        line = re.search(rf"^{name}=(/.*)$", (CONTRIB / unit).read_text(), re.M)[1]
        for path in "/var/lib/segue", "/var/log/segue", "/etc/segue":
            line = line.replace(path, str(self.folder))
        return line.replace("/usr/local/bin/segue", SEGUE).replace("127.0.0.1:8080", "127.0.0.1:0")

    def start(self):
        process = subprocess.Popen(["sh", "-c", "exec " + self.command("ExecStart")], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        for line in process.stderr:
            if found := re.search(r"listening on \S+:(\d+), store", line):
                return process, int(found[1])
        self.fail("the service did not start")

    def status(self, port, token):
        client = Client(port, token)
        status = client.get("/v1/learners")[0]
        client.close()
        return status

    def test_a_reload_of_the_unit_reads_the_tokens_again(self):
        old, new = "the-token-of-before", "the-token-from-now-on"
        self.file(f"app admin {old}\n", "tokens")
        process, port = self.start()
        self.assertEqual((self.status(port, old), self.status(port, new)), (200, 401))
        self.file(f"app admin {new}\n", "tokens")
        self.assertEqual((self.status(port, old), self.status(port, new)), (200, 401))
        subprocess.run(["sh", "-c", self.command("ExecReload")], env={"MAINPID": str(process.pid)}, check=True)
        until = time.monotonic() + 30
        while self.status(port, new) != 200:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        self.assertEqual(self.status(port, old), 401)

    def test_the_service_may_read_the_file_that_the_installation_makes(self):
        """systemd copies credentials once, at the start: a reload would read the old copy again."""
        unit = (CONTRIB / "segue.service").read_text()
        self.assertNotIn("Credential", unit)
        group = re.search(r"^Group=(\w+)$", unit, re.M)[1]
        self.assertIn(f"chgrp {group} /etc/segue/tokens", (SOURCE / "debian/segue.postinst").read_text())
        self.assertIn(f"install -m 640 -g {group} /dev/null /etc/segue/tokens", (SOURCE / "docs/service.md").read_text())


class Logrotate(Folder):
    def config(self, pid):
        """The snippet, for a log of the test's, without systemd."""
        text = (CONTRIB / "segue.logrotate").read_text()
        self.assertEqual(text.count("systemctl try-reload-or-restart segue.service"), 2)
        text = text.replace("/var/log/segue", str(self.folder))
        return self.file(text.replace("systemctl try-reload-or-restart segue.service", f"kill -HUP {pid}"), "rotate.conf")

    @needs("logrotate")
    def test_logrotate_accepts_the_snippet(self):
        done = run("logrotate", "--debug", "--state", self.folder / "state", CONTRIB / "segue.logrotate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("error:", done.stderr)

    @needs("logrotate")
    def test_a_rotation_loses_no_line(self):
        log = self.folder / "access.log"
        service = Service(SEGUE, self.folder / "test.db", "--access-log", str(log))
        client, sent = service.client(), 0
        for turn in range(3):
            sent += self.request_until_logged(client, log)
            done = run("logrotate", "--force", "--state", self.folder / "state", self.config(service.process.pid))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.await_file(log)
            self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        self.assertEqual(client.raw("GET", "/healthz")[0], 200)
        self.assertEqual(service.stop(), 0)
        old = sorted(path.name for path in self.folder.glob("access.log.*"))
        self.assertEqual(old, ["access.log.1", "access.log.2.gz", "access.log.3.gz"])
        text = log.read_text() + (self.folder / "access.log.1").read_text()
        for name in old[1:]:
            text += subprocess.run(["gzip", "-dc", self.folder / name], capture_output=True, text=True).stdout
        self.assertEqual(sum(json.loads(line)["path"] == "/healthz" for line in text.splitlines()), sent + 1)

    @needs("logrotate")
    def test_a_rotation_of_the_audit_log_loses_no_line(self):
        log = self.folder / "audit.log"
        service = Service(SEGUE, self.folder / "test.db", "--audit-log", str(log))
        client, sent = service.client(), 0
        for turn in range(3):
            self.assertEqual(client.post("/v1/learners", {"name": f"l{sent}", "arms": ["a", "b"]})[0], 201)
            sent += 1
            done = run("logrotate", "--force", "--state", self.folder / "state", self.config(service.process.pid))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.await_file(log)
        self.assertEqual(service.stop(), 0)
        self.assertEqual(len(list(self.folder.glob("audit.log.*"))), 3)
        text = (self.folder / "audit.log.1").read_text()
        for path in self.folder.glob("audit.log.*.gz"):
            text += subprocess.run(["gzip", "-dc", path], capture_output=True, text=True).stdout
        self.assertEqual({json.loads(line)["learner"] for line in text.splitlines()}, {f"l{i}" for i in range(sent)})

    def request_until_logged(self, client, log):
        """At least 50 requests.  The new file is there before the first line that goes into it.  Returns their number."""
        until, sent = time.monotonic() + 60, 0
        while sent < 50 or "\n" not in log.read_text():
            self.assertEqual(client.raw("GET", "/healthz")[0], 200)
            sent += 1
            self.assertLess(time.monotonic(), until)
        return sent

    def await_file(self, log):
        until = time.monotonic() + 60
        while not log.exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
