"""Errors other than invalid input, which is a ``ValueError``."""

from __future__ import annotations

from typing import Any

__all__ = ["StepError", "UnsolvedError"]


class UnsolvedError(RuntimeError):
    """A problem was not solved, or a law did not reach a result.

    Raised by ``check()`` of a result; ``result`` is that result, with the best iterate.
    """

    result: Any

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message, result)
        self.result = result

    def __str__(self) -> str:
        return str(self.args[0])


class StepError(RuntimeError):
    """A step of a motion failed; the state is unchanged."""
