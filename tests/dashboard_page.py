"""A page of the dashboard in a real browser, in front of a real service.

Exit code 77, 'skipped', where there is no Chromium.
SPDX-License-Identifier: Apache-2.0"""
import json
import pathlib
import sys
import tempfile
import unittest

from browser import CHROMIUM, Browser
from api_client import ApiClient
from program import SEGUE
from service import Service

TAB, ENTER, SPACE = ("Tab", 9), ("Enter", 13, "\r"), (" ", 32, " ")
ARMS = ["hint", "worked example", "video"]
KINDS = [[0.9, 0.2, 0.4], [0.1, 0.3, 0.8]]
STEPS = 8

# Texts whose contrast is below WCAG's AA, and their contrast.
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
# Elements outside the card or the caption that it is in, or out of sight without scrolling.
OUT = """[...document.querySelectorAll('.card *, .tiles dd, caption span')].filter(e => e.checkVisibility() && (e.scrollWidth >
  e.clientWidth + 1 && e.clientWidth > 0 || e.getBoundingClientRect().right > (e.closest('.card, .tiles div, .frame')
  .getBoundingClientRect().right + 0.5))).map(e => e.outerHTML.slice(0, 80))"""
ASKED = "performance.getEntriesByType('resource').filter(e => e.name.includes('/v1/')).length"
HIDE = ("Object.defineProperty(document, 'hidden', {{value: {}, configurable: true}});"
        "document.dispatchEvent(new Event('visibilitychange'))")
FOCUS = """(() => { const e = document.activeElement, s = getComputedStyle(e);
  return {tag: e.tagName, text: (e.getAttribute('aria-label') ?? e.id ?? '') || e.textContent.trim().slice(0, 60),
          seen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2}; })()"""


def start_browser():
    """Start one browser for all tests of a module: starting it takes the longest."""
    holder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(holder.cleanup)
    Page.browser = Browser(holder.name)
    unittest.addModuleCleanup(Page.browser.close)


def main():
    if not CHROMIUM:
        print("skipped: no Chromium is installed; 'scripts/install-deps browser' installs it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])


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

    def tab_to(self, text, limit=60):
        """Press Tab until something with this text has the focus, which is always to be seen."""
        for _ in range(limit):
            self.browser.press(*TAB)
            at = self.browser.value(FOCUS)
            self.assertTrue(at["seen"], at)
            if at["text"] == text:
                return
        self.fail(f"Tab never comes to '{text}'")


    def api(self):
        api = ApiClient(self.service.port)
        self.addCleanup(api.close)
        return api

    def check_widths(self):
        for width, mobile in [(1280, False), (390, True), (320, True)]:
            with self.subTest(width=width):
                self.browser.resize(width, 800, mobile)
                self.browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                self.check_layout()

    def check_layout(self):
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        self.assertEqual(self.browser.value(overflow), 0)
        self.assertEqual(self.browser.value(WIDE), [])
        self.assertEqual(self.browser.value(OUT), [])
        self.assertEqual(self.browser.value(FAINT), [])
