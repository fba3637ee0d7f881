"""The inner loops of the matching kernel, each along one row of pixels of an image and of several centres side by side.

With centres side by side no row has a ragged end and sums over neighbouring pixels need no shuffles. Numba's own vectoriser gives up
on these loops (it would have to prove that eight arrays do not overlap), so they are written with `Lanes`.

Addresses are bytes. A row of an image is `pixels` numbers, a row of centres or masks is `pixels x lanes` numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it carries no types
from numba.core import cgutils

from deepalgo.studies.cluster.kernels.lanes import INT, WIDTH, WORD, Code, Lanes, intrinsic_of, word

#: Pixels of a row that the forward loop does together.
TOGETHER = 2


def forward_row(dtype: np.dtype[Any], channels: int, p: int, soft: bool) -> Code:
    """Match one row of pixels with all transforms of some centres, and keep sums for the two rows below.

    `row(image, masks, centres, planes, offsets, ring, sums, least, winners, rests, step, width, transforms, i, boxes, scales)`.
    `planes` are the bytes of one
    channel of image, masks and centres, `offsets[t]` pixels from a place to where transform t finds it in the centre, `ring` and `sums`
    scratch space. From row 2 on the least distances and the winners are written at the upper left pixel of each box, `step` centres apart.
    If it is `soft`, smooth minima take the place of the least distances, with what rounding took from them as `rests`. It needs scratch
    space `boxes`, and in `scales` the powers of two for a unit of distance, the distance for a power of two, and one over the transforms.
    """

    def emit(
        b: Code,
        image: Code,
        masks: Code,
        centres: Code,
        planes: Code,
        offsets: Code,
        ring: Code,
        sums: Code,
        least: Code,
        winners: Code,
        rests: Code,
        step: Code,
        width: Code,
        transforms: Code,
        i: Code,
        boxes: Code,
        scales: Code,
    ) -> None:
        lanes = Lanes(b, dtype)
        whole = b.sub(width, b.urem(width, word(TOGETHER)))
        soften = (boxes, scales, rests) if soft else None
        rest = (image, masks, centres, planes, offsets, ring, sums, least, winners, step, transforms, i, soften)
        with cgutils.for_range_slice(b, word(0), whole, word(TOGETHER), intp=WORD) as (j, _):
            _forward_pixels(lanes, channels, p, j, TOGETHER, *rest)
        with cgutils.for_range_slice(b, whole, width, word(1), intp=WORD) as (j, _):
            _forward_pixels(lanes, channels, p, j, 1, *rest)

    return intrinsic_of(emit, 16)


def _forward_pixels(
    lanes: Lanes,
    channels: int,
    p: int,
    j: Code,
    together: int,
    image: Code,
    masks: Code,
    centres: Code,
    planes: Code,
    offsets: Code,
    ring: Code,
    sums: Code,
    least: Code,
    winners: Code,
    step: Code,
    transforms: Code,
    i: Code,
    soften: tuple[Code, Code, Code] | None,
) -> None:
    b = lanes.b
    steps = [_word_at(lanes, planes, place) for place in range(3)]
    pixels = [_masked(lanes, image, masks, steps, lanes.add(j, u), channels)[1] for u in range(together)]
    old = lanes.times(b.urem(i, word(2)), WIDTH)
    young = b.sub(word(WIDTH), old)
    start = [lanes.constant(np.inf)] * together + [ir.Constant(lanes.ints, [0] * lanes.count)] * together
    with lanes.loop(word(0), transforms, 1, start) as (t, carried, successors):
        found = lanes.add(centres, lanes.times(lanes.add(_word_at(lanes, offsets, t), j), WIDTH))
        kept = lanes.add(ring, lanes.times(t, 2 * WIDTH))
        distances = [lanes.load(kept), lanes.load(lanes.add(kept, WIDTH))]
        distances += [lanes.distance(_differences(lanes, pixels[u], lanes.add(found, u * WIDTH), steps[2]), p) for u in range(together)]
        lanes.store(distances[-2], kept)
        lanes.store(distances[-1], lanes.add(kept, WIDTH))
        boxes = []
        for u in range(together):
            line = lanes.sum(distances[u : u + 3])
            above = lanes.add(sums, lanes.times(lanes.add(lanes.times(lanes.add(j, u), transforms), t), 2 * WIDTH))
            boxes.append(lanes.sum([lanes.load(lanes.add(above, old)), lanes.load(lanes.add(above, young)), line]))
            lanes.store(line, lanes.add(above, old))
            if soften:
                lanes.store(boxes[u], lanes.add(soften[0], lanes.times(t, together * WIDTH), u * WIDTH))
        number = lanes.repeat(b.trunc(t, INT), lanes.ints)
        less = [b.fcmp_ordered("<", box, best) for box, best in zip(boxes, carried[:together], strict=True)]
        successors += [b.select(*three) for three in zip(less, boxes, carried[:together], strict=True)]
        successors += [b.select(smaller, number, winner) for smaller, winner in zip(less, carried[together:], strict=True)]
    with b.if_then(b.and_(b.icmp_signed(">=", i, word(2)), b.icmp_signed(">=", j, word(2)))):
        beyond = _beyond_least(lanes, successors[:together], transforms, *soften[:2]) if soften else []
        for u in range(together):
            box = lanes.times(lanes.add(j, u - 2), step)
            found = b.fadd(successors[u], beyond[u]) if soften else successors[u]
            lanes.store(found, lanes.add(least, lanes.times(box, lanes.size)))
            if soften:
                rest = b.fadd(b.fsub(successors[u], found), beyond[u])
                lanes.store(rest, lanes.add(soften[2], lanes.times(box, lanes.size)))
            lanes.store(b.trunc(successors[together + u], lanes.bytes), lanes.add(winners, box))


def _beyond_least(lanes: Lanes, least: Sequence[Code], transforms: Code, boxes: Code, scales: Code) -> list[Code]:
    """How far the smooth minimum lies above the least box: -softness log(mean of exp((least - box) / softness))."""
    b, together = lanes.b, len(least)
    pace, unit, part = _scales(lanes, scales)
    with lanes.loop(word(0), transforms, 1, [lanes.constant(0.0)] * together) as (t, totals, successors):
        for u, total in enumerate(totals):
            box = lanes.load(lanes.add(boxes, lanes.times(t, together * WIDTH), u * WIDTH))
            successors.append(b.fadd(total, lanes.power_of_two(b.fmul(b.fsub(least[u], box), pace))))
    return [b.fneg(b.fmul(unit, lanes.log_of_two(b.fmul(total, part)))) for total in successors]


def _scales(lanes: Lanes, scales: Code) -> list[Code]:
    return [lanes.spread(lanes.add(scales, place * lanes.size)) for place in range(3)]


def share_row(dtype: np.dtype[Any], channels: int, p: int) -> Code:
    """What of the gradient of smooth minima belongs to one transform: its share exp((r - box) / softness) / transforms of each.

    `row(image, masks, centres, planes, sums, smooth, rests, gradients, step, shares, width, i, scales)`, as in `forward_row`;
    `gradients` are what arrives at the minima, `shares` are written side by side.
    """

    def emit(
        b: Code,
        image: Code,
        masks: Code,
        centres: Code,
        planes: Code,
        sums: Code,
        smooth: Code,
        rests: Code,
        gradients: Code,
        step: Code,
        shares: Code,
        width: Code,
        i: Code,
        scales: Code,
    ) -> None:
        lanes = Lanes(b, dtype)
        steps = [_word_at(lanes, planes, place) for place in range(3)]
        pace, _, part = _scales(lanes, scales)
        old = lanes.times(b.urem(i, word(2)), WIDTH)
        young = b.sub(word(WIDTH), old)
        with lanes.loop(word(0), width, 1, [lanes.constant(0.0)] * 2) as (j, (left, middle), successors):
            masked = _masked(lanes, image, masks, steps, j, channels)[1]
            right = lanes.distance(_differences(lanes, masked, lanes.add(centres, lanes.times(j, WIDTH)), steps[2]), p)
            line = lanes.sum([left, middle, right])
            above = lanes.add(sums, lanes.times(j, 2 * WIDTH))
            box = lanes.sum([lanes.load(lanes.add(above, old)), lanes.load(lanes.add(above, young)), line])
            lanes.store(line, lanes.add(above, old))
            with b.if_then(b.and_(b.icmp_signed(">=", i, word(2)), b.icmp_signed(">=", j, word(2)))):
                column = b.sub(j, word(2))
                place = lanes.times(lanes.times(column, step), lanes.size)
                beyond = b.fadd(b.fsub(lanes.load(lanes.add(smooth, place)), box), lanes.load(lanes.add(rests, place)))
                share = b.fmul(lanes.power_of_two(b.fmul(beyond, pace)), part)
                share = b.fmul(share, lanes.load(lanes.add(gradients, place)))
                lanes.store(share, lanes.add(shares, lanes.times(column, WIDTH)))
            successors += [middle, right]

    return intrinsic_of(emit, 13)


def _masked(lanes: Lanes, image: Code, masks: Code, steps: Sequence[Code], j: Code, channels: int) -> tuple[list[Code], list[Code]]:
    """A pixel's channels, in every lane, and under the masks."""
    plain = [lanes.spread(lanes.add(image, lanes.times(j, lanes.size), lanes.times(steps[0], channel))) for channel in range(channels)]
    masked = [
        lanes.b.fmul(item, lanes.load(lanes.add(masks, lanes.times(j, WIDTH), lanes.times(steps[1], channel))))
        for channel, item in enumerate(plain)
    ]
    return plain, masked


