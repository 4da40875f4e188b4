"""The file of queued rewards, so that they survive a restart of the program.

Each line is a reward as the service takes it, or {"done": N}: the first N rewards of the file have been counted or rejected. The
file is emptied when nothing waits, and rewritten when most of it is done. What was written survives a kill of the program; it is
not synced to the disk, except when it is rewritten, so a power loss may lose the last seconds.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterable

from .rewards import Reward

MAX_DONE = 1 << 20  # bytes of rewards that are done, before the file is rewritten


class QueueFile:
    """A file that one process uses at a time; the owner serializes calls."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._fd = open_locked(self.path)
        self._size = self._done = self._done_bytes = 0
        self._sizes: collections.deque[int] = collections.deque()  # bytes of each waiting reward

    def read(self) -> list[Reward]:
        """The rewards that wait. A last line without its end was never acknowledged to the caller, and is removed."""
        with open(self._fd, "rb", closefd=False) as file:
            data = file.read()
        data = data[:data.rfind(b"\n") + 1]
        rewards, done = [], 0
        for number, line in enumerate(data.splitlines(), 1):
            entry = self._parse(line, number)
            if isinstance(entry, int):
                done = entry
            else:
                rewards.append(entry)
        self._rewrite(rewards[done:])
        return rewards[done:]

    def _parse(self, line: bytes, number: int) -> Reward | int:
        try:
            entry = json.loads(line)
            return entry["done"] if "done" in entry else Reward.make(entry["decision"], entry["reward"], entry.get("event"))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path}:{number}: is not a queued reward; move the file away, or remove the line") from error

    def append(self, reward: Reward) -> None:
        """Add a reward. If it cannot be written, the file stays as it was."""
        self._write(reward.text + b"\n")
        self._sizes.append(len(reward.text) + 1)

    def finish(self, n_done: int, waiting: Iterable[Reward]) -> None:
        """Mark the next n_done rewards; `waiting` are the others."""
        self._done += n_done
        self._done_bytes += sum(self._sizes.popleft() for _ in range(n_done))
        if not self._sizes:
            os.ftruncate(self._fd, 0)
            self._size = self._done = self._done_bytes = 0
        elif self._done_bytes > MAX_DONE and 2 * self._done_bytes > self._size:
            self._rewrite(waiting)
        elif n_done:
            self._write(json.dumps({"done": self._done}).encode() + b"\n")

    def close(self) -> None:
        """Release the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        if hasattr(self, "_fd"):  # it could be opened
            self.close()

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._fd, data)
            if written < len(data):
                raise OSError(f"{self.path}: the disk is full; free space, then tell the reward again")
        except OSError:
            os.ftruncate(self._fd, self._size)
            raise
        self._size += len(data)

    def _rewrite(self, waiting: Iterable[Reward]) -> None:
        """Replace the file by one with `waiting` alone, which is locked before it has the name."""
        temporary = f"{self.path}.new"
        lines = [reward.text + b"\n" for reward in waiting]
        fd = open_locked(temporary)
        try:
            os.ftruncate(fd, 0)
            with open(fd, "ab", closefd=False) as file:
                file.writelines(lines)
            os.fsync(fd)
            os.replace(temporary, self.path)
        except BaseException:
            os.close(fd)
            raise
        os.close(self._fd)
        self._fd, self._sizes = fd, collections.deque(map(len, lines))
        self._size, self._done, self._done_bytes = sum(self._sizes), 0, 0


def open_locked(path: str) -> int:
    """Open or create a file that no other process has open in this way."""
    import fcntl  # here: systems without it can use the client without a file
    while True:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(path) and os.path.samestat(os.fstat(fd), os.stat(path)):
                return fd
        except BlockingIOError:
            os.close(fd)
            raise BlockingIOError(f"{path}: another process or client uses it; give each a file of its own") from None
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)  # it was replaced between open and lock
