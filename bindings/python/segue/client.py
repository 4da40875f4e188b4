"""The client of the decision service, with the words of the library: ask, tell, close, types.

    import segue
    client = segue.Client("http://localhost:8080")
    tutor = client.create("tutor", arms=["video", "quiz", "game"], steps=30)
    decision = tutor.task("student-42").ask()
    decision.tell(1)

It is pure Python with the standard library alone. A request that is repeated, because its response was lost or the service was
restarted, has the effect of one: an ask has an event, a reward its decision. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import os
import time
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from ._queue import QueueReport, RewardQueue
from ._response import field
from ._transport import Transport, backoff, is_passing
from .decisions import BaseDecision, Decision
from .rewards import DecisionLike, Reward, RewardLike, TellResult, batches, parse_results
from .service_errors import ServiceError
from .task_client import TaskClient

__all__ = ["BaseDecision", "Client", "Decision", "LearnerClient", "QueueReport", "ServiceError", "TaskClient", "TellResult"]

Json = dict[str, Any]


def quoted(name: str) -> str:
    """A name as a part of a path."""
    if not isinstance(name, str):
        raise TypeError(f"a name is {name!r}; need a text")
    return urllib.parse.quote(name, safe="")


class Client:
    """A client of the service at `url`, for any number of threads.

    >>> client = segue.Client(url)
    >>> tutor = client.create("tutor", arms=["video", "quiz", "game"], steps=30)
    >>> decision = tutor.task("student-42").ask()
    >>> str(decision) in ("video", "quiz", "game")
    True
    >>> decision.tell(1).status
    'counted'
    >>> client.close().ok
    True

    token       one token of the service's token file
    timeout     seconds that a try may take to connect, and again to respond
    retries     how often a request is repeated after a failed try, if that is safe
    cafile      PEM file of the authority of the service's certificate, if the system does not know it
    queue_file  file that preserves the rewards of `tell_later` over a restart of this program
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 10, retries: int = 6,
                 cafile: str | os.PathLike[str] | None = None, queue_file: str | os.PathLike[str] | None = None) -> None:
        self._transport = Transport(url, token, timeout, retries, cafile)
        self._queue = RewardQueue(self._send_queued, queue_file)

    def __repr__(self) -> str:
        return f"segue.Client({self.url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def url(self) -> str:
        """URL of the service.

        >>> segue.Client("http://localhost:8080/").url
        'http://localhost:8080'
        """
        return self._transport.url

    def close(self, timeout: float = 30) -> QueueReport:
        """Send what is queued, and close the connections. Returns what became of the queued rewards.

        >>> print(segue.Client(url).close())
        0 counted, 0 duplicates, 0 rejected, 0 waiting
        """
        report = self._queue.close(timeout)
        self._transport.close()
        return report

    def ready(self) -> bool:
        """The service responds, and can store.

        >>> client.ready()
        True
        """
        try:
            return bool(self._transport.call("GET", "/readyz", retries=0).get("status") == "ready")
        except (ServiceError, OSError):
            return False

    def wait_ready(self, timeout: float = 30) -> None:
        """Wait until the service is ready, for example after it was started.

        >>> client.wait_ready()
        """
        until = time.monotonic() + timeout
        while not self.ready():
            if time.monotonic() > until:
                raise TimeoutError(f"{self.url}: is not ready after {timeout:g} s; check that 'segue serve' runs there")
            time.sleep(0.05)

    def create(self, name: str, *, arms: Sequence[str] | None = None, steps: int = 0, **settings: Any) -> LearnerClient:
        """Create a learner; the same settings return the one that exists. `settings` are those of docs/service.md.

        >>> client.create("shop", arms=["A", "B"], range=[0, 100], control=0.1)
        <LearnerClient 'shop'>
        """
        if isinstance(arms, str):
            raise TypeError(f"arms is {arms!r}; need a list of names")
        body: Json = {"name": name, **settings, **({} if arms is None else {"arms": list(arms)}), **({"steps": steps} if steps else {})}
        self._transport.call("POST", "/v1/learners", body)
        return self.learner(name)

    def learner(self, name: str) -> LearnerClient:
        """A learner by its name; nothing is sent.

        >>> client.learner("tutor")
        <LearnerClient 'tutor'>
        """
        return LearnerClient(self, name)

    def learners(self) -> list[Json]:
        """Summaries of all learners, by name.

        >>> _ = client.create("listed", arms=["A", "B"])
        >>> "listed" in [learner["name"] for learner in client.learners()]
        True
        """
        return field(self._transport.call("GET", "/v1/learners"), "learners", list)

    def tell(self, decision: DecisionLike, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of a decision, or of its id. Returns when it is on the service's disk.

        >>> decision = client.create("teller", arms=["A", "B"]).task("ann").ask()
        >>> client.tell(decision.id, 1).status
        'counted'

        event  id of this reward among those of the decision, if the learner aggregates several
        """
        sent = Reward.make(decision, reward, event)
        return TellResult.parse(sent, self._transport.call("POST", "/v1/tell", sent.body()))

    def tell_many(self, rewards: Iterable[RewardLike]) -> list[TellResult]:
        """Tell any number of rewards, 1,000 per request: (decision, reward), (decision, reward, event) or mappings.

        Each has its own result, in their order; a wrong one is rejected and the others count. If this raises, tell them all again:
        each counts once.

        >>> decisions = client.create("many", arms=["A", "B"]).task("ann").ask(count=3)
        >>> results = client.tell_many([(decision, 1) for decision in decisions] + [(decisions[0], 0)])
        >>> [result.status for result in results]
        ['counted', 'counted', 'counted', 'rejected']
        >>> results[3].error.status
        409
        """
        return [result for batch in batches(map(Reward.parse, rewards)) for result in self._tell_batch(batch)]

    def _tell_batch(self, batch: Sequence[Reward]) -> list[TellResult]:
        """Tell a batch; rewards that could not be stored now are repeated."""
        results = self._send(batch, None)
        for attempt in range(1, self._transport.retries + 1):
            passing = [i for i, result in enumerate(results) if result.error and is_passing(result.error)]
            if not passing:
                break
            time.sleep(max(1, backoff(attempt)))
            for i, result in zip(passing, self._send([batch[i] for i in passing], None)):
                results[i] = result
        return results

    def _send(self, batch: Sequence[Reward], retries: int | None) -> list[TellResult]:
        body = {"rewards": [reward.body() for reward in batch]}
        return parse_results(batch, self._transport.call("POST", "/v1/tell", body, retries=retries))

    def _send_queued(self, batch: Sequence[Reward]) -> list[TellResult]:
        return self._send(batch, 0)  # the queue has pauses of its own

    def tell_later(self, decision: DecisionLike, reward: float, event: str | None = None) -> None:
        """Queue a reward; a thread sends it and retries until the service responds.

        `flush` waits and reports. A rejected reward is also logged (logger "segue"). Without `queue_file` the queue is in memory: rewards that
        cannot be sent within five seconds after the end of the program are lost, and that is logged.

        >>> decision = client.create("later", arms=["A", "B"]).task("ann").ask()
        >>> client.tell_later(decision, 1)
        >>> print(client.flush())
        1 counted, 0 duplicates, 0 rejected, 0 waiting
        """
        self._queue.put(Reward.make(decision, reward, event))

    def flush(self, timeout: float = 30) -> QueueReport:
        """Wait until the queue of `tell_later` is empty, at most `timeout` seconds; say what became of its rewards.

        >>> client.flush().waiting
        0
        """
        return self._queue.flush(timeout)


class LearnerClient:
    """A learner of the service.

    >>> tutor = client.create("tutor2", arms=["video", "quiz"], steps=2)
    >>> for student in ("ann", "bob"):
    ...     with tutor.task(student) as task:
    ...         _ = task.ask().tell(1)
    >>> tutor.info["tasks"]["closed"]
    2
    """

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name

    def __repr__(self) -> str:
        return f"<LearnerClient {self.name!r}>"

    def _call(self, method: str, rest: str = "", body: Any = None, repeat: bool = True) -> Any:
        return self.client._transport.call(method, f"/v1/learners/{quoted(self.name)}{rest}", body, repeat=repeat)

    def _get(self, rest: str = "") -> Json:
        found: Json = self._call("GET", rest)
        return found

    @property
    def info(self) -> Json:
        """All that the service says about the learner; each access is a request.

        >>> client.create("info", arms=["A", "B"], steps=9).info["method"]
        'tla'
        """
        return self._get()

    @property
    def settings(self) -> Json:
        """Its settings, defaults filled in.

        >>> client.create("set", arms=["A", "B"]).settings["range"]
        [0, 1]
        """
        return field(self._get(), "settings", dict)

    @property
    def arms(self) -> list[str]:
        """The names of its arms that are not retired.

        >>> client.create("armed", arms=["A", "B"]).arms
        ['A', 'B']
        """
        return [field(arm, "name", str) for arm in field(self._get(), "arms", list) if not field(arm, "retired", bool)]

    @property
    def types(self) -> list[Json]:
        """The types found so far, largest first: weight, means per arm, and their 95 % intervals (low, high).

        >>> client.create("typed", arms=["A", "B"]).types
        []
        """
        return field(self._get(), "types", list)

    @property
    def effect(self) -> Json:
        """The effect of transfer: difference to the control group, and its interval.

        >>> client.create("effect", arms=["A", "B"]).effect["control_share"]
        0.05
        """
        return field(self._get(), "effect", dict)

    def change(self, **settings: Any) -> Json:
        """Change settings, for tasks opened from now on.

        >>> client.create("change", arms=["A", "B"]).change(control=0.1, idle=3600)["control"]
        0.1
        """
        found: Json = self._call("PATCH", "", settings)
        return found

    def pause(self) -> None:
        """Make no decisions until `resume`; rewards count.

        >>> learner = client.create("pause", arms=["A", "B"])
        >>> learner.pause()
        >>> learner.info["paused"]
        True
        """
        self.change(paused=True)

    def resume(self) -> None:
        """Make decisions again.

        >>> learner = client.create("pause", arms=["A", "B"])
        >>> learner.resume()
        >>> learner.info["paused"]
        False
        """
        self.change(paused=False)

    def resume_transfer(self) -> None:
        """Resume transfer that was stopped because it harmed.

        >>> client.create("again", arms=["A", "B"]).resume_transfer()
        """
        self._call("POST", "/resume")

    def add_arm(self, arm: str) -> None:
        """Add an arm, which tasks opened from now on have. Sent once: see `delete`.

        >>> learner = client.create("grows", arms=["A", "B"])
        >>> learner.add_arm("C")
        >>> learner.arms
        ['A', 'B', 'C']
        """
        self._call("POST", "/arms", {"arm": arm}, repeat=False)

    def retire_arm(self, arm: str) -> None:
        """Choose an arm no more; its rewards count.

        >>> learner = client.create("shrinks", arms=["A", "B", "C"])
        >>> learner.retire_arm("C")
        >>> learner.arms
        ['A', 'B']
        """
        self._call("DELETE", f"/arms/{quoted(arm)}")

    def shadow(self) -> Json:
        """The report about shadow mode: would the learner have chosen better than the caller?

        >>> client.create("shadow", arms=["A", "B"], mode="shadow").shadow()["verdict"]
        'no_steps'
        """
        return self._get("/shadow")

    def history(self) -> list[Json]:
        """Reward per step over closed tasks, in at most 100 groups.

        >>> client.create("history", arms=["A", "B"]).history()
        []
        """
        return field(self._get("/history"), "groups", list)

    def export(self) -> Json:
        """The learner, to `merge` it with another one or to start one from it.

        >>> sorted(client.create("north", arms=["A", "B"]).export())
        ['learner', 'origins', 'saved', 'tasks']
        """
        return self._get("/export")

    def merge(self, exported: Mapping[str, Any], force: bool = False) -> Json:
        """Add what an exported learner has learned. The same bytes count once.

        >>> north = client.create("north", arms=["A", "B"])
        >>> client.create("all", arms=["A", "B"]).merge(north.export())["status"]
        'merged'
        """
        found: Json = self._call("POST", "/merge", {**exported, **({"force": True} if force else {})})
        return found

    def delete(self) -> None:
        """Delete the learner with its tasks and rewards.

        Sent once: if the response is lost, this raises ConnectionError, and does not delete a learner that was created since.

        >>> client.create("short", arms=["A", "B"]).delete()
        """
        self._call("DELETE", repeat=False)

    def tasks(self, limit: int = 50, open: bool | None = None) -> list[Json]:
        """Summaries of the newest tasks, at most 1,000: all, or only those that are open (True) or closed (False).

        >>> learner = client.create("tasks", arms=["A", "B"])
        >>> _ = learner.task("ann").ask()
        >>> [task["task"] for task in learner.tasks()]
        ['ann']
        """
        return field(self._get(f"/tasks?limit={limit}{'' if open is None else f'&open={str(open).lower()}'}"), "tasks", list)

    def task(self, key: str, features: Mapping[str, Any] | None = None) -> TaskClient:
        """A task by its key; nothing is sent. The first ask opens it, with `features`.

        >>> client.learner("tutor").task("student-42")
        <TaskClient 'student-42' of 'tutor'>
        """
        return TaskClient(self, key, features)
