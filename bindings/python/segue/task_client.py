"""A task of a served learner: ask, tell, close, erase.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import secrets
import urllib.parse
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from ._response import field
from .decisions import Decision
from .rewards import DecisionLike, Reward, TellResult
from .service_errors import NotFound, ServiceError

if TYPE_CHECKING:
    from .client import LearnerClient

Json = dict[str, Any]
Event = str | Literal[False] | None


def split_first(first: Event | int, count: int | None) -> tuple[Event, int | None]:
    """The first argument of an ask: an event, or the count of decisions, as for a Task of the library.

    >>> from segue.task_client import split_first
    >>> split_first("page-1", None), split_first(8, None)
    (('page-1', None), (None, 8))
    """
    if isinstance(first, bool) or not hasattr(first, "__index__"):
        return cast(Event, first), count
    if count is not None:
        raise TypeError("ask() got the argument 'count' twice")
    return None, cast(int, first)


def ask_body(task: str, event: Event, **options: Any) -> Json:
    """The body of an ask, with an event unless it is False."""
    name = secrets.token_hex(12) if event is None else event
    given = {field: value for field, value in options.items() if value is not None and value is not False}
    for field in ("eligible", "exclude"):
        if field in given:
            given[field] = arm_list(field, given[field])
    return {"task": task, **({"event": name} if name is not False else {}), **given}


def arm_list(field: str, arms: Any) -> list[Any]:
    """The arms of a set, list or iterator; one name is a list of it.

    >>> from segue.task_client import arm_list
    >>> arm_list("exclude", "video"), arm_list("exclude", {"quiz"})
    (['video'], ['quiz'])
    """
    if isinstance(arms, str):
        return [arms]
    try:
        return list(arms)
    except TypeError:
        if hasattr(arms, "__iter__"):
            raise
        raise TypeError(f"{field} is {arms!r}; need a set of arms") from None


class TaskClient:
    """A task of a learner, by its key. The first ask opens it; as a context manager it closes at the end of the block.

    >>> with client.create("tasked", arms=["video", "quiz"]).task("ann") as task:
    ...     decision = task.ask()
    ...     result = task.tell(decision, 1)
    >>> task.info["open"]
    False
    """

    def __init__(self, learner: LearnerClient, key: str, features: Mapping[str, Any] | None = None) -> None:
        self.learner, self.key, self.features = learner, key, features

    def __repr__(self) -> str:
        return f"<TaskClient {self.key!r} of {self.learner.name!r}>"

    def __enter__(self) -> TaskClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the task, unless it was never opened or the service failed in the block."""
        if isinstance(error, (ServiceError, OSError)):
            return
        try:
            self.close()
        except NotFound:
            if kind is None and self.learner.info:  # raises if the learner does not exist
                return

    @overload  # False is an int, but no count
    def ask(self, event: Event = None, *,  # type: ignore[misc]
            features: Mapping[str, Any] | None = None, eligible: Iterable[str] | None = None,
            exclude: Iterable[str] | None = None, count: None = None, probability: bool = False, explain: bool = False,
            chosen: str | None = None, chosen_probability: float | None = None) -> Decision: ...

    @overload
    def ask(self, event: Event = None, *, features: Mapping[str, Any] | None = None, eligible: Iterable[str] | None = None,
            exclude: Iterable[str] | None = None, count: int, probability: bool = False, explain: bool = False) -> list[Decision]: ...

    @overload
    def ask(self, event: int, *, features: Mapping[str, Any] | None = None, eligible: Iterable[str] | None = None,
            exclude: Iterable[str] | None = None, probability: bool = False, explain: bool = False) -> list[Decision]: ...

    def ask(self, event: Event | int = None, *, features: Mapping[str, Any] | None = None, eligible: Iterable[str] | None = None,
            exclude: Iterable[str] | None = None, count: int | None = None, probability: bool = False, explain: bool = False,
            chosen: str | None = None, chosen_probability: float | None = None) -> Decision | list[Decision]:
        """Ask which arm to pull; with `count`, a list of decisions: ask(8) is ask(count=8).

        event        the same event gives the same decision; by default each ask gets one of its own, so that its retries
                     do not make further decisions. False: none; the ask is sent once, and a lost response is an error
        features     what is known of the task, if this ask opens it
        eligible     the only arms that may be chosen now
        exclude      arms that must not be chosen now
        probability  also return the probability of the arm
        explain      also return the posterior over types
        chosen       in shadow mode: your arm, and the probability with which you chose it (chosen_probability)

        >>> task = client.create("asked", arms=["video", "quiz", "game"]).task("ann")
        >>> task.ask(event="page-1").id == task.ask(event="page-1").id
        True
        >>> str(task.ask(eligible=["quiz"]))
        'quiz'
        >>> len(task.ask(5))
        5
        """
        event, count = split_first(event, count)
        body = ask_body(self.key, event, features=features if features is not None else self.features, eligible=eligible,
                        exclude=exclude, count=count, probability=probability, explain=explain, chosen=chosen,
                        chosen_probability=chosen_probability)
        response = self.learner._call("POST", "/ask", body, repeat="event" in body)
        if count is not None:
            return [self._decision(body, response, decision) for decision in field(response, "decisions", list)]
        return self._decision(body, response, response)

    def _decision(self, body: Json, response: Json, decision: Json) -> Decision:
        return Decision(self.learner.client, self.learner.name, body.get("event"), response, decision)

    def tell(self, decision: DecisionLike, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of a decision; returns when it is on the service's disk.

        >>> task = client.create("tells", arms=["video", "quiz"]).task("ann")
        >>> task.tell(task.ask(), 1).status
        'counted'
        """
        return self.learner.client.tell(decision, reward, event)

    def tell_later(self, decision: DecisionLike, reward: float, event: str | None = None) -> None:
        """Queue the reward of a decision; a thread sends it.

        >>> task = client.create("tells", arms=["video", "quiz"]).task("ann")
        >>> task.tell_later(task.ask(), 1)
        >>> client.flush().ok
        True
        """
        self.learner.client.tell_later(decision, reward, event)

    def tell_and_ask(self, decision: DecisionLike, reward: float, event: Event = None, *, tell_event: str | None = None,
                     **options: Any) -> Decision | None:
        """Tell a reward, then ask, in one request. None: the reward was the last one of the task.

        >>> task = client.create("both", arms=["video", "quiz"], steps=2).task("ann")
        >>> decision = task.tell_and_ask(task.ask(), 1)
        >>> print(task.tell_and_ask(decision, 0))
        None
        """
        tell = Reward.make(decision, reward, tell_event).body()
        body = ask_body(self.key, event, tell=tell, **{"features": self.features, **options})
        response = self.learner._call("POST", "/ask", body, repeat="event" in body)
        return None if response.get("closed") else self._decision(body, response, response)

    @property
    def info(self) -> Json:
        """Its arms with pulls and means, rewards, and posterior over types; each access is a request.

        >>> task = client.create("seen", arms=["video", "quiz"]).task("ann")
        >>> _ = task.ask(eligible=["quiz"]).tell(1)
        >>> task.info["arms"][1]
        {'name': 'quiz', 'pulls': 1, 'mean': 1}
        """
        found: Json = self.learner._call("GET", self._path())
        return found

    def explain(self) -> Json | None:
        """The posterior over types and the purpose of the next pull; None: the task is closed or has none.

        >>> task = client.create("why", arms=["video", "quiz"], steps=9, control=0).task("ann")
        >>> _ = task.ask()
        >>> task.explain()["types"]
        [{'type': 0, 'weight': 1}]
        """
        info = self.info
        return None if "explanation" in info and info["explanation"] is None else field(info, "explanation", dict)

    def close(self) -> Json:
        """Close the task, so that the learner learns from it. Returns its summary.

        >>> task = client.create("closed", arms=["video", "quiz"]).task("ann")
        >>> _ = task.ask().tell(1)
        >>> task.close()["rewards"]
        1
        """
        found: Json = self.learner._call("POST", self._path() + "/close")
        return found

    def erase(self) -> Json:
        """Erase the task: its key, its rewards, its decisions. Returns the receipt.

        Sent once: if the response is lost, this raises ConnectionError; erase again, and NotFound says that it was erased.

        >>> task = client.create("erased", arms=["video", "quiz"]).task("ann")
        >>> _ = task.ask().tell(1)
        >>> task.erase()["erased"]
        'ann'
        """
        found: Json = self.learner._call("DELETE", self._path(), repeat=False)
        return found

    def _path(self) -> str:
        return f"/tasks/{urllib.parse.quote(self.key, safe='')}"
