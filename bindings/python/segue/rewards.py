"""Rewards on their way to the service, and what it says about them.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ._response import field, unexpected
from ._transport import encode
from .service_errors import ServiceError, make_error

if TYPE_CHECKING:
    from .decisions import BaseDecision

MAX_REWARDS = 1000  # of a request
MAX_BYTES = 250_000  # of a request; the service takes 256 KiB

DecisionLike = Union["BaseDecision", str]
RewardLike = Union[tuple[DecisionLike, float], tuple[DecisionLike, float, str], Mapping[str, Any]]


class Reward(NamedTuple):
    """A reward, checked and encoded."""

    decision: str
    reward: float
    event: str | None
    text: bytes

    @classmethod
    def make(cls, decision: DecisionLike, reward: float, event: str | None = None) -> Reward:
        """Check what the service would reject whatever its settings are."""
        key, value = getattr(decision, "id", decision), number("reward", reward)
        if not isinstance(key, str) or not key:
            raise ValueError(f"decision is {decision!r}; need a Decision, or its id")
        if not math.isfinite(value):
            raise ValueError(f"reward is {reward!r}; need a finite number")
        return cls(key, value, event, encode(reward_body(key, value, event)))

    def body(self) -> dict[str, Any]:
        """The reward as the service takes it."""
        return reward_body(self.decision, self.reward, self.event)

    @classmethod
    def parse(cls, item: RewardLike) -> Reward:
        """A reward of (decision, reward), (decision, reward, event), or a mapping with these names."""
        if isinstance(item, Mapping):
            return cls.make(item["decision"], item["reward"], item.get("event"))
        if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
            raise TypeError(f"a reward is {item!r}; need (decision, reward), (decision, reward, event) or a mapping")
        values: list[Any] = list(item)
        return cls.make(*values)


def number(name: str, value: Any) -> float:
    """A number of Python, numpy or decimal; not a text.

    >>> number("reward", True)
    1.0
    """
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name} is {value!r}; need a number")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; need a number") from None
    except OverflowError:
        raise ValueError(f"{name} is too large; need a finite number") from None


def reward_body(decision: str, reward: float, event: str | None) -> dict[str, Any]:
    """An event only if there is one: the service rejects null."""
    return {"decision": decision, "reward": reward, **({} if event is None else {"event": event})}


def batches(rewards: Iterable[Reward]) -> Iterator[list[Reward]]:
    """Divide rewards into requests that the service takes."""
    batch: list[Reward] = []
    size = 0
    for reward in rewards:
        if batch and (len(batch) == MAX_REWARDS or size + len(reward.text) > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(reward)
        size += len(reward.text) + 1
    if batch:
        yield batch


@dataclasses.dataclass(frozen=True)
class TellResult:
    """What became of one reward.

    >>> decision = client.create("result", arms=["A", "B"]).task("ann").ask()
    >>> result = decision.tell(1)
    >>> result.status, result.task, result.closed
    ('counted', 'ann', False)
    >>> decision.tell(1).status            # a repeated tell counts once
    'duplicate'
    """

    decision: str  #: id of the decision
    reward: float  #: the reward that was sent
    status: str  #: "counted", "duplicate" or "rejected"
    task: str | None = None  #: key of the task
    closed: bool = False  #: the task is closed, perhaps by this reward
    total: float | None = None  #: the reward of the decision now, if the learner aggregates several
    error: ServiceError | None = None  #: why it was rejected

    @classmethod
    def parse(cls, sent: Reward, result: Any) -> TellResult:
        """A result in the response of the service."""
        status = field(result, "status", str)
        if status == "rejected":
            code, error = field(result, "http_status", int), field(result, "error", dict)
            known = {**error, "message": field(error, "message", str), "code": field(error, "code", str)}
            return cls.of_error(sent, make_error(code, known, 1.0 if code == 503 else None))
        if status not in ("counted", "duplicate"):
            raise unexpected(f"says '{status:.40}' of a reward")
        return cls(sent.decision, sent.reward, status, field(result, "task", str), field(result, "closed", bool), result.get("reward"))

    @classmethod
    def of_error(cls, sent: Reward, error: ServiceError) -> TellResult:
        """A reward that was rejected."""
        return cls(sent.decision, sent.reward, "rejected", error=error)


def parse_results(sent: Sequence[Reward], response: dict[str, Any]) -> list[TellResult]:
    """The results of a request with several rewards, in their order."""
    results = field(response, "results", list)
    if len(results) != len(sent):
        raise unexpected(f"has {len(results)} results of {len(sent)} rewards")
    return [TellResult.parse(reward, result) for reward, result in zip(sent, results)]
