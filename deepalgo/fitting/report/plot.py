"""The report as a picture: errors before and after, the course of training, what each weight was worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from deepalgo.fitting.judge.contenders import HEURISTIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from deepalgo.fitting.report.page import Fit

GREY, COLOURS = "0.55", ("#1b6ca8", "#d1495b", "#3a7d44")
#: So many weights are drawn.
DRAWN = 12


def plot(fit: Fit) -> Figure:
    """Three panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2), layout="constrained")
    errors, course, weights = figure.subplots(1, 3)
    _draw_errors(errors, fit)
    _draw_course(course, fit)
    _draw_weights(weights, fit)
    return figure


def _draw_errors(axes: Axes, fit: Fit) -> None:
    """Which part of the held-out samples has an error of at most so much."""
    scale = 100 if fit.unit.is_relative else 1
    for contender, colour in zip(fit.contenders, (GREY, *COLOURS), strict=False):
        values = np.sort(_errors(contender.test, fit.unit.is_squares)) * scale
        axes.step(values, np.arange(1, len(values) + 1) / max(len(values), 1), color=colour, label=contender.name, where="post")
    smallest = [values[values > 0].min() for contender in fit.contenders if (values := _errors(contender.test, fit.unit.is_squares)).any()]
    if smallest and fit.unit.is_squares:
        axes.set_xscale("log")
    error = "relative error in %" if fit.unit.is_relative else "error" if fit.unit.is_squares else "loss"
    axes.set(title=f"{fit.name}: {fit.reported_on} samples", xlabel=error, ylabel="part of the samples", ylim=(0, 1.02))
    axes.legend(loc="upper left", frameon=False)


def _draw_course(axes: Axes, fit: Fit) -> None:
    """The validation loss of the best weights so far, as a part of the heuristic's."""
    known = fit.contenders[0].validation.isfinite()
    floor = fit.contenders[0].validation[known].mean().item()
    trained = [contender for contender in fit.contenders if contender.training]
    for contender, colour in zip(trained, COLOURS, strict=False):
        history = contender.training["progress"].history
        steps, values = [row[0] for row in history], [row[2] / floor if floor else 0.0 for row in history]
        axes.plot([0, *steps], [1, *values], color=colour, label=contender.name)
        end = contender.validation[known].mean().item() / floor if floor else 0.0
        axes.plot(steps[-1:] or [0], [end], "o", color=colour)
        axes.annotate("polished ", (steps[-1] if steps else 0, end), ha="right", va="center", color=colour)
    axes.axhline(1, color=GREY, linewidth=1)
    axes.annotate(
        "heuristic", (0.5, 1), xycoords=("axes fraction", "data"), xytext=(0, -3), textcoords="offset points", va="top", color=GREY
    )
    axes.set(title=f"{fit.selected_by} loss, relative to the heuristic's", xlabel="step", yscale="log")
    if trained:
        axes.legend(loc="lower left", frameon=False)


def _draw_weights(axes: Axes, fit: Fit) -> None:
    """How much the error grows when a weight is put back."""
    items = [item for item in fit.moved[:DRAWN] if np.isfinite(item.loss)][::-1]
    known = fit.contenders[0].validation.isfinite()
    base = fit.unit.of_loss(fit.held.validation[known].mean().item())
    grown = [fit.unit.of_loss(item.loss) / base if base else 0.0 for item in items]
    axes.barh(range(len(items)), grown, color=COLOURS[0], height=0.6)
    axes.set_yticks(range(len(items)), [f"{item.weight.key}  {item.place}" for item in items], fontsize=8)
    axes.axvline(1, color=GREY, linewidth=1)
    if grown and max(grown) > 20:
        axes.set_xscale("log")
    what = "rms error" if fit.unit.is_squares else "mean loss"
    axes.set(title="if a weight is put back", xlabel=f"times the {what} of {fit.held.name if fit.improved else HEURISTIC}")


def _errors(losses: Tensor, is_squares: bool) -> np.ndarray:
    found = losses[losses.isfinite()].clamp(min=0) if is_squares else losses[losses.isfinite()]
    return np.asarray((found.sqrt() if is_squares else found).cpu())
