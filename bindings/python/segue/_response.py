"""Fields of responses. A proxy, or another program at the URL, may respond with any JSON: that is a ServiceError.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from typing import Any, TypeVar

from .service_errors import ServiceError

T = TypeVar("T")
NAMES: dict[type, str] = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def field(body: Any, name: str, kind: type[T]) -> T:
    """A field that a response must have.

    >>> from segue._response import field
    >>> field({"arm": "quiz"}, "arm", str)
    'quiz'
    >>> field({"status": "ok"}, "arm", str)
    Traceback (most recent call last):
    segue.service_errors.ServiceError: the response has no field 'arm' with a text; need the response of a Segue service
    """
    found = body.get(name) if isinstance(body, dict) else None
    if not isinstance(found, kind):
        raise unexpected(f"has no field '{name}' with {NAMES[kind]}")
    return found


def unexpected(what: str) -> ServiceError:
    """The error of a response with status 200 that no Segue service sends."""
    return ServiceError(f"the response {what}; need the response of a Segue service", 200)
