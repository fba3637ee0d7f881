"""Pictures: centres before and after, confusion matrices, and where one decision came from. Matplotlib is imported when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from deepalgo.studies.cluster.classifier import Explanation

Array = npt.NDArray[Any]


def confusion_matrix(wanted: Array, found: Array, classes: int) -> Array:
    """Rows are true classes, columns decisions, in percent of the row.

    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[ 50.,  50.],
           [  0., 100.]])
    """
    counts = np.zeros((classes, classes))
    np.add.at(counts, (wanted, found), 1)
    shares: Array = 100 * counts / np.maximum(counts.sum(1, keepdims=True), 1)
    return shares


def plot_confusion(matrix: Array, axes: Axes | None = None, *, title: str = "") -> Axes:
    """A confusion matrix in percent as a heat map."""
    axes = _axes(axes, 0.45 * len(matrix) + 1.5)
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=100)
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if value >= 0.05:
                axes.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=6, color="white" if value > 50 else "black")
    axes.set(xlabel="decision", ylabel="class", xticks=range(len(matrix)), yticks=range(len(matrix)), title=title)
    return axes


def plot_centres(centres: Array, columns: int = 10, axes: Axes | None = None, *, title: str = "") -> Axes:
    """Centres side by side, so many in a row."""
    images = np.asarray(centres)
    rows = -(-len(images) // columns)
    height, width = images.shape[1:3]
    sheet = np.full((rows * (height + 1), columns * (width + 1), *images.shape[3:]), np.nan)
    for number, image in enumerate(images):
        i, j = divmod(number, columns)
        sheet[i * (height + 1) : i * (height + 1) + height, j * (width + 1) : j * (width + 1) + width] = image
    axes = _axes(axes, 0.6 * columns, 0.6 * rows)
    axes.imshow(np.clip(np.nan_to_num(sheet, nan=1), 0, 1) if sheet.ndim == 3 else sheet, cmap="gray_r")
    axes.set(xticks=(), yticks=(), title=title)
    return axes


def plot_explanation(explanation: Explanation, figure: Figure | None = None) -> Figure:
    """The image, the nearest centre, the flow between them and the share of each place in the distance."""
    import matplotlib.pyplot as plt

    figure = figure if figure is not None else plt.figure(figsize=(10, 2.8))
    image, centre, arrows, places = figure.subplots(1, 4)
    image.imshow(explanation.image, cmap="gray_r")
    image.set_title("image")
    centre.imshow(explanation.centre, cmap="gray_r")
    centre.set_title(f"nearest centre ({explanation.classes[0]})")
    down, right = explanation.flow
    arrows.quiver(right, down, angles="xy", scale_units="xy", scale=1)
    arrows.set(title="flow", aspect="equal", ylim=(down.shape[0] - 0.5, -0.5))
    places.imshow(explanation.places, cmap="magma")
    places.set_title(f"distance {explanation.distances[0]:.3g}")
    for axes in (image, centre, arrows, places):
        axes.set(xticks=(), yticks=())
    return figure


def _axes(axes: Axes | None, width: float, height: float | None = None) -> Axes:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height if height is not None else width))[1]
