"""The wheel of Segue.  CMake builds the extension, in the tree of the project (`make python`); this file puts it into a
wheel for CPython 3.11 and later.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("SEGUE_BUILD", ROOT / "build/release"))


def version() -> str:
    found = re.search(r"project\(segue VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        raise SystemExit("setup.py: CMakeLists.txt has no 'project(segue VERSION ...'")
    return found[1]


class CMakeExtension(build_ext):
    """Build the target of CMake, and copy what it made."""

    def build_extension(self, ext: Extension) -> None:
        if not (BUILD / "build.ninja").exists():
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
                           check=True)
        subprocess.run(["cmake", "--build", str(BUILD), "--target", "python_extension"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["strip", "--strip-unneeded", "-o", str(target), str(BUILD / "python/segue/_segue.abi3.so")],
                       check=True)


class Wheel(bdist_wheel):
    """A wheel for this CPU and every CPython from 3.11 on."""

    def get_tag(self) -> tuple[str, str, str]:
        return "cp311", "abi3", super().get_tag()[2]


def carried() -> dict[str, pathlib.Path]:
    """The archives that the extension is linked from, by their names."""
    cache = BUILD / "CMakeCache.txt"
    found = re.findall(r"^SEGUE_ARCHIVE_(\w+):\w+=(/.*)$", cache.read_text() if cache.exists() else "", re.M)
    return {name: pathlib.Path(path) for name, path in found}


def copyright_of(archive: pathlib.Path) -> pathlib.Path | None:
    """The copyright file of the Debian package of an archive; elsewhere None."""
    if not shutil.which("dpkg-query"):
        return None
    owner = subprocess.run(["dpkg-query", "--search", str(archive)], capture_output=True, text=True).stdout.partition(":")[0]
    file = pathlib.Path("/usr/share/doc") / owner / "copyright"
    return file if owner and file.exists() else None


def gather_licences(folder: pathlib.Path) -> None:
    """Copy the licences of Segue, and of all that the wheel carries: they demand to be with it."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    for name, archive in carried().items():
        file = copyright_of(archive)
        if file:
            shutil.copy(file, folder / f"LICENSE.{name}")
        else:
            print(f"setup.py: the licence of {archive}, which the wheel carries, is not found; add it before you pass the wheel on")


HERE = pathlib.Path(__file__).resolve().parent
shutil.rmtree(HERE / "build", ignore_errors=True)  # files of an older version
gather_licences(HERE / "build/licences")
setup(version=version(), packages=find_packages(include=["segue*"]), package_data={"segue": ["py.typed", "*.pyi"]},
      ext_modules=[Extension("segue._segue", sources=[], py_limited_api=True)],
      cmdclass={"build_ext": CMakeExtension, "bdist_wheel": Wheel}, zip_safe=False)
