"""Rewards that are told later: a queue, the thread that sends it, and the file that preserves it over a restart.

The thread sends the queue in its order, up to 1,000 rewards per request, and repeats a request until the service responds:
a reward counts once however often it is sent. A reward remains queued until the service has counted or rejected it.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import atexit
import collections
import dataclasses
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence

from ._fork import after_fork
from ._queue_file import QueueFile
from ._transport import backoff, is_passing
from .rewards import Reward, TellResult, batches
from .service_errors import InvalidRequest, ServiceError

LOG = logging.getLogger("segue")
MAX_PAUSE = 30.0  # seconds between tries
MAX_REPORTED = 1000  # rejected rewards that a report lists
AT_EXIT = 5.0  # seconds for what is queued when the program ends


@dataclasses.dataclass
class QueueReport:
    """What became of the rewards of `tell_later` since the last `flush`.

    >>> decision = client.create("report", arms=["A", "B"]).task("ann").ask()
    >>> client.tell_later(decision, 1)
    >>> client.tell_later(decision, 0)     # a reward cannot change
    >>> report = client.flush()
    >>> report.counted, report.waiting, report.ok
    (1, 0, False)
    >>> print(report.rejected[0].error)
    the decision already has the reward 1, request has 0; a reward cannot change
    >>> print(report)
    1 counted, 0 duplicates, 1 rejected, 0 waiting
    """

    counted: int = 0  #: stored now
    duplicates: int = 0  #: stored before, by an earlier try
    n_rejected: int = 0  #: rejected for good; they do not count
    waiting: int = 0  #: still queued
    rejected: list[TellResult] = dataclasses.field(default_factory=list)  #: the first 1,000 of them, each with its error
    error: Exception | None = None  #: why rewards wait, as of the last try

    @property
    def ok(self) -> bool:
        """Every reward was counted, now or before.

        >>> client.flush().ok
        True
        """
        return self.n_rejected == 0 and self.waiting == 0

    def __str__(self) -> str:
        text = f"{self.counted} counted, {self.duplicates} duplicates, {self.n_rejected} rejected, {self.waiting} waiting"
        return f"{text} ({self.error})" if self.error else text


class RewardQueue:
    """The queue of one client. Any thread may put and flush."""

    def __init__(self, send: Callable[[Sequence[Reward]], list[TellResult]], path: str | os.PathLike[str] | None) -> None:
        self._send, self._path = send, path
        self._file: QueueFile | None = None
        self._start([])
        if path is not None:
            self._file = QueueFile(path)
            try:
                self._start(self._file.read())
            except BaseException:
                self._file.close()
                raise
        after_fork(self._begin_process)

    def _start(self, waiting: list[Reward]) -> None:
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._waiting = collections.deque(waiting)  # this and the next five: guarded by _changed
        self._report = QueueReport()
        self._closing, self._failures = False, 0
        self._warned: type[BaseException] | None = None  # kind of the failure that was logged
        self._one_by_one = 0  # rewards to send alone; the thread's
        self._thread: threading.Thread | None = None
        with self._changed:
            self._run_thread()

    def put(self, reward: Reward) -> None:
        """Queue a reward; with a file it is written first."""
        self._check_process()
        with self._changed:
            if self._closing:
                raise ValueError("the client is closed; make a new one to tell rewards")
            if self._file:
                self._file.append(reward)
            self._waiting.append(reward)
            self._run_thread()
            self._changed.notify_all()

    def flush(self, timeout: float) -> QueueReport:
        """Wait until the queue is empty, or waiting longer is no use; the counts of the report start anew."""
        self._check_process()
        with self._changed:
            return self._wait_empty(timeout)

    def _wait_empty(self, timeout: float) -> QueueReport:
        """Flush; the caller has the lock, and has it without a break from the last look at the queue on."""
        until = time.monotonic() + timeout
        self._report.error, self._failures = None, 0
        self._run_thread()
        self._changed.notify_all()  # end a pause
        while self._waiting and not self._closing and (self._report.error is None or is_passing(self._report.error)):
            if not self._changed.wait(until - time.monotonic()) and time.monotonic() >= until:
                break
        report, self._report = self._report, QueueReport(error=self._report.error)
        report.waiting = len(self._waiting)
        if not report.waiting:
            report.error = None
        return report

    def close(self, timeout: float) -> QueueReport:
        """Flush and end the thread. A report of rewards that no file preserves is logged as an error."""
        self._check_process()
        with self._changed:
            report = self._wait_empty(timeout)
            closed, self._closing = self._closing, True  # without a break: no reward is queued that is not in the report
            self._changed.notify_all()
            thread = self._thread
        if thread:
            thread.join(0.1 if report.waiting else None)
        atexit.unregister(self._at_exit)
        if report.waiting and not closed:
            LOG.error("segue: %s", f"{report}; the rest is in {self._path}" if self._file else f"{report}; the rest is lost")
        if self._file:
            self._file.close()
        return report

    def _at_exit(self) -> None:
        if self._pid == os.getpid():
            self.close(AT_EXIT)

    def _begin_process(self) -> None:
        """A forked process starts with an empty queue: its parent sends what was queued before. A file stays the parent's."""
        if not self._file:
            self._start([])

    def _check_process(self) -> None:
        if self._pid != os.getpid():
            raise OSError(f"{self._path}: belongs to the process that made this client; make a client with a file of its own in each process")

    def _run_thread(self) -> None:
        """Start the thread if rewards wait and it does not run: perhaps it was ended."""
        if not self._waiting or self._closing or (self._thread and self._thread.is_alive()):
            return
        if self._thread is None:
            atexit.register(self._at_exit)
        self._thread = threading.Thread(target=self._run, name="segue-tell-later", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while batch := self._next_batch():
            try:
                self._send_batch(batch)
            except Exception as error:  # whatever it is: the rewards remain queued, and are tried again
                self._pause(error)

    def _next_batch(self) -> list[Reward] | None:
        """Wait for rewards, and return those to send now; None: the client is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            if self._closing:
                return None
            batch = next(batches(itertools.islice(self._waiting, 1000)))
            return batch[:1] if self._one_by_one else batch

    def _send_batch(self, batch: Sequence[Reward]) -> None:
        try:
            results = self._send(batch)
        except InvalidRequest as error:
            if len(batch) > 1:
                self._one_by_one = len(batch)  # one of them spoils the list: find it
                return
            results = [TellResult.of_error(batch[0], error)]
        self._finish(batch, results)

    def _pause(self, error: Exception) -> None:
        """Wait before the next try: as long as the service says, or longer each time."""
        with self._changed:
            if type(error) is not self._warned:
                is_expected = isinstance(error, (ServiceError, OSError))
                LOG.warning("segue: %d rewards wait: %s", len(self._waiting), error, exc_info=None if is_expected else error)
                self._warned = type(error)
            self._report.error, self._failures = error, self._failures + 1
            self._changed.notify_all()
            wait = getattr(error, "retry_after", None) or backoff(self._failures, MAX_PAUSE)
            failures = self._failures
            self._changed.wait_for(lambda: self._closing or self._failures < failures, wait)

    def _finish(self, batch: Sequence[Reward], results: list[TellResult]) -> None:
        """Remove what is counted or rejected. A reward that may count later stays, and those after it, to preserve their order."""
        done = list(itertools.takewhile(lambda result: not (result.error and is_passing(result.error)), results))
        self._one_by_one = max(0, self._one_by_one - len(done))
        with self._changed:
            for result in done:
                self._waiting.popleft()
                self._count(result)
            if self._file:
                self._forget(len(done))
            if len(done) == len(batch):
                self._failures, self._report.error, self._warned = 0, None, None
            self._changed.notify_all()
        if len(done) < len(batch):
            error = results[len(done)].error
            assert error is not None
            self._pause(error)

    def _forget(self, n_done: int) -> None:
        """Mark rewards as done in the file. If that fails they are sent again after a restart, and count once."""
        assert self._file is not None
        try:
            self._file.finish(n_done, self._waiting)
        except OSError as error:
            LOG.warning("segue: %s: %s; its rewards are sent again after a restart, and count once", self._path, error)

    def _count(self, result: TellResult) -> None:
        if result.status == "counted":
            self._report.counted += 1
        elif result.status == "duplicate":
            self._report.duplicates += 1
        else:
            LOG.warning("segue: the reward %g of decision %s is rejected: %s", result.reward, result.decision, result.error)
            self._report.n_rejected += 1
            if len(self._report.rejected) < MAX_REPORTED:
                self._report.rejected.append(result)
