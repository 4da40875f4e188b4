#!/usr/bin/python3
"""Write the manual pages of the library, section 3, from its public headers.

usage: api_pages.py HEADERS OUT SCDOC

OUT gets segue_NAME.3 per header NAME.h (segue.3 for segue.h, which includes the others), and per function a page that
refers to it, so that `man segue_task_ask` works.  Comments are the text: a header without an opening comment or a
function without one is an error.  Each page is written as scdoc, which SCDOC turns into a manual page.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import subprocess
import sys
import textwrap

WIDTH = 76
SKIPPED_MACROS = ("SEGUE_API", "SEGUE_MUST_CHECK")


class Item:
    """A declaration with its comment: kind is "function", "type" or "constant"."""

    def __init__(self, kind, names, comment, code):
        self.kind, self.names, self.comment, self.code = kind, names, comment, code


def strip_stars(comment):
    """The text of a comment, without its frame."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip()[2:-2].lstrip("*").splitlines()]
    return "\n".join(line.rstrip() for line in lines if "SPDX-License" not in line).strip()


def end_of_declaration(text, at):
    """The position after the declaration at `at`: its semicolon, or the end of an inline function."""
    depth, is_inline = 0, text.startswith("static inline", at)
    for found in re.compile(r"/\*.*?\*/|[{};]", re.S).finditer(text, at):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0 and (found[0] == ";" or (found[0] == "}" and is_inline)):
            return found.end()
    return len(text)


def end_of_macro(text, at):
    """The position after a line of the preprocessor and its continuations, comments included."""
    return re.compile(r"(?:/\*.*?\*/|\\\n|[^\n])*\n", re.S).match(text, at).end()


def prototype(code):
    """A declaration on one line, or with one parameter per line."""
    code = re.sub(r"\b(%s)\b" % "|".join(SKIPPED_MACROS), "", code.split("{")[0].rstrip("; \n"))
    code = re.sub(r"\s*SEGUE_PRINTF\(.*?\)", "", code).replace("static inline ", "")
    code = " ".join(code.split()) + ";"
    if len(code) <= WIDTH:
        return code
    head, parameters = code[:-2].split("(", 1)
    return head + "(\n    " + ",\n    ".join(part.strip() for part in parameters.split(",")) + ");"


def text_of(comment):
    """A comment without its list of statuses."""
    return re.split(r"^@retval", comment or "", flags=re.M)[0].strip()


def function_name(code):
    found = re.search(r"\b(segue_[a-z0-9_]+)\s*\(", code)
    return found[1] if found else None


def make_item(comment, code):
    """The item of a declaration, or None if it declares nothing for users."""
    if code.startswith(("SEGUE_API", "static inline")):
        return Item("function", [function_name(code)], comment, prototype(code))
    if code.startswith("typedef"):
        name = re.search(r"\(\*(\w+)\)|(\w+)\s*;$", code)
        return Item("type", [name[1] or name[2]], comment, code)
    return None


def parse(path):
    """The opening comment of a header and its items."""
    text = path.read_text()
    opening = re.match(r"/\* \S+\.h - (.*?)\*/", text, re.S)
    if not opening:
        sys.exit(f"api_pages: {path}:1: the header has no opening comment; need '/* {path.name} - SUMMARY.'")
    items, comment, at = [], None, opening.end()
    while True:
        at = re.compile(r"\s*").match(text, at).end()
        if at >= len(text):
            return strip_stars("/*" + opening[1] + "*/"), items
        if text.startswith("#ifdef __cplusplus", at) or text.startswith("#ifdef __clang_analyzer__", at):
            at = text.index("#endif", at) + len("#endif")
        elif text.startswith("/*", at):
            end = text.index("*/", at) + 2
            comment = None if text.startswith("/* ---", at) else strip_stars(text[at:end])
            at = end
        elif text[at] == "#":
            end = end_of_macro(text, at)
            add_macro(items, comment, text[at:end])
            comment, at = None, end
        else:
            end = end_of_declaration(text, at)
            add_declaration(items, make_item(comment, text[at:end]), text, at, path)
            comment, at = None, end


def add_declaration(items, item, text, at, path):
    """A function directly below another one shares its comment."""
    if item and item.kind == "function" and not text_of(item.comment):
        if not (items and items[-1].kind == "function" and "\n\n" not in text[text.rindex(";", 0, at):at]):
            line = text.count("\n", 0, at) + 1
            sys.exit(f"api_pages: {path}:{line}: '{item.names[0]}' has no comment; need one above its declaration")
        items[-1].names += item.names
        items[-1].code += "\n" + item.code
    elif item:
        items.append(item)


