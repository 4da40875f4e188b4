"""What a forked process does before it uses objects of its parent: their locks may be held by threads that it does not have.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

_methods: set[Any] = set()  # a weakref.WeakMethod each


def after_fork(method: Callable[[], None]) -> None:
    """Call a method of an object in each forked process, at its start, as long as the object lives."""
    _methods.add(weakref.WeakMethod(method, _methods.discard))


def _call_all() -> None:
    for reference in list(_methods):
        if method := reference():
            method()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_call_all)
