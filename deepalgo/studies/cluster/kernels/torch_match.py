"""`match`: how well each 3 x 3 box of an image fits the best of several transforms of each centre, and which transform that is.

For image x, mask m_k, centre c_k and transforms S_t (a rotation about the middle, then a translation; what enters is 0):

    q_k^t = box(|m_k x - S_t c_k|_p),   r_k = min_t q_k^t,   flow_k = the translation of argmin_t q_k^t

>>> image = torch.zeros(1, 5, 5)
>>> image[0, 2, 2] = 1
>>> operands = image, torch.ones(1, 5, 5), image.roll(1, 2), ((0.0, 0, 0), (0.0, 0, -1)), 1, 1, 0, 0
>>> distance = match(*operands)
>>> flow = match_flow(distance, *operands)
>>> distance.shape, distance.sum().item(), flow.shape, flow[0, 1].min().item()
(torch.Size([1, 1, 3, 3]), 0.0, torch.Size([1, 2, 1, 3, 3]), -1.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from deepalgo.studies.cluster.kernels.numpy_match import rotation
from deepalgo.studies.cluster.kernels.team import share

if TYPE_CHECKING:
    from deepalgo.studies.cluster.kernels.numba_match import Sums

Array = npt.NDArray[Any]
#: Angle in degrees, rows down, columns to the right.
Transforms = tuple[tuple[float, int, int], ...]
#: Bytes of a vector of the kernel.
VECTOR = 32
#: The gradients of so many images are copied together, in the order of the kernel.
SENT = 8


def match(
    images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: float, batch0: int, batch1: int, batch2: int
) -> Tensor:
    """Least distances: (images, centres, height - 2, width - 2)."""
    if not is_fused(images, transforms, p, batch0, batch1, batch2):
        return _by_reference(images, masks, centres, transforms, p, batch0, batch1, batch2)[0]
    return remembering(*match_fused(images, masks, centres, transforms, int(p)))


def remembering(least: Tensor, winners: Tensor) -> Tensor:
    """Distances (images, centres, height - 2, width - 2) that know who won."""
    distance = least.movedim(-1, 1)
    distance.winners = winners  # type: ignore[attr-defined]  # `match_flow` finds them here
    return distance


def match_flow(
    distance: Tensor,
    images: Tensor,
    masks: Tensor,
    centres: Tensor,
    transforms: Transforms,
    p: float,
    batch1: int,
    batch2: int,
    batch3: int,
) -> Tensor:
    """The translations that give the least distances: (images, 2, centres, height - 2, width - 2). They have no gradient.

    `distance` is what `match` or `soft_match` made of these operands, and remembers who won; else that is computed again.
    """
    with torch.no_grad():
        if not is_fused(images, transforms, p, batch1, batch2, batch3):
            return _by_reference(images, masks, centres, transforms, p, batch1, batch2, batch3)[1]
        winners = getattr(distance, "winners", None)
        if winners is None:
            winners = match_fused(images, masks, centres, transforms, int(p))[1]
        from deepalgo.studies.cluster.kernels.numba_match import flow_of  # numba is loaded with the first use

        table = np.array([item[1:] for item in transforms], str(images.dtype).removeprefix("torch."))
        return torch.from_numpy(flow_of(winners.numpy(), table))[..., : len(masks)].movedim(-1, 2)


def is_fused(images: Tensor, transforms: Transforms, p: float, batch0: int, batch1: int, batch2: int) -> bool:
    """Whether the kernel can do it: on a processor, with the norms 1 and 2, and the same centres for all images. A winner is a byte."""
    known = images.device.type == "cpu" and images.dtype in (torch.float32, torch.float64)
    return known and p in (1, 2) and len(transforms) < 128 and (batch0, batch1, batch2) == (1, 0, 0)


def match_reference(images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: float) -> tuple[Tensor, Tensor]:
    """Distance and flow in plain torch, transform by transform. All have channels; masks and centres may differ from image to image."""
    least, best = images.new_tensor(torch.inf), torch.tensor(0, device=images.device)
    for t, box in enumerate(boxes(images, masks, centres, transforms, p)):
        less = box < least
        least, best = torch.where(less, box, least), torch.where(less, t, best)
    flow = torch.tensor([item[1:] for item in transforms], dtype=images.dtype, device=images.device)[best]
    return least, flow.movedim(-1, 1)


def boxes(images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: float) -> Iterator[Tensor]:
    """The box distances of one transform after the other."""
    masked = images[:, None] * masks
    for angle, down, right in transforms:
        yield box_sum(pixel_norm(masked - translate(rotate(centres, angle), down, right), p))


def _by_reference(
    images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: float, batch0: int, batch1: int, batch2: int
) -> tuple[Tensor, Tensor]:
    least, flow = match_reference(*with_channels(images, masks, centres, batch0, batch1), transforms, p)
    return (least, flow) if batch0 or batch1 or batch2 else (least[0], flow[0])


def with_channels(images: Tensor, masks: Tensor, centres: Tensor, batch0: int, batch1: int) -> tuple[Tensor, Tensor, Tensor]:
    """Several images, and pixels with channels."""
    channels = masks.dim() - batch1 == 4
    images, masks, centres = (item if channels else item.unsqueeze(-1) for item in (images, masks, centres))
    return images if batch0 else images[None], masks, centres


def match_fused(images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms, p: int) -> tuple[Tensor, Tensor]:
    """Least distances (images, height, width, centres) and winners (with more, empty centres at the end), by the kernel."""
    found: tuple[Tensor, Tensor] = _forward(*laid_out(images, masks, centres, transforms), p, len(masks))
    return found


def laid_out(images: Tensor, masks: Tensor, centres: Tensor, transforms: Transforms) -> tuple[Tensor, Tensor, Tensor, list[int]]:
    """The operands as the kernel takes them, and where it finds each transform."""
    if images.dim() == 3:
        images, masks, centres = images.unsqueeze(-1), masks.unsqueeze(-1), centres.unsqueeze(-1)
    _, height, width, _ = images.shape
    margin = max(max(abs(down), abs(right)) for _, down, right in transforms)
    angles, offsets = _plan(transforms, height, width, margin)
    turned = torch.stack([rotate(centres, angle) for angle in angles], 1)
    framed = F.pad(turned, (0, 0, margin, margin, margin, margin))
    return (
        images.permute(0, 3, 1, 2).contiguous(),
        _side_by_side(masks).permute(0, 4, 2, 3, 1).contiguous(),
        _side_by_side(framed).permute(0, 5, 2, 3, 4, 1).contiguous(),
        offsets,
    )


def _side_by_side(centres: Tensor) -> Tensor:
    """Blocks of as many centres as fit into a vector, the last one filled up with zeros."""
    side = VECTOR // centres.element_size()
    full = F.pad(centres, (0, 0) * (centres.dim() - 1) + (0, -len(centres) % side))
    return full.reshape(-1, side, *full.shape[1:])


def rotate(images: Tensor, angle: float) -> Tensor:
    """Images (..., height, width, channels) turned about their middle."""
    if angle == 0:
        return images
    *_, height, width, channels = images.shape
    places, shares = (torch.from_numpy(item).to(images.device) for item in _rotation(angle, height, width))
    flat = images.reshape(*images.shape[:-3], height * width, channels)
    parts = [flat.index_select(-2, place) * share.to(images.dtype)[:, None] for place, share in zip(places, shares, strict=True)]
    turned: Tensor = parts[0] + parts[1] + parts[2] + parts[3]
    return turned.reshape(images.shape)


_rotation = functools.cache(rotation)


def translate(images: Tensor, down: int, right: int) -> Tensor:
    """Images (..., height, width, channels) moved, with zeros where nothing comes from."""
    *_, height, width, _ = images.shape
    framed = F.pad(images, (0, 0, abs(right), abs(right), abs(down), abs(down)))
    return framed[..., abs(down) - down :, abs(right) - right :, :][..., :height, :width, :]


def pixel_norm(differences: Tensor, p: float) -> Tensor:
    """The p-norm over the channels."""
    if p == 1 or differences.shape[-1] == 1:
        return differences.abs().sum(-1)
    norm: Tensor = torch.linalg.vector_norm(differences, p, dim=-1)
    return norm


def box_sum(distances: Tensor) -> Tensor:
    """Sums over 3 x 3 pixels that lie within the image."""
    lines = distances[..., :-2] + distances[..., 1:-1] + distances[..., 2:]
    return lines[..., :-2, :] + lines[..., 1:-1, :] + lines[..., 2:, :]


def _plan(transforms: Transforms, height: int, width: int, margin: int) -> tuple[list[float], list[int]]:
    """The angles, and where each transform finds the pixel of a framed centre."""
    angles = list(dict.fromkeys(angle for angle, _, _ in transforms))
    across, plane = width + 2 * margin, (width + 2 * margin) * (height + 2 * margin)
    return angles, [angles.index(angle) * plane + (margin - down) * across + margin - right for angle, down, right in transforms]


def operation(name: str, blank: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Make a function an operation of torch; `blank` makes results without their numbers."""

    def make(function: Callable[..., Any]) -> Any:
        made: Any = torch.library.custom_op(name, function, mutates_args=())
        made.register_fake(blank)
        return made

    return make


