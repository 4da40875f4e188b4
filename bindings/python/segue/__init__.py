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
