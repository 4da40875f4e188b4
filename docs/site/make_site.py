#!/usr/bin/python3
"""Build the documentation site: the pages of docs/, README, design decisions, headers, Python package, HTTP interface.

usage: make_site.py BUILD OUT [REPORT]

BUILD is a build with the Python package (make python).  If they were made, its playground becomes OUT/playground, and REPORT,
the page of `segue paper` with all figures, OUT/report.html; both are in the menu.  The pages are collected in OUT.parts, with
the tree of the source so that their links hold, and Sphinx writes OUT; a warning of Doxygen or Sphinx is an error.
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import http_page

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HERE = SOURCE / "docs/site"
PROJECT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "examples/README.md",
                 "logs/README.md")
REFERENCE = ("reference/python", "reference/http", "reference/c")
# Links that mean something else in the site: README is its first page, a folder is its list.
MOVED = {"README.md": "index.md", "adr": "adr/index.md", "docs/adr": "docs/adr/index.md", "logs/": "logs/README.md"}
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")  # which Debian's theme loads from a server
PYTHON_PAGE = """# Python package

How to use it: [Python](../docs/python.md), [analysis](../docs/python-analysis.md), [client](../docs/python-client.md).

"""
PYTHON_MODULES = {"Learners and tasks": "segue", "Optuna": "segue.adapters.optuna_sampler",
                  "scikit-learn": "segue.adapters.sklearn_policy"}


def write(path, text):
    """Write a page, unless it is there: Sphinx reads again what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def with_moved_links(text):
    return re.sub(r"\]\(([^)#\s]+)(#[^)]*)?\)", lambda m: f"]({MOVED.get(m[1], m[1])}{m[2] or ''})", text)


def toctree(caption, pages):
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def tables_of_pages():
    """The pages that docs/README.md lists: by goal, and background."""
    goals, _, background = (SOURCE / "docs/README.md").read_text(encoding="utf-8").partition("\nBackground:\n")

    def listed(text):
        names = re.findall(r"^\|.*\]\(([a-z0-9-]+)\.md[#)]", text, re.M)
        return [f"docs/{name}" for name in dict.fromkeys(names)]

    return listed(goals), listed(background)


def first_page():
    goals, background = tables_of_pages()
    return (with_moved_links((SOURCE / "README.md").read_text(encoding="utf-8")) + toctree("By goal", ["docs/README", *goals])
            + toctree("Reference", REFERENCE) + toctree("Background", [*background, "docs/adr/index"])
            + toctree("Project", [page.removesuffix(".md") for page in PROJECT_PAGES]))


def decisions():
    """The list of design decisions."""
    names = sorted(path.stem for path in (SOURCE / "docs/adr").glob("*.md"))
    return "# Design decisions\n\nEach with reasons and numbers.\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def collect_pages(parts):
    """The Markdown files, and the files that they show or offer."""
    for path in [SOURCE / page for page in PROJECT_PAGES] + sorted((SOURCE / "docs").glob("*.md")) + sorted(
            (SOURCE / "docs/adr").glob("*.md")):
        write(parts / path.relative_to(SOURCE), with_moved_links(path.read_text(encoding="utf-8")))
    write(parts / "index.md", first_page())
    write(parts / "docs/adr/index.md", decisions())
    shutil.copytree(SOURCE / "docs/figures", parts / "docs/figures", dirs_exist_ok=True)
    examples = [path for end in ("*.c", "*.py", "notebooks/*.ipynb") for path in (SOURCE / "examples").glob(end)]
    for path in [SOURCE / "CITATION.cff", *examples]:
        target = parts / path.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    (parts / "_static").mkdir(exist_ok=True)
    shutil.copy2(HERE / "site.css", parts / "_static")
    shutil.copy2(SOURCE / "web/icon.svg", parts / "_static")


