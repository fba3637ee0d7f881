"""The metric of the paper on cases that can be worked out by hand."""

import numpy as np
import pytest

import deepalgo as da
from deepalgo.studies.cluster import compare_images, image_distance


def stroke():
    image = np.zeros((11, 11))
    image[4:7, 5] = [1.0, 2.0, 3.0]
    return image


def test_without_moves_it_is_the_sum_of_patch_norms():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 4, 5))
    framed = np.pad(x - y, 1)
    by_hand = sum(np.linalg.norm(framed[i : i + 3, j : j + 3].ravel(), 3) for i in range(4) for j in range(5))
    assert image_distance(x, y, size=3, p=3) == pytest.approx(by_hand)


def test_a_shifted_image_is_near_if_its_shift_is_allowed_and_costs_only_what_enters_patches():
    image = stroke()
    moved = np.roll(image, 1, axis=1)
    free, held = compare_images(image, moved, size=5, reach=(2, 2)), compare_images(image, moved, size=5)
    assert free.fit[5, 4] == 0 and (free.flow[:, 5, 4] == [0, -1]).all()
    assert free.fit.sum() < held.fit.sum() / 3
    assert (held.flow == 0).all() and held.distance == pytest.approx(held.fit.sum())


def test_reach_is_a_strict_bound():
    image = stroke()
    two = compare_images(image, np.roll(image, 2, axis=0), size=7, reach=(2, 1))
    assert two.fit[5, 5] > 0
    three = compare_images(image, np.roll(image, 2, axis=0), size=7, reach=(3, 1))
    assert three.fit[5, 5] == 0 and (three.flow[:, 5, 5] == [-2, 0]).all()


def test_a_turned_image_is_near_if_its_angle_is_allowed():
    image = stroke()
    turned = np.rot90(image)
    middle = (5, 5)
    assert compare_images(image, turned, size=5).fit[middle] > 1
    assert compare_images(image, turned, size=5, angles=(-90.0, 0.0, 90.0)).fit[middle] == pytest.approx(0, abs=1e-12)


def test_patches_that_move_apart_are_penalised_and_patches_that_move_together_are_not():
    rng = np.random.default_rng(1)
    image = rng.random((12, 16))
    together = np.roll(image, 1, axis=1)
    apart = np.concatenate((np.roll(image[:, :8], 1, axis=1), np.roll(image[:, 8:], -1, axis=1)), axis=1)
    options = {"size": 7, "reach": (2, 2)}
    inner = (slice(4, -4), slice(5, -5))
    assert compare_images(image, together, **options).penalty[inner].max() == 1
    split = compare_images(image, apart, **options)
    assert split.penalty[inner].max() >= 3
    assert split.distance == pytest.approx(np.sum(split.fit * split.penalty))


def test_the_operator_acts_on_patches_and_the_weights_on_pixels():
    rng = np.random.default_rng(2)
    x, y = rng.random((2, 4, 4, 2))
    only_middle = np.eye(18)[8:10]
    by_hand = np.linalg.norm(x - y, axis=-1)
    assert image_distance(x, y, operator=only_middle) == pytest.approx(by_hand.sum())
    weights = rng.random((4, 4))
    assert image_distance(x, y, operator=only_middle, weights=weights) == pytest.approx((weights * by_hand).sum())


def test_what_cannot_be_compared_is_said():
    with pytest.raises(da.InputError, match=r"two images of one shape can be compared, not \(3, 3\) and \(4, 4\)"):
        image_distance(np.zeros((3, 3)), np.zeros((4, 4)))
    with pytest.raises(da.InputError, match="its size is odd, not 4"):
        image_distance(np.zeros((5, 5)), np.zeros((5, 5)), size=4)
