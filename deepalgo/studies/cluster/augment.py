"""Training images, changed a little in every epoch: moved, turned, stretched, mirrored, partly covered.

>>> image = torch.zeros(1, 5, 5)
>>> image[0, 2, 2] = 1
>>> changed = augment(image, Changes(shift=1), torch.Generator().manual_seed(0))
>>> changed.shape, changed.sum().item()
(torch.Size([1, 5, 5]), 1.0)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class Changes:
    """How far training images may be changed; nothing is by default."""

    #: Moved by up to so many whole pixels.
    shift: int = 0
    #: Turned by up to so many degrees.
    turn: float = 0.0
    #: Stretched and sheared by up to such a share.
    stretch: float = 0.0
    #: Half of them are mirrored, left to right.
    mirror: bool = False
    #: Half of them have a rectangle of up to so many pixels a side put to zero.
    cover: int = 0


def augment(images: Tensor, changes: Changes, generator: torch.Generator) -> Tensor:
    """Images (count, height, width) or with channels, each changed by chance."""
    if changes.turn or changes.stretch:
        images = warp(images, changes.turn, changes.stretch, generator)
    if changes.shift:
        images = shift(images, changes.shift, generator)
    if changes.mirror:
        images = torch.where(_half(images, generator), images.flip(2), images)
    if changes.cover:
        images = cover(images, changes.cover, generator)
    return images


def shift(images: Tensor, reach: int, generator: torch.Generator) -> Tensor:
    """Each image moved by up to so many whole pixels, with zeros where nothing comes from."""
    count, height, width = images.shape[:3]
    framed = torch.zeros(count, height + 2 * reach, width + 2 * reach, *images.shape[3:], dtype=images.dtype)
    framed[:, reach : reach + height, reach : reach + width] = images
    down, right = torch.randint(0, 2 * reach + 1, (2, count), generator=generator)
    rows, columns = down[:, None] + torch.arange(height), right[:, None] + torch.arange(width)
    return framed[torch.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]


def warp(images: Tensor, turn: float, stretch: float, generator: torch.Generator) -> Tensor:
    """Each image turned about its middle, stretched and sheared, with zeros where nothing comes from."""
    count, height, width = images.shape[:3]
    chances = 2 * torch.rand(4, count, generator=generator) - 1
    angle = math.radians(turn) * chances[0]
    across, down, slant = stretch * chances[1:]
    matrix = torch.zeros(count, 2, 3)
    matrix[:, 0, 0], matrix[:, 0, 1] = (1 + across) * angle.cos(), slant - angle.sin()
    matrix[:, 1, 0], matrix[:, 1, 1] = angle.sin(), (1 + down) * angle.cos()
    planes = images.reshape(count, height, width, -1).movedim(-1, 1)
    places = F.affine_grid(matrix.to(images.dtype), [count, planes.shape[1], height, width], align_corners=False)
    return F.grid_sample(planes, places, align_corners=False).movedim(1, -1).reshape(images.shape)


def cover(images: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """Half of the images with a rectangle of zeros somewhere."""
    hidden = _half(images, generator)
    for axis in (1, 2):
        size = images.shape[axis]
        start = torch.randint(0, size, (len(images), 1), generator=generator)
        length = torch.randint(1, side + 1, (len(images), 1), generator=generator)
        within = (torch.arange(size) >= start) & (torch.arange(size) < start + length)
        hidden = hidden & within.reshape(len(images), *(size if other == axis else 1 for other in range(1, images.dim())))
    return images.masked_fill(hidden, 0)


def _half(images: Tensor, generator: torch.Generator) -> Tensor:
    """True for half of the images, by chance."""
    return torch.rand(len(images), *(1 for _ in images.shape[1:]), generator=generator) < 0.5
