"""The client for asyncio: the same requests, in threads of its own.

A request runs in a pool of threads (`connections`), so that time-outs, retries, TLS and keep-alive are those of `segue.Client`, code
that the tests cover once. asyncio's streams would need an HTTP parser of our own.

SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import asyncio
import concurrent.futures
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, overload

from ._queue import QueueReport
from .client import Client, LearnerClient
from .decisions import BaseDecision, Decision
from .rewards import DecisionLike, RewardLike, TellResult
from .task_client import Event, TaskClient, split_first

__all__ = ["AsyncClient", "AsyncDecision", "AsyncLearnerClient", "AsyncTaskClient"]

Json = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class AsyncClient:
    """A client of the service at `url` for asyncio; arguments as of `segue.Client`, and the number of requests at a time.

    >>> async def main():
    ...     async with segue.AsyncClient(url) as client:
    ...         tutor = await client.create("tutor", arms=["video", "quiz", "game"], steps=30)
    ...         decisions = await asyncio.gather(*(tutor.task(f"async-{i}").ask() for i in range(10)))
    ...         return [(await decision.tell(1)).status for decision in decisions]
    >>> asyncio.run(main()) == ["counted"] * 10
    True

    A request whose awaiting task is cancelled goes on in its thread: whether it is carried out is not known. Repeat it.
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 10, retries: int = 6,
                 cafile: str | os.PathLike[str] | None = None, queue_file: str | os.PathLike[str] | None = None,
                 connections: int = 16) -> None:
        self.sync = Client(url, token, timeout, retries, cafile, queue_file)  #: the client that sends the requests
        self._threads = concurrent.futures.ThreadPoolExecutor(connections, "segue-async")

    def __repr__(self) -> str:
        return f"segue.AsyncClient({self.sync.url!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a method of `sync` in a thread, for what has no method here.

        >>> async def main(client):
        ...     return await client.run(client.sync.learner("tutor").tasks, limit=5)
        >>> len(run_async(main)) <= 5
        True
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*args, **kwargs))

    async def close(self, timeout: float = 30) -> QueueReport:
        """Send what is queued, and close the connections.

        >>> run_async(lambda client: client.close()).ok
        True
        """
        report = await asyncio.to_thread(self.sync.close, timeout)  # also after the own threads have ended
        self._threads.shutdown(wait=False)
        return report

    async def create(self, name: str, *, arms: Sequence[str] | None = None, steps: int = 0, **settings: Any) -> AsyncLearnerClient:
        """Create a learner; the same settings return the one that exists.

        >>> run_async(lambda client: client.create("shop", arms=["A", "B"], range=[0, 100], control=0.1))
        <AsyncLearnerClient 'shop'>
        """
        return AsyncLearnerClient(self, await self.run(self.sync.create, name, arms=arms, steps=steps, **settings))

    def learner(self, name: str) -> AsyncLearnerClient:
        """A learner by its name; nothing is sent.

        >>> segue.AsyncClient(url).learner("tutor")
        <AsyncLearnerClient 'tutor'>
        """
        return AsyncLearnerClient(self, self.sync.learner(name))

    async def tell(self, decision: DecisionLike, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of a decision, or of its id.

        >>> decision = client.create("async", arms=["A", "B"]).task("ann").ask()
        >>> run_async(lambda client: client.tell(decision.id, 1)).status
        'counted'
        """
        return await self.run(self.sync.tell, decision, reward, event)

    async def tell_many(self, rewards: Iterable[RewardLike]) -> list[TellResult]:
        """Tell any number of rewards, 1,000 per request; each has its own result.

        >>> decisions = client.create("async", arms=["A", "B"]).task("ann").ask(count=3)
        >>> results = run_async(lambda client: client.tell_many([(decision, 1) for decision in decisions]))
        >>> [result.status for result in results]
        ['counted', 'counted', 'counted']
        """
        return await self.run(self.sync.tell_many, rewards)

    def tell_later(self, decision: DecisionLike, reward: float, event: str | None = None) -> None:
        """Queue a reward; a thread sends it. Nothing to await.

        >>> decision = client.create("async", arms=["A", "B"]).task("ann").ask()
        >>> async def main(client):
        ...     client.tell_later(decision, 1)
        ...     return await client.flush()
        >>> print(run_async(main))
        1 counted, 0 duplicates, 0 rejected, 0 waiting
        """
        self.sync.tell_later(decision, reward, event)

    async def flush(self, timeout: float = 30) -> QueueReport:
        """Wait until the queue of `tell_later` is empty; say what became of its rewards.

        >>> run_async(lambda client: client.flush()).waiting
        0
        """
        return await self.run(self.sync.flush, timeout)


class AsyncLearnerClient:
    """A learner of the service. Methods that are not here: `await client.run(learner.sync.METHOD, ...)`.

    >>> run_async(lambda client: client.learner("tutor").types())
    []
    """

    def __init__(self, client: AsyncClient, sync: LearnerClient) -> None:
        self.client, self.sync, self.name = client, sync, sync.name

    def __repr__(self) -> str:
        return f"<AsyncLearnerClient {self.name!r}>"

    def task(self, key: str, features: Mapping[str, Any] | None = None) -> AsyncTaskClient:
        """A task by its key; nothing is sent.

        >>> segue.AsyncClient(url).learner("tutor").task("ann")
        <AsyncTaskClient 'ann' of 'tutor'>
        """
        return AsyncTaskClient(self, self.sync.task(key, features))

    async def info(self) -> Json:
        """All that the service says about the learner.

        >>> run_async(lambda client: client.learner("tutor").info())["steps"]
        30
        """
        return await self.client.run(lambda: self.sync.info)

    async def types(self) -> list[Json]:
        """The types found so far, largest first.

        >>> run_async(lambda client: client.learner("tutor").types())
        []
        """
        return await self.client.run(lambda: self.sync.types)

    async def change(self, **settings: Any) -> Json:
        """Change settings, pause (`paused=True`) or resume.

        >>> run_async(lambda client: client.learner("tutor").change(idle=3600))["idle"]
        3600
        """
        return await self.client.run(self.sync.change, **settings)

    async def delete(self) -> None:
        """Delete the learner with its tasks and rewards.

        >>> _ = client.create("short", arms=["A", "B"])
        >>> run_async(lambda client: client.learner("short").delete())
        """
        await self.client.run(self.sync.delete)


class AsyncDecision(BaseDecision):
    """A decision that tells its own reward.

    >>> async def main(client):
    ...     decision = await client.learner("tutor").task("async-d").ask()
    ...     return (await decision.tell(1)).status
    >>> run_async(main)
    'counted'
    """

    __slots__ = ("_client",)

    def __init__(self, client: AsyncClient, decision: Decision) -> None:
        super().__init__(decision.learner, decision.event, decision.response,
                         {"decision": decision.id, "arm": decision.arm, "probability": decision.probability})
        self._client = client

    async def tell(self, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of this decision.

        >>> async def main(client):
        ...     return await (await client.learner("tutor").task("async-e").ask()).tell(0)
        >>> run_async(main).status
        'counted'
        """
        return await self._client.tell(self, reward, event)

    def tell_later(self, reward: float, event: str | None = None) -> None:
        """Queue the reward of this decision; a thread sends it.

        >>> async def main(client):
        ...     (await client.learner("tutor").task("async-f").ask()).tell_later(1)
        ...     return await client.flush()
        >>> run_async(main).ok
        True
        """
        self._client.tell_later(self, reward, event)


class AsyncTaskClient:
    """A task of a learner, by its key. `async with` closes it at the end of the block.

    >>> async def main(client):
    ...     async with client.learner("tutor").task("async-g") as task:
    ...         await task.tell(await task.ask(), 1)
    ...     return await task.info()
    >>> run_async(main)["open"]
    False
    """

    def __init__(self, learner: AsyncLearnerClient, sync: TaskClient) -> None:
        self.learner, self.sync, self.key = learner, sync, sync.key

    def __repr__(self) -> str:
        return f"<AsyncTaskClient {self.key!r} of {self.learner.name!r}>"

    async def __aenter__(self) -> AsyncTaskClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._run(self.sync.__exit__, kind, error, trace)

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.learner.client.run(function, *args, **kwargs)

    @overload
    async def ask(self, event: Event = None, *, count: None = None,  # type: ignore[misc]
                  **options: Any) -> AsyncDecision: ...

    @overload
    async def ask(self, event: Event = None, *, count: int, **options: Any) -> list[AsyncDecision]: ...

    @overload
    async def ask(self, event: int, **options: Any) -> list[AsyncDecision]: ...

    async def ask(self, event: Event | int = None, *, count: int | None = None, **options: Any) -> AsyncDecision | list[AsyncDecision]:
        """Ask which arm to pull; options as of `TaskClient.ask`.

        >>> run_async(lambda client: client.learner("tutor").task("async-h").ask(eligible=["quiz"])).arm
        'quiz'
        """
        name, number = split_first(event, count)
        if number is not None:
            size = number
            several: list[Decision] = await self._run(lambda: self.sync.ask(name, count=size, **options))
            return [AsyncDecision(self.learner.client, decision) for decision in several]

        def ask_one() -> Decision:
            decision: Decision = self.sync.ask(name, **options)
            return decision
        return AsyncDecision(self.learner.client, await self._run(ask_one))

    async def tell(self, decision: DecisionLike, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of a decision.

        >>> async def main(client):
        ...     task = client.learner("tutor").task("async-i")
        ...     return await task.tell(await task.ask(), 1)
        >>> run_async(main).status
        'counted'
        """
        return await self.learner.client.tell(decision, reward, event)

    async def info(self) -> Json:
        """Its arms with pulls and means, rewards, and posterior over types.

        >>> async def main(client):
        ...     task = client.learner("tutor").task("async-j")
        ...     await task.ask()
        ...     return await task.info()
        >>> run_async(main)["rewards"]
        0
        """
        return await self._run(lambda: self.sync.info)

    async def close(self) -> Json:
        """Close the task, so that the learner learns from it.

        >>> _ = client.learner("tutor").task("async-k").ask()
        >>> run_async(lambda client: client.learner("tutor").task("async-k").close())["open"]
        False
        """
        return await self._run(self.sync.close)

    async def erase(self) -> Json:
        """Erase the task: its key, its rewards, its decisions.

        >>> _ = client.learner("tutor").task("async-l").ask()
        >>> run_async(lambda client: client.learner("tutor").task("async-l").erase())["erased"]
        'async-l'
        """
        return await self._run(self.sync.erase)