def _differences(lanes: Lanes, masked: Sequence[Code], centres: Code, step: Code) -> list[Code]:
    others = [lanes.load(lanes.add(centres, lanes.times(step, channel))) for channel in range(len(masked))]
    return [lanes.b.fsub(mine, its) for mine, its in zip(masked, others, strict=True)]


def _word_at(lanes: Lanes, base: Code, place: Code | int) -> Code:
    index = word(place) if isinstance(place, int) else place
    return lanes.b.load(lanes.b.inttoptr(lanes.add(base, lanes.times(index, 8)), ir.PointerType(WORD)))


def backward_row(dtype: np.dtype[Any], channels: int, p: int, wanted: bool) -> Code:
    """Send the gradient of boxes that one transform won to one row of pixels.

    `row(image, masks, centres, planes, winners, gradients, step, t, to_image, to_masks, to_centres, width)`: `winners` and `gradients`
    hold the addresses of three rows of boxes, those that reach this row of pixels, and `step` is the number of centres from box to box.
    What reaches masks and centres (with the wrong sign) is added there; so is what reaches the image, lane by lane, if it is `wanted`.
    """

    def emit(
        b: Code,
        image: Code,
        masks: Code,
        centres: Code,
        planes: Code,
        winners: Code,
        gradients: Code,
        step: Code,
        t: Code,
        to_image: Code,
        to_masks: Code,
        to_centres: Code,
        width: Code,
    ) -> None:
        lanes = Lanes(b, dtype)
        steps = [_word_at(lanes, planes, place) for place in range(3)]
        mine = lanes.repeat(b.trunc(t, ir.IntType(8)), lanes.bytes)
        zero = lanes.constant(0.0)
        inner = b.sub(width, word(2))

        def pixel(j: Code, gradient: Code) -> None:
            plain, masked = _masked(lanes, image, masks, steps, j, channels)
            differences = _differences(lanes, masked, lanes.add(centres, lanes.times(j, WIDTH)), steps[2])
            for channel, slope in enumerate(_slopes(lanes, differences, p, gradient)):
                place = lanes.times(j, WIDTH)
                _accumulate(lanes, lanes.add(to_centres, place, lanes.times(steps[2], channel)), slope)
                _accumulate(lanes, lanes.add(to_masks, place, lanes.times(steps[1], channel)), b.fmul(slope, plain[channel]))
                if wanted:
                    _accumulate(lanes, lanes.add(to_image, place, lanes.times(steps[1], channel)), slope)

        with lanes.loop(word(0), inner, 1, [zero, zero]) as (j, (left, middle), successors):
            right = _column(lanes, winners, gradients, mine, lanes.times(j, step))
            pixel(j, lanes.sum([left, middle, right]))
            successors += [middle, right]
        left, right = successors
        pixel(inner, b.fadd(left, right))
        pixel(lanes.add(inner, 1), right)

    return intrinsic_of(emit, 12)


