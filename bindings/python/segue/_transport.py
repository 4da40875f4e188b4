"""HTTP for the client: a pool of open connections, time-outs, and retries.

A request is sent again only if it is idempotent or certainly did not arrive. Almost all requests are idempotent: the service
stores an ask by its event and a reward by its decision, so a repeat has the effect of one. The others (`repeat=False`) are sent
once, and are retried only while no connection could be made.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import email.utils
import http.client
import itertools
import json
import numbers
import os
import random
import select
import ssl
import threading
import time
import urllib.parse
from typing import Any, NamedTuple

from ._fork import after_fork

from .service_errors import ServiceError, parse_error

IDLE = 50  # seconds after which a connection is not used again; the service closes it after 60
MAX_IDLE_CONNECTIONS = 32
MAX_TIMEOUT = 1_000_000  # seconds
FIRST_WAIT, MAX_WAIT = 0.05, 2.0  # seconds between tries, if the service names no time
MAX_RETRY_AFTER = 60  # seconds; a longer wait is the caller's
PASSING = {429, 503}  # with Retry-After
GATEWAY = {502, 504}  # a proxy did not reach the service
# A connection that failed or was cut, or a response that is not HTTP. `_exchange` raises RuntimeError for wrong use of a connection.
LOST = (OSError, http.client.HTTPException)


class Request(NamedTuple):
    """A request and how it may be sent."""

    method: str
    path: str
    body: bytes | None
    repeat: bool


class Response(NamedTuple):
    """Status, Retry-After in seconds, body."""

    status: int
    retry_after: float | None
    data: bytes


class Failure(Exception):
    """A failed try: the error for the caller, if a repeat is safe and may help, seconds until then if the service names them."""

    def __init__(self, error: ServiceError | OSError, again: bool, wait: float | None) -> None:
        super().__init__(error)
        self.error, self.again, self.wait = error, again, wait


def encode(body: Any) -> bytes:
    """JSON in UTF-8. Scalars of numpy and the like are accepted, NaN is not."""
    try:
        return json.dumps(body, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=plain).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object!r} is not valid Unicode; need a text without surrogates") from error
    except ValueError as error:
        raise ValueError(f"{body!r:.200} has a number that is not finite; need finite numbers") from error


def plain(value: Any) -> Any:
    """The Python number of a numpy scalar; the list of a set, tuple or array."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{value!r} cannot be sent as JSON; need a text, a number, true or false")


def backoff(attempt: int, limit: float = MAX_WAIT) -> float:
    """Seconds before try number attempt + 1: twice as long each time, and random, so that clients do not retry in step."""
    return float(min(limit, FIRST_WAIT * 2.0 ** min(attempt - 1, 30)) * random.uniform(0.5, 1))


