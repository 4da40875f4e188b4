"""Segue: learn across short decision problems, so that each new one needs only a few tries."""
from segue._segue import Error, UnknownName, __version__

__all__ = ["Error", "UnknownName", "__version__"]