def gathered(
    images: Tensor, masks: Tensor, centres: Tensor, gradient: Tensor, find: Callable[[slice, Array, Sums], Array]
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients that `find` finds for some images at a time, given what arrives there. Threads share the images."""
    pixels, arriving, alike = images.numpy(), gradient.numpy(), (masks.numpy(), centres.numpy())
    to_images = np.empty_like(pixels)

    def part(start: int, stop: int) -> Sums:
        sums = np.zeros_like(alike[0]), np.zeros_like(alike[1])
        for first in range(start, stop, SENT):
            some = slice(first, min(first + SENT, stop))
            to_images[some] = find(some, arriving[some], sums)
        return sums

    (to_masks, to_centres), *others = share(len(pixels), torch.get_num_threads(), part)
    for masks_too, centres_too in others:
        to_masks += masks_too
        to_centres += centres_too
    return torch.from_numpy(to_images), torch.from_numpy(to_masks), torch.from_numpy(np.negative(to_centres, out=to_centres))


def blank_gradients(images: Tensor, masks: Tensor, centres: Tensor, *_: Any) -> tuple[Tensor, Tensor, Tensor]:
    """What `gathered` hands back, without the numbers."""
    return torch.empty_like(images), torch.empty_like(masks), torch.empty_like(centres)


def blank(images: Tensor, masks: Tensor, centres: Tensor, offsets: list[int], p: int, count: int) -> tuple[Tensor, Tensor]:
    """What the kernel hands back, without the numbers."""
    number, _, height, width = images.shape
    shape = (number, height - 2, width - 2, masks.shape[0] * masks.shape[-1])
    return images.new_empty(shape)[..., :count], images.new_empty(shape, dtype=torch.int8)


# The kernel as operations of torch, which torch.compile takes as they are. Numba is imported with the first use.


@operation("deepalgo::match", blank)
def _forward(images: Tensor, masks: Tensor, centres: Tensor, offsets: list[int], p: int, count: int) -> tuple[Tensor, Tensor]:
    from deepalgo.studies.cluster.kernels.numba_match import match_images  # numba is loaded with the first use

    least, winners = match_images(images.numpy(), masks.numpy(), centres.numpy(), np.array(offsets, np.int64), p, torch.get_num_threads())
    return torch.from_numpy(least)[..., :count], torch.from_numpy(winners)


@operation("deepalgo::match_gradients", blank_gradients)
def _backward(
    images: Tensor, masks: Tensor, centres: Tensor, offsets: list[int], p: int, winners: Tensor, gradient: Tensor, wanted: bool
) -> tuple[Tensor, Tensor, Tensor]:
    from deepalgo.studies.cluster.kernels.numba_match import match_gradients  # numba is loaded with the first use

    pixels, won, fixed = images.numpy(), winners.numpy(), (masks.numpy(), centres.numpy(), np.array(offsets, np.int64), p)

    def find(some: slice, sent: Array, sums: Sums) -> Array:
        return match_gradients(pixels[some], *fixed, won[some], sent, wanted, sums)

    return gathered(images, masks, centres, gradient, find)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:3], output[1])
    ctx.offsets, ctx.p = inputs[3:5]
    ctx.set_materialize_grads(False)  # no zeros for the winners
    ctx.mark_non_differentiable(output[1])


def _send(ctx: Any, gradient: Tensor | None, _: Any) -> tuple[Tensor | None, ...]:
    if gradient is None:
        return (None,) * 6
    images, masks, centres, winners = ctx.saved_tensors
    wanted = ctx.needs_input_grad[0]
    found = _backward(images, masks, centres, ctx.offsets, ctx.p, winners, gradient, wanted)
    return found[0] if wanted else None, found[1], found[2], None, None, None


_forward.register_autograd(_send, setup_context=_keep)
