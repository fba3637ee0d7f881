"""The gradient of the matching kernel's smooth minima: every transform gets its share of what arrives at a box.

Shares are found for one image, one vector of centres and one transform at a time, and sent on as if that transform had won everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.studies.cluster.kernels.lanes import WIDTH
from deepalgo.studies.cluster.kernels.numba_match import Array, Sums, compiled, gradients_of, scales_of, send_to_image
from deepalgo.studies.cluster.kernels.pixel_rows import backward_row, share_row


def soft_gradients(
    images: Array,
    masks: Array,
    centres: Array,
    offsets: Array,
    p: int,
    smooth: Array,
    rests: Array,
    arriving: Array,
    wanted: bool,
    softness: float,
    sums: Sums,
) -> Array:
    """As `match_gradients`, given the minima and what rounding took from them."""
    run, scales = _soft_backward(images.dtype, images.shape[1], p, wanted), scales_of(images.dtype, softness, len(offsets))
    return gradients_of(run, (smooth, rests, scales), images, masks, centres, offsets, arriving, wanted, sums)


@functools.cache
def _soft_backward(dtype: np.dtype[Any], channels: int, p: int, wanted: bool) -> Callable[..., None]:
    """All images. Arguments are those of the kernel for the winners, with minima in their place."""
    share, row = share_row(dtype, channels, p), backward_row(dtype, channels, p, wanted)
    size, side = dtype.itemsize, WIDTH // dtype.itemsize

    @compiled
    def run(
        images: int,
        masks: int,
        centres: int,
        planes: int,
        across: int,
        smooth: Array,
        rests: Array,
        scales: Array,
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
        columns = smooth.shape[-1]
        sums, shares = np.zeros((width, 2, side), smooth.dtype), np.zeros((height - 2, width - 2, side), smooth.dtype)
        all_mine = np.zeros((width - 2) * side, np.int8)
        won, sent = np.zeros(3, np.int64), np.zeros(3, np.int64)
        for block in range(active.shape[1]):
            for b in range(len(active)):
                if not active[b, block]:
                    continue
                image, at = images + b * channels * height * width * size, block * channels * height * width * WIDTH
                first = b * (height - 2) * (width - 2) * columns + block * side
                for t in range(len(offsets)):
                    place = block * channels * frame + offsets[t] * WIDTH
                    for i in range(height):
                        box = first + (i - 2) * (width - 2) * columns
                        share(
                            image + i * width * size,
                            masks + at + i * width * WIDTH,
                            centres + place + i * across * WIDTH,
                            planes,
                            sums.ctypes.data,
                            smooth.ctypes.data + box * size,
                            rests.ctypes.data + box * size,
                            gradients + box * size,
                            columns,
                            shares.ctypes.data + (i - 2) * (width - 2) * WIDTH,
                            width,
                            i,
                            scales.ctypes.data,
                        )
                    for i in range(height):
                        for line in range(3):
                            above = i - 2 + line
                            won[line] = all_mine.ctypes.data  # written here, as Numba frees what it sees no use of
                            sent[line] = shares.ctypes.data + above * (width - 2) * WIDTH if 0 <= above < height - 2 else nothing
                        row(
                            image + i * width * size,
                            masks + at + i * width * WIDTH,
                            centres + place + i * across * WIDTH,
                            planes,
                            won.ctypes.data,
                            sent.ctypes.data,
                            side,
                            0,
                            lanes.ctypes.data + i * width * WIDTH,
                            to_masks + at + i * width * WIDTH,
                            to_centres + place + i * across * WIDTH,
                            width,
                        )
                if wanted:
                    send_to_image(lanes, block, b, to_images)

    return run