def reference(parts):
    """The pages that are made of code."""
    spec = json.loads((SOURCE / "src/service/api/openapi.json").read_text(encoding="utf-8"))
    write(parts / "reference/http.md", http_page.page(spec))
    names = sorted(path.stem for path in (SOURCE / "include/segue").glob("*.h"))
    for name in names:
        write(parts / f"reference/c/{name}.md", f"# segue/{name}.h\n\n```{{doxygenfile}} {name}.h\n```\n")
    write(parts / "reference/c.md", "# C library\n\nOne page per header. [Embed the library](../docs/library.md) has an "
          "example; `man segue_task_ask` shows the same text.\n\n```{toctree}\n:maxdepth: 1\n\n"
          + "\n".join(f"c/{name}" for name in names) + "\n```\n")
    write(parts / "reference/python.md", PYTHON_PAGE + "".join(
        f"## {title}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n   :imported-members: {module}\n```\n\n"
        for title, module in PYTHON_MODULES.items()))


def remove_stale(parts):
    """Pages of files that are gone."""
    made_here = {"index.md", "docs/adr/index.md"}
    for path in parts.rglob("*.md"):
        name = str(path.relative_to(parts))
        of_code = re.fullmatch(r"reference/(?:c/(\w+)|\w+)\.md", name)
        there = (not of_code[1] or (SOURCE / f"include/segue/{of_code[1]}.h").exists()) if of_code else (SOURCE / name).exists()
        if name not in made_here and not there:
            path.unlink()


def run(tool, *args, **environment):
    """A tool that says nothing when all is well."""
    done = subprocess.run([tool, *args], cwd=SOURCE, env={**os.environ, **environment}, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout}make_site: {tool} failed")


def replace_line(path, pattern, text):
    """Replace the one line of a file of the theme that matches, or leave the file if an earlier build did."""
    before = path.read_text(encoding="utf-8")
    path.write_text(re.sub(pattern, lambda _: text, before, count=1, flags=re.M), encoding="utf-8")


def stand_alone(static):
    """Debian's theme loads a style from /javascript of a web server, and its script as a module, which a browser refuses
    in a file: the site has both in place of the lines that load them."""
    replace_line(static / "styles/furo.css", r'@import url\("?/javascript/normalize\.css/normalize\.css"?\);',
                 NORMALIZE.read_text(encoding="utf-8"))
    part = static / "scripts/gumshoe-patched.js"
    replace_line(static / "scripts/furo.js", r"^import Gumshoe from .*$", part.read_text(encoding="utf-8"))


def made_apart(build, report):
    """Pages that other commands have made: name in the menu -> (file or folder, its name in the site, first page)."""
    pages = {"Report of the paper": (report, "report.html", "report.html"),
             "Playground": (build / "playground", "playground", "playground/index.html")}
    return {name: page for name, page in pages.items() if page[0] and page[0].exists()}


def add_pages(pages, out):
    """Copy them in place of those of an earlier build."""
    shutil.rmtree(out / "playground", ignore_errors=True)
    (out / "report.html").unlink(missing_ok=True)
    for source, name, _ in pages.values():
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, out / name)


def main(build, out, report=None):
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
    apart = made_apart(build, report and pathlib.Path(report))
    if not (build / "python/segue/_segue.abi3.so").exists():
        sys.exit(f"make_site: there is no Python package in '{build}'; run 'make python' first")
    parts = out.with_name(out.name + ".parts")
    collect_pages(parts / "pages")
    (parts / "doxygen").mkdir(exist_ok=True)
    run("doxygen", "docs/site/Doxyfile", SEGUE_SITE_DOXYGEN=str(parts / "doxygen"))
    reference(parts / "pages")
    remove_stale(parts / "pages")
    version = re.search(r"project\(segue VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    run("/usr/bin/python3", "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE), "-d", str(parts / "read"),
        str(parts / "pages"), str(out), SEGUE_SITE_PYTHON=str(build / "python"), SEGUE_SITE_XML=str(parts / "doxygen/xml"),
        SEGUE_SITE_STATIC=str(parts / "pages/_static"), SEGUE_SITE_VERSION=version,
        SEGUE_SITE_APART=json.dumps([[name, page] for name, (_, _, page) in apart.items()]), PYTHONDONTWRITEBYTECODE="1")
    stand_alone(out / "_static")
    add_pages(apart, out)
    print(out / "index.html")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
