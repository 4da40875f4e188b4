#!/usr/bin/python3
"""The dashboard in a real browser, before the real service: what is played through the API is seen.

Exit code 77, 'skipped', where there is no Chromium.  With SEGUE_SCREENSHOTS=FOLDER the pictures are kept.

usage: test_dashboard.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import http.client
import json
import os
import pathlib
import random
import re
import resource
import sys
import tempfile
import time
import unittest
import urllib.parse

from browser import CHROMIUM, Browser
from player import Player
from program import SEGUE
from service import Service

TAB, ENTER, SPACE = ("Tab", 9), ("Enter", 13, "\r"), (" ", 32, " ")
ARMS = ["hint", "worked example", "video"]
KINDS = [[0.9, 0.2, 0.4], [0.1, 0.3, 0.8]]
STEPS = 8

# Text whose contrast is below WCAG's AA: what it is, and how far.
FAINT = """(() => {
  const parse = c => { const v = c.match(/[\\d.]+/g).map(Number); return {rgb: v.slice(0, 3), a: v[3] ?? 1}; };
  const light = rgb => { const [r, g, b] = rgb.map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const under = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.a === 1) return c.rgb; } return [255, 255, 255]; };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('.unseen, .skip')) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const [a, b] = [light(parse(style.color).rgb), light(under(e))].sort((x, y) => y - x);
    const need = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    if ((a + 0.05) / (b + 0.05) < need) found.push([e.textContent.slice(0, 40), (a + 0.05) / (b + 0.05)]);
  }
  return found; })()"""
WIDE = """[...document.body.querySelectorAll('*')].filter(e => !e.closest('.frame, pre, .skip') && e.checkVisibility() &&
  e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"""
# What is out of the card or the caption that it is in, or out of sight without scrolling.
OUT = """[...document.querySelectorAll('.card *, .tiles dd, caption span')].filter(e => e.checkVisibility() && (e.scrollWidth >
  e.clientWidth + 1 && e.clientWidth > 0 || e.getBoundingClientRect().right > (e.closest('.card, .tiles div, .frame')
  .getBoundingClientRect().right + 0.5))).map(e => e.outerHTML.slice(0, 80))"""
ASKED = "performance.getEntriesByType('resource').filter(e => e.name.includes('/v1/')).length"
HIDE = ("Object.defineProperty(document, 'hidden', {{value: {}, configurable: true}});"
        "document.dispatchEvent(new Event('visibilitychange'))")
FOCUS = """(() => { const e = document.activeElement, s = getComputedStyle(e);
  return {tag: e.tagName, text: (e.getAttribute('aria-label') ?? e.id ?? '') || e.textContent.trim().slice(0, 60),
          seen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2}; })()"""


def setUpModule():
    """One browser for all: starting it takes the longest."""
    holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(holder.cleanup)
    Page.browser = Browser(holder.name)
    unittest.addModuleCleanup(Page.browser.close)


class Page(unittest.TestCase):
    """A service, the browser, and what they share."""
    options = ()
    browser = None
    visits = 0

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.service = Service(SEGUE, cls.folder / "test.db", *cls.options)
        cls.addClassCleanup(cls.service.stop)

    def setUp(self):
        self.browser.prefer("light")
        self.browser.complaints.clear()  # a test's own alone

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def url(self):
        return f"http://127.0.0.1:{self.service.port}"

    def go(self, hash="#/", width=1280, mobile=False):
        Page.visits += 1  # another address each time, so that it is loaded anew
        self.browser.open(f"{self.url()}/?{Page.visits}{hash}", width, mobile)

    def live(self):
        self.browser.wait("/^(Live|Connected)/.test(document.getElementById('live').textContent)")

    def wait_for(self, text, selector="main"):
        self.browser.wait(f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(text)})")

    def text(self, selector="main"):
        return self.browser.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def tab_to(self, text, most=60):
        """Press Tab until something with this text has the focus, which is always to be seen."""
        for _ in range(most):
            self.browser.press(*TAB)
            at = self.browser.value(FOCUS)
            self.assertTrue(at["seen"], at)
            if at["text"] == text:
                return
        self.fail(f"Tab never comes to '{text}'")


    def api(self):
        api = Player(self.service.port)
        self.addCleanup(api.close)
        return api

    def check_look(self):
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        self.assertEqual(self.browser.value(overflow), 0)
        self.assertEqual(self.browser.value(WIDE), [])
        self.assertEqual(self.browser.value(OUT), [])
        self.assertEqual(self.browser.value(FAINT), [])


class Dashboard(Page):
    """In this order: an empty service, a learner made by keyboard, its tasks played, seen, and gone."""
    NAME = "tutors of year 5/6"
    PATH = "/v1/learners/" + urllib.parse.quote(NAME, safe="")
    HASH = "#/learner/" + urllib.parse.quote(NAME, safe="")
    rng = random.Random(1)

    def play(self, first, last):
        api = self.api()
        for i in range(first, last):
            api.play(self.NAME, f"student {i}", dict(zip(ARMS, KINDS[i % 2])), STEPS, self.rng)
        return api

    def test_1_an_empty_service_says_what_to_do(self):
        self.go()
        self.wait_for("No learner yet")
        self.assertIn(f"curl '{self.url()}/v1/learners'", self.text("pre"))

    def test_2_a_learner_is_made_by_keyboard(self):
        self.go()
        self.live()
        self.tab_to("New learner")
        self.browser.press(*ENTER)
        self.wait_for("New learner", "h1")
        for name, typed in [("name", self.NAME), ("arms", "\n".join(ARMS)), ("steps", str(STEPS)), ("control", "25")]:
            self.tab_to(name, 20)
            self.browser.value("document.activeElement.select()")
            self.browser.type(typed)
        self.tab_to("More", 20)
        self.browser.press(*SPACE)
        self.tab_to("idle", 20)
        self.browser.type("3600")
        self.tab_to("Create", 20)
        self.browser.press(*ENTER)
        self.wait_for(self.NAME, "h1")
        self.wait_for("No task is open")
        self.assertEqual(self.browser.value("document.activeElement.tagName"), "H1")
        made = self.api().look(self.PATH)
        self.assertEqual([arm["name"] for arm in made["arms"]], ARMS)
        self.assertEqual((made["steps"], made["control"], made["range"]), (STEPS, 0.25, [0, 1]))
        self.assertEqual((made["idle"], made["close_after"], made["default_reward"]), (3600, STEPS, None))
        self.assertIn(f"A task closes after {STEPS} rewards, after 1 hour without ask or tell, or when it is told to:",
                      self.text("#reward ~ .empty"))
        self.assertIn(f"curl '{self.url()}{self.PATH}/tasks/student-1/close'", self.text("#reward ~ .empty pre"))

    def test_3_a_refusal_is_a_sentence_by_its_field(self):
        self.go("#/new")
        self.live()
        self.browser.value("document.getElementById('name').focus()")
        self.browser.type("lonely")
        self.browser.value("document.getElementById('arms').focus()")
        self.browser.type("one arm")
        self.browser.value("document.querySelector('form').requestSubmit()")
        self.browser.wait("document.querySelector('.error').checkVisibility()")
        self.assertIn("Need a list of", self.text(".field:has(#arms) .error"))
        self.assertNotIn("the body", self.text(".error"))
        self.assertEqual(self.browser.value("[document.activeElement.id, document.activeElement.ariaInvalid]"), ["arms", "true"])
        self.assertEqual(self.browser.value("location.hash"), "#/new")
        # the browser tells every 4xx to the console, which is no mistake of the page
        self.assertEqual([c["params"]["entry"]["source"] for c in self.browser.complaints], ["network"])
        self.browser.complaints.clear()
        self.browser.value("(m => { m.value = 'tucb'; m.dispatchEvent(new Event('change', {bubbles: true})); })"
                           "(document.getElementById('method'))")
        self.assertTrue(self.browser.value("document.getElementById('models').checkVisibility()"))

    def test_3_the_form_asks_once_whether_it_may_ask_at_all(self):
        self.go("#/new")
        self.live()
        for hidden in ("true", "false"):  # a page that goes on asking would at once
            self.browser.value(HIDE.format(hidden))
        self.browser.value("new Promise(done => setTimeout(done, 500))")
        self.assertEqual(self.browser.value(ASKED), 1)

    def test_4_what_is_played_is_seen_without_reloading(self):
        self.go(self.HASH)
        self.wait_for("No task is open")
        self.browser.value("window.stayed = true")
        api = self.play(0, 24)
        api.must("POST", self.PATH + "/ask", {"task": "still open"})
        learner = api.look(self.PATH)
        self.assertEqual(learner["tasks"]["closed"], 24)
        self.assertGreaterEqual(len(learner["types"]), 1)
        self.wait_for("still open")
        self.browser.wait(f"document.querySelector('.tiles dd').textContent === '{learner['tasks']['closed']}'")
        self.compare(api.look(self.PATH))
        self.play(24, 25)
        self.browser.wait("document.querySelector('.tiles dd').textContent === '25'")
        self.assertTrue(self.browser.value("window.stayed"))

    def compare(self, learner):
        """The numbers on the page are the service's."""
        tiles = [str(learner["tasks"][k]) for k in ("closed", "control", "open")] + [str(learner["rewards"])]
        shown = "[...document.querySelectorAll('.tiles dd')].slice(0, 4).map(e => e.textContent).join()"
        self.browser.wait(f"{shown} === '{','.join(tiles)}'")
        rows = self.browser.wait("[...document.querySelectorAll('.map tbody tr')].map(e => e.cells.length)")
        self.assertEqual(len(rows), len(learner["types"]) + 1)
        self.browser.wait(f"document.querySelector('.map .heat').innerText.startsWith('{learner['types'][0]['means'][0]:.3f}')")
        transfer, control = (learner["effect"][side] for side in ("transfer", "control"))
        early = min(transfer["tasks"], control["tasks"]) < 5  # which tasks are control goes by the store's key
        self.assertIn("Too early to tell" if early else f"{transfer['reward_per_step']:.3f} with transfer",
                      self.text(".effect"))
        groups = self.browser.value("Chart.getChart(document.querySelector('canvas')).data.datasets[0].data")
        self.assertEqual(groups[-1]["x"], learner["tasks"]["closed"])

    def test_5_every_page_fits_and_can_be_read_in_light_and_dark(self):
        for page, hash in [("learners", "#/"), ("learner", self.HASH), ("new", "#/new")]:
            for width, mobile in [(1280, False), (390, True)] + [(320, True)] * (page == "learner"):
                self.go(hash, width, mobile)
                self.live()
                for scheme in ("light", "dark"):
                    with self.subTest(page=page, width=width, scheme=scheme):
                        self.browser.prefer(scheme)
                        self.check_look()
                        self.keep(f"{page}-{width}-{scheme}", width, mobile)

    def keep(self, name, width, mobile):
        if "SEGUE_SCREENSHOTS" not in os.environ:
            return
        self.browser.resize(width, self.browser.value("document.body.scrollHeight"), mobile)
        self.browser.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 200)))")
        self.browser.screenshot(pathlib.Path(os.environ["SEGUE_SCREENSHOTS"], f"dashboard-{name}.png"))
        self.browser.resize(width, 800, mobile)

    def test_6_what_is_seen_can_be_heard(self):
        for hash in ("#/", self.HASH, "#/new"):
            with self.subTest(hash=hash):
                self.go(hash)
                self.live()
                levels = self.browser.value("[...document.querySelectorAll('h1, h2, h3')].filter(e => e.checkVisibility())"
                                            ".map(e => Number(e.tagName[1]))")
                self.assertEqual(levels[0], 1)
                self.assertEqual(set(levels[1:]) - {2}, set())
                tree = self.browser.call("Accessibility.getFullAXTree")["nodes"]
                roles = {"button", "link", "textbox", "spinbutton", "combobox", "image", "region", "table", "heading"}
                nameless = [node for node in tree if not node["ignored"] and node["role"]["value"] in roles
                            and not node.get("name", {}).get("value", "").strip()]
                self.assertEqual(nameless, [])
        self.assertEqual(self.browser.value("document.querySelectorAll('[aria-live], [role=status]').length"), 1)

    def test_7_by_keyboard_from_the_list_to_the_table_behind_a_chart(self):
        self.go()
        self.live()
        self.tab_to(self.NAME)
        self.browser.press(*ENTER)
        self.wait_for("Effect of transfer")
        self.tab_to("The same as a table")
        self.browser.press(*SPACE)
        self.browser.wait("document.querySelector('figure details').open")
        closed = int(self.text(".tiles dd"))
        rows = self.browser.value("[...document.querySelector('figure tbody').rows].map(r => r.cells[0].innerText)")
        self.assertEqual(rows[-1].split("–")[-1], str(closed))
        self.assertEqual(rows[0].split("–")[0], "1")

    def test_7_types_have_the_same_colours_in_the_map_and_in_the_charts_when_these_change(self):
        self.go(self.HASH)
        self.live()
        mark = "getComputedStyle(document.querySelector('.map .mark')).backgroundColor"
        chart = ("(e => { e.style.color = Chart.getChart(document.querySelector('#versions ~ figure canvas')).data.datasets[0]"
                 ".backgroundColor; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c; })"
                 "(document.createElement('p'))")
        light = self.browser.value(mark)
        self.browser.prefer("dark")
        self.browser.wait(f"{mark} !== '{light}' && {mark} === {chart}")

    def test_8_a_hidden_tab_asks_nothing(self):
        self.go()
        self.live()
        self.browser.value(HIDE.format("true"))
        self.browser.value("new Promise(done => setTimeout(done, 500))")  # one may be under way
        before = self.browser.value(ASKED)
        self.browser.value("new Promise(done => setTimeout(done, 2500))")
        self.assertEqual(self.browser.value(ASKED), before)
        self.browser.value(HIDE.format("false"))
        self.browser.wait(f"{ASKED} > {before}")

    def test_9_a_service_that_is_gone_is_said_to_be(self):
        self.go("#/new")
        self.live()
        self.service.stop()
        self.browser.value("for (const [id, text] of [['name', 'x'], ['arms', 'a\\nb']]) document.getElementById(id).value = text;"
                           "document.querySelector('form').requestSubmit()")
        self.browser.wait("document.querySelector('.error').innerText === 'The service does not answer; try again.'")
        self.browser.value("location.hash = '#/'")
        self.wait_for("does not answer", "#status")
        self.service.listen = f"127.0.0.1:{self.service.port}"
        self.service.start()
        self.wait_for("Connected again", "#status")
        self.browser.complaints.clear()


