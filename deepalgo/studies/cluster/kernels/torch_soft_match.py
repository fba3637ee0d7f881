"""`soft_match`: `match` with a smooth minimum over the transforms, through which the gradient reaches all of them.

    r_k = -softness log(mean over t of exp(-q_k^t / softness))

It lies between the least q and their mean, so it is never negative, and it is the least q for a softness of 0. Transform t has the share
exp((r_k - q_k^t) / softness) / T in its gradient; shares add up to one.

>>> image = torch.zeros(1, 5, 5)
>>> image[0, 2, 2] = 1
>>> operands = image, torch.ones(1, 5, 5), image.roll(1, 2)
>>> [round(soft_match(*operands, softness, ((0.0, 0, 0), (0.0, 0, -1)), 1, 1, 0, 0).max().item(), 3) for softness in (0.0, 1.0, 100.0)]
[0.0, 0.566, 0.995]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand
from deepalgo.ops.forms.soft import note_margins
from deepalgo.studies.cluster.kernels.torch_match import (
    Array,
    Transforms,
    blank,
    blank_gradients,
    boxes,
    gathered,
    is_fused,
    laid_out,
    match_reference,
    operation,
    remembering,
    with_channels,
)

if TYPE_CHECKING:
    from deepalgo.studies.cluster.kernels.numba_match import Sums


def soft_match(
    images: Tensor,
    masks: Tensor,
    centres: Tensor,
    softness: Operand,
    transforms: Transforms,
    p: float,
    batch0: int,
    batch1: int,
    batch2: int,
    key: str = "",
) -> Tensor:
    """Smooth minima: (images, centres, height - 2, width - 2). The softness has no gradient."""
    full = with_channels(images, masks, centres, batch0, batch1)
    note_margins(key, lambda: match_margins(*full, transforms, p))
    softness = torch.as_tensor(softness, dtype=images.dtype, device=images.device).detach()
    if is_fused(images, transforms, p, batch0, batch1, batch2):
        return remembering(*soft_fused(images, masks, centres, softness, transforms, int(p)))
    found = soft_reference(*full, softness, transforms, p)
    return found if batch0 or batch1 or batch2 else found[0]


def match_margins(images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: float) -> Tensor:
    """How much worse the second best transform is than the best, and how much better the best than the second."""
    first = second = images.new_tensor(torch.inf)
    for box in boxes(images, masks, centres, transforms, p):
        first, second = torch.fmin(first, box), torch.fmin(second, torch.fmax(first, box))
    return torch.stack((second - first, first - second))


def soft_reference(images: Tensor, masks: Tensor, centres: Tensor, softness: Tensor, transforms: Transforms, p: float) -> Tensor:
    """Smooth minima in plain torch; what is no number is as good as infinite."""
    least = match_reference(images, masks, centres, transforms, p)[0]
    tried = torch.stack(list(boxes(images, masks, centres, transforms, p)))
    powers = torch.where(torch.isnan(tried), -torch.inf, -tried) / torch.where(softness > 0, softness, 1.0)
    smooth = softness * (math.log(len(tried)) - torch.logsumexp(powers, 0))
    return torch.where(softness > 0, smooth, least)


def soft_fused(images: Tensor, masks: Tensor, centres: Tensor, softness: Tensor, transforms: Transforms, p: int) -> tuple[Tensor, Tensor]:
    """Smooth minima (images, height, width, centres) and winners (with more, empty centres at the end), by the kernel."""
    smooth, winners, _ = _forward(*laid_out(images, masks, centres, transforms), p, len(masks), softness)
    return smooth, winners


def _blank(images: Tensor, masks: Tensor, centres: Tensor, offsets: list[int], p: int, count: int, softness: Tensor) -> tuple[Tensor, ...]:
    smooth, winners = blank(images, masks, centres, offsets, p, count)
    return smooth, winners, images.new_empty(winners.shape)


@operation("deepalgo::soft_match", _blank)
def _forward(
    images: Tensor, masks: Tensor, centres: Tensor, offsets: list[int], p: int, count: int, softness: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """What rounding takes from the minima is handed out, too, for the gradient."""
    from deepalgo.studies.cluster.kernels.numba_match import match_softly  # numba is loaded with the first use

    fixed = images.numpy(), masks.numpy(), centres.numpy(), np.array(offsets, np.int64), p
    smooth, winners, rests = map(torch.from_numpy, match_softly(*fixed, torch.get_num_threads(), softness.item()))
    return smooth[..., :count], winners, rests


@operation("deepalgo::soft_match_gradients", blank_gradients)
def _backward(
    images: Tensor,
    masks: Tensor,
    centres: Tensor,
    offsets: list[int],
    p: int,
    softness: Tensor,
    smooth: Tensor,
    winners: Tensor,
    rests: Tensor,
    gradient: Tensor,
    wanted: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    from deepalgo.studies.cluster.kernels.numba_match import match_gradients  # numba is loaded with the first use
    from deepalgo.studies.cluster.kernels.numba_soft_match import soft_gradients  # numba is loaded with the first use

    fixed, width, columns = (masks.numpy(), centres.numpy(), np.array(offsets, np.int64), p), softness.item(), winners.shape[-1]
    pixels, won, minima, lost = images.numpy(), winners.numpy(), smooth.numpy(), rests.numpy()

    def find(some: slice, sent: Array, sums: Sums) -> Array:
        if width == 0:
            return match_gradients(pixels[some], *fixed, won[some], sent, wanted, sums)
        found = np.pad(minima[some], ((0, 0),) * 3 + ((0, columns - minima.shape[-1]),))
        return soft_gradients(pixels[some], *fixed, found, lost[some], sent, wanted, width, sums)

    return gathered(images, masks, centres, gradient, find)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:3], inputs[6], *output)
    ctx.offsets, ctx.p = inputs[3:5]
    ctx.set_materialize_grads(False)  # no zeros for the winners
    ctx.mark_non_differentiable(*output[1:])


def _send(ctx: Any, gradient: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if gradient is None:
        return (None,) * 7
    images, masks, centres, *found = ctx.saved_tensors
    wanted = ctx.needs_input_grad[0]
    sent = _backward(images, masks, centres, ctx.offsets, ctx.p, *found, gradient, wanted)
    return sent[0] if wanted else None, sent[1], sent[2], None, None, None, None


_forward.register_autograd(_send, setup_context=_keep)
