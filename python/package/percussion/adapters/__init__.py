"""Contact problems from the state of other engines: certify the impulses of the engine, or replace them.

Each module needs its engine and is imported separately: ``from percussion.adapters import mujoco``.
"""

from .engine import EngineProblem

__all__ = ["EngineProblem"]
