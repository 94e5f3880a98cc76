"""Contact problems from the state of other engines: take theirs, certify their impulses, replace them.

Each module needs its engine and is imported by itself: ``from percussion.adapters import mujoco``.
"""

from .engine import EngineProblem

__all__ = ["EngineProblem"]
