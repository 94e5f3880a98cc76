"""Figures by matplotlib, which the extra ``plot`` installs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .model import Trajectory
    from .outcome import OutcomeSet


def _axes(count: int, size: tuple[float, float], *, columns: bool) -> tuple[Any, list[Any]]:
    """A figure with ``count`` axes in a row or a column."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'percussion[plot]'") from error
    rows, across = (1, count) if columns else (count, 1)
    figure = Figure(figsize=(size[0] * across, size[1] * rows), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharex=not columns)
    return figure, list(axes.ravel())


def outcome_figure(outcomes: OutcomeSet, contacts: Sequence[int] | None) -> Any:
    """The hull of the set in the plane of each of these contacts."""
    planes = [plane for plane in outcomes.planes if contacts is None or plane.contact in contacts]
    if not planes:
        known = ", ".join(str(plane.contact) for plane in outcomes.planes)
        raise ValueError(f"`contacts` are {contacts}, expected some of {known or 'no contacts: the set has no planes'}")
    figure, all_axes = _axes(len(planes), (4.0, 3.6), columns=True)
    for axes, plane in zip(all_axes, planes, strict=True):
        sliding, separation = plane.hull.T
        axes.fill(sliding, separation, alpha=0.25)
        axes.plot(np.append(sliding, sliding[:1]), np.append(separation, separation[:1]), marker="o", markersize=2)
        axes.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
        axes.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
        axes.set_title(f"contact {plane.contact}, area {plane.area:.3g} m²/s²")
        axes.set_xlabel("sliding velocity (m/s)")
        axes.set_ylabel("separation velocity (m/s)")
    return figure


def trajectory_figure(trajectory: Trajectory, coordinates: Sequence[int] | None) -> Any:
    """Coordinates, energy, and the normal impulses of the contacts over time."""
    chosen = list(range(trajectory.coordinates.shape[1])) if coordinates is None else list(coordinates)
    figure, (upper, middle, lower) = _axes(3, (7.0, 2.0), columns=False)
    for index in chosen:
        upper.plot(trajectory.times, trajectory.coordinates[:, index], label=f"q{index}")
    upper.set_ylabel("coordinates (m, rad)")
    if len(chosen) <= 8:
        upper.legend(loc="best", fontsize="small")
    middle.plot(trajectory.times, trajectory.energies)
    middle.set_ylabel("energy (J)")
    # Step k ends at time k + 1.
    ends = trajectory.times[np.asarray(trajectory.impulse_steps, dtype=np.intp) + 1]
    numbers = np.asarray(trajectory.impulse_contacts, dtype=np.intp)
    for number in np.unique(numbers):
        of_one = numbers == number
        name = trajectory.contact_names[number]
        lower.plot(ends[of_one], trajectory.impulses[of_one, 0], ".", markersize=2, label=name)
    lower.set_ylabel("normal impulses (N·s)")
    lower.set_xlabel("time (s)")
    if 0 < len(np.unique(numbers)) <= 8:
        lower.legend(loc="best", fontsize="small")
    return figure
