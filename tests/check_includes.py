#!/usr/bin/python3
"""Arrows point down only: no folder includes a header of a folder that it may not use.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import sys

# What each folder may use directly; ARCHITECTURE.md draws the same arrows.
MAY_USE = {
    "core": [],
    "bandit": ["core"],
    "estimate": ["bandit", "core"],
    "theory": ["bandit", "core"],
    "transfer": ["estimate", "theory", "bandit", "core"],
    "sim": ["transfer", "estimate", "theory", "bandit", "core"],
    "io": ["sim", "transfer", "estimate", "theory", "bandit", "core"],
    "bench": ["sim", "transfer", "estimate", "theory", "bandit", "core"],
    "report": ["io", "sim", "transfer", "estimate", "theory", "bandit", "core"],
    "experiment": ["report", "io", "sim", "transfer", "estimate", "theory", "bandit", "core"],
    "store": ["core"],
    "serve": ["store", "io", "sim", "transfer", "estimate", "theory", "bandit", "core"],
    "cli": ["serve", "store", "bench", "experiment", "report", "io", "sim", "transfer", "estimate", "theory", "bandit", "core"],
}
# The folder that implements each public header.
HOME = {
    "status": "core", "version": "core", "rng": "core", "stats": "core", "number": "core",
    "models": "bandit", "policy": "bandit", "task": "bandit",
    "estimator": "estimate", "theory": "theory", "learner": "transfer",
    "environment": "sim", "samples": "sim", "simulate": "sim", "segue": "cli",
}
# ... but for saving and loading a learner.
FILES = {"src/core/outfile.c", "src/core/store_file.c", "src/transfer/save.c"}
LIBRARY = {"core", "bandit", "estimate", "theory", "transfer", "sim"}
# libsegue opens no files, prints nothing, knows no clock and does not end the program.
FORBIDDEN = re.compile(r"\b(v?f?printf|puts|fputs|fputc|putchar|fwrite|perror|write|fopen|open|exit|abort|"
                       r"time|clock|clock_gettime|getenv|setlocale|rand|srand|strtok)\s*\(")

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
wrong = []
for path in sorted([*root.glob("src/*/*.[ch]"), *root.glob("include/segue/*.h")]):
    public = path.parent.name == "segue"
    folder = HOME[path.stem] if public else path.parent.name
    text = path.read_text()
    for name in re.findall(r'#include "([^"]+)"', text):
        where, stem = name.split("/")[0], pathlib.Path(name).stem
        used = HOME[stem] if where == "segue" else where
        if used != folder and used not in MAY_USE[folder] and path.stem != "segue":
            wrong.append(f"{path.relative_to(root)} ({folder}) may not include {name} ({used})")
    if folder in LIBRARY and str(path.relative_to(root)) not in FILES:
        code = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"", "", text, flags=re.S)
        wrong += [f"{path.relative_to(root)} calls {call}(), and libsegue does not"
                  for call in FORBIDDEN.findall(code)]
print("\n".join(wrong) or "all arrows point down")
sys.exit(bool(wrong))
