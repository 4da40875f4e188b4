#!/usr/bin/python3
"""The playground in a real browser: its numbers are those of the program, and everybody can use it.

Skipped where the program was built without the playground ('make playground' builds it), or without Chromium.

usage: test_playground.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import csv
import functools
import gzip
import http.server
import json
import pathlib
import shlex
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from dashboard_page import ENTER, SPACE, Page, main, start_browser
from program import SEGUE, SOURCE, answer, run
from service import Service

LOG = SOURCE / "logs" / "tutor.csv"
PLAYGROUND = pathlib.Path(SEGUE).parent / "playground"
EFFORT = {"runs": 2, "replicates": 2}  # the same numbers of both; the fewest that give a verdict
COMMAND = "section:has(#command)"
LEFT = ("performance.getEntriesByType('resource').map(e => e.name)"
        ".filter(name => !name.startsWith(location.origin + '/') && !name.startsWith('data:'))")


@contextlib.contextmanager
def http_server(folder):
    """Serve a folder as `python3 -m http.server` does; its address."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def setUpModule():
    with tempfile.TemporaryDirectory() as folder:
        service = Service(SEGUE, pathlib.Path(folder) / "test.db")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{service.port}/playground/") as page:
                text = page.read().decode()
        finally:
            service.stop()
    if "make playground" in text:
        print("skipped: this program has no playground; 'make playground' builds it")
        sys.exit(77)
    start_browser()


