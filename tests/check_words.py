#!/usr/bin/python3
"""Plain words: refuse what docs/glossary.md retires.

Identifiers (C, JavaScript, Python, and their parts: segue_chance_of has the part "chance"), comments,
messages and documents are checked.  An exception needs a reason.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)

# Refused as a part of an identifier; in prose they are English.
IDENTIFIERS = {"look": "info, explore, poll", "place": "index, location, environment", "words": "settings",
               "leave": "skip, exclude, unlock, exit", "told": "reported, given", "taken": "posterior",
               "most": "max", "least": "min", "room": "scratch, capacity"}
# Refused in comments, messages and documents.
PROSE = [
    (r"\btaken for\b", "assigned to, posterior"),
    (r"\bleft out\b", "excluded, skipped"),
    (r"\bso many\b", "give the number"),
    (r"\b(?:comes|came) to nothing\b", "fails"),
    (r"\b(?:nobody|whoever)\b", "name the thread, caller or user"),
    (r"\b(?:steps|runs|pulls|rewards|regret|requests|bytes|rows|tasks|tries|numbers|threads|lines|times|file|line|row)"
     r" an? (?:task|run|arm|second|processor|model|token|learner|row|policy|command|method|request)\b", "per"),
]
# What a comment does not begin with.
OPENINGS = re.compile(r"(?:What|Whether|The same)\b")

# word or phrase -> files (a prefix) and the reason why it stands there
EXCEPTIONS = {
    "told": [("", "the policy told-ucb is a name that other programs use", r"told[-_]ucb")],
    "look": [("", "look-ahead is the field's term", r"look[-_]?ahead")],
    "least": [("", "least squares is the field's term", r"(?i)least[-_ ]squares")],
    "conduct": [("", "the usual name of such a document", r"(?i)code.of.conduct")],
    "deal": [("debian/copyright", "the text of a licence", r".")],
    "words": [("", "the check itself", r"check_words"),
              ("", "bash names it so", r"COMP_WORDS")],
    "world": [("", "MPI names it so", r"COMM_WORLD")],
    "journal": [("src/store/sqlite/", "PRAGMA journal_mode is SQLite's", r"journal_mode|journal_size_limit"),
                ("bench/serve", "PRAGMA journal_mode is SQLite's", r"journal_mode"),
                ("src/core/store_file", "SQLite names a file so", r"-journal"),
                ("tests/", "SQLite names a file so", r"-journal\""),
                ("docs/", "PRAGMA journal_mode is SQLite's", r"journal_mode|journal_size_limit")],
}
FILES = ("src include tests bench fuzz examples logs web docs scripts contrib completions README.md ARCHITECTURE.md "
         "CONTRIBUTING.md CHANGELOG.md SECURITY.md CODE_OF_CONDUCT.md debian .github").split()
SKIPPED = {"docs/glossary.md": "it names what it retires", "tests/check_words.py": "the check itself"}


def retired():
    """The words in code style in the last column of the glossary's tables."""
    words = set()
    for line in (ROOT / "docs/glossary.md").read_text().splitlines():
        cells = line.split("|")
        if len(cells) == 5:
            words |= set(re.findall(r"`([a-z]+)`", cells[3]))
    return words


def is_excepted(word, name, line):
    return any(name.startswith(prefix) and re.search(pattern, line)
               for prefix, _, pattern in EXCEPTIONS.get(word, []))


def parts(identifier):
    """segue_chance_of -> segue, chance, of; makeChart -> make, chart."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", identifier)}


def split(text, suffix):
    """Lines of a file as (number, code, prose)."""
    if suffix == ".md" or suffix == "":
        return [(n, "", line) for n, line in enumerate(text.splitlines(), 1)]
    prose = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"" if suffix != ".py" else r"\"\"\".*?\"\"\"|#[^\n]*|\"(?:\\.|[^\"\\\n])*\""
    spans = [m.span() for m in re.finditer(prose, text, re.S)]
    code, said = list(text), ["\n" if c == "\n" else " " for c in text]
    for start, end in spans:
        for i in range(start, end):
            if text[i] != "\n":
                code[i], said[i] = " ", text[i]
    return list(zip(range(1, text.count("\n") + 2), "".join(code).split("\n"), "".join(said).split("\n")))


def check_line(name, number, code, prose, line, words):
    wrong = []
    for identifier in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", code):
        for word in sorted(parts(identifier) & (words | set(IDENTIFIERS))):
            if not is_excepted(word, name, line):
                wrong.append(f"{name}:{number}: '{identifier}' has the retired word '{word}'"
                             + (f" ({IDENTIFIERS[word]})" if word in IDENTIFIERS else ""))
    for word in sorted(words & set(re.findall(r"[a-z]+", prose.lower()))):
        if not is_excepted(word, name, line):
            wrong.append(f"{name}:{number}: retired word '{word}'")
    for pattern, instead in PROSE:
        found = re.search(pattern, prose, re.I)
        if found:
            wrong.append(f"{name}:{number}: '{found.group(0)}': say {instead}")
    opening = re.search(r"(?:/\*\*?|^\s*//+|^\s*#)\s*(\S.*)", line)
    if opening and not name.endswith(".md") and OPENINGS.match(opening.group(1)):
        wrong.append(f"{name}:{number}: a comment begins with '{opening.group(1)[:20]}'")
    return wrong


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *FILES], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\n")
    wanted = (".c", ".h", ".js", ".py", ".md", ".json", ".html", ".scd", ".sh", ".bash", "")
    return [name for name in listed if name and name not in SKIPPED and (ROOT / name).is_file()
            and pathlib.Path(name).suffix in wanted and not name.startswith("fuzz/corpus")]


def main():
    words, wrong = retired(), []
    if len(words) < 15:
        sys.exit("docs/glossary.md: cannot find the retired words in its tables")
    for name in files():
        text = (ROOT / name).read_text()
        lines = text.split("\n")
        for number, code, prose in split(text, pathlib.Path(name).suffix):
            wrong += check_line(name, number, code, prose, lines[number - 1], words)
    print("\n".join(wrong) or f"no retired word ({len(words)} are refused everywhere)")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