class Modules(Page):
    """Parts of the dashboard by themselves, in the browser that runs them."""

    def evaluate(self, module, expression):
        self.go()
        return self.browser.value(f"import('/{module}.js').then(m => ({expression}))")

    def test_a_type_is_followed_through_versions_that_count_it_anew(self):
        a, b, c = [0.1, 0.9], [0.9, 0.1], [0.5, 0.5]
        versions = [{"types": [{"means": m} for m in some]} for some in ([a], [b, a], [c, a, b], [a, b])]
        self.assertEqual(self.evaluate("follow", f"m.follow({json.dumps(versions)}, [0, 1])"),
                         [[1], [2, 1], [3, 1, 2], [1, 2]])

    def test_many_groups_become_few_and_lose_no_task(self):
        side = lambda tasks, mean: {"tasks": tasks, "reward_per_step": mean}
        groups = [{"from": i + 1, "to": i + 1, "transfer": side(i % 2, i % 2 or None), "control": side(1, 0.5)}
                  for i in range(100)]
        few = self.evaluate("reward", f"m.coarser({json.dumps(groups)})")
        self.assertEqual((few[0]["from"], few[-1]["to"]), (1, 100))
        self.assertLessEqual(len(few), 40)
        self.assertEqual(sum(g["transfer"]["tasks"] for g in few), 50)
        self.assertEqual({g["transfer"]["reward_per_step"] for g in few}, {1})
        self.assertEqual([g["to"] - g["from"] + 1 for g in few[-2:]], [3, 4])  # a single task is no point of its own

    def test_a_text_can_be_read_on_every_colour_of_the_map(self):
        faint = self.evaluate("heat", "(() => { for (let i = 0; i <= 100; i++) { const e = document.createElement('p');"
                              "e.textContent = i; m.paint(e, i / 100); document.body.append(e); } return 0; })()")
        self.assertEqual(faint, 0)
        self.assertEqual(self.browser.value(FAINT), [])

    def test_a_faint_text_would_be_seen(self):
        self.go()
        self.browser.value("document.body.append(Object.assign(document.createElement('p'), {textContent: 'faint'}));"
                           "document.body.lastChild.style.color = 'rgb(150, 150, 150)'")
        self.assertEqual([text for text, _ in self.browser.value(FAINT)], ["faint"])

    def test_a_shell_line_quotes_what_must_be(self):
        line = self.evaluate("curl", "m.curl('/v1/it', {task: \"a'b\"}).textContent")
        self.assertIn("-d '{\"task\":\"a'\\''b\"}'", line)


    def test_a_tab_hidden_and_shown_while_it_asks_still_asks_one_at_a_time(self):
        self.evaluate("poll", "(window.begun = window.under = window.most = 0, m.poll(() => { window.begun++;"
                      "window.most = Math.max(window.most, ++window.under);"
                      "return new Promise(done => { window.end = () => { window.under--; done(); }; }); }, () => {}), 0)")
        for _ in range(2):
            self.browser.value(HIDE.format("true"))
            self.browser.value(HIDE.format("false"))
        self.assertEqual(self.browser.value("window.begun"), 1)
        self.browser.value("window.end()")
        self.browser.wait("window.begun === 2 && window.under === 1")
        self.browser.value(HIDE.format("true"))
        self.browser.value("window.end()")
        self.browser.value(HIDE.format("false"))  # nothing is under way: at once
        self.browser.wait("window.begun === 3")
        self.assertEqual(self.browser.value("window.most"), 1)

    def test_numbers_are_written_by_their_size(self):
        cases = {
            "m.value(0.72)": "0.720", "m.value(null)": "–", "m.value(-0.0201)": "−0.020", "m.value(-0.0001)": "0.000",
            "m.signed(0.1146)": "+0.115", "m.signed(-0.0316)": "−0.032", "m.plain(1)": "1", "m.plain(0.25)": "0.25",
            "m.span(0.206, 0.294)": "0.206–0.294", "m.span(-0.02, 0.31)": "−0.020 to 0.310",
            "m.value(72.04, m.scaleOf([0, 100]))": "72.0",
            "m.span(-4415472.954, -673084.664, 1e7)": "−4,415,473 to −673,085",
            "m.signed(2123396.054, 1e7)": "+2,123,396", "m.value(0, 1e90)": "0", "m.value(-3.21e89, 1e90)": "−3.21e89",
            "m.signed(5.18e-8, 1e-6)": "+5.18e−8", "m.span(5.61e-7, 8.34e-7, 1e-6)": "5.61e−7 to 8.34e−7",
            "m.value(1e9 + 0.72, m.scaleOf([1e9, 1e9 + 1]))": "1,000,000,000.720",
            "m.exact(-5e6)": "−5,000,000", "m.exact(0.1234567)": "0.1234567", "m.exact(1e-6)": "1e−6",
            "m.exact(-1e100)": "−1e100", "m.share(0.0312)": "3.1\u00a0%", "m.share(0.312)": "31\u00a0%",
            "m.duration(86400)": "1 day", "m.duration(90)": "90 seconds", "m.duration(0.5)": "0.5 seconds",
        }
        self.assertEqual(self.evaluate("format", f"[{','.join(cases)}]"), list(cases.values()))

    def test_an_alarm_needs_types_and_many_closed_tasks(self):
        calls = ["0.5, 2, 199", "0.5, 2, 200", "0.19, 2, 1000", "1, 0, 1000"]
        self.assertEqual(self.evaluate("alarm", f"[{','.join(f'm.isAlarming({c})' for c in calls)}]"),
                         [False, True, False, False])

    def test_two_control_tasks_are_too_few_to_tell(self):
        worth = {"transfer": {"tasks": 23, "reward_per_step": 0.6}, "control": {"tasks": 2, "reward_per_step": 0.7},
                 "difference": -0.1, "interval": [-2.832, 2.589], "level": 0.95}
        enough = {**worth, "control": {"tasks": 5, "reward_per_step": 0.7}, "interval": [-0.25, 0.05]}
        self.assertEqual(self.evaluate("effect", f"[{json.dumps(worth)}, {json.dumps(enough)}].map(m.effectShort)"),
                         ["too early: 2 control tasks", "−0.100 (−0.250\u00a0to\u00a0+0.050)"])

    def test_a_refusal_names_its_field(self):
        said = ["the body: field 'range': need two", "the body: is not JSON", "there is a learner 'x' already"]
        blamed = self.evaluate("create", f"{json.dumps(said)}.map(m.blame).map(b => [b.id, b.text])")
        self.assertEqual(blamed, [["lowest", "Need two"], [None, "Is not JSON"], ["name", "There is a learner 'x' already"]])

    def test_when_a_task_closes_goes_by_the_settings(self):
        cases = {"{close_after: 0, idle: 0}": "only when it is told to",
                 "{close_after: 0, idle: 86400}": "after 1 day without ask or tell, or when it is told to",
                 "{close_after: 1, idle: 0}": "after 1 reward, or when it is told to"}
        self.assertEqual(self.evaluate("reward", f"[{','.join(cases)}].map(m.closing)"), list(cases.values()))


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
        api = Player(cls.service.port)
        cls.addClassCleanup(api.close)
        rng = random.Random(1)
        for name, more in cls.MAKE.items():
            api.must("POST", "/v1/learners", {"name": name, **more})
            arms = more["arms"]
            for i in range(tasks := 42 if name == "wide" else 24):  # of 40, fewer than 5 are control twice in 10 million stores
                chance = {arm: 0.9 if k % 2 == i % 2 else 0.1 for k, arm in enumerate(arms)}
                steps = more.get("close_after") or more["steps"]
                cls.play(api, name, f"student {9481912800 + i}", chance, steps if i < tasks - 2 else 2, rng)

    @classmethod
    def play(cls, api, name, key, chance, steps, rng):
        low, high = cls.MAKE[name].get("range", [0, 1])
        for _ in range(steps):
            answer = api.must("POST", f"/v1/learners/{urllib.parse.quote(name)}/ask", {"task": key})
            reward = high if rng.random() < chance[answer["arm"]] else low
            api.must("POST", "/v1/tell", {"decision": answer["decision"], "reward": reward})

    def visit(self, name):
        self.go("#/learner/" + urllib.parse.quote(name))
        self.live()

    def check_widths(self):
        for width, mobile in [(1280, False), (390, True), (320, True)]:
            with self.subTest(width=width):
                self.browser.resize(width, 800, mobile)
                self.browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                self.check_look()

    def test_large_rewards_fit_their_cards_and_tables(self):
        self.go()
        self.live()
        self.assertRegex(self.text(".cards"), r"[+−]\d,\d\d\d,\d\d\d|[+−]\d\d\d,\d\d\d")
        self.check_widths()
        self.visit("wide")
        self.check_widths()
        self.assertNotRegex(self.text(), r"-\d")  # every minus is a real one
        self.browser.value("document.querySelector('details:has(.facts)').open = true")
        self.assertIn("−5,000,000 to 5,000,000", self.text(".facts"))
        self.assertIn("−2,500,000", self.text(".facts"))

    def test_many_arms_with_long_names_leave_the_table_readable(self):
        learner = self.api().look("/v1/learners/" + urllib.parse.quote(self.LONG))
        self.visit(self.LONG)
        self.assertLess(self.browser.value("document.querySelector('.map thead').offsetHeight"), 110)
        means = learner["types"][0]["means"]
        best = self.NAMES[means.index(max(means))]
        self.assertEqual(self.browser.value("document.querySelector('.map tbody th small').title"), f"best: {best}")
        self.assertIn("Scroll sideways for more arms.", self.text())
        scroll = "(f => {{ f.scrollLeft = {}; }})(document.querySelector('.frame:has(.map)'))"
        self.browser.wait("document.querySelector('.frame:has(.map).more')")
        self.browser.value(scroll.format(1e6))
        self.browser.wait("document.querySelector('.frame:has(.map):not(.more)')")
        self.check_widths()

    def test_a_learner_without_types_says_so_and_shows_none(self):
        self.visit("prior")
        self.wait_for("ts-prior knows no types")
        for words in ("How the types changed", "Of no type", "none 100", "No types yet"):
            self.assertNotIn(words, self.text())
        self.assertIn("no type: ts-prior knows none", self.text())
        self.visit("tucb")
        self.wait_for("tucb does not weigh its models")
        self.assertNotIn("None of them\n", self.text())
        self.browser.value("document.querySelector('details:has(.facts)').open = true")
        self.assertIn("Models\n2", self.text(".facts"))

    def test_a_learner_made_anew_under_its_name_begins_anew(self):
        api, made = self.api(), {"name": "again", "arms": ["a", "b"], "close_after": 2, "range": [0, 3]}
        rng = random.Random(1)
        api.must("POST", "/v1/learners", made)
        for i in range(6):
            api.play("again", f"student {i}", {"a": 1, "b": 0}, 2, rng)
        self.visit("again")
        facts = "document.querySelector('.facts').textContent"
        self.assertIn("0 to 3", self.browser.value(facts))
        api.must("DELETE", "/v1/learners/again")
        api.must("POST", "/v1/learners", {**made, "range": [0, 7]})
        self.wait_for("No task is closed yet")
        self.assertIn("0 to 7", self.browser.value(facts))
        self.browser.complaints.clear()  # of the time when there was none

    def test_every_page_can_be_reached_and_an_unknown_one_says_so(self):
        current = "[...document.querySelectorAll('nav [aria-current=page]')].map(e => e.textContent).join()"
        for hash, name in [("", "Learners"), ("#/", "Learners"), ("#/new", "New learner"), ("#/learner/prior", "")]:
            self.go(hash)
            self.live()
            self.assertEqual(self.browser.value(current), name)
        self.go("#/bogus")
        self.wait_for("There is nothing at #/bogus.")
        self.browser.value("document.querySelector('main a').click()")
        self.wait_for("Learners", "h1")
        self.assertEqual(self.browser.value(current), "Learners")


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