def add_macro(items, comment, code):
    """A constant; those without a comment belong to the constants above them, and a list is no constant."""
    found = re.match(r"#define (SEGUE_\w+)\s+\S", code)
    if not found or found[1].endswith("_H") or re.match(r"SEGUE_(API|MUST_CHECK)$", found[1]):
        return
    if comment is None and items and items[-1].kind == "constant":
        items[-1].names.append(found[1])
        items[-1].code += "\n" + code.rstrip()
    else:
        items.append(Item("constant", [found[1]], comment, code.rstrip()))


def escape(text):
    """Text for scdoc, which takes an underscore inside a word as it is."""
    return re.sub(r"([\\*#~<>\[\]|+]|(?<!\w)_|_(?!\w))", r"\\\1", text)


def mark(paragraph):
    """The words of a paragraph; `code` is bold. A line must not begin with what begins a list or a comment of scdoc."""
    parts = re.split(r"`([^`]+)`", " ".join(paragraph.split()))
    marked = "".join(f"*{escape(part)}*" if i % 2 else escape(part) for i, part in enumerate(parts))
    return re.sub(r"^([-.;:])", r"\\\1", marked)


def write_text(text):
    """A comment's paragraphs; those that are indented are code."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        is_code = all(line.startswith("    ") for line in paragraph.splitlines())
        paragraphs.append(f"```\n{textwrap.dedent(paragraph)}\n```" if is_code else mark(paragraph))
    return "\n\n".join(paragraphs) + "\n"


def write_comment(comment):
    """Text, and what the function returns when it fails."""
    text, *statuses = re.split(r"^@retval\s+", comment or "", flags=re.M)
    out = write_text(text.strip()) if text.strip() else ""
    for status in statuses:
        names, meaning = re.match(r"((?:SEGUE_\w+,? ?)+|other )(.*)", " ".join(status.split())).groups()
        out += f"\n*{escape(names.strip())}*\n" + (f"\t{mark(meaning)}\n" if meaning else "")
    return out


def write_items(title, items):
    out = f"\n# {title}\n" if items else ""
    for item in items:
        out += f"\n## {', '.join(escape(name) for name in item.names)}\n\n```\n{item.code}\n```\n"
        if item.comment:
            out += "\n" + write_comment(item.comment)
    return out


def page_name(header):
    return "segue" if header.stem == "segue" else f"segue_{header.stem}"


def make_page(header, opening, items, others):
    """A header as scdoc."""
    first, _, rest = opening.partition("\n\n")
    summary = " ".join(first.split()).rstrip(".")
    out = f"{page_name(header)}(3)\n\n# NAME\n\n{page_name(header)} - {escape(summary)}\n\n# SYNOPSIS\n\n```\n"
    out += f"#include <segue/{header.name}>\n\ncc file.c $(pkg-config --cflags --libs segue)\n```\n"
    if rest.strip():
        out += "\n# DESCRIPTION\n\n" + write_text(rest.strip())
    for title, kind in (("FUNCTIONS", "function"), ("TYPES", "type"), ("CONSTANTS", "constant")):
        out += write_items(title, [item for item in items if item.kind == kind])
    out += "\n# SEE ALSO\n\n" + ", ".join(f"*{escape(name)}*(3)" for name in others) + ", *segue*(1)\n"
    return out


def compile_page(scdoc, source, path):
    done = subprocess.run([scdoc], input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        path.with_suffix(".scd").write_text(source)
        sys.exit(f"api_pages: {path.with_suffix('.scd')}: {done.stderr.strip()}")
    path.write_text(done.stdout)


def main(headers, out, scdoc):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.3"):
        old.unlink()
    paths = sorted(pathlib.Path(headers).glob("*.h"))
    pages = [page_name(path) for path in paths]
    for path in paths:
        opening, items = parse(path)
        others = [name for name in pages if name != page_name(path)] if path.stem == "segue" else ["segue"]
        compile_page(scdoc, make_page(path, opening, items, others), out / f"{page_name(path)}.3")
        for item in items:
            for name in item.names if item.kind == "function" else []:
                if name == page_name(path):
                    continue  # the page of the header is that of the function
                link = out / f"{name}.3"
                if link.exists() or name in pages:
                    sys.exit(f"api_pages: {path}: there are two pages '{name}'")
                link.write_text(f".so man3/{page_name(path)}.3\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
