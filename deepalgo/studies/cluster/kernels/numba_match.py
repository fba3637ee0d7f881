"""The fused matching kernel for processors: least box distance over transforms, its winner, and the gradient through the winner.

In place of the least distance it finds a smooth minimum, whose gradient runs through all transforms, if a softness is given.
Nothing of the size images x centres x transforms is stored. The backward pass leaves out centres (a vector of them at a time) whose
gradient is negligible for an image, and transforms that won nowhere in the rows at hand. Threads share the images.

Layouts: images (images, channels, height, width); masks (blocks, channels, height, width, lanes); centres (blocks, channels, angles,
height + 2 margin, width + 2 margin, lanes), framed by zeros; results (images, height - 2, width - 2, blocks x lanes).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
import numpy.typing as npt

from deepalgo.studies.cluster.kernels.lanes import WIDTH
from deepalgo.studies.cluster.kernels.pixel_rows import TOGETHER, backward_row, forward_row
from deepalgo.studies.cluster.kernels.team import share

Array = npt.NDArray[Any]
#: What gradients of masks and of centres (with the sign turned) are added to.
Sums = tuple[Array, Array]
#: Bytes that a processor loads at once into its cache.
LINE = 64
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The function as machine code that lets other threads run."""
    return cast(Function, nb.njit(nogil=True, boundscheck=False, error_model="numpy")(function))


def match_images(images: Array, masks: Array, centres: Array, offsets: Array, p: int, threads: int) -> tuple[Array, Array]:
    """Least distances and winners of all pairs of image and centre."""
    return match_softly(images, masks, centres, offsets, p, threads, 0.0)[:2]


def match_softly(
    images: Array, masks: Array, centres: Array, offsets: Array, p: int, threads: int, softness: float
) -> tuple[Array, Array, Array]:
    """Smooth minima, winners, and what rounding took from the minima."""
    count, channels, height, width = images.shape
    blocks, side = masks.shape[0], masks.shape[-1]
    least = aligned((count, height - 2, width - 2, blocks * side), images.dtype)
    winners = aligned(least.shape, np.dtype(np.int8))
    rests = np.zeros(least.shape if softness > 0 else (1,), least.dtype)  # a hard minimum takes nothing away
    run, planes = _forward(images.dtype, channels, p, softness > 0), _planes(images, masks, centres)
    scales = scales_of(images.dtype, softness, len(offsets))

    def part(start: int, stop: int) -> None:
        ring = aligned((len(offsets), 2, side), images.dtype)
        sums = aligned((width, len(offsets), 2, side), images.dtype)
        boxes = aligned((len(offsets), TOGETHER, side), images.dtype)
        run(
            *map(_address, (images[start:stop], masks, centres, planes)),
            int(planes[2]),
            centres.shape[-2],
            *map(_address, (offsets, ring, sums)),
            _address(least[start:stop]),
            _address(winners[start:stop]),
            _address(rests[start:stop] if softness > 0 else rests),
            stop - start,
            height,
            width,
            len(offsets),
            blocks * side,
            _address(boxes),
            _address(scales),
            0,
            blocks,
        )

    share(count, threads, part)
    return least, winners, rests


def flow_of(winners: Array, translations: Array) -> Array:
    """The translation (rows down, columns right) of each winner, as the second axis."""
    flow = np.empty((winners.shape[0], 2, *winners.shape[1:]), translations.dtype)
    _translations_of(winners.reshape(len(winners), -1), translations, flow.reshape(len(winners), 2, -1))
    return flow


def match_gradients(
    images: Array, masks: Array, centres: Array, offsets: Array, p: int, winners: Array, arriving: Array, wanted: bool, sums: Sums
) -> Array:
    """Gradients of images (zeros unless they are wanted); those of masks and centres are added to the sums.

    A centre is negligible for an image if its largest gradient is lost in rounding beside the largest of all.
    """
    run = _backward(images.dtype, images.shape[1], p, wanted)
    return gradients_of(run, (winners,), images, masks, centres, offsets, arriving, wanted, sums)


def gradients_of(
    run: Callable[..., None],
    found: tuple[Array, ...],
    images: Array,
    masks: Array,
    centres: Array,
    offsets: Array,
    arriving: Array,
    wanted: bool,
    sums: Sums,
) -> Array:
    """What `run` finds, given what the forward pass found."""
    gradients = aligned((*arriving.shape[:-1], len(masks) * masks.shape[-1]), images.dtype)
    largest = _take_over(arriving, gradients, masks.shape[-1])
    active = ~(largest <= np.finfo(images.dtype).eps * np.fmax.reduce(largest, None, initial=0))
    planes = _planes(images, masks, centres)
    nothing = np.zeros((images.shape[-1], gradients.shape[-1]), images.dtype)
    lanes = np.concatenate((np.zeros_like(masks[:1]), masks)) if wanted else np.zeros_like(masks[:1])
    to_images = np.zeros_like(images)
    run(
        *map(_address, (images, masks, centres, planes)),
        centres.shape[-2],
        *found,
        _address(gradients),
        _address(nothing),
        offsets,
        active,
        lanes,
        to_images,
        *map(_address, sums),
        int(planes[2]),
        *images.shape[2:],
    )
    return to_images


def _planes(images: Array, masks: Array, centres: Array) -> Array:
    """The bytes of one channel of each."""
    return np.array([images[0, 0].nbytes if len(images) else 0, masks[0, 0].nbytes, centres[0, 0].nbytes])


def scales_of(dtype: np.dtype[Any], softness: float, transforms: int) -> Array:
    """Powers of two for a unit of distance, distance for a power of two, and one over the number of transforms."""
    pace = min(1 / (softness * math.log(2)), float(np.finfo(dtype).max)) if softness > 0 else 0.0
    return np.array([pace, softness * math.log(2), 1 / transforms], dtype)


