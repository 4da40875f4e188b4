"""Segue: learn across short decision problems, so that each new one needs only a few tries.

>>> import segue
>>> learner = segue.Learner(["video", "quiz", "game"], steps=30)
>>> with learner.task() as task:
...     arm = task.ask()
...     task.tell(arm, 1.0)
>>> learner.closed
1
"""
from segue.async_client import AsyncClient
from segue.client import Client
from segue.service_errors import ServiceError

try:
    from segue._segue import (Error, Explanation, Feature, Learner, Task, Type, UnknownName, __version__, from_bytes,
                              load)
    from segue.analysis import complexity, estimate, replay, simulate
    from segue.policy import Policy, View
    from segue.results import Complexity, Estimate, PolicyResult, Replay, Simulation
except ImportError as missing:  # the client is pure Python, and works alone
    from segue._without_extension import Error, UnknownName, __getattr__, explain  # type: ignore[assignment]
    explain(missing)

__all__ = ["AsyncClient", "Client", "Complexity", "Error", "Estimate", "Explanation", "Feature", "Learner", "Policy",
           "PolicyResult", "Replay", "ServiceError", "Simulation", "Task", "Type", "UnknownName", "View", "__version__",
           "complexity", "estimate", "from_bytes", "load", "replay", "simulate"]
