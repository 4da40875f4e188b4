#!/usr/bin/python3
"""The documentation site: built without warnings, complete, its links hold, it is searchable, and it loads nothing from
elsewhere.

usage: test_site.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import html.parser
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from program import SEGUE, SOURCE

BUILD = pathlib.Path(SEGUE).parent
LOADING = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "video": "src"}


def missing():
    """The first thing that the site needs and that is not here."""
    for module, package in (("sphinx", "python3-sphinx"), ("furo", "furo"), ("myst_parser", "python3-myst-parser"),
                            ("breathe", "python3-breathe")):
        if not importlib.util.find_spec(module):
            return f"{package} is not installed: scripts/install-deps docs"
    if not shutil.which("doxygen"):
        return "doxygen is not installed: scripts/install-deps docs"
    return None if (BUILD / "python/segue/_segue.abi3.so").exists() else "the Python package is not built"


class Page(html.parser.HTMLParser):
    """What a page links to, what it loads and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(value for value in (given.get("id"), given.get("name") if tag == "a" else None) if value)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get(LOADING.get(tag)):
            self.loads.append(given[LOADING[tag]])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.holder.name) / "site"
        cls.report = pathlib.Path(cls.holder.name) / "of-the-paper.html"
        cls.report.write_text("<title>Report</title>")  # any page: it is copied
        made = subprocess.run([SOURCE / "docs/site/make_site.py", BUILD, cls.out, cls.report], capture_output=True, text=True, check=False)
        if made.returncode:
            cls.holder.cleanup()
            raise AssertionError(made.stdout + made.stderr)
        cls.pages = {path.resolve(): Page(path) for path in cls.out.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def text(self, name):
        """The words of a page."""
        page = (self.out / name).read_text(encoding="utf-8")
        return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())

    def test_every_page_is_in_it(self):
        pages = [*(SOURCE / "docs").glob("*.md"), *(SOURCE / "docs/adr").glob("*.md"), SOURCE / "ARCHITECTURE.md"]
        for page in pages:
            self.assertTrue((self.out / page.relative_to(SOURCE)).with_suffix(".html").exists(), page)
        self.assertIn("Segue learns across short decision problems", self.text("index.html"))

    def test_the_contents_are_those_of_the_list_of_pages(self):
        listed = re.findall(r"^\|.*\]\(([a-z0-9-]+)\.md\)", (SOURCE / "docs/README.md").read_text(encoding="utf-8"), re.M)
        listed = [f"docs/{name}.html" for name in dict.fromkeys(listed)]
        menu = dict.fromkeys(self.pages[self.out.resolve() / "search.html"].links)
        self.assertEqual([link for link in menu if link in listed], listed)

    def test_every_function_and_status_is_in_it(self):
        for header in (SOURCE / "include/segue").glob("*.h"):
            shown = self.text(f"reference/c/{header.stem}.html")
            for name in re.findall(r"^SEGUE_API[^;(]*\b(segue_\w+)\(", header.read_text(encoding="utf-8"), re.M):
                self.assertIn(name + "(", shown, header)
        self.assertIn("SEGUE_EDOMAIN", self.text("reference/c/status.html"))
        for field in ("size_t size#", "of this struct in bytes", "const uint64_t *pulls#", "n_arms: rewards"):
            self.assertIn(field, self.text("reference/c/task.html"))

    def test_every_name_of_the_python_package_is_in_it(self):
        code = (SOURCE / "bindings/python/segue/__init__.py").read_text(encoding="utf-8")
        names = re.findall(r'"(\w+)"', code[code.index("__all__"):])
        anchors = self.pages[self.out.resolve() / "reference/python.html"].anchors
        self.assertGreater(len(names), 15)
        self.assertEqual([name for name in names if f"segue.{name}" not in anchors and name != "__version__"], [])

    def test_every_route_and_field_is_in_it(self):
        spec = json.loads((SOURCE / "src/service/api/openapi.json").read_text(encoding="utf-8"))
        shown = self.text("reference/http.html")
        for path, of in spec["paths"].items():
            for method in set(of) - {"parameters"}:
                self.assertIn(f"{method.upper()} {path}", shown)
        for schema in spec["components"]["schemas"].values():
            for name in schema.get("properties", {}):
                self.assertIn(f"{name} (", shown)

    def test_links_and_anchors_hold(self):
        broken, checked = [], 0
        for path, page in self.pages.items():
            for link in page.links + page.loads:
                to = urllib.parse.urlsplit(link)
                if to.scheme or to.netloc:
                    continue
                checked += 1
                target = (path.parent / urllib.parse.unquote(to.path)).resolve() if to.path else path
                anchor = urllib.parse.unquote(to.fragment)
                if not target.is_file() or anchor and target in self.pages and anchor not in self.pages[target].anchors:
                    broken.append(f"{path.relative_to(self.out.resolve())}: {link}")
        self.assertEqual(broken, [])
        self.assertGreater(checked, 1000)

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, page in self.pages.items():
            self.assertEqual([url for url in page.loads if re.match(r"[a-z]+:|/", url) and not url.startswith("data:")], [], path)
        styles = [path for path in self.out.rglob("*.css") if "playground" not in path.parts]
        self.assertGreater(len(styles), 2)
        for style in styles:
            urls = re.findall(r"""(?:url\(|@import\s)\s*["']?([^"')]+)""", style.read_text(encoding="utf-8"))
            self.assertEqual([url for url in urls if re.match(r"https?:|/", url)], [], style)
        self.assertEqual([path for path in self.out.rglob("*") if path.is_symlink()], [])

    def test_no_script_needs_modules(self):
        """A browser loads no module from a file."""
        for script in (self.out / "_static").rglob("*.js"):
            self.assertNotRegex(script.read_text(encoding="utf-8"), r"(?m)^(import|export)\b", script)

    def test_search_finds_terms(self):
        index = (self.out / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", index, re.S)[1])
        for term, page in (("regret", "docs/quality"), ("snapshot", "docs/service"), ("segue_task_ask", "reference/c/task"),
                           ("dispers", "docs/adr/0045-graded-rewards-count-by-their-dispersion")):
            found = [of[term] for of in (index["terms"], index["titleterms"]) if term in of]
            names = [index["docnames"][i] for pages in found for i in (pages if isinstance(pages, list) else [pages])]
            self.assertIn(page, names, term)

    def test_the_playground_is_in_it_if_it_was_built(self):
        built = (BUILD / "playground").is_dir()
        self.assertEqual((self.out / "playground").is_dir(), built)
        for name, link in (("search.html", "playground/index.html"), ("docs/adr/index.html", "../../playground/index.html")):
            self.assertEqual(link in self.pages[self.out.resolve() / name].links, built, name)

    def test_the_report_is_in_it(self):
        self.assertEqual((self.out / "report.html").read_text(), self.report.read_text())
        for name, link in (("search.html", "report.html"), ("docs/adr/index.html", "../../report.html")):
            self.assertIn(link, self.pages[self.out.resolve() / name].links, name)


if __name__ == "__main__":
    if missing():
        if os.environ.get("SEGUE_REQUIRE_DOCS"):
            sys.exit(f"test_site: {missing()}")
        print(f"skipped: {missing()}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