class Token(Page):
    """A service that asks for a token."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        file = pathlib.Path(holder.name) / "tokens"
        file.write_text("correct-horse-battery\n")
        file.chmod(0o600)
        cls.options = ("--token-file", str(file))
        super().setUpClass()

    def test_the_token_is_asked_for_and_kept_in_the_tab_alone(self):
        self.go()
        for typed, then in [("wrong", "does not take this token"), ("correct-horse-battery", "No learner yet")]:
            self.wait_for("asks for a token", "h1")
            self.browser.wait("document.activeElement.id === 'token' && document.activeElement.value === ''")
            self.browser.type(typed)
            self.browser.press(*ENTER)
            self.wait_for(then)
        self.assertEqual(self.browser.value("[localStorage.length, document.cookie, sessionStorage.length]"), [0, "", 1])
        self.assertIn("Bearer $TOKEN", self.text("pre"))
        self.assertNotIn("battery", self.browser.value("document.documentElement.outerHTML"))
        self.browser.value("document.getElementById('forget').click()")
        self.wait_for("asks for a token", "h1")
        self.assertEqual(self.browser.value("sessionStorage.length"), 0)
        self.assertEqual({c["params"]["entry"]["source"] for c in self.browser.complaints}, {"network"})
        self.browser.complaints.clear()


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: no Chromium is installed; 'scripts/install-deps browser' installs it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
