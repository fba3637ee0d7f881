"""`match`: the comparison at the heart of the heuristic, in plain NumPy, and its rule for the compiler.

>>> image = np.zeros((5, 5))
>>> image[2, 2] = 1.0
>>> centre = np.roll(image, 1, axis=1)
>>> distance, flow = match(image, np.ones((1, 5, 5)), centre[None], transforms(1))
>>> distance.sum(), flow[:, 0, 1, 1]
(np.float64(0.0), array([ 0., -1.]))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deepalgo.stage.rules.registry import handles
from deepalgo.stage.state.array_conversion import is_plain, known_plain, plain, to_signal, wrap
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal
from deepalgo.studies.cluster.kernels.numpy_match import match_boxes

Array = npt.NDArray[Any]


class Transform(NamedTuple):
    """A rotation about the middle of the image (in degrees), then a translation by whole pixels."""

    angle: float
    down: int
    right: int


def transforms(reach: int, angles: Sequence[float] = (0.0,)) -> tuple[Transform, ...]:
    """All translations by at most `reach` pixels, under each angle, the smallest first: of equally good ones the first wins.

    >>> [tuple(item) for item in transforms(0, angles=(-5.0, 0.0, 5.0))]
    [(0.0, 0, 0), (-5.0, 0, 0), (5.0, 0, 0)]
    >>> len(transforms(1)), len(transforms(2))
    (9, 25)
    """
    steps = range(-reach, reach + 1)
    found = [Transform(float(angle), i, j) for angle in angles for i in steps for j in steps]
    return tuple(sorted(found, key=lambda item: (abs(item.angle), item.down**2 + item.right**2, item)))


def match(
    image: Array, masks: Array, centres: Array, transforms: Sequence[Transform], p: float = 1, softness: float = 0.0
) -> tuple[Array, Array]:
    """Least distance of every 3 x 3 box to each centre over transforms of the centre, and the translation that gives it.

    Image: (height, width) or (height, width, channels); masks and centres: one of these for each centre. Returns (centres, height - 2,
    width - 2) distances and their flow, (2, centres, height - 2, width - 2): rows down and columns to the right. With a `softness` above
    zero the distance is a smooth minimum, -softness log(mean of exp(-q / softness)) of the distances q under all transforms.
    """
    return match_boxes(np.asarray(image), np.asarray(masks), np.asarray(centres), transforms, p, softness)


def match_distances(images: Array, centres: Array, transforms: Sequence[Transform]) -> Array:
    """Sums of squares of what `match` finds, for all pairs of image and centre, by the kernel in single precision."""
    import torch

    from deepalgo.studies.cluster.kernels.torch_match import match_fused  # the heuristic itself needs no torch

    singles = [torch.from_numpy(np.ascontiguousarray(item, np.float32)) for item in (images, np.ones_like(centres), centres)]
    moves = tuple((item.angle, item.down, item.right) for item in transforms)
    parts = [match_fused(part[None], singles[1], singles[2], moves, 1)[0] for part in singles[0]]
    return np.concatenate([part.square().sum((1, 2)).double().numpy() for part in parts])


@handles(match, options="p softness")
def _match_rule(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """In a program it is one row of the table of operations; the flow is piecewise constant, so no gradient runs through it."""
    p, softness = kwargs.get("p", args[4] if len(args) > 4 else 1), kwargs.get("softness", args[5] if len(args) > 5 else 0.0)
    known = known_plain(machine, softness)
    if isinstance(softness, Signal):
        machine.demand(softness, "the softness of a minimum is set, not trained")
    if not is_plain(machine, args[3]) or not is_plain(machine, p) or known is None:
        machine.refuse("the transforms depend on data", "Fix the transforms, the norm and the softness before.", node)
    moves = tuple(tuple(item) for item in args[3])
    operands = [to_signal(machine, item) for item in args[:3]]
    order = plain(machine, p)
    if known > 0:
        distance = machine.emit("soft_match", *operands, to_signal(machine, float(known)), transforms=moves, p=order, key="", flavour="np")
    else:
        distance = machine.emit("match", *operands, transforms=moves, p=order, flavour="np")
    flow = machine.emit("match_flow", distance, *operands, transforms=moves, p=order, flavour="np")
    return wrap(machine, distance), wrap(machine, flow)
