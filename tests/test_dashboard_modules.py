#!/usr/bin/python3
"""The modules of the dashboard, one by one, in a real browser.

usage: test_dashboard_modules.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import re

from dashboard_page import FAINT, HIDE, Page, main, start_browser
from program import SOURCE


def setUpModule():
    start_browser()


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

    def test_scripts_use_no_methods_that_browsers_of_2021_lack(self):
        new = re.compile(r"\.(toReversed|toSorted|toSpliced|findLast|findLastIndex)\(|Object\.(groupBy|hasOwn)\(")
        scripts = list((SOURCE / "web").rglob("*.js"))
        self.assertGreater(len(scripts), 30)
        self.assertEqual([(path.name, found[0]) for path in scripts for found in new.finditer(path.read_text(encoding="utf-8"))], [])

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
        early = {"transfer": {"tasks": 23, "reward_per_step": 0.6}, "control": {"tasks": 2, "reward_per_step": 0.7},
                 "difference": -0.1, "interval": [-2.832, 2.589], "level": 0.95}
        enough = {**early, "control": {"tasks": 5, "reward_per_step": 0.7}, "interval": [-0.25, 0.05]}
        self.assertEqual(self.evaluate("effect", f"[{json.dumps(early)}, {json.dumps(enough)}].map(m.effectShort)"),
                         ["too early: 2 control tasks", "−0.100 (−0.250\u00a0to\u00a0+0.050)"])

    def test_a_forecast_is_a_sentence(self):
        def effect_of(tasks, more_than=None, seconds=None):
            forecast = {"effect": 0.02, "tasks": tasks, "more_than": more_than, "seconds": seconds}
            return json.dumps({"control_share": 0.5, "forecast": forecast})
        cases = [effect_of(0), effect_of(1200, seconds=90000), effect_of(1), effect_of(None, 1000000), json.dumps({"forecast": None})]
        self.assertEqual(self.evaluate("effect", f"[{','.join(cases)}].map(e => m.forecastSentence(e, 1))"), [
            "", "About 1,200 further tasks (2 days at the present rate) until an effect of 0.020 can be distinguished from zero, "
            "with 50\u00a0% control tasks.",
            "About 1 further task until an effect of 0.020 can be distinguished from zero, with 50\u00a0% control tasks.",
            "It takes more than 1,000,000 further tasks until an effect of 0.020 can be distinguished from zero.", ""])

    def test_a_refusal_names_its_field(self):
        said = ["the body: field 'range': need two", "the body: is not JSON", "learner 'x' already exists with different settings (steps 2, request has 3)"]
        blamed = self.evaluate("create", f"{json.dumps(said)}.map(m.blame).map(b => [b.id, b.text])")
        self.assertEqual(blamed, [["lowest", "Need two"], [None, "Is not JSON"], [
            "name", "Learner 'x' already exists with different settings (steps 2, request has 3)"]])

    def test_when_a_task_closes_goes_by_the_settings(self):
        cases = {"{close_after: 0, idle: 0}": "only on request",
                 "{close_after: 0, idle: 86400}": "after 1 day without ask or tell, or on request",
                 "{close_after: 1, idle: 0}": "after 1 reward, or on request"}
        self.assertEqual(self.evaluate("reward", f"[{','.join(cases)}].map(m.closing)"), list(cases.values()))


if __name__ == "__main__":
    main()
