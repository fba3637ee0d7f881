"""The smooth minimum over transforms: NumPy, the torch reference and the kernel are one function, and it goes over into the hard one."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

import deepalgo as da
from deepalgo.studies.cluster import ClusterNetClassifier, Settings, choose_centres, heuristic, train, transforms
from deepalgo.studies.cluster import match as numpy_match
from deepalgo.studies.cluster.kernels.torch_match import match, match_flow
from deepalgo.studies.cluster.kernels.torch_soft_match import soft_match, soft_reference

MOVES = transforms(1)
TURNS = transforms(2, angles=(-10.0, 0.0, 7.0))


def tensors(images, centres, shape, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.rand(count, *shape, dtype=dtype, generator=generator).requires_grad_() for count in (images, centres, centres)]


def plain(moves):
    return tuple(map(tuple, moves))


def softly(x, m, c, softness, moves, p):
    return soft_match(x, m, c, torch.tensor(softness, dtype=x.dtype), plain(moves), p, 1, 0, 0)


@pytest.mark.parametrize(
    ("dtype", "shape", "centres", "moves", "p", "softnesses"),
    [
        (torch.float32, (9, 11, 1), 9, TURNS, 1, (0.4, 3.0)),
        (torch.float32, (3, 3, 1), 1, MOVES, 1, (0.4,)),
        (torch.float64, (8, 5, 1), 3, TURNS, 1, (1e-30, 0.01, 0.4, 50.0)),
        (torch.float64, (5, 8, 3), 8, MOVES, 2, (0.4,)),
    ],
)
def test_kernel_reference_and_numpy_agree_in_value_and_gradient(dtype, shape, centres, moves, p, softnesses):
    operands = tensors(5, centres, shape, dtype)
    exact = [item.detach().double().requires_grad_() for item in operands]
    for softness in softnesses:
        found = softly(*operands, softness, moves, p)
        reference = soft_reference(*exact, torch.tensor(softness, dtype=torch.float64), plain(moves), p)
        torch.testing.assert_close(found, reference.to(dtype))
        arriving = torch.randn(found.shape, dtype=dtype, generator=torch.Generator().manual_seed(1))
        sent = torch.autograd.grad(found, operands, arriving), torch.autograd.grad(reference, exact, arriving.double())
        for ours, theirs in zip(*sent, strict=True):
            torch.testing.assert_close(ours, theirs.to(dtype))
        images, *others = (item.detach().numpy() for item in exact)
        by_numpy = np.stack([numpy_match(image, *others, moves, p, softness)[0] for image in images])
        np.testing.assert_allclose(by_numpy, reference.detach(), rtol=1e-12)


def test_gradients_are_those_of_finite_differences():
    for shape, p in (((5, 6, 1), 1), ((5, 4, 3), 2)):
        assert torch.autograd.gradcheck(lambda x, m, c, p=p: softly(x, m, c, 0.3, TURNS[::9], p), tensors(2, 3, shape))


def test_without_softness_it_is_the_least_distance_in_value_gradient_and_flow():
    operands = tensors(3, 5, (6, 7, 1), torch.float32)
    hard, soft = match(*operands, plain(MOVES), 1, 1, 0, 0), softly(*operands, 0.0, MOVES, 1)
    assert torch.equal(hard, soft)
    for ours, theirs in zip(*(torch.autograd.grad(found.square().sum(), operands) for found in (soft, hard)), strict=True):
        assert torch.equal(ours, theirs)
    flows = [match_flow(found, *operands, plain(MOVES), 1, 1, 0, 0) for found in (hard, softly(*operands, 0.3, MOVES, 1))]
    assert torch.equal(*flows)


def test_it_rises_from_the_least_distance_to_the_mean():
    operands = tensors(3, 5, (6, 7))
    each = torch.stack([match(*operands, (tuple(move),), 1, 1, 0, 0) for move in MOVES])
    found = [softly(*operands, softness, MOVES, 1) for softness in (1e-9, 0.1, 1.0, 1e7)]
    torch.testing.assert_close(found[0], each.amin(0))
    assert all((one < two).all() for one, two in zip(found, found[1:], strict=False))
    torch.testing.assert_close(found[-1], each.mean(0), rtol=1e-6, atol=1e-6)


def test_a_pixel_that_is_no_number_fits_nothing():
    images, masks, centres = (item.detach() for item in tensors(2, 3, (9, 9, 1), torch.float32))
    images[0, 4, 4] = torch.nan
    centres[0, 0, 0] = torch.inf
    found = softly(images, masks, centres, 0.2, MOVES, 1)
    torch.testing.assert_close(found, soft_reference(images, masks, centres, torch.tensor(0.2), plain(MOVES), 1))
    assert torch.isinf(found[0, :, 2:5, 2:5]).all() and torch.isfinite(found[1, 1:]).all()
    by_numpy = [numpy_match(image, masks.numpy(), centres.numpy(), MOVES, 1, 0.2)[0] for image in images.numpy()]
    torch.testing.assert_close(found, torch.from_numpy(np.stack(by_numpy)).float())


def test_threads_change_nothing():
    operands = tensors(3, 20, (7, 7, 1), torch.float32)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            results.append(torch.autograd.grad(softly(*operands, 0.2, MOVES, 1).square().sum(), operands))
        finally:
            torch.set_num_threads(1)
    for one, two in zip(*results, strict=True):
        torch.testing.assert_close(one, two)


@pytest.mark.slow
def test_torch_compiles_hard_and_smooth_minima():
    operands = tensors(2, 3, (5, 5))
    for function, softness in ((match, ()), (soft_match, (torch.tensor(0.0),)), (soft_match, (torch.tensor(0.3),))):

        def find(*operands, function=function):
            return function(*operands, plain(MOVES), 1, 1, 0, 0).square()

        ways = [way(*operands, *softness) for way in (find, torch.compile(find, fullgraph=True, backend="aot_eager"))]
        torch.testing.assert_close(*ways)
        for one, two in zip(*(torch.autograd.grad(way.sum(), operands) for way in ways), strict=True):
            torch.testing.assert_close(one, two)


def test_a_function_may_ask_for_a_smooth_minimum():
    image, mask, centre = (item.detach().numpy() for item in tensors(4, 4, (4, 5)))

    def compare(image):
        distance, flow = numpy_match(image, mask, centre, MOVES, softness=0.25)
        return np.sum(distance * (1 + flow[0]), axis=(1, 2))

    def by_sample(image, masks, centres):
        return np.sum(numpy_match(image, masks, centres, MOVES, 1, 0.25)[0], axis=(1, 2))

    da.compile(compare, example=((image[0],), {})).verify(image)
    mask, centre = (np.stack([item, item[::-1]], 1) for item in (mask, centre))
    da.compile(by_sample, example=((image[0], mask[0], centre[0]), {})).verify(image, mask, centre)


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    return data.images / 16, data.target


def network(digits):
    images, labels = digits
    chosen = choose_centres(images[:1000], labels[:1000], 3, "random", seed=1)
    decide = heuristic(chosen.images, chosen.one_hot(), MOVES, temperature=0.05, roughness=0.1)
    return da.compile(decide, example=((images[0],), {}))


def test_soften_measures_a_width_and_anneal_leads_back_to_the_heuristic(digits):
    hard, images = network(digits), digits[0][1000:1020]
    soft = da.soften(hard, digits[0][:60])
    assert torch.equal(soft(images), hard(images))
    assert "softness" not in da.source(soft).partition("def classify")[2]
    soft.verify(images[:3])
    gaps = []
    for softness in (10.0, 1.0, 0.1):
        da.anneal(soft, softness)
        gaps.append((soft(images) - hard(images)).abs().max().item())
    assert gaps[0] > gaps[1] > gaps[2] > 0
    space = {}
    exec(da.source(soft), space)
    np.testing.assert_allclose(np.stack([space["classify"](image) for image in images]), soft(images).detach(), rtol=1e-12, atol=1e-14)
    width = next(soft.weights[key].item() for key in soft.weights if key.endswith("_width"))
    fits = [np.sort([numpy_match(image, *_weights(hard), (move,))[0] for move in MOVES], axis=0) for image in digits[0][:60]]
    margins = np.concatenate([(item[1] - item[0]).ravel() for item in fits])
    margins = margins[margins > 0]
    assert np.mean(margins < 0.999 * width) <= 0.1 <= np.mean(margins < 1.001 * width)


def _weights(net):
    return [net.weights[key].detach().numpy() for key in ("masks", "centres")]


def test_training_begins_smooth_and_ends_hard(digits):
    images, labels = torch.tensor(digits[0]).float(), torch.tensor(digits[1])
    hard = network(digits).float()
    soft = da.soften(hard, images[:100])
    seen = []
    settings = Settings(epochs=2, batch=50, softness=3.0)
    parts = images[:400], labels[:400], (images[1000:1300], labels[1000:1300])
    history = train(soft, *parts, settings, report=lambda epoch, history: seen.append(soft.weights["softness"].item()))
    assert seen == pytest.approx([0.0, 3.0 * 9 / 16, 3.0 / 16])
    assert max(history.accuracies) > history.accuracies[0] and soft.weights["softness"].item() == 0
    hard.load_state_dict({key: soft.state_dict()[key] for key in hard.state_dict()})
    assert torch.equal(hard(images[1000:1300]), soft(images[1000:1300]))
    with pytest.raises(da.TensorizeError, match="was not softened"):
        train(hard, *parts, settings)


def test_the_estimator_takes_a_softness(digits):
    rows, labels = digits[0].reshape(-1, 64), digits[1]
    made = [ClusterNetClassifier(centres_per_class=2, epochs=2, softness=softness).fit(rows[:400], labels[:400]) for softness in (0.0, 5.0)]
    assert all(model.score(rows[1000:], labels[1000:]) > 0.85 for model in made)
    assert made[0].weights_.keys() == made[1].weights_.keys()
    assert not np.array_equal(*(model.weights_["centres"] for model in made))