def _address(array: Array) -> int:
    return array.ctypes.data


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array without values that begins with a line of the cache, so that no vector in it crosses two lines."""
    room = np.empty(math.prod(shape) * dtype.itemsize + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : room.nbytes - LINE + start].view(dtype).reshape(shape)


@functools.cache
def _forward(dtype: np.dtype[Any], channels: int, p: int, soft: bool) -> Callable[..., None]:
    """Rows of all images, for some blocks of centres. Arguments are addresses and numbers: so little to compile."""
    row = forward_row(dtype, channels, p, soft)
    size, side = dtype.itemsize, WIDTH // dtype.itemsize

    @compiled
    def run(
        images: int,
        masks: int,
        centres: int,
        planes: int,
        frame: int,
        across: int,
        offsets: int,
        ring: int,
        sums: int,
        least: int,
        winners: int,
        rests: int,
        count: int,
        height: int,
        width: int,
        transforms: int,
        columns: int,
        boxes: int,
        scales: int,
        start: int,
        stop: int,
    ) -> None:
        for b in range(count):
            for block in range(start, stop):
                for i in range(height):
                    box = (b * (height - 2) + i - 2) * (width - 2) * columns + block * side
                    row(
                        images + (b * channels * height + i) * width * size,
                        masks + (block * channels * height + i) * width * WIDTH,
                        centres + block * channels * frame + i * across * WIDTH,
                        planes,
                        offsets,
                        ring,
                        sums,
                        least + box * size,
                        winners + box,
                        rests + box * size,
                        columns,
                        width,
                        transforms,
                        i,
                        boxes,
                        scales,
                    )

    return run


@compiled
def _translations_of(winners: Array, translations: Array, flow: Array) -> None:
    for b in range(winners.shape[0]):
        for part in range(2):
            for place in range(winners.shape[1]):
                flow[b, part, place] = translations[winners[b, place], part]


@compiled
def _take_over(arriving: Array, sent: Array, side: int) -> Array:
    """Copy what arrives, with room for empty centres at the end, and find the largest of each image and block of centres."""
    count, height, width, centres = arriving.shape
    found = np.zeros((count, sent.shape[-1] // side), sent.dtype)
    most = np.zeros(centres, sent.dtype)
    for b in range(count):
        most[:] = 0
        for i in range(height):
            for j in range(width):
                for k in range(centres):
                    x, m = abs(arriving[b, i, j, k]), most[k]
                    most[k] = x if x > m or x != x else m  # what is no number stays
                    sent[b, i, j, k] = arriving[b, i, j, k]
                sent[b, i, j, centres:] = 0
        for k in range(centres):
            found[b, k // side] = most[k] if most[k] > found[b, k // side] or most[k] != most[k] else found[b, k // side]
    return found


@functools.cache
def _backward(dtype: np.dtype[Any], channels: int, p: int, wanted: bool) -> Callable[..., None]:
    """Rows of all images, of those transforms that won there."""
    row = backward_row(dtype, channels, p, wanted)
    size, side = dtype.itemsize, WIDTH // dtype.itemsize

    @compiled
    def run(
        images: int,
        masks: int,
        centres: int,
        planes: int,
        across: int,
        winners: Array,
        gradients: int,
        nothing: int,
        offsets: Array,
        active: Array,
        lanes: Array,
        to_images: Array,
        to_masks: int,
        to_centres: int,
        frame: int,
        height: int,
        width: int,
    ) -> None:
        columns = winners.shape[-1]
        present = np.zeros((height + 2, len(offsets)), np.bool_)
        won, sent = np.zeros(3, np.int64), np.zeros(3, np.int64)
        for b in range(len(active)):
            for block in range(active.shape[1]):
                if not active[b, block]:
                    continue
                _note_winners(winners, b, block * side, side, present)
                for i in range(height):
                    for line in range(3):
                        above = i - 2 + line
                        inside = 0 <= above < height - 2
                        box = (b * (height - 2) + (above if inside else 0)) * (width - 2) * columns + block * side
                        won[line] = winners.ctypes.data + box
                        sent[line] = gradients + box * size if inside else nothing
                    at = (block * channels * height + i) * width * WIDTH
                    for t in range(len(offsets)):
                        if present[i, t] or present[i + 1, t] or present[i + 2, t]:
                            place = block * channels * frame + (offsets[t] + i * across) * WIDTH
                            row(
                                images + (b * channels * height + i) * width * size,
                                masks + at,
                                centres + place,
                                planes,
                                won.ctypes.data,
                                sent.ctypes.data,
                                columns,
                                t,
                                lanes.ctypes.data + i * width * WIDTH,
                                to_masks + at,
                                to_centres + place,
                                width,
                            )
                if wanted:
                    send_to_image(lanes, block, b, to_images)

    return run


@compiled
def _note_winners(winners: Array, b: int, first: int, side: int, present: Array) -> None:
    """Which transforms win anywhere in a row of boxes; rows are counted from two above the image."""
    present[:] = False
    for i in range(winners.shape[1]):
        for j in range(winners.shape[2]):
            for lane in range(side):
                present[i + 2, winners[b, i, j, first + lane]] = True


@compiled
def send_to_image(lanes: Array, block: int, b: int, to_images: Array) -> None:
    """Under the masks (lanes[1 + block]) the gradient that reached each lane (lanes[0]) reaches the image; then forget it."""
    _, channels, height, width, side = lanes.shape
    for channel in range(channels):
        for i in range(height):
            for j in range(width):
                for lane in range(side):
                    to_images[b, channel, i, j] += lanes[0, channel, i, j, lane] * lanes[1 + block, channel, i, j, lane]
                    lanes[0, channel, i, j, lane] = 0