class Playground(Page):
    def visit(self, hash, width=1280, mobile=False):
        Page.visits += 1
        self.browser.open(f"{self.url()}/playground/?{Page.visits}#{hash}", width, mobile)
        self.browser.wait("document.body.dataset.state === 'ready'")

    def play(self, hash="set=paper&steps=40&tasks=40&seed=7", **more):
        self.visit(hash, **more)
        self.browser.value("document.querySelector('#settings [type=submit]').click()")
        self.browser.wait("document.body.dataset.state === 'done'", 60)

    def downloads(self):
        """The files that the page offers, by name."""
        links = self.browser.value(f"[...document.querySelectorAll('{COMMAND} a')].map(a => [a.download, a.getAttribute('href')])")
        return {name: urllib.parse.unquote(address.split(",", 1)[1]) for name, address in links}

    def follow_command(self, folder):
        """Run the command that the page shows, with the files that it offers."""
        for name, text in self.downloads().items():
            (folder / name).write_text(text)
        arguments = shlex.split(self.text(f"{COMMAND} pre").replace("\\\n", " "))
        self.assertEqual(arguments[0], "segue")
        done = run(*arguments[1:], cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def read(self, path, column):
        with path.open() as file:
            return {(row["policy"], row["task"]): float(row[column]) for row in csv.DictReader(file)}

    def compare(self, hash, tasks):
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            self.play(hash)
            self.follow_command(folder)
            played = {key: float(f"{x:.15g}") for key, x in self.read(folder / "played.csv", "regret").items()}  # as --curve writes
            expected = self.read(folder / "regret.csv", "mean")
        self.assertEqual(len(expected), 4 * tasks)
        self.assertEqual(played, expected)

    def test_1_numbers_are_those_of_the_program(self):
        self.compare("set=paper&steps=100&tasks=100&seed=3", 100)

    def test_1_with_spread_drift_and_a_set_of_ones_own(self):
        models = "weight,a,b,c;2,0.9,0.2,0.3;1,0.1,0.8,0.25;1,0.4,0.3,0.7"
        self.compare("steps=60&tasks=80&spread=3&drift=40&seed=5&models=" + urllib.parse.quote(models), 80)

    def test_2_the_steps_of_the_last_task_are_those_of_the_program(self):
        self.play()
        self.browser.value("document.querySelector('section:has(#running) details').open = true")
        self.browser.wait("document.querySelector('section:has(#running) tbody')")
        rows = self.browser.value("[...document.querySelectorAll('section:has(#running) tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
        with tempfile.TemporaryDirectory() as folder:
            reasons = pathlib.Path(folder, "reasons.jsonl")
            answer("simulate", "--models", SOURCE / "models" / "paper.csv", "--policy", "tla", "--tasks", 40, "--steps", 40, "--runs", 1,
                   "--seed", 7, "--explain", reasons, "--out", pathlib.Path(folder, "out"))
            steps = [json.loads(line) for line in reasons.read_text().splitlines()]
        self.assertEqual(len(rows), 40)
        self.assertEqual([(int(step), arm, float(reward)) for step, arm, reward, *_ in rows],
                         [(s["step"], f"arm {s['arm']}", s["reward"]) for s in steps[:40]])

    def test_3_a_log_gets_the_verdict_of_replay(self):
        self.visit("set=paper")
        expected = json.loads(answer("replay", "--format", "json", "--runs", EFFORT["runs"], "--replicates", EFFORT["replicates"], LOG))
        for name, value in EFFORT.items():
            self.browser.value(f"document.getElementById('log-{name}').value = {value}")
        self.drop(LOG)
        self.browser.wait("document.querySelector('.verdict')", 120)
        spelled = self.browser.value(f"import('/playground/wording.js').then(m => m.spell({json.dumps(expected['verdict']['text'])}))")
        self.assertEqual(self.text(".verdict"), spelled)
        self.assertEqual(self.text("#verdict-effort"), "A verdict of 2 runs and 2 replicates.")
        rows = self.browser.value("[...document.querySelector('#verdict tbody').rows].map(row => [...row.cells].map(c => c.innerText))")
        shown = [[name, float(reward.split()[0])] for name, reward, *_ in rows]
        self.assertEqual(shown, [[row["policy"], float(f"{row['reward']['mean']:.3f}")] for row in expected["results"] if row["policy"] != "(best arms)"])
        self.assertEqual(self.browser.value(LEFT), [])

    def test_3_by_default_the_verdict_is_quick_and_says_so(self):
        self.visit("set=paper")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "short.csv")
            path.write_text("".join(LOG.read_text().splitlines(keepends=True)[:1 + 60 * 30]))  # 60 tasks of 30 rewards
            expected = json.loads(answer("replay", "--format", "json", "--runs", 6, "--replicates", 7, path))
            self.drop(path)
            self.browser.wait("document.querySelector('.verdict')", 120)
        self.assertIn("A quick verdict, of 6 runs and 7 replicates", self.text("#verdict-effort"))
        shown = self.browser.value("document.querySelector('#verdict tbody').rows[0].cells[1].innerText")
        self.assertEqual(float(shown.split()[0]), float(f"{expected['results'][0]['reward']['mean']:.3f}"))

    def test_3_sentences_name_fields_instead_of_options(self):
        self.visit("set=paper")
        for said, spelled in [
                ("so this log may tell with --runs 5.", "so this log may tell with 5 in the field Runs."),
                ("About 300 tasks, and --runs 21, would tell.", "About 300 tasks, and 21 in the field Runs, would tell."),
                ("rest on few; lower --steps", "rest on few; lower the field Steps per task"),
                ("give --missing skip to skip such rows", "choose “Skip rows without a value” to skip such rows"),
                ("need 0 to 1; give --range 0,5 if that is", "need 0 to 1; give 0 and 5 in the fields Lowest reward and Highest reward if that is"),
                ("such as with --task user --arm 'the banner'",
                 "such as with user in the field Column of tasks, 'the banner' in the field Column of arms"),
                ("give --arm with the key that names it", "give the field Column of arms with the key that names it"),
                ("give --delimiter semicolon", "give the program's --delimiter semicolon"), ("7 - 5 -- 2", "7 - 5 -- 2")]:
            self.assertEqual(self.browser.value(f"import('/playground/wording.js').then(m => m.spell({json.dumps(said)}))"), spelled)

    def test_3_a_wrong_log_is_explained(self):
        self.visit("set=paper")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.csv")
            path.write_text("task,arm,reward\na,x,0.5\na,y,7\n")
            self.drop(path)
            self.browser.wait("document.getElementById('log-status').innerText.includes('wrong.csv:3')", 60)

    def test_3_a_log_can_be_dropped_also_compressed(self):
        self.visit("set=paper")
        text = "task,arm,reward\\na,x,0.5\\na,y,7\\n"
        self.browser.value(f"""(async () => {{
            const packed = new Blob(["{text}"]).stream().pipeThrough(new CompressionStream("gzip"));
            const data = new DataTransfer();
            data.items.add(new File([await new Response(packed).blob()], "dropped.csv.gz"));
            document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {{dataTransfer: data, bubbles: true}}));
        }})()""")
        self.browser.wait("document.getElementById('log-status').innerText.includes('dropped.csv.gz:3')", 60)

    def test_3_an_address_with_mistakes_is_explained(self):
        self.visit("set=paper&steps=7&colour=red&drift=500&tasks=300")
        self.assertIn("cannot be used, and the usual ones instead: steps, colour.", self.text("#settings .error"))
        self.assertIn("never: the run has only 300 tasks", self.text("#settings"))

    def means(self):
        return self.browser.value("[...document.querySelectorAll('.editor input')].map(input => input.value)")

    def fill(self, name, value):
        self.browser.value(f"(() => {{ const field = document.getElementById('{name}'); field.value = '{value}';"
                           "field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); })()")

    def test_3_an_address_gives_the_same_random_set(self):
        self.visit("set=paper&steps=40&tasks=40")
        self.fill("seed", 1)
        self.fill("set", "random")
        self.browser.wait("location.hash.includes('set=random')")
        first = self.means()
        self.fill("seed", 2)
        self.browser.wait("location.hash.includes('seed=2')")
        shown = self.means()
        self.assertNotEqual(shown, first)
        self.fill("seed", "")  # not a seed: nothing changes
        self.assertEqual(self.means(), shown)
        self.visit(self.browser.value("location.hash.slice(1)"))
        self.assertEqual(self.means(), shown)

    def drop(self, path):
        found = self.browser.call("Runtime.evaluate", expression="document.getElementById('log-file')")
        self.browser.call("DOM.setFileInputFiles", files=[str(path)], objectId=found["result"]["objectId"])

    def test_4_it_fits_and_can_be_read_in_light_and_dark(self):
        self.play()
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                self.browser.prefer(scheme)
                self.check_widths()

    def test_5_what_is_seen_can_be_heard(self):
        self.play()
        tree = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "link", "textbox", "spinbutton", "combobox", "slider", "checkbox", "image", "region", "table", "heading", "form"}
        nameless = [node["role"]["value"] for node in tree if not node["ignored"] and node["role"]["value"] in roles
                    and not node.get("name", {}).get("value", "").strip()]
        self.assertEqual(nameless, [])
        self.assertIn("Done after 40 tasks. Regret per task: ts ", self.text("#status"))
        self.assertIn("40 steps", self.browser.value("document.getElementById('steps').getAttribute('aria-valuetext')"))

    def test_6_by_keyboard(self):
        self.visit("set=testable&steps=40&tasks=40")
        self.tab_to("steps")
        self.browser.press("ArrowRight", 39)
        self.assertIn("steps=60", self.browser.value("location.hash"))
        self.tab_to("Play")
        self.browser.press(*ENTER)
        self.browser.wait("document.body.dataset.state === 'done'", 60)
        self.tab_to("The same as a table")
        self.browser.press(*SPACE)
        self.browser.wait("document.querySelector('figure tbody')")
        self.tab_to("step")
        before = self.text("#step-text")
        self.browser.press("ArrowLeft", 37)
        self.assertNotEqual(self.text("#step-text"), before)

    def test_6_the_skip_link_keeps_the_settings(self):
        self.visit("set=testable&steps=60&tasks=40&seed=5")
        before = self.browser.value("location.hash")
        self.tab_to("Skip to the content")
        self.browser.press(*ENTER)
        self.assertEqual(self.browser.value("[document.activeElement.id, location.hash]"), ["main", before])
        self.tab_to("steps")
        self.browser.value("location.hash = 'main'")  # as a link to a place on the page
        self.browser.value("new Promise(done => setTimeout(done, 200))")
        self.assertEqual(self.browser.value("['set', 'steps', 'tasks', 'seed'].map(id => document.getElementById(id).value)"),
                         ["testable", "60", "40", "5"])
        self.assertEqual(self.text("#settings .error"), "")

    def test_6_the_focus_stays_in_a_table_that_changes(self):
        self.visit("set=paper&steps=40&tasks=1000&pace=20")
        self.browser.value("document.querySelector('#settings [type=submit]').click()")
        self.browser.wait("document.querySelectorAll('section:has(#types) .frame').length === 3", 60)
        self.browser.value("document.querySelector('section:has(#types) .frame').focus()")
        before = self.browser.value("document.getElementById('task').value")
        self.browser.wait(f"document.getElementById('task').value > {before} + 5", 60)
        self.assertEqual(self.browser.value("document.activeElement.className"), "frame")
        self.browser.value("document.querySelector('#settings button[type=button]').click()")

    def choose_task(self, task):
        self.browser.value(f"(() => {{ const slider = document.getElementById('task'); slider.value = {task};"
                           "slider.dispatchEvent(new Event('input', {bubbles: true})); })()")

    def begin(self, hash):
        self.visit(hash)
        self.browser.value("document.querySelector('#settings [type=submit]').click()")

    def test_7_an_earlier_task_is_shown_while_the_run_goes_on(self):
        self.begin("set=paper&steps=40&tasks=60&pace=20&seed=7")
        self.browser.wait("document.getElementById('task').max >= 10")
        self.choose_task(5)
        self.browser.wait("document.body.dataset.state === 'done'", 60)
        self.assertEqual(self.browser.value("[document.getElementById('task').value, document.getElementById('task').max]"), ["5", "60"])
        self.assertIn("Done after 60 tasks. Regret per task: ts ", self.text("#status"))
        self.assertEqual(len(self.downloads()["played.csv"].splitlines()), 1 + 4 * 60)

    def test_7_at_its_end_the_slider_follows_again(self):
        self.begin("set=paper&steps=40&tasks=60&pace=20&seed=7")
        self.browser.wait("document.getElementById('task').max >= 10")
        self.choose_task(5)
        self.choose_task(1000)  # its end
        self.browser.wait("document.body.dataset.state === 'done'", 60)
        self.assertEqual(self.browser.value("document.getElementById('task').value"), "60")

    def test_7_a_stopped_run_is_the_beginning_of_the_commands(self):
        self.begin("set=paper&steps=40&tasks=100&pace=20&seed=7")
        self.browser.wait("document.getElementById('task').max >= 10")
        self.choose_task(5)
        self.browser.value("[...document.querySelectorAll('#settings button')].find(b => b.innerText === 'Stop').click()")
        tasks = int(self.browser.value("document.getElementById('task').max"))
        self.assertIn(f"Stopped after {tasks} tasks.", self.text("#status"))
        self.assertIn(f"the first {tasks} tasks", self.text(COMMAND))
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            self.follow_command(folder)
            played = {key: float(f"{x:.15g}") for key, x in self.read(folder / "played.csv", "regret").items()}
            whole = self.read(folder / "regret.csv", "mean")
        self.assertEqual(len(played), 4 * tasks)
        self.assertEqual(played, {key: x for key, x in whole.items() if int(key[1]) <= tasks})

    def test_7_stop_leaves_what_was_played(self):
        self.visit("set=paper&steps=100&tasks=1000&pace=2")
        self.browser.value("document.querySelector('#settings [type=submit]').click()")
        self.browser.wait("document.getElementById('task').value >= 1", 60)
        self.browser.value("[...document.querySelectorAll('#settings button')].find(b => b.innerText === 'Stop').click()")
        self.assertIn("Stopped after", self.text("#status"))
        self.assertEqual(self.browser.value("document.body.dataset.state"), "done")

    def memory(self):
        """Bytes of the page, after garbage is collected."""
        self.browser.call("HeapProfiler.collectGarbage")
        usage = self.browser.call("Runtime.getHeapUsage")
        return usage["usedSize"] + usage.get("backingStorageSize", 0)

    def test_7_a_long_run_takes_little_memory_and_ends_its_workers(self):
        self.visit("set=paper&steps=1000&tasks=100&pace=20")
        self.browser.wait("document.getElementById('version').textContent")  # its worker has ended
        self.browser.value("{ const end = Worker.prototype.terminate; window.ended = new Set();"
                           "Worker.prototype.terminate = function () { ended.add(this); end.call(this); }; }")
        before = self.memory()
        self.browser.value("document.querySelector('#settings [type=submit]').click()")
        self.browser.wait("document.body.dataset.state === 'done'", 120)
        self.assertEqual(self.browser.value("ended.size"), 4)
        self.assertLess(self.memory() - before, 6e6)  # 100,000 steps of 24 bytes, and the page's own

    def test_8_a_file_says_how_to_open_it(self):
        self.browser.open((PLAYGROUND / "index.html").as_uri(), 1280, False)
        self.assertIn("python3 -m http.server", self.text("#how-to-open"))
        self.browser.complaints.clear()  # the browser loads no module from a file
        with http_server(PLAYGROUND) as address:
            self.browser.open(address, 1280, False)
            self.browser.wait("document.body.dataset.state === 'done'", 60)
            self.assertIsNone(self.browser.value("document.getElementById('how-to-open')"))

    def wait_over_pages(self, expression):
        """Wait until it is true of a page, also if another page is loaded meanwhile."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):  # the page was left
                if self.browser.value(expression):
                    return
            time.sleep(0.05)
        self.fail(f"never: {expression}")

    def test_8_all_addresses_of_the_page_keep_the_settings(self):
        for path in ("/playground", "/playground/index.html"):
            with self.subTest(path=path):
                Page.visits += 1
                self.browser.call("Page.navigate", url=f"{self.url()}{path}?{Page.visits}#set=testable&steps=60")
                self.wait_over_pages("location.pathname.startsWith('/playground/') && document.body?.dataset.state === 'ready'")
                self.assertEqual(self.browser.value("['set', 'steps'].map(id => document.getElementById(id).value)"), ["testable", "60"])

    def test_8_the_module_is_sent_compressed(self):
        asking = urllib.request.Request(f"{self.url()}/playground/segue.wasm", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(asking) as reply:
            self.assertEqual((reply.headers["Content-Type"], reply.headers["Content-Encoding"]), ("application/wasm", "gzip"))
            body = reply.read()
        self.assertEqual(gzip.decompress(body), (PLAYGROUND / "segue.wasm").read_bytes())
        self.assertLess(len(body), 0.6 * (PLAYGROUND / "segue.wasm").stat().st_size)

    def test_8_sixteen_types_have_different_colours(self):
        self.visit("set=paper")
        colours = self.browser.value("""import('/playground/results.js').then(m => {
            const table = m.typesTable("Types", ["a"], {mean: Array(18).fill([0.5]), weight: Array(18).fill(1 / 18)});
            document.body.append(table);
            return [...table.querySelectorAll(".mark")].map(mark => getComputedStyle(mark).backgroundColor); })""")
        self.assertEqual((len(colours), len(set(colours))), (18, 16))

    def test_8_nothing_is_loaded_from_elsewhere(self):
        self.play()
        self.assertEqual(self.browser.value(LEFT), [])
        for name in ("", "worker.js"):  # a worker goes by the policy of its own file
            with urllib.request.urlopen(f"{self.url()}/playground/{name}") as page:
                policy = page.headers["Content-Security-Policy"]
            self.assertIn("default-src 'self'", policy)
            self.assertIn("script-src 'self' 'wasm-unsafe-eval'", policy)
        with urllib.request.urlopen(f"{self.url()}/") as page:
            self.assertNotIn("wasm", page.headers["Content-Security-Policy"])


if __name__ == "__main__":
    main()