def _accumulate(lanes: Lanes, place: Code, vector: Code) -> None:
    lanes.store(lanes.b.fadd(lanes.load(place), vector), place)


def _column(lanes: Lanes, winners: Code, gradients: Code, mine: Code, place: Code) -> Code:
    """The gradients of three boxes one above the other, of those that the transform won."""
    b, parts = lanes.b, []
    for line in range(3):
        winner = lanes.load(lanes.add(_word_at(lanes, winners, line), place), lanes.bytes)
        gradient = lanes.load(lanes.add(_word_at(lanes, gradients, line), lanes.times(place, lanes.size)))
        parts.append(b.select(b.icmp_signed("==", winner, mine), gradient, lanes.constant(0.0)))
    return lanes.sum(parts)


def _slopes(lanes: Lanes, differences: Sequence[Code], p: int, gradient: Code) -> list[Code]:
    """The derivative of a pixel's p-norm by its channels, times what arrives; 0 where the norm has a kink."""
    b, zero = lanes.b, lanes.constant(0.0)
    if p == 1 or len(differences) == 1:
        signed = [b.select(b.fcmp_ordered("<", item, zero), b.fsub(zero, gradient), gradient) for item in differences]
        return [b.select(b.fcmp_ordered("==", item, zero), zero, slope) for item, slope in zip(differences, signed, strict=True)]
    norm = lanes.distance(differences, p)
    scale = b.select(b.fcmp_ordered(">", norm, zero), b.fdiv(gradient, norm), zero)
    return [b.fmul(item, scale) for item in differences]
