"""ClusterNet: the network decides as the heuristic, trains from there, and explains itself. On 8 x 8 digits."""

import pickle
from collections import Counter

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

import deepalgo as da
from deepalgo.fitting.checkpoint import packed
from deepalgo.ir import Op, walk
from deepalgo.studies.cluster import Changes, ClusterNetClassifier, Settings, choose_centres, heuristic, spectral_mixing, train, transforms
from deepalgo.studies.cluster.augment import shift
from deepalgo.studies.cluster.training import repulsion, scores


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    return data.images / 16, data.target


def classify(digits, how="random", **options):
    images, labels = digits
    chosen = choose_centres(images[:1000], labels[:1000], 3, how, seed=1)
    return heuristic(chosen.images, chosen.one_hot(), transforms(1), temperature=0.05, **options)


@pytest.mark.parametrize("roughness", [None, 0.2])
def test_the_untrained_network_decides_as_the_heuristic_on_every_test_image(digits, roughness):
    images, _ = digits
    decide = classify(digits, roughness=roughness)
    network = da.compile(decide, example=((images[0],), {}))
    by_heuristic = np.stack([decide(image) for image in images[1000:]])
    by_network = scores(network, torch.tensor(images[1000:])).numpy()
    np.testing.assert_allclose(by_network, by_heuristic, rtol=1e-9, atol=1e-12)
    assert np.array_equal(by_network.argmax(1), by_heuristic.argmax(1))
    single = scores(network.float(), torch.tensor(images[1000:]).float()).numpy()
    assert np.array_equal(single.argmax(1), by_heuristic.argmax(1))


def test_the_certificate_covers_every_weight(digits):
    images, _ = digits
    network = da.compile(classify(digits, roughness=0.2), example=((images[0],), {}))
    assert list(network.weights) == ["masks", "centres", "roughness", "temperature", "mixing", "labels"]
    network.verify(images[:3])


def test_only_matching_is_an_operation_of_its_own(digits):
    images, _ = digits
    program = da.compile(classify(digits, roughness=0.2), example=((images[0],), {})).program
    names = Counter(op.name for op in walk(program.body) if isinstance(op, Op))
    assert (names["match"], names["match_flow"]) == (1, 1)
    assert {"abs", "exp", "matmul", "sum"} <= set(names)


def test_the_network_is_saved_and_written_back_as_source(digits, tmp_path):
    images, _ = digits
    network = da.compile(classify(digits, roughness=0.2), example=((images[0],), {}))
    network.save(tmp_path / "net.safetensors")
    space = {}
    exec(da.source(network), space)
    found = network(images[:5]).detach()
    torch.testing.assert_close(da.load(tmp_path / "net.safetensors")(images[:5]).detach(), found)
    np.testing.assert_allclose(np.stack([space["classify"](image) for image in images[:5]]), found, rtol=1e-12, atol=1e-14)


def test_spectral_mixing_leaves_every_decision_as_it_was(digits):
    images, labels = digits
    chosen = choose_centres(images[:500], labels[:500], 2, seed=0)
    mixing, turned = spectral_mixing(chosen.images, chosen.one_hot(), transforms(1), temperature=0.05)
    assert np.allclose(mixing @ mixing.T, np.eye(20)) and abs(mixing - np.eye(20)).max() > 0.1
    plain = heuristic(chosen.images, chosen.one_hot(), transforms(1), temperature=0.05)
    other = heuristic(chosen.images, turned, transforms(1), temperature=0.05, mixing=mixing)
    for image in images[500:520]:
        np.testing.assert_allclose(plain(image), other(image), atol=1e-12)


@pytest.mark.parametrize("how", ["random", "k-means", "k-medoids"])
def test_centres_are_chosen_class_by_class(digits, how):
    images, labels = digits
    chosen = choose_centres(images, labels, 4, how, seed=3)
    assert chosen.images.shape == (40, 8, 8) and chosen.labels.tolist() == sorted(list(range(10)) * 4)
    if how != "k-means":
        kinds = {image.tobytes(): label for image, label in zip(images, labels, strict=True)}
        assert [kinds[image.tobytes()] for image in chosen.images] == chosen.labels.tolist()


