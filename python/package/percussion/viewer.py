"""Pages that play motions and impacts, in a notebook and as a file: ``view``."""

from __future__ import annotations

import html
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from . import _percussion
from ._base import Result

if TYPE_CHECKING:
    from .granular import GrainMotion
    from .impact import Impact
    from .model import Model
    from .simulation import Simulation

__all__ = ["Page", "view"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Page(Result):
    """A page that plays a motion; a notebook shows it, and ``save`` writes it to a file.

    It is one file of about 650 kB and its data, and loads nothing from elsewhere.
    """

    title: str
    #: The document (HTML).
    html: str
    #: Height in a notebook (pixels).
    height: int = 480

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file and return its path."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        # Within a frame, scripts and style of the page do not meet those of the notebook.
        return (
            f'<iframe title="{html.escape(self.title)}" srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page {self.title!r}: {len(self.html) / 1e6:.1f} MB>"


def view(
    thing: Model | Simulation | Impact | GrainMotion,
    *laws: str,
    duration: float | None = None,
    scheme: str | None = None,
    step_size: float | None = None,
    height: int = 480,
) -> Page:
    """Return the page that plays a motion or an impact.

    A ``Model`` is simulated as by ``simulate``, with its ``duration``, ``scheme`` and ``step_size``. A ``Simulation`` created with ``record=True`` plays
    its steps so far. An ``Impact`` of bodies, from a file or a model, plays its outcomes by the ``laws``, by default Poisson's. A
    ``GrainMotion`` has its page. ``height`` is that in a notebook (pixels).
    """
    from .granular import GrainMotion
    from .impact import Impact
    from .model import Model
    from .simulation import Simulation

    for name, value in (("duration", duration), ("scheme", scheme), ("step_size", step_size)):
        if value is not None and not isinstance(thing, Model):
            raise ValueError(f"`{name}` is {value}, expected nothing for a {type(thing).__name__}")
    if laws and not isinstance(thing, Impact):
        raise ValueError(f"`laws` are {', '.join(laws)}, expected none for a {type(thing).__name__}")
    if isinstance(thing, Model):
        return Page(thing.title, _percussion.motion_page(thing._core, scheme, duration, step_size), height)
    if isinstance(thing, Simulation):
        return Page(thing.model.title, thing._core.page(), height)
    if isinstance(thing, Impact):
        return Page(thing._core.title or "An impact", _percussion.impact_page(thing._core, list(laws or ("poisson",))), height)
    if isinstance(thing, GrainMotion):
        return Page(thing.title, thing.page.html, height)
    raise ValueError(f"`thing` is of type {type(thing).__name__}, expected a Model, Simulation, Impact or GrainMotion")
