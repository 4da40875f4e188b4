"""Segue: learn across short decision problems, so that each new one needs only a few tries.

>>> import segue
>>> learner = segue.Learner(["video", "quiz", "game"], steps=30)
>>> with learner.task() as task:
...     arm = task.ask()
...     task.tell(arm, 1.0)
>>> learner.closed
1
"""
from segue._segue import (Error, Explanation, Feature, Learner, Task, Type, UnknownName, __version__, from_bytes,
                          load)

__all__ = ["Error", "Explanation", "Feature", "Learner", "Task", "Type", "UnknownName", "__version__", "from_bytes",
           "load"]

from segue.analysis import complexity, estimate, replay, simulate
from segue.policy import Policy, View
from segue.results import Complexity, Estimate, PolicyResult, Replay, Simulation

__all__ += ["Complexity", "Estimate", "Policy", "PolicyResult", "Replay", "Simulation", "View", "complexity",
            "estimate", "replay", "simulate"]