def test_better_centres_decide_better(digits):
    images, labels = digits

    def accuracy(how):
        decide = classify(digits, how)
        return np.mean([decide(image).argmax() == label for image, label in zip(images[1000:1300], labels[1000:1300], strict=True)])

    assert accuracy("k-means") > accuracy("random") + 0.02


def test_images_are_moved_by_whole_pixels_and_no_further():
    image = torch.zeros(200, 5, 5)
    image[:, 2, 2] = 1
    moved = shift(image, 1, torch.Generator().manual_seed(0))
    places = {tuple(place) for place in moved.nonzero()[:, 1:].tolist()}
    assert places == {(i, j) for i in (1, 2, 3) for j in (1, 2, 3)}
    corner = torch.zeros(50, 3, 3)
    corner[:, 0, 0] = 1
    assert shift(corner, 1, torch.Generator().manual_seed(0)).sum((1, 2)).unique().tolist() == [0.0, 1.0]


def tensors(digits, start, stop):
    images, labels = digits
    return torch.tensor(images[start:stop]).float(), torch.tensor(labels[start:stop])


@pytest.mark.parametrize("options", [{}, {"loss": "mse", "repulsion": 0.1}, {"optimiser": "sgd", "rate": 0.3, "loss": "mse"}])
def test_training_improves_what_it_selects_on(digits, options):
    network = da.compile(classify(digits, roughness=None), example=((digits[0][0],), {})).float()
    history = train(
        network, *tensors(digits, 0, 400), tensors(digits, 1000, 1300), Settings(epochs=2, batch=50, changes=Changes(), **options)
    )
    assert max(history.accuracies) > history.accuracies[0]


def test_the_heuristic_is_handed_back_where_training_makes_it_worse(digits):
    network = da.compile(classify(digits, roughness=None), example=((digits[0][0],), {})).float()
    before = {key: item.clone() for key, item in network.state_dict().items()}
    images, labels = tensors(digits, 0, 200)
    history = train(network, images, (labels + 1) % 10, tensors(digits, 1000, 1200), Settings(epochs=2, batch=50, rate=0.1))
    assert history.best == 0
    assert all(torch.equal(item, before[key]) for key, item in network.state_dict().items())


def test_an_interrupted_training_ends_where_it_would_have(digits, tmp_path):
    validation = tensors(digits, 1000, 1100)
    settings = Settings(epochs=3, batch=50)
    whole, parts = (da.compile(classify(digits, roughness=None), example=((digits[0][0],), {})).float() for _ in range(2))
    train(whole, *tensors(digits, 0, 200), validation, settings)

    class Interruption(Exception):
        pass

    def interrupt(epoch, history):
        if epoch == 1:
            raise Interruption

    with pytest.raises(Interruption):
        train(parts, *tensors(digits, 0, 200), validation, settings, checkpoint=tmp_path / "run.pt", report=interrupt)
    train(parts, *tensors(digits, 0, 200), validation, settings, checkpoint=tmp_path / "run.pt")
    for key, item in whole.state_dict().items():
        torch.testing.assert_close(parts.state_dict()[key], item)
    with pytest.raises(da.InputError, match="other settings"):
        train(parts, *tensors(digits, 0, 200), validation, Settings(epochs=4), checkpoint=tmp_path / "run.pt")


