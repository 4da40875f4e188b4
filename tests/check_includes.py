#!/usr/bin/python3
"""libsegue prints nothing, opens no files, knows no clock and does not end the program; and no #include
climbs out of its folder except through segue/internal.h.  The build enforces the arrows between folders:
CMakeLists.txt lists what each may use.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import re
import sys

LIBRARY = {"core", "bandit", "estimate", "theory", "transfer", "sim"}
# They save and load a learner.
FILES = {"src/core/atomic_file.c", "src/core/store_file.c", "src/transfer/learner_serialize.c"}
# segue/internal.h shows them to the program, which has no include path to the library's folders.
RELATIVE = set(re.findall(r'"\.\./\.\./([^"]+)"', pathlib.Path(__file__).parent.parent.joinpath(
    "src/internal/segue/internal.h").read_text()))
FORBIDDEN = re.compile(r"\b(v?f?printf|puts|fputs|fputc|putchar|fwrite|perror|write|fopen|open|exit|abort|"
                       r"time|clock|clock_gettime|getenv|setlocale|rand|srand|strtok)\s*\(")

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
wrong = []
for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("include/segue/*.h")]):
    name = str(path.relative_to(root))
    folder = path.relative_to(root).parts[1]
    text = path.read_text()
    if folder != "internal" and name.removeprefix("src/") not in RELATIVE:
        wrong += [f"{name} may not include {used}: write the path from src/"
                  for used in re.findall(r'#include "(\.\.[^"]+)"', text)]
    if folder in LIBRARY and name not in FILES:
        code = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"", "", text, flags=re.S)
        wrong += [f"{name} calls {call}(), and libsegue does not" for call in FORBIDDEN.findall(code)]
print("\n".join(wrong) or "the library keeps to itself")
sys.exit(bool(wrong))
