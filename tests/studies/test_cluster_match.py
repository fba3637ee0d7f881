"""The matching operation: NumPy, the torch reference and the fused kernel are one function, in value and in gradient."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.studies.cluster import match as numpy_match
from deepalgo.studies.cluster import transforms
from deepalgo.studies.cluster.kernels.torch_match import match, match_flow, match_reference

MOVES = transforms(1)
TURNS = transforms(2, angles=(-10.0, 0.0, 7.0))
PLAIN = tuple(map(tuple, MOVES))


def tensors(images, centres, shape, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.rand(count, *shape, dtype=dtype, generator=generator).requires_grad_() for count in (images, centres, centres)]


def both(x, m, c, moves, p):
    """Distances and flow in one tensor: (images, 3, centres, height, width)."""
    operands = x, m, c, tuple(map(tuple, moves)), p, 1, 0, 0
    distance = match(*operands)
    return torch.cat((distance[:, None], match_flow(distance, *operands)), 1)


def both_by_reference(x, m, c, moves, p):
    distance, flow = match_reference(x, m, c, tuple(map(tuple, moves)), p)
    return torch.cat((distance[:, None], flow), 1)


@pytest.mark.parametrize(
    ("dtype", "shape", "centres", "moves", "p"),
    [
        (torch.float32, (3, 3, 1), 1, MOVES, 1),
        (torch.float32, (9, 11, 1), 9, TURNS, 1),
        (torch.float32, (6, 7, 1), 3, transforms(3), 1),
        (torch.float64, (8, 5, 3), 17, TURNS, 1),
        (torch.float64, (5, 8, 3), 8, MOVES, 2),
    ],
)
def test_kernel_and_reference_agree_in_value_and_gradient(dtype, shape, centres, moves, p):
    operands = tensors(5, centres, shape, dtype)
    fused, reference = both(*operands, moves, p), both_by_reference(*operands, moves, p)
    torch.testing.assert_close(fused, reference)
    arriving = torch.randn(fused.shape, dtype=dtype)
    for ours, theirs in zip(*(torch.autograd.grad((found * arriving).sum(), operands) for found in (fused, reference)), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(("shape", "p"), [((7, 6), 1), ((6, 7, 3), 1), ((6, 5, 3), 2), ((5, 5, 2), 3)])
def test_numpy_and_torch_agree(shape, p):
    images, masks, centres = (item.detach().numpy() for item in tensors(4, 6, shape))
    found = both(*map(torch.tensor, (images, masks, centres)), TURNS, p)
    for image, ours in zip(images, found.numpy(), strict=True):
        distance, flow = numpy_match(image, masks, centres, TURNS, p)
        np.testing.assert_allclose(distance, ours[0], rtol=1e-13, atol=1e-14)
        assert np.array_equal(flow, ours[1:])


def test_gradients_are_those_of_finite_differences():
    operands = tensors(2, 3, (5, 6, 3))
    for p in (1, 2):
        assert torch.autograd.gradcheck(lambda x, m, c, p=p: both(x, m, c, TURNS[::9], p)[:, 0], operands)


def test_of_equal_transforms_the_first_wins_and_a_kink_sends_nothing():
    x, m, c = (torch.zeros(1, 5, 5, requires_grad=True), torch.ones(1, 5, 5, requires_grad=True), torch.zeros(1, 5, 5, requires_grad=True))
    found = match(x, m, c, PLAIN, 1, 1, 0, 0)
    assert not found.any()
    assert not any(item.any() for item in torch.autograd.grad(found.sum(), (x, m, c)))


def test_a_moved_image_is_found_where_it_went():
    image = torch.rand(1, 9, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    image[:, [0, 1, -2, -1]] = 0
    image[:, :, [0, 1, -2, -1]] = 0
    found = both(image.roll((2, -1), (1, 2)), torch.ones_like(image), image, transforms(2), 1)
    assert found[0, 0].abs().max() == 0
    assert (found[0, 1:, 0, 3, 3] == torch.tensor([2.0, -1.0])).all()


def test_flow_carries_no_gradient_and_is_computed_again_where_the_winners_are_lost():
    operands = *tensors(2, 3, (5, 5)), PLAIN, 1, 1, 0, 0
    distance = match(*operands)
    flow = match_flow(distance, *operands)
    assert not flow.requires_grad
    assert torch.equal(flow, match_flow(distance.clone(), *operands))


def test_what_is_left_out_as_negligible_is_lost_in_rounding():
    images, masks, centres = tensors(1, 20, (8, 8, 1), torch.float32)
    distance = match(images, masks, centres, PLAIN, 1, 1, 0, 0)
    arriving = torch.randn(distance.shape) * torch.where(torch.arange(20) < 8, 1.0, 1e-9)[:, None, None]
    ours = torch.autograd.grad(distance, masks, arriving)[0]
    theirs = torch.autograd.grad(match_reference(images, masks, centres, PLAIN, 1)[0], masks, arriving)[0]
    assert not ours[8:].any() and theirs[8:].any()
    torch.testing.assert_close(ours, theirs, atol=1e-7, rtol=1e-5)


def test_a_pixel_that_is_no_number_fits_nothing_and_many_transforms_are_no_trouble():
    images, masks, centres = (item.detach() for item in tensors(2, 3, (15, 15, 1), torch.float32))
    images[0, 7, 7] = torch.nan
    found = both(images, masks, centres, MOVES, 1)
    torch.testing.assert_close(found, both_by_reference(images, masks, centres, MOVES, 1))
    assert torch.isinf(found[0, 0, :, 5:8, 5:8]).all() and torch.isfinite(found[1]).all()
    assert np.isinf(numpy_match(images[0].numpy(), masks.numpy(), centres.numpy(), MOVES)[0][:, 5:8, 5:8]).all()
    many = transforms(6)
    assert len(many) == 169 and both(images[1:], masks, centres, many, 1)[:, 0].max() <= found[1, 0].max()


def test_a_gradient_that_is_no_number_is_not_taken_for_negligible():
    images, masks, centres = tensors(2, 10, (6, 6, 1), torch.float32)
    distance = match(images, masks, centres, PLAIN, 1, 1, 0, 0)
    arriving = torch.ones_like(distance)
    arriving[:, 8:] = 0
    arriving[1, 9, 2, 2] = torch.nan
    to_masks, to_centres = torch.autograd.grad(distance, (masks, centres), arriving)
    for found in (to_masks, to_centres):
        assert torch.isnan(found[9]).any() and torch.isfinite(found[:8]).all()


def test_threads_change_nothing():
    operands = tensors(3, 20, (7, 7, 1), torch.float32)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            found = both(*operands, MOVES, 1)
            results.append([found, *torch.autograd.grad(found[:, 0].square().sum(), operands)])
        finally:
            torch.set_num_threads(1)
    for one, two in zip(*results, strict=True):
        torch.testing.assert_close(one, two)


def test_masks_and_centres_may_depend_on_the_sample():
    def compare(image, mask, centre):
        distance, _ = numpy_match(image, mask, centre, MOVES)
        return np.sum(distance, axis=(1, 2))

    image, mask, centre = (item.detach().numpy() for item in tensors(4, 4, (4, 5)))
    mask, centre = (np.stack([item, item[::-1]], 1) for item in (mask, centre))
    network = da.compile(compare, example=((image[0], mask[0], centre[0]), {}))
    network.verify(image, mask, centre)


def test_shapes_that_do_not_fit_are_an_error_of_the_function():
    def compare(image):
        return numpy_match(image, np.ones((2, 4, 4)), np.ones((2, 5, 5)), MOVES)[0]

    with pytest.raises((da.CompileError, da.HeuristicError), match="match takes images of one shape"):
        da.compile(compare, example=((np.ones((4, 4)),), {}))(np.ones((4, 4)))


def test_numba_waits_for_the_first_match():
    code = "import deepalgo.studies.cluster, sys; print({'numba', 'matplotlib', 'sklearn'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == "set()"
