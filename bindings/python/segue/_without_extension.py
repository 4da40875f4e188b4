"""The package without its extension: the client works, other names say what is missing.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from typing import Any

_reason = ["it is not built"]


class Error(Exception):
    """Base class of the errors of this package."""


class UnknownName(KeyError):
    """A name that does not exist; str() is the sentence."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def explain(error: ImportError) -> None:
    """Remember why the extension could not be imported."""
    _reason[0] = str(error)


def __getattr__(name: str) -> Any:
    """Of the package: a name that needs the extension."""
    if name.startswith("_"):
        raise AttributeError(f"module 'segue' has no attribute {name!r}")
    raise ImportError(f"segue.{name} needs the extension of the package ({_reason[0]}); build it with 'make python'. "
                      "segue.Client works without it")