def test_a_checkpoint_that_was_altered_is_refused(digits, tmp_path):
    network = da.compile(classify(digits, roughness=None), example=((digits[0][0],), {})).float()
    path, data = tmp_path / "run.pt", (*tensors(digits, 0, 50), tensors(digits, 1000, 1020), Settings(epochs=1, batch=50))
    train(network, *data, checkpoint=path)
    whole = path.read_bytes()
    for content, reason in (
        (whole[:-1], "was cut off or altered after it was written"),
        (b"nothing", "is not a checkpoint of a training"),
        (packed({"step": 7}), "is not a checkpoint of this training"),
    ):
        path.write_bytes(content)
        with pytest.raises(da.InputError) as caught:
            train(network, *data, checkpoint=path)
        assert str(caught.value) == f"{path} {reason}: remove it, or name another file"
        assert path.read_bytes() == content
    with pytest.raises(da.InputError, match="is a folder: name a file"):
        train(network, *data, checkpoint=tmp_path)


def test_repulsion_falls_when_centres_of_two_classes_part():
    near, far = np.zeros((2, 4, 4)), np.stack([np.zeros((4, 4)), np.ones((4, 4))])
    values = [
        repulsion(da.compile(heuristic(centres, np.eye(2), transforms(1)), example=((near[0],), {}))).item() for centres in (near, far)
    ]
    assert values[0] == 1 and values[1] < 1e-3


@pytest.mark.parametrize(("options", "side"), [({}, 6), ({"edges": True, "weighed": True, "correction": (4,), "averaging": 0.9}, 2)])
def test_the_estimator_learns_explains_and_survives_pickling(digits, options, side):
    images, labels = digits
    rows = images.reshape(len(images), -1)
    classifier = ClusterNetClassifier(centres_per_class=2, epochs=3, batch=50, roughness=0.1, **options).fit(rows[:800], labels[:800])
    found = classifier.predict(rows[1000:1300])
    assert np.mean(found == labels[1000:1300]) > 0.9
    assert max(classifier.history_.accuracies) >= classifier.history_.accuracies[0]
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.scores(rows[:50]), classifier.scores(rows[:50]))
    reason = classifier.explain(rows[1000])
    assert reason.places.sum() == pytest.approx(reason.distances[0]) and (np.diff(reason.distances) >= 0).all()
    assert reason.flow.shape == (2, side, side) and len(reason.nearest) == 5
    everyone = classifier.explain(rows[1000], count=20)
    vote = (classifier.weights_["mixing"][:, everyone.nearest] @ everyone.shares) @ classifier.weights_["labels"]
    np.testing.assert_allclose(vote, classifier.scores(rows[1000:1001])[0], rtol=1e-3, atol=1e-4)


def test_pictures_are_drawn(digits):
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    images, labels = digits
    rows = images.reshape(len(images), -1)
    classifier = ClusterNetClassifier(centres_per_class=1, epochs=0).fit(rows[:300], labels[:300])
    assert classifier.plot_centres().images[0].get_array().shape == (90, 9)
    axes = classifier.plot_confusion(rows[300:400], labels[300:400])
    assert axes.images[0].get_array().shape == (10, 10)
    assert len(classifier.explain(rows[0]).plot().axes) == 4
    plt.close("all")


def test_wrong_options_are_named(digits):
    images, labels = digits
    rows = images.reshape(len(images), -1)[:100]
    for options, text in [
        ({"centres": "mean"}, "centres are chosen as 'random', 'k-means' or 'k-medoids', not 'mean'"),
        ({"mixing": "dense"}, "mixing starts as 'identity' or 'spectral', not 'dense'"),
        ({"image_shape": (7, 7)}, r"a row has 64 pixels, which do not make an image of \(7, 7\)"),
        ({"loss": "hinge"}, "loss is 'cross-entropy' or 'mse', not 'hinge'"),
    ]:
        with pytest.raises(da.InputError, match=text):
            ClusterNetClassifier(centres_per_class=1, **options).fit(rows, labels[:100])


@pytest.mark.slow
def test_the_estimator_keeps_the_rules_of_scikit_learn():
    check_estimator(ClusterNetClassifier(centres_per_class=2, epochs=2), on_skip=None)
