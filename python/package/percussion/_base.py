"""The base of all results: equality, a short ``repr`` and a table for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]


class Result:
    """Plain data that a computation returns.

    Results are frozen, compare equal when all their fields have the same bits (NaN equals NaN), and can be pickled.
    """

    __slots__ = ()
    __hash__: ClassVar[None]  # type: ignore[assignment]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def _items(self) -> Iterable[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.__dataclass_fields__)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(value, getattr(other, name)) for name, value in self._items())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={short(value)}" for name, value in self._items())
        return f"{type(self).__name__}({fields})"

    def _repr_html_(self) -> str:
        return table_html(("", type(self).__name__), ((name, short(value)) for name, value in self._items()))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and np.array_equal(one, other, equal_nan=True)
        )
    if isinstance(one, float) and isinstance(other, float) and one != one:
        return other != other
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def short(value: Any) -> str:
    """Format a value of a result in one line."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=6, threshold=12, edgeitems=2, separator=", ")
        text = " ".join(text.split())
        return f"array({text})" if value.size <= 12 else f"array({text}, shape={value.shape})"
    if isinstance(value, (tuple, list)) and len(value) > 3:
        return f"<{len(value)} entries>"
    if isinstance(value, dict) and any(isinstance(entry, Result) for entry in value.values()):
        return f"<{', '.join(map(str, value))}>"
    return repr(value)


def table_html(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table for notebooks."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
