"""Errors that the service returns.

    Error
      ServiceError           the service rejected a request: status, code, field, sentence
        InvalidRequest       400, 413, 415; also a ValueError
        NotAllowed           401, 403: the token is missing or wrong, or lacks a right
        NotFound             404; also an UnknownName, which is a KeyError
        Conflict             409
        Gone                 410: too late, the reward does not count
        Unavailable          429, 502, 503, 504, after all retries

A service that cannot be reached raises ConnectionError or TimeoutError, which are OSErrors.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._segue import Error, UnknownName
else:
    try:
        from ._segue import Error, UnknownName
    except ImportError:  # the client works without the extension
        from ._without_extension import Error, UnknownName


class ServiceError(Error):
    """The service rejected a request; str() is its sentence.

    >>> try:
    ...     client.learner("none").settings
    ... except ServiceError as error:
    ...     print(error.status, error.code, error)
    404 not_found there is no learner 'none'; POST /v1/learners creates one
    """

    status: int  #: HTTP status, such as 409
    code: str  #: one word for programs, such as "conflict"; "" if something other than the service responded
    field: str | None  #: the field of the request that is wrong, if the service names one
    sentence: str  #: what is wrong and what to do next
    request: str | None  #: id of the request, as in the access log of the service
    retry_after: float | None  #: seconds after which a retry helps, if the service says so
    tell: dict[str, Any] | None  #: the result of the reward that was stored before the ask was rejected

    def __init__(self, sentence: str, status: int, code: str = "", request: str | None = None,
                 retry_after: float | None = None, tell: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        found = re.search(r"\bfield '([^']*)'", sentence)
        self.sentence, self.status, self.code, self.request = sentence, status, code, request
        self.field = found.group(1) if found else None
        self.retry_after, self.tell = retry_after, tell

    def __str__(self) -> str:
        return self.sentence  # KeyError would quote it

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sentence, self.status, self.code, self.request, self.retry_after, self.tell)


class InvalidRequest(ServiceError, ValueError):
    """A value is wrong; nothing has changed.

    >>> client.create("wrong", arms=["A", "B"], steps=-4)
    Traceback (most recent call last):
    segue.service_errors.InvalidRequest: the body: field 'steps': is -4; need a whole number from 0 to 1000000000000
    """


class NotAllowed(ServiceError):
    """The token is missing or wrong, or lacks a right.

    >>> issubclass(NotAllowed, ServiceError)
    True
    """


class NotFound(ServiceError, UnknownName):
    """The learner, task or arm does not exist.

    >>> client.learner("none").task("ann").close()
    Traceback (most recent call last):
    segue.service_errors.NotFound: there is no learner 'none'; POST /v1/learners creates one
    """


class Conflict(ServiceError):
    """The request contradicts what is stored: another reward, a closed task, other settings.

    >>> decision = client.create("once", arms=["A", "B"]).task("ann").ask()
    >>> decision.tell(1).status
    'counted'
    >>> decision.tell(0)
    Traceback (most recent call last):
    segue.service_errors.Conflict: the decision already has the reward 1, request has 0; a reward cannot change
    """


class Gone(ServiceError):
    """Too late: the task is closed or the reward deadline has passed. The reward does not count.

    >>> task = client.create("late", arms=["A", "B"]).task("ann")
    >>> decision = task.ask()
    >>> task.close()["open"]
    False
    >>> try:
    ...     decision.tell(1)
    ... except Gone as error:
    ...     print(error.status)
    410
    """


class Unavailable(ServiceError):
    """The service could not do it now, and all retries failed.

    >>> issubclass(Unavailable, ServiceError)
    True
    """


CLASSES: dict[int, type[ServiceError]] = {
    400: InvalidRequest, 413: InvalidRequest, 415: InvalidRequest, 401: NotAllowed, 403: NotAllowed, 404: NotFound,
    409: Conflict, 410: Gone, 429: Unavailable, 502: Unavailable, 503: Unavailable, 504: Unavailable}


def make_error(status: int, error: dict[str, Any], retry_after: float | None = None,
               tell: dict[str, Any] | None = None) -> ServiceError:
    """The exception of an error object of the service."""
    return CLASSES.get(status, ServiceError)(error["message"], status, error["code"], error.get("request"), retry_after, tell)


def parse_error(url: str, status: int, data: bytes, retry_after: float | None) -> ServiceError:
    """The exception of a response. A proxy in front of the service may send anything."""
    try:
        body = json.loads(data)
        return make_error(status, body["error"], retry_after, body.get("tell"))
    except (ValueError, KeyError, TypeError):
        return CLASSES.get(status, ServiceError)(
            f"{url} responds with status {status} and not as Segue does; need the URL of a service, and a proxy that reaches it",
            status, "", None, retry_after)
