#!/usr/bin/python3
"""debian/ fits the project, so that `make deb`, which takes minutes, does not fail for want of a line.

usage: check_debian.py BUILD CMAKE LIBRARY
SPDX-License-Identifier: Apache-2.0"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD, CMAKE, LIBRARY = sys.argv[1:4]
SOURCE = pathlib.Path(__file__).resolve().parent.parent
DEBIAN = SOURCE / "debian"


def installed():
    """Every file that CMake installs under /usr."""
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", "/usr"], env={"DESTDIR": stage, "PATH": "/usr/bin:/bin"},
                       stdout=subprocess.DEVNULL, check=True)
        return sorted(str(path.relative_to(stage)) for path in pathlib.Path(stage).rglob("*") if not path.is_dir())


def patterns():
    """What the packages take, and what none takes; Debian's folder of libraries has one more level than ours."""
    for path in (*DEBIAN.glob("*.install"), DEBIAN / "not-installed"):
        for line in path.read_text().splitlines():
            yield path.name, line.split()[0].replace("usr/lib/*/", "usr/lib/")


def is_covered(file, pattern):
    return fnmatch.fnmatch(file, pattern) or file.startswith(pattern + "/")


def check_files(problems):
    files = installed()
    known = list(patterns())
    for file in files:
        flat = re.sub(r"^usr/lib/[a-z0-9_]+-linux-gnu[a-z0-9]*/", "usr/lib/", file)
        if not any(is_covered(flat, pattern) for _, pattern in known):
            problems.append(f"{file} is installed by CMake, and is in no package; add it to debian/PACKAGE.install or debian/not-installed")
    for name, pattern in known:
        if not any(is_covered(re.sub(r"^usr/lib/[a-z0-9_]+-linux-gnu[a-z0-9]*/", "usr/lib/", file), pattern) for file in files):
            problems.append(f"debian/{name}: CMake installs no file '{pattern}'")


def check_symbols(problems):
    """The symbols file of the SONAME has every function of the library."""
    soname = re.search(r"\[(libsegue\.so\.(\S+))\]", subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout)
    path = DEBIAN / f"libsegue{soname[2]}.symbols"
    if not path.exists():
        problems.append(f"the library is {soname[1]}; rename the package, debian/libsegue*, to libsegue{soname[2]}")
        return
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout.splitlines()
    exported = {line.split()[2] for line in lines}
    listed = set(re.findall(r"^ (\w+)@Base ", path.read_text(), re.M))
    version = re.search(r"project\(segue VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    problems += [f"debian/{path.name} needs the line ' {name}@Base {version}'" for name in sorted(exported - listed)]
    problems += [f"debian/{path.name} has '{name}', which the library does not export" for name in sorted(listed - exported)]


def main():
    problems = []
    check_files(problems)
    check_symbols(problems)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
