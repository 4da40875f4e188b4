#!/usr/bin/python3
"""The metrics of the service: their format, their values, and the limit of learners.

A parser of the tests' own reads them strictly; promtool does too, where it is installed (scripts/install-deps monitor).

usage: test_serve_metrics.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import unittest

import postgresql
import prometheus
from program import SEGUE, SOURCE, Folder, answer
from api_client import ApiClient
from service import Service, last_version

MEANS = {"a": 0.8, "b": 0.3}


class Metrics(Folder):
    def setUp(self):
        super().setUp()
        self.service = None

    def start(self, *options):
        self.service = Service(SEGUE, self.folder / "test.db", *options)
        self.addCleanup(self.stop)

    def stop(self):
        if self.service:
            self.assertEqual(self.service.stop(), 0)
        self.service = None

    def api(self):
        api = ApiClient(self.service.port)
        self.addCleanup(api.close)
        return api

    def text(self):
        status, raw = self.api().raw("GET", "/metrics")
        self.assertEqual(status, 200)
        return raw.decode()

    def metrics(self):
        return prometheus.parse(self.text())

    def play(self, name, tasks, **settings):
        """Tasks of ten steps; `tasks` of them are closed, one is open."""
        api, rng = self.api(), random.Random(3)
        api.must("POST", "/v1/learners", {"name": name, "arms": list(MEANS), "steps": 10, **settings})
        for i in range(tasks):
            api.play(name, f"task {i}", MEANS, 10, rng)
        api.play(name, "open", MEANS, 3, rng)

    def check_format(self, text):
        prometheus.parse(text)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_format_is_that_of_prometheus(self):
        self.start()
        self.check_format(self.text())
        self.play('a "quoted\\ name" {é}', 30, control=0.5, range=[-1, 3], default_reward=0, reward_deadline=1000)
        self.api().raw("GET", "/v1/nothing")
        self.check_format(self.text())
        if not shutil.which("promtool"):
            self.skipTest("promtool is not installed: scripts/install-deps monitor")

    def test_values_of_a_learner_are_those_of_the_api(self):
        self.start()
        self.play("l", 60, control=0.3, range=[-1, 3])
        self.check_learner()
        self.service.kill()  # it is made of the event log again
        self.service.start()
        self.check_learner()

    def check_learner(self):
        api = self.api()
        shown = last_version(lambda: api.fetch("/v1/learners/l"))
        rewards = sum(arm["pulls"] * (arm["mean"] or 0) for arm in shown["arms"])
        task, = self.api().fetch("/v1/learners/l/tasks?open=true")["tasks"]
        rewards += task["rewards"] * task["reward_per_step"]
        found = self.metrics()

        def value(name, suffix="", **labels):
            return found[name].value(suffix, learner="l", **labels)
        self.assertEqual(value("segue_learner_rewards"), shown["rewards"])
        self.assertAlmostEqual(value("segue_learner_rewards_value"), rewards, 6)
        self.assertEqual(value("segue_learner_open_tasks"), 1)
        self.assertEqual(value("segue_learner_tasks_closed_total", group="control"), shown["tasks"]["control"])
        self.assertEqual(value("segue_learner_tasks_closed_total", group="transfer"), 60 - shown["tasks"]["control"])
        self.assertEqual(value("segue_learner_types"), len(shown["types"]))
        self.assertAlmostEqual(value("segue_learner_no_type_ratio"), shown["no_type"], 12)
        self.assertGreater(value("segue_learner_memory_bytes"), 1000)

    def rewards(self, found, learner):
        return tuple(found[name].value(learner=learner) for name in ("segue_learner_rewards", "segue_learner_rewards_value"))

    def monotone(self, found):
        """Samples that must not fall: Prometheus takes that as a restart."""
        return {key: value for metric in found.values() if metric.kind != "gauge"
                for key, value in metric.samples.items()}

    def check_falls(self, learner, expected, change):
        before = self.monotone(self.metrics())
        change()
        found = self.metrics()
        self.assertEqual(self.rewards(found, learner), expected)
        after = self.monotone(found)
        self.assertEqual([key for key, value in before.items() if after.get(key, -1) < value], [])

    def test_no_counter_falls_with_refunds_later_rewards_and_erased_tasks(self):
        self.start()
        api = self.api()
        for aggregate, later, expected in (("sum", -2, (1, 1)), ("last", 1, (1, 1))):
            api.must("POST", "/v1/learners", {"name": aggregate, "arms": ["a", "b"], "range": [-3, 3], "aggregate": aggregate})
            made = api.must("POST", f"/v1/learners/{aggregate}/ask", {"task": "t"})

            def tell(reward, event):
                api.must("POST", "/v1/tell", {"decision": made["decision"], "reward": reward, "event": event})
            tell(3, "bought")
            self.assertEqual(self.rewards(self.metrics(), aggregate), (1, 3))
            self.check_falls(aggregate, expected, lambda: tell(later, "sent back"))
            self.check_falls(aggregate, (0, 0), lambda: api.must("DELETE", f"/v1/learners/{aggregate}/tasks/t"))

    def test_counters_of_closed_tasks_stay_when_one_is_erased(self):
        self.start()
        self.play("l", 3)
        self.check_falls("l", (33, self.rewards(self.metrics(), "l")[1]),
                         lambda: self.api().must("DELETE", "/v1/learners/l/tasks/task%201"))

    def test_refits_are_counted_and_measured(self):
        self.start()
        self.play("l", 60)
        until = time.monotonic() + 60
        while self.metrics()["segue_learner_refit_seconds"].value("_count", learner="l") == 0:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.assertGreater(self.metrics()["segue_learner_refit_seconds"].value("_sum", learner="l"), 0)

    def pending(self, api, learner, task, **more):
        """An ask for two decisions; returns them, and what is pending then."""
        made = api.must("POST", f"/v1/learners/{learner}/ask", {"task": task, "count": 2, **more})
        return ([one["decision"] for one in made["decisions"]],
                self.metrics()["segue_learner_pending_decisions"].value(learner=learner))

    def now_pending(self, learner):
        return self.metrics()["segue_learner_pending_decisions"].value(learner=learner)

    def test_decisions_without_a_reward_are_pending(self):
        self.start()
        api = self.api()
        api.must("POST", "/v1/learners", {"name": "l", "arms": ["a", "b"], "aggregate": "sum", "idle": 3600})
        (first, _), count = self.pending(api, "l", "t")
        self.assertEqual(count, 2)
        self.assertEqual(self.pending(api, "l", "t", event="e")[1], 4)
        self.assertEqual(self.pending(api, "l", "t", event="e")[1], 4)  # the same decisions again
        for event in ("x", "x", "y"):  # one reward, of two parts
            api.must("POST", "/v1/tell", {"decision": first, "reward": 0.25, "event": event})
            self.assertEqual(self.now_pending("l"), 3)
        self.assertEqual(self.pending(api, "l", "other")[1], 5)
        api.must("POST", "/v1/learners/l/tasks/other/close")
        self.assertEqual(self.now_pending("l"), 3)
        api.must("DELETE", "/v1/learners/l/tasks/t")
        self.assertEqual(self.now_pending("l"), 0)
        (first, _), _ = self.pending(api, "l", "u")
        self.service.kill()  # decisions of before are not counted, nor are their rewards
        self.service.start()
        api = self.api()
        self.assertEqual(self.pending(api, "l", "u")[1], 2)
        api.must("POST", "/v1/tell", {"decision": first, "reward": 1, "event": "x"})
        self.assertEqual(self.now_pending("l"), 2)

    def test_default_rewards_end_what_is_pending(self):
        self.start()
        api = self.api()
        api.must("POST", "/v1/learners", {"name": "l", "arms": ["a", "b"], "default_reward": 0, "reward_deadline": 1})
        self.assertEqual(self.pending(api, "l", "t")[1], 2)
        until = time.monotonic() + 60
        while self.now_pending("l") > 0:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def play_in_shadow(self, tasks, **more):
        """Tasks of two steps in which the caller chooses arm a, which earns 1."""
        api = self.api()
        for i in range(tasks):
            for _ in range(2):
                made = api.must("POST", "/v1/learners/l/ask", {"task": f"{len(more)}-{i}", "chosen": "a", **more})
                api.must("POST", "/v1/tell", {"decision": made["decision"], "reward": 1})

    def shadow_series(self, found):
        names = ("segue_shadow_difference", "segue_shadow_low", "segue_shadow_high")
        return [found[name].samples and found[name].value(learner="l") for name in names]

    def test_shadow_mode_is_counted_and_compared_as_in_its_report(self):
        self.start()
        api, closed = self.api(), "segue_learner_tasks_closed_total"
        api.must("POST", "/v1/learners", {"name": "l", "arms": ["a", "b"], "steps": 2, "range": [0, 10], "control": 0})
        self.assertEqual([dict(labels)["group"] for _, labels in self.metrics()[closed].samples], ["transfer", "control"])
        api.must("PATCH", "/v1/learners/l", {"mode": "shadow"})
        self.assertEqual(self.metrics()[closed].value(learner="l", group="shadow"), 0)
        self.assertEqual(self.shadow_series(self.metrics()), [{}, {}, {}])
        self.play_in_shadow(3)
        found, report = self.metrics(), api.fetch("/v1/learners/l/shadow")
        self.assertEqual(found[closed].value(learner="l", group="shadow"), 3)
        self.assertEqual(found[closed].value(learner="l", group="transfer"), 0)
        self.assertEqual(self.shadow_series(found), [{}, *report["without_probabilities"]["interval"]])
        self.play_in_shadow(5, chosen_probability=0.5)
        known = api.fetch("/v1/learners/l/shadow")["with_probabilities"]
        self.assertEqual(self.shadow_series(self.metrics()), [known["difference"], *known["interval"]])

    def test_methods_without_types_have_no_share_of_no_type(self):
        self.start()
        self.play("plain", 3, method="ts")
        found = self.metrics()
        self.assertEqual(found["segue_learner_no_type_ratio"].samples, {})
        self.assertEqual(found["segue_learner_types"].samples, {})

    def learners_in(self, found):
        return [dict(labels)["learner"] for _, labels in found["segue_learner_open_tasks"].samples]

    def test_the_oldest_learners_have_series_of_their_own(self):
        self.start("--metrics-learners", "3")
        names = ["z", "y", "x", "w", "v"]
        for name in names:
            self.api().must("POST", "/v1/learners", {"name": name, "arms": ["a", "b"]})
        found = self.metrics()
        self.assertEqual(self.learners_in(found), names[:3])
        self.assertEqual((found["segue_learners"].value(), found["segue_learners_without_metrics"].value()), (5, 2))
        self.api().must("DELETE", "/v1/learners/y")
        self.assertEqual(self.learners_in(self.metrics()), ["z", "x", "w"])
        self.stop()
        self.start("--metrics-learners", "0")
        found = self.metrics()
        self.assertEqual(self.learners_in(found), [])
        self.assertEqual(found["segue_learners_without_metrics"].value(), 4)

    def test_a_limit_out_of_range_is_refused(self):
        for wrong in ("-1", "10001", "many"):
            self.refused(2, "--metrics-learners", "serve", "--metrics-learners", wrong, "--store", self.folder / "a.db")

    def test_the_process_is_as_the_kernel_says(self):
        before = time.time()
        self.start()
        pid = self.service.process.pid
        found = self.metrics()
        build, = found["segue_build_info"].samples
        self.assertEqual(found["segue_build_info"].samples[build], 1)
        self.assertIn(dict(build[1])["version"], answer("version").splitlines()[0])
        self.assertIn(dict(build[1])["build"], answer("version"))
        self.assertGreaterEqual(found["process_start_time_seconds"].value(), before - 1)
        self.assertLessEqual(found["process_start_time_seconds"].value(), time.time() + 1)
        self.assertGreater(found["process_resident_memory_bytes"].value(), 1 << 20)
        self.assertGreater(found["process_cpu_seconds_total"].value(), 0)
        limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
        self.assertEqual(found["process_max_fds"].value(), int(re.search(r"^Max open files +(\d+)", limits, re.M)[1]))
        self.assertLessEqual(abs(found["process_open_fds"].value() - len(os.listdir(f"/proc/{pid}/fd"))), 2)  # a connection ends
        if not postgresql.is_chosen():
            self.assertGreater(found["segue_wal_bytes"].value(), 0)

    def test_the_tables_of_the_docs_are_complete(self):
        self.start()
        found = self.metrics()
        page = (SOURCE / "docs/monitoring.md").read_text()
        listed = re.findall(r"^\| `((?:segue|process)_\w+)` \| (\w+) \|", page, re.M)
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(dict(listed), {name: metric.kind for name, metric in found.items()})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
