"""Decisions of the service.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._response import field

if TYPE_CHECKING:
    from .client import Client
    from .rewards import TellResult


class BaseDecision:
    """An arm to pull, and the id that its reward needs. str() is the arm.

    >>> decision = client.create("base", arms=["video", "quiz"]).task("ann").ask(probability=True)
    >>> str(decision) in ("video", "quiz"), 0 <= decision.probability <= 1
    (True, True)
    """

    __slots__ = ("arm", "id", "task", "learner", "event", "control", "version", "probability", "probability_by", "would_choose",
                 "explanation", "response")

    arm: str  #: the arm to pull
    id: str  #: the signed id; store it if the reward is told by another program
    task: str  #: key of the task
    learner: str  #: name of the learner
    event: str | None  #: what makes the ask idempotent
    control: bool  #: the task is in the control group
    version: int  #: version of the shared prior of the task
    probability: float | None  #: probability of the arm, if requested
    probability_by: str | None  #: "exact" or "monte-carlo", if requested
    would_choose: str | None  #: in shadow mode: the arm that the learner would have chosen
    explanation: dict[str, Any] | None  #: posterior over types and purpose of the pull, if requested
    response: dict[str, Any]  #: the whole response

    def __init__(self, learner: str, event: str | None, response: dict[str, Any], decision: dict[str, Any]) -> None:
        self.learner, self.event, self.response = learner, event, response
        self.id, self.arm = field(decision, "decision", str), field(decision, "arm", str)
        self.task, self.control = field(response, "task", str), field(response, "control", bool)
        self.version, self.probability = field(response, "version", int), decision.get("probability")
        self.probability_by, self.would_choose = response.get("probability_by"), response.get("would_choose")
        self.explanation = response.get("explanation")

    def __str__(self) -> str:
        return self.arm

    def __repr__(self) -> str:
        return f"<{type(self).__name__} arm={self.arm!r} task={self.task!r} id={self.id[:12]!r}...>"


class Decision(BaseDecision):
    """A decision that tells its own reward.

    >>> decision = client.create("own", arms=["video", "quiz"]).task("ann").ask()
    >>> decision.tell(1).status
    'counted'
    """

    __slots__ = ("_client",)

    def __init__(self, client: Client, learner: str, event: str | None, response: dict[str, Any], decision: dict[str, Any]) -> None:
        super().__init__(learner, event, response, decision)
        self._client = client

    def tell(self, reward: float, event: str | None = None) -> TellResult:
        """Tell the reward of this decision; returns when it is on the service's disk.

        >>> client.create("own", arms=["video", "quiz"]).task("bob").ask().tell(0.5).status
        'counted'
        """
        return self._client.tell(self, reward, event)

    def tell_later(self, reward: float, event: str | None = None) -> None:
        """Queue the reward of this decision; a thread sends it.

        >>> client.create("own", arms=["video", "quiz"]).task("bob").ask().tell_later(1)
        >>> client.flush().ok
        True
        """
        self._client.tell_later(self, reward, event)
