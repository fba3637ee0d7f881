"""What improves on the paper, each by itself: edges, importance, corrections, changes of images, averaged weights, smoothed labels."""

import math

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

import deepalgo as da
from deepalgo.fitting.checkpoint import read
from deepalgo.studies.cluster import Changes, Settings, choose_centres, correction, edges, heuristic, train, transforms
from deepalgo.studies.cluster.augment import augment
from deepalgo.studies.cluster.features import look
from deepalgo.studies.cluster.training import accuracy, loss


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    return data.images / 16, data.target


def tensors(digits, start, stop):
    images, labels = digits
    return torch.tensor(images[start:stop]).float(), torch.tensor(labels[start:stop])


def by_edges(digits, **options):
    images, labels = digits
    chosen = choose_centres(images[:1000], labels[:1000], 3, "k-means", seed=1)
    return heuristic(chosen.images, chosen.one_hot(), transforms(1), temperature=0.1, roughness=None, filters=edges(), **options)


def test_edges_are_what_a_filter_finds_around_each_pixel():
    image = np.random.default_rng(0).random((7, 6))
    filters = np.random.default_rng(1).normal(size=(9, 4))
    framed = np.pad(image, 1)
    found = np.array([[np.maximum(framed[i : i + 3, j : j + 3].ravel() @ filters, 0) for j in range(6)] for i in range(6)])
    np.testing.assert_allclose(look(image, filters), found.reshape(3, 2, 3, 2, 4).mean((1, 3)), atol=1e-12)
    assert look(np.zeros((2, 8, 8, 3)), edges(3)).shape == (2, 4, 4, 5)


def test_every_edge_is_found_by_the_filter_of_its_direction():
    ramp = np.tile(np.arange(8.0), (8, 1))
    for image, direction in ((ramp, 1), (ramp[:, ::-1], 2), (ramp.T, 3), (ramp.T[::-1], 4)):
        assert look(image, edges())[1:-1, 1:-1, 1:].sum((0, 1)).argmax() + 1 == direction


def test_weights_that_add_nothing_at_birth_leave_every_score_as_it_was(digits):
    images, _ = digits
    plain = by_edges(digits)
    more = by_edges(digits, importance=np.ones((30, 2, 2)), correction=correction((6, 8), filters=5))
    network = da.correct(da.compile(more, example=((images[0],), {})), "f", ["scaled"], hidden=16)
    by_heuristic = np.stack([plain(image) for image in images[1000:1200]])
    np.testing.assert_allclose(network(images[1000:1200]).detach(), by_heuristic, rtol=1e-9, atol=1e-12)
    assert {"filters", "importance", "correction_0", "correction_1", "correction_2", "f_in", "f_out"} <= set(network.weights)


def test_training_reaches_filters_importance_and_corrections(digits):
    more = by_edges(digits, importance=np.ones((30, 2, 2)), correction=correction((6,), filters=5))
    network = da.correct(da.compile(more, example=((digits[0][0],), {})), "f", ["scaled"], hidden=8).float()
    before = {key: network.weights[key].detach().clone() for key in network.weights}
    validation = tensors(digits, 1000, 1300)
    history = train(network, *tensors(digits, 0, 500), validation, Settings(epochs=4, batch=50, averaging=0.9))
    assert max(history.accuracies) > history.accuracies[0]
    assert accuracy(network, *validation) == max(history.accuracies)
    assert all(not torch.equal(network.weights[key], before[key]) for key in network.weights)


def changed(images, seed=0, **changes):
    return augment(images, Changes(**changes), torch.Generator().manual_seed(seed))


def test_unchanged_images_stay_as_they_are():
    images = torch.rand(3, 6, 6)
    assert changed(images) is images


@pytest.mark.parametrize("shape", [(6, 9), (6, 9, 2)])
def test_half_of_the_images_are_mirrored(shape):
    images = torch.rand(200, *shape)
    found = changed(images, mirror=True)
    same, flipped = ((found == item).flatten(1).all(1) for item in (images, images.flip(2)))
    assert bool((same ^ flipped).all()) and 70 < same.sum() < 130


def test_a_rectangle_is_covered_in_half_of_the_images():
    gone = changed(torch.ones(300, 10, 10), cover=3) == 0
    assert 110 < gone.flatten(1).any(1).sum() < 190
    for axis in (1, 2):
        assert gone.any(axis).sum(1).max() == 3
    assert all(item.sum() == item.any(0).sum() * item.any(1).sum() for item in gone)


def test_a_turned_bar_lies_within_the_angle():
    bar = torch.zeros(100, 21, 21)
    bar[:, 10, 2:19] = 1
    found = changed(bar, turn=15)
    rows = torch.arange(21.0)[:, None] - 10
    ends = (found[:, :, 17] * rows[:, 0]).sum(1) / found[:, :, 17].sum(1)  # how far the bar has risen seven pixels from the middle
    assert ends.abs().max() <= 7 * math.tan(math.radians(15)) + 0.5 and ends.max() > 1 > -1 > ends.min()
    assert changed(torch.rand(4, 8, 8, 3), turn=5, stretch=0.1).shape == (4, 8, 8, 3)


def test_smoothing_spreads_the_wanted_answer():
    scores, labels = torch.tensor([[0.9, 0.1, 0.0]]), torch.tensor([0])
    logs = torch.log_softmax(10 * scores, 1)[0]
    assert loss(scores, labels, Settings(smoothing=0.3)).item() == pytest.approx(-(0.8 * logs[0] + 0.1 * logs[1] + 0.1 * logs[2]).item())


def test_averaged_weights_are_the_mean_that_was_promised(digits, tmp_path):
    """One batch an epoch: after two steps the mean is made of the three weights that were seen."""
    images, labels = tensors(digits, 0, 50)
    network = da.compile(by_edges(digits), example=((digits[0][0],), {})).float()
    seen = []
    settings = Settings(epochs=2, batch=50, averaging=0.99, changes=Changes())
    train(
        network,
        images,
        labels,
        (images, labels),
        settings,
        checkpoint=tmp_path / "run.pt",
        report=lambda epoch, history: seen.append(network.weights["centres"].detach().clone()),
    )
    start, one, two = seen
    first = start + (1 - 1 / 11) * (one - start)
    second = first + (1 - 2 / 12) * (two - first)
    content = read(tmp_path / "run.pt", "a training")
    torch.testing.assert_close(content["mean"]["weights.centres"], second)
    assert not torch.equal(start, one) and not torch.equal(one, two)
