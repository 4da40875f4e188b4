#!/usr/bin/python3
"""Unusual learners, the demo, headers and tokens, in a real browser.

usage: test_dashboard_pages.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import gzip
import http.client
import pathlib
import random
import re
import resource
import tempfile
import time
import urllib.parse

from dashboard_page import ENTER, Page, main, start_browser
from api_client import ApiClient
from program import SOURCE, run


def setUpModule():
    start_browser()


class Odd(Page):
    """Learners that are unlike most: large rewards, many arms with long names, methods without types."""
    LONG = "a learner with a long name " + "x" * 80
    NAMES = [f"arm number {i} with quite a long name that goes on and on" for i in range(28)] + ["W" * 120, "日本語" * 20]
    MAKE = {
        "wide": {"arms": ["a", "b", "c"], "range": [-5e6, 5e6], "steps": 6, "control": 0.5, "reward_deadline": 60, "default_reward": -2.5e6},
        LONG: {"arms": NAMES, "steps": 20, "control": 0},
        "prior": {"arms": ["a", "b"], "method": "ts-prior", "close_after": 4},
        "tucb": {"arms": ["a", "b"], "method": "tucb", "models": 2, "steps": 12},
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        api = ApiClient(cls.service.port)
        cls.addClassCleanup(api.close)
        rng = random.Random(1)
        for name, more in cls.MAKE.items():
            api.must("POST", "/v1/learners", {"name": name, **more})
            arms = more["arms"]
            for i in range(tasks := 42 if name == "wide" else 24):  # of 40, fewer than 5 are control twice in 10 million stores
                means = {arm: 0.9 if k % 2 == i % 2 else 0.1 for k, arm in enumerate(arms)}
                steps = more.get("close_after") or more["steps"]
                cls.play(api, name, f"student {9481912800 + i}", means, steps if i < tasks - 2 else 2, rng)

    @classmethod
    def play(cls, api, name, key, means, steps, rng):
        low, high = cls.MAKE[name].get("range", [0, 1])
        for _ in range(steps):
            answer = api.must("POST", f"/v1/learners/{urllib.parse.quote(name)}/ask", {"task": key})
            reward = high if rng.random() < means[answer["arm"]] else low
            api.must("POST", "/v1/tell", {"decision": answer["decision"], "reward": reward})

    def visit(self, name):
        self.go("#/learner/" + urllib.parse.quote(name))
        self.live()

    def test_large_rewards_fit_their_cards_and_tables(self):
        self.go()
        self.live()
        self.assertRegex(self.text(".cards"), r"[+−]\d,\d\d\d,\d\d\d|[+−]\d\d\d,\d\d\d")
        self.check_widths()
        self.visit("wide")
        self.check_widths()
        self.assertNotRegex(self.text(), r"-\d")  # every minus is a real one
        self.browser.value("document.querySelector('details:has(.settings)').open = true")
        self.assertIn("−5,000,000 to 5,000,000", self.text(".settings"))
        self.assertIn("−2,500,000", self.text(".settings"))

    def test_a_table_of_many_arms_with_long_names_is_readable(self):
        learner = self.api().fetch("/v1/learners/" + urllib.parse.quote(self.LONG))
        self.visit(self.LONG)
        self.assertLess(self.browser.value("document.querySelector('.map thead').offsetHeight"), 110)
        means = learner["types"][0]["means"]
        best = self.NAMES[means.index(max(means))]
        self.assertEqual(self.browser.value("document.querySelector('.map tbody th small').title"),
                         f"id {learner['types'][0]['id']}, best: {best}")
        self.assertIn("Scroll sideways for more arms.", self.text())
        scroll = "(f => {{ f.scrollLeft = {}; }})(document.querySelector('.frame:has(.map)'))"
        self.browser.wait("document.querySelector('.frame:has(.map).more')")
        self.browser.value(scroll.format(1e6))
        self.browser.wait("document.querySelector('.frame:has(.map):not(.more)')")
        self.check_widths()

    def test_a_learner_without_types_says_so_and_shows_none(self):
        self.visit("prior")
        self.wait_for("ts-prior has no types")
        for text in ("How the types changed", "No type\n", "no\u00a0type\u00a0100", "No types yet"):
            self.assertNotIn(text, self.text())
        self.assertIn("no types with ts-prior", self.text())
        self.visit("tucb")
        self.wait_for("tucb has no posterior over its models")
        self.assertNotIn("tasks that fit no type", self.text())
        self.browser.value("document.querySelector('details:has(.settings)').open = true")
        self.assertIn("Models\n2", self.text(".settings"))

    def test_a_learner_made_anew_under_its_name_begins_anew(self):
        api, made = self.api(), {"name": "again", "arms": ["a", "b"], "close_after": 2, "range": [0, 3]}
        rng = random.Random(1)
        api.must("POST", "/v1/learners", made)
        for i in range(6):
            api.play("again", f"student {i}", {"a": 1, "b": 0}, 2, rng)
        self.visit("again")
        settings = "document.querySelector('.settings').textContent"
        self.assertIn("0 to 3", self.browser.value(settings))
        api.must("DELETE", "/v1/learners/again")
        api.must("POST", "/v1/learners", {**made, "range": [0, 7]})
        self.wait_for("No task is closed yet")
        self.assertIn("0 to 7", self.browser.value(settings))
        self.browser.complaints.clear()  # of the time when there was none

    def test_every_page_can_be_reached_and_an_unknown_one_says_so(self):
        current = "[...document.querySelectorAll('nav [aria-current=page]')].map(e => e.textContent).join()"
        for hash, name in [("", "Learners"), ("#/", "Learners"), ("#/new", "New learner"), ("#/learner/prior", "")]:
            self.go(hash)
            self.live()
            self.assertEqual(self.browser.value(current), name)
        self.go("#/bogus")
        self.wait_for("The page #/bogus does not exist.")
        self.browser.value("document.querySelector('main a').click()")
        self.wait_for("Learners", "h1")
        self.assertEqual(self.browser.value(current), "Learners")


class Shadow(Page):
    """A learner in shadow mode: the caller chooses, and the page compares."""
    PATH = "/v1/learners/beside"

    def play(self, api, tasks, rng, **more):
        """Arm a earns 1, arm b nothing; the caller chooses each with probability 0.5."""
        for i in range(tasks):
            for _ in range(4):
                made = api.must("POST", self.PATH + "/ask", {"task": f"{len(more)}-{i}", "chosen": rng.choice("ab"), **more})
                api.must("POST", "/v1/tell", {"decision": made["decision"], "reward": int(made["arm"] == "a")})

    def compare(self, api, decided_by):
        report = api.fetch(self.PATH + "/shadow")
        low, high = (f"{x:+.3f}".replace("-", "−") for x in report[decided_by]["interval"])
        self.browser.wait(f"document.querySelector('.shadow').textContent.includes('{low}\u00a0to\u00a0{high}')")
        shown = self.text(".shadow")
        self.assertIn(f"{report[decided_by]['steps']} steps", shown)
        agreed = 100 * report["agreed"]["steps"] / report["caller"]["steps"]
        self.assertRegex(shown, rf"{agreed:.0f}(\.0)?\s%" if agreed >= 10 or agreed % 1 == 0 else rf"{agreed:.1f}\s%")
        return report, shown

    def test_mode_agreement_and_interval_are_those_of_the_report(self):
        api, rng = self.api(), random.Random(1)
        api.must("POST", "/v1/learners", {"name": "beside", "arms": ["a", "b"], "steps": 4, "control": 0})
        self.go("#/learner/beside")
        self.live()
        self.assertFalse(self.browser.value("document.querySelector('.shadow').checkVisibility()"))
        api.must("PATCH", self.PATH, {"mode": "shadow"})
        self.wait_for("no task of shadow mode with a reward is closed yet", ".shadow")
        self.play(api, 3, rng)
        report, shown = self.compare(api, "without_probabilities")
        self.assertEqual(report["verdict"], "no_probabilities")
        self.assertIn("cannot show that Segue is better", shown)
        self.assertIn("All closed tasks were in shadow mode", self.text())
        self.play(api, 60, rng, chosen_probability=0.5)  # the lower end is about 0.3, whatever the store's key
        report, shown = self.compare(api, "with_probabilities")
        self.assertEqual(report["verdict"], "better")
        self.assertIn("would have earned more", shown)
        self.assertIn(f"{report['with_probabilities']['difference']:+.3f} per step", shown)
        self.assertIn("63 of 63 closed tasks were in shadow mode", shown)
        self.check_widths()
        api.must("PATCH", self.PATH, {"mode": "active"})
        self.wait_for("Mode active", ".shadow")


class Demonstration(Page):
    """Students who use the service while the dashboard shows it."""
    options = ("--demo",)
    STUDENTS, REST = 16, 0.2  # at once; seconds

    def test_students_who_are_refused_rest(self):
        self.go("#/learner/demo")
        self.live()  # it is created, maybe after the page has asked for it
        self.browser.complaints.clear()
        api, begun, failures = self.api(), time.monotonic(), 0
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))  # a full disk
        while not failures or time.monotonic() < begun + 1:
            self.assertLess(time.monotonic(), begun + 60)
            time.sleep(0.05)
            failures = int(re.search(rb"^segue_store_failures_total (\d+)", api.raw("GET", "/metrics")[1], re.M)[1])
        rests = 1 + (time.monotonic() - begun) / self.REST
        self.assertLess(failures, 2 * self.STUDENTS * rests)  # once would do, but for what the service tries by itself


class Headers(Page):
    """What the pages are served with."""

    def head(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        connection.request(method, path, headers=headers)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply, body

    def test_types_policy_and_etag(self):
        for path, type in [("/", "text/html; charset=utf-8"), ("/style.css", "text/css; charset=utf-8"),
                           ("/app.js", "text/javascript; charset=utf-8"), ("/icon.svg", "image/svg+xml"),
                           ("/chart.min.js", "text/javascript; charset=utf-8")]:
            with self.subTest(path=path):
                reply, body = self.head(path)
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, type))
                self.assertIn("default-src 'self'", reply.headers["Content-Security-Policy"])
                self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff")
                tag = reply.headers["ETag"]
                again, none = self.head(path, **{"If-None-Match": tag})
                self.assertEqual((again.status, none, again.headers["ETag"]), (304, b"", tag))
                only, none = self.head(path, "HEAD")
                self.assertEqual((only.status, none, only.headers["Content-Length"]), (200, b"", str(len(body))))
        self.assertEqual(self.head("/no.js")[0].status, 404)

    def test_a_program_without_the_playground_says_what_to_do(self):
        """Also to those who have a package: each command of the page exists."""
        page = (SOURCE / "web/playground/missing.html").read_text(encoding="utf-8")
        self.assertIn("package", page)
        self.assertIn("\nplayground:", (SOURCE / "Makefile").read_text(encoding="utf-8"))
        commands = set(re.findall(r"<code>[^<]*\bsegue (\w+)", page))
        self.assertEqual(commands, {"serve", "version", "simulate", "replay"})
        for command in commands:
            self.assertEqual(run("help", command).returncode, 0, command)

    def test_compressed_for_who_takes_that(self):
        for path in ("/", "/app.js", "/chart.min.js", "/openapi.json"):
            with self.subTest(path=path):
                plain, whole = self.head(path)
                reply, body = self.head(path, **{"Accept-Encoding": "gzip, deflate, br"})
                self.assertEqual((plain.headers["Content-Encoding"], reply.headers["Content-Encoding"]), (None, "gzip"))
                self.assertEqual(gzip.decompress(body), whole)
                self.assertLess(len(body), len(whole))
                self.assertEqual((plain.headers["Vary"], reply.headers["Vary"]), ("Accept-Encoding", "Accept-Encoding"))
                tag = reply.headers["ETag"]
                self.assertNotEqual(tag, plain.headers["ETag"])
                again, none = self.head(path, **{"Accept-Encoding": "gzip", "If-None-Match": tag})
                self.assertEqual((again.status, none, again.headers["ETag"]), (304, b"", tag))
                self.assertEqual(self.head(path, **{"If-None-Match": tag})[0].status, 200)  # the other form


class Token(Page):
    """A service that asks for a token."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        file = pathlib.Path(holder.name) / "tokens"
        file.write_text("correct-horse-battery\nviewer read only-for-my-eyes-here\n")
        file.chmod(0o600)
        cls.options = ("--token-file", str(file))
        super().setUpClass()

    def test_the_token_is_stored_in_the_tab_alone(self):
        self.go()
        for typed, then in [("wrong", "The token is not valid"), ("correct-horse-battery", "No learner yet")]:
            self.wait_for("needs a token", "h1")
            self.browser.wait("document.activeElement.id === 'token' && document.activeElement.value === ''")
            self.browser.type(typed)
            self.browser.press(*ENTER)
            self.wait_for(then)
        self.assertEqual(self.browser.value("[localStorage.length, document.cookie, sessionStorage.length]"), [0, "", 1])
        self.assertIn("Bearer $TOKEN", self.text("pre"))
        self.assertNotIn("battery", self.browser.value("document.documentElement.outerHTML"))
        self.browser.value("document.getElementById('forget').click()")
        self.wait_for("needs a token", "h1")
        self.assertEqual(self.browser.value("sessionStorage.length"), 0)
        self.assertEqual({c["params"]["entry"]["source"] for c in self.browser.complaints}, {"network"})
        self.browser.complaints.clear()

    def test_a_token_to_read_shows_pages_and_explains_what_it_may_not_do(self):
        self.go("#/new")
        self.wait_for("needs a token", "h1")
        self.browser.type("only-for-my-eyes-here")
        self.browser.press(*ENTER)
        self.wait_for("New learner", "h1")
        self.browser.value("document.getElementById('name').value = 'mine'; document.getElementById('arms').value = 'A\\nB'; "
                           "document.querySelector('form button[type=submit]').click()")
        self.wait_for("needs the right admin; use a token that has it: choose “Forget token” and enter it", ".error")
        self.go("#/")
        self.wait_for("No learner yet")
        self.assertEqual({c["params"]["entry"]["source"] for c in self.browser.complaints}, {"network"})
        self.browser.complaints.clear()
        self.browser.value("sessionStorage.clear()")


if __name__ == "__main__":
    main()
