#!/usr/bin/python3
"""The name gives the file: an external function is segue_STEM_verb (cli_STEM_verb in src/cli), where STEM is its
file's, or that of the header NOUN.h when the file is NOUN_part.c.  At least 95 % of all must; exceptions are listed.
Also: no file of src/ or tests/ over 450 lines, no folder of src/ with more than 25 files directly in it.
SPDX-License-Identifier: Apache-2.0"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
SHARE, LINES, FILES = 0.95, 450, 25
# A definition in the layout of .clang-format: at the margin, its brace alone on a line.
DEFINITION = re.compile(r"^(?!static\b|typedef\b|return\b)[a-z][\w ]*?[ *]\(?(\w+)\)?\([^;{]*\)\n\{", re.M)


def stems(path, headers):
    """The file's stem, and the nouns of headers that it begins with: types_read.c may have segue_types_*."""
    yield path.stem
    for end in re.finditer("_", path.stem):
        if path.stem[:end.start()] in headers:
            yield path.stem[:end.start()]


def functions(sources, headers):
    for path in sources:
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for name in DEFINITION.findall(code):
            if name != "main":
                bare = re.sub("^(segue|cli)_", "", name)
                yield path, name, any(bare == stem or bare.startswith(stem + "_") for stem in stems(path, headers))


def main():
    sources = sorted(ROOT.glob("src/**/*.c"))
    headers = {path.stem for pattern in ("src/**/*.h", "include/**/*.h") for path in ROOT.glob(pattern)}
    found = list(functions(sources, headers))
    others = [f"{path.relative_to(ROOT)}: {name}" for path, name, carries in found if not carries]
    share = 1 - len(others) / len(found)
    wrong = []
    if share < SHARE:
        wrong += others + [f"{share:.1%} of {len(found)} external functions carry their file's name; need {SHARE:.0%}"]
    for path in [*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("tests/**/*.[ch]"), *ROOT.glob("tests/**/*.py")]:
        lines = path.read_text().count("\n")
        if lines > LINES:
            wrong.append(f"{path.relative_to(ROOT)} has {lines} lines; split it (at most {LINES})")
    folders = collections.Counter(path.parent for path in ROOT.glob("src/**/*") if path.is_file())
    wrong += [f"{folder.relative_to(ROOT)} has {count} files; make folders (at most {FILES})"
              for folder, count in folders.items() if count > FILES]
    print("\n".join(wrong) or f"{share:.1%} of {len(found)} external functions carry their file's name")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