def seconds_of(header: str | None) -> float | None:
    """Retry-After: a number of seconds, or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


class Transport:
    """Send requests to one service, from any number of threads."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int, cafile: str | os.PathLike[str] | None) -> None:
        if not isinstance(url, str):
            raise TypeError(f"url is {url!r}; need a text such as http://HOST:PORT")
        if not isinstance(retries, int):
            raise TypeError(f"retries is {retries!r}; need a whole number")
        seconds: Any = timeout
        if not isinstance(seconds, numbers.Real):
            raise TypeError(f"timeout is {timeout!r}; need a number of seconds")
        if not isinstance(token, (str, type(None))):
            raise TypeError(f"token is a {type(token).__name__}; need a text")
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ValueError(f"url is {url!r}; need http://HOST:PORT or https://HOST:PORT") from error
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(f"url is {url!r}; need http://HOST:PORT or https://HOST:PORT")
        if cafile is not None and parts.scheme == "http":
            raise ValueError(f"cafile is given and url is {url!r}; need https://")
        if token is not None and not (token and token.isascii() and token.isprintable() and " " not in token):
            raise ValueError("token has blanks or other characters that no token has; need one line of the token file without name and right")
        if not 0 < timeout <= MAX_TIMEOUT:
            raise ValueError(f"timeout is {timeout}; need a number of seconds above 0, at most {MAX_TIMEOUT}")
        if retries < 0:
            raise ValueError(f"retries is {retries}; need 0 or more")
        self.url, self.timeout, self.retries = url.rstrip("/"), timeout, retries
        self._host, self._port, self._prefix = parts.hostname, port, parts.path.rstrip("/")
        self._context = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None
        self._headers = {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self._forget()
        after_fork(self._forget)

    def _forget(self) -> None:
        """Start with an empty pool; a forked process must not use the connections of its parent."""
        self._lock = threading.Lock()
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []  # guarded by _lock

    def close(self) -> None:
        """Close idle connections. The next request opens a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def call(self, method: str, path: str, body: Any = None, *, repeat: bool = True, retries: int | None = None) -> Any:
        """The response to a request, as JSON; raises ServiceError, ConnectionError or TimeoutError."""
        data = b"{}" if body is None and method == "POST" else None if body is None else encode(body)
        request = Request(method, self._prefix + path, data, repeat)
        tries = 1 + (self.retries if retries is None else retries)
        started = time.monotonic()
        for attempt in itertools.count(1):
            try:
                return self._parse(self._try(request))
            except Failure as failure:
                wait = backoff(attempt) if failure.wait is None else failure.wait * random.uniform(1, 1.1)
                if not failure.again or attempt == tries or wait > MAX_RETRY_AFTER * 1.1:
                    if attempt > 1:
                        failure.error.add_note(f"gave up after {attempt} tries in {time.monotonic() - started:.1f} s")
                    raise failure.error from failure.error.__cause__
            time.sleep(wait)

    def _try(self, request: Request) -> Response:
        """Send a request once; an idempotent one again, if the service closed the idle connection, perhaps at a restart."""
        connection, reused = self._take()
        if reused:
            try:
                return self._check(self._exchange(connection, request), request)
            except LOST as cause:
                if isinstance(cause, TimeoutError) or not request.repeat:
                    raise self._unreachable(cause, request.repeat) from cause
                self.close()
                connection = self._new()
        sent = False
        try:
            connection.connect()
            sent = True
            return self._check(self._exchange(connection, request), request)
        except LOST as cause:
            raise self._unreachable(cause, request.repeat or not sent) from cause

    def _check(self, response: Response, request: Request) -> Response:
        """Raise Failure unless the request succeeded."""
        if response.status < 300:
            return response
        error = parse_error(self.url, response.status, response.data, response.retry_after)
        safe = request.repeat or response.status == 429  # too many requests: not carried out; 503 may be a failed sync
        raise Failure(error, safe and is_passing(error), response.retry_after)

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and if it was used before."""
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < IDLE and not is_readable(connection):
                    return connection, True
                connection.close()
        return self._new(), False

    def _new(self) -> http.client.HTTPConnection:
        if self._context:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self.timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> Response:
        """Send a request and read its response; the connection goes back to the pool, or is closed."""
        headers = {**self._headers, "Content-Type": "application/json"} if request.body is not None else self._headers
        deadline = time.monotonic() + self.timeout
        try:
            connection.request(request.method, request.path, request.body, headers)
            response = connection.getresponse()
            data = self._read(response, deadline)
        except http.client.ImproperConnectionState as error:  # a repeat would hide it
            connection.close()
            raise RuntimeError("a request was sent before the response to the last one was read") from error
        except BaseException:  # also KeyboardInterrupt: a late response must not answer the next request
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._give_back(connection)
        return Response(response.status, seconds_of(response.headers["Retry-After"]), data)

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        parts = []
        while part := response.read1(1 << 16):
            parts.append(part)
            if time.monotonic() > deadline:
                raise TimeoutError("the response is too slow")
        is_cut = not parts and response.length is None and not response.chunked  # in the headers, perhaps
        if response.length or is_cut:
            raise http.client.IncompleteRead(b"".join(parts), response.length)
        response.close()  # read1 does not, and the connection would refuse the next request
        return b"".join(parts)

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < MAX_IDLE_CONNECTIONS:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    def _parse(self, response: Response) -> Any:
        try:
            found = json.loads(response.data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ServiceError(f"{self.url} responds with something other than JSON; need the URL of a Segue service",
                               response.status)
        return found

    def _unreachable(self, cause: Exception, again: bool) -> Failure:
        """The failure of a connection: the URL, what happened, what to try next."""
        error = self._describe(cause, "" if again else "; it is not known if the request was carried out: check before you repeat it")
        error.__cause__ = cause
        return Failure(error, again and not isinstance(cause, ssl.SSLCertVerificationError), None)

    def _describe(self, cause: Exception, unknown: str) -> OSError:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ConnectionError(f"{self.url}: the certificate is not trusted ({cause.verify_message}); "
                                   "give the file of its authority as cafile, and the host name that it is made for")
        if isinstance(cause, TimeoutError):
            return TimeoutError(f"{self.url}: no response within {self.timeout:g} s; raise timeout, or check "
                                f"/readyz of the service{unknown}")
        if isinstance(cause, ConnectionRefusedError):
            return ConnectionError(f"{self.url}: connection refused; start the service with 'segue serve', or correct the URL")
        reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return ConnectionError(f"{self.url}: {reason}; check host, port and http or https of the URL{unknown}")


def is_readable(connection: http.client.HTTPConnection) -> bool:
    """The service has closed an idle connection, or sent what nobody requested: do not use it."""
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def is_passing(error: Exception) -> bool:
    """A retry may help: the service says so, or something between it and us failed."""
    if isinstance(error, ServiceError):
        return error.status in GATEWAY or (error.status in PASSING and error.retry_after is not None)
    return isinstance(error, OSError)
