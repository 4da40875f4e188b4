#!/usr/bin/python3
"""The dashboard in a real browser: what happens through the API is shown.

With SEGUE_SCREENSHOTS=FOLDER the screenshots are stored there.

usage: test_dashboard.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import random
import urllib.parse

from dashboard_page import ARMS, ASKED, ENTER, HIDE, KINDS, SPACE, STEPS, Page, main, start_browser


def setUpModule():
    start_browser()


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
        made = self.api().fetch(self.PATH)
        self.assertEqual([arm["name"] for arm in made["arms"]], ARMS)
        self.assertEqual((made["steps"], made["control"], made["range"]), (STEPS, 0.25, [0, 1]))
        self.assertEqual((made["idle"], made["close_after"], made["default_reward"]), (3600, STEPS, None))
        self.assertIn(f"A task closes after {STEPS} rewards, after 1 hour without ask or tell, or on request:",
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
        learner = api.fetch(self.PATH)
        self.assertEqual(learner["tasks"]["closed"], 24)
        self.assertGreaterEqual(len(learner["types"]), 1)
        self.wait_for("still open")
        self.browser.wait(f"document.querySelector('.tiles dd').textContent === '{learner['tasks']['closed']}'")
        self.compare(api.fetch(self.PATH))
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
        self.assertIn("Too early: 5 closed tasks" if early else f"{transfer['reward_per_step']:.3f} with transfer",
                      self.text(".effect"))
        groups = self.browser.value("Chart.getChart(document.querySelector('canvas')).data.datasets[0].data")
        self.assertEqual(groups[-1]["x"], learner["tasks"]["closed"])

    def test_4_transfer_that_harms_is_announced(self):
        api, path = self.api(), "/v1/learners/harmful"
        api.must("POST", "/v1/learners", {"name": "harmful", "arms": ARMS, "steps": 1, "control": 0.5, "stop_if_harmful": True})
        for i in range(400):  # control tasks earn 1, the others nothing
            task = f"task {i}"
            decision = api.must("POST", path + "/ask", {"task": task})
            api.must("POST", "/v1/tell", {"decision": decision["decision"], "reward": int(decision["control"])})
            if api.fetch(path)["effect"]["stopped"]:
                break
        self.go("#/learner/harmful")
        self.wait_for("Transfer harms and is stopped")
        self.assertIn(f"curl '{self.url()}{path}/resume'", self.text(".stopped pre"))
        self.assertIn("New tasks are played without transfer", self.text(".stopped"))
        api.must("POST", path + "/resume", {})
        self.browser.wait("!document.querySelector('.stopped').checkVisibility()")
        self.browser.wait("document.querySelector('.effect').textContent.includes('transfer was resumed')")
        api.must("DELETE", path)

    def test_5_every_page_fits_and_can_be_read_in_light_and_dark(self):
        for page, hash in [("learners", "#/"), ("learner", self.HASH), ("new", "#/new")]:
            for width, mobile in [(1280, False), (390, True)] + [(320, True)] * (page == "learner"):
                self.go(hash, width, mobile)
                self.live()
                for scheme in ("light", "dark"):
                    with self.subTest(page=page, width=width, scheme=scheme):
                        self.browser.prefer(scheme)
                        self.check_layout()
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
        self.browser.wait("document.activeElement.tagName === 'H1'")  # the page of the learner has replaced the list
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
        self.browser.wait("document.querySelector('.error').innerText === 'The service does not respond; try again.'")
        self.browser.value("location.hash = '#/'")
        self.wait_for("does not respond", "#status")
        self.service.listen = f"127.0.0.1:{self.service.port}"
        self.service.start()
        self.wait_for("Connected again", "#status")
        self.browser.complaints.clear()


if __name__ == "__main__":
    main()
