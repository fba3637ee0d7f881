"""`deepalgo reproduce cluster`: the paper's confusion matrices beside ours, before and after training.

Every result is written into the folder as soon as it is there, so that an interrupted run goes on where it was. A tenth of the training
images, never the test images, chooses the epoch that is kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console

from deepalgo import datasets
from deepalgo.compiler import compile
from deepalgo.datasets import ImageData
from deepalgo.network import Network
from deepalgo.studies.cluster import paper
from deepalgo.studies.cluster.augment import Changes
from deepalgo.studies.cluster.centres import Centres, choose_centres
from deepalgo.studies.cluster.features import correction, edges, look
from deepalgo.studies.cluster.matching import match_distances, transforms
from deepalgo.studies.cluster.plots import confusion_matrix, plot_centres, plot_confusion
from deepalgo.studies.cluster.training import History, Settings, scores, train
from deepalgo.studies.cluster.vote import heuristic
from deepalgo.tensorize.correct import correct

Array = npt.NDArray[Any]
#: `--quick` takes so many images for training, half as many for the test, and so many epochs.
QUICK, QUICK_EPOCHS = 3000, 2


@dataclass(frozen=True)
class Rival:
    """One heuristic: centres, moves and constants."""

    name: str
    each: int
    centres: str = "random"
    reach: int = 2
    temperature: float = 0.005
    roughness: float | None = None
    #: Edges are compared in place of pixels (W1), and places weighed for each centre (w2).
    edges: bool = False
    weighed: bool = False
    #: Sizes of the layers that correct the edges, and of the one that corrects the vote.
    correction: tuple[int, ...] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Study:
    """A data set, the heuristics that are tried on it untrained, and the one that is trained."""

    name: str
    load: Callable[[], ImageData]
    before: tuple[Rival, ...]
    after: Rival | None
    settings: Settings
    printed: tuple[Array, ...]


STUDIES = {
    "mnist": Study(
        "mnist",
        datasets.mnist,
        (
            Rival("10x10 random", 10, reach=1, temperature=0.003, edges=True),
            Rival("10x10 k-means", 10, "k-means", reach=1, temperature=0.003, edges=True),
        ),
        Rival("10x10", 10, "k-means", reach=1, temperature=0.003, edges=True, weighed=True),
        Settings(epochs=10, batch=200, rate=0.014, averaging=0.99, changes=Changes(shift=1, turn=10, stretch=0.1)),
        (paper.MNIST_BEFORE, paper.MNIST_AFTER),
    ),
    "fashion": Study(
        "fashion",
        datasets.fashion_mnist,
        (
            Rival("25x10 random", 25, reach=1, temperature=0.009),
            Rival("25x10 k-means", 25, "k-means", reach=0, temperature=0.005, edges=True),
        ),
        Rival("10x10", 10, "k-means", reach=1, temperature=0.006, edges=True, weighed=True, correction=(16, 24)),
        Settings(epochs=10, batch=200, rate=0.014, averaging=0.99, changes=Changes(shift=1, mirror=True)),
        (paper.FASHION_BEFORE, paper.FASHION_AFTER),
    ),
    "stl10": Study("stl10", datasets.stl10, (Rival("25x10 random", 25),), None, Settings(), (paper.STL_BEFORE,)),
}


@dataclass
class StudyResult:
    """What one network decides on the test images."""

    accuracy: float
    confusion: list[list[float]]
    parameters: int
    seconds: float
    #: Decisions that the plain function takes otherwise, of how many.
    differing: tuple[int, int] = (0, 0)
    #: Decisions that would be others with temperature 1.
    by_temperature: int = 0
    epochs: int = 0


def reproduce(folder: Path, names: tuple[str, ...], quick: bool, seed: int = 0) -> Iterator[str]:
    """The report, line by line, as it is found."""
    if quick:
        yield f"QUICK: {QUICK} training and {QUICK // 2} test images, {QUICK_EPOCHS} epochs. These are not the paper's figures."
    for name in names:
        yield from _study(STUDIES[name], folder / ("quick" if quick else "full"), quick, seed)


def _study(study: Study, folder: Path, quick: bool, seed: int) -> Iterator[str]:
    data = study.load()
    size = QUICK if quick else len(data.train_images)
    order = np.random.default_rng(seed).permutation(len(data.train_images))[:size]
    kept, held = order[size // 10 :], order[: size // 10]
    images, test = (item.astype(np.float32) / 255 for item in (data.train_images, data.test_images[: size // 2 if quick else None]))
    labels, answers = data.train_labels.astype(np.int64), data.test_labels[: len(test)].astype(np.int64)
    yield f"\n{study.name}: {len(kept)} images for training, {len(held)} for validation, {len(test)} for the test"
    for rival in study.before:
        place = folder / f"{study.name} {rival.name} before.json"
        chosen = choose_centres(images[kept], labels[kept], rival.each, rival.centres, seed=seed, metric=_distances)
        network = build(rival, chosen)
        if not place.is_file():
            _save(place, _examine(network, rival, chosen, test, answers, 50 if quick else len(test)))
        yield from _tell(f"before training, {rival.name}", _load(place), study.printed[0], paper.OVERALL[f"{study.name} before"])
    if study.after is not None:
        yield from _trained(study, study.after, folder, (images, labels), (test, answers), kept, held, quick, seed)


def _trained(
    study: Study,
    rival: Rival,
    folder: Path,
    known: tuple[Array, Array],
    asked: tuple[Array, Array],
    kept: Array,
    held: Array,
    quick: bool,
    seed: int,
) -> Iterator[str]:
    images, labels = torch.from_numpy(known[0]), torch.from_numpy(known[1])
    chosen = choose_centres(known[0][kept], known[1][kept], rival.each, rival.centres, seed=seed, metric=_distances)
    network = build(rival, chosen)
    place = folder / f"{study.name} {rival.name} after.json"
    settings = replace(study.settings, seed=seed, epochs=QUICK_EPOCHS if quick else study.settings.epochs)
    console = Console(stderr=True, highlight=False)

    def report(epoch: int, history: History) -> None:
        console.print(f"{study.name}, epoch {epoch}: validation {100 * history.accuracies[-1]:.2f} %, {history.seconds:.0f} s")

    history = train(
        network,
        images[kept],
        labels[kept],
        (images[held], labels[held]),
        settings,
        checkpoint=folder / f"{study.name} {rival.name}.pt",
        report=report,
    )
    if not place.is_file():
        result = _decide(network, *asked)
        _save(place, replace(result, epochs=history.best, seconds=history.seconds))
    yield from _tell(f"after training, {rival.name}", _load(place), study.printed[1], paper.OVERALL[f"{study.name} after"])
    yield "  validation by epoch, in %: " + " ".join(f"{100 * item:.2f}" for item in history.accuracies)
    _draw(study, folder, chosen, network)
    yield f"  pictures: {folder}"


def build(rival: Rival, chosen: Centres) -> Network:
    """The heuristic with these centres, compiled and corrected, in single precision."""
    network = compile(plain(rival, chosen), example=((chosen.images[0].astype(float),), {}))
    if rival.hidden:
        network = correct(network, "f", ["scaled"], rival.hidden)
    return network.float()


def plain(rival: Rival, chosen: Centres) -> Callable[[Array], Array]:
    """The heuristic with these centres."""
    centres = chosen.images.astype(float)
    filters = edges(centres.shape[3] if centres.ndim == 4 else 1) if rival.edges else None
    seen = centres if filters is None else look(centres, filters)
    places = (len(seen), seen.shape[1] - 2, seen.shape[2] - 2)
    return heuristic(
        centres,
        chosen.one_hot(),
        transforms(rival.reach),
        temperature=np.full(len(centres), rival.temperature),
        roughness=rival.roughness,
        filters=filters,
        correction=correction(rival.correction, filters.shape[1]) if rival.correction and filters is not None else (),
        importance=np.ones(places) if rival.weighed else None,
    )


def _distances(first: Array, second: Array) -> Array:
    """Distances under nine moves, for medoids."""
    return match_distances(first, second, transforms(1))


def _decide(network: Network, images: Array, answers: Array) -> StudyResult:
    start = time.process_time()
    found = scores(network, torch.from_numpy(images)).argmax(1).numpy()
    matrix = confusion_matrix(answers, found, int(answers.max()) + 1)
    parameters = sum(item.numel() for item in network.parameters())
    return StudyResult(100 * float(np.mean(found == answers)), matrix.tolist(), parameters, time.process_time() - start)


def _examine(network: Network, rival: Rival, chosen: Centres, images: Array, answers: Array, compared: int) -> StudyResult:
    """Decide, ask the plain function the same, and look what the temperature changes."""
    result = _decide(network, images, answers)
    found = scores(network, torch.from_numpy(images)).argmax(1).numpy()
    decide = plain(rival, chosen)
    by_function = np.array([decide(image.astype(float)).argmax() for image in images[:compared]])
    raw = build(replace(rival, temperature=1.0), chosen)
    at_raw_scale = scores(raw, torch.from_numpy(images)).argmax(1).numpy()
    result.differing = (int(np.sum(by_function != found[:compared])), compared)
    result.by_temperature = int(np.sum(at_raw_scale != found))
    return result


def _save(place: Path, result: StudyResult) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(result)))
    partial.replace(place)


def _load(place: Path) -> StudyResult:
    return StudyResult(**json.loads(place.read_text()))


def _tell(what: str, result: StudyResult, printed: Array, overall: float) -> Iterator[str]:
    yield f"\n{what}: {result.accuracy:.2f} % (paper: {overall:.1f} %)"
    yield f"  {result.parameters} parameters, {result.seconds:.0f} s of processor time"
    if result.differing[1]:
        yield f"  the network decides unlike the plain function on {result.differing[0]} of {result.differing[1]} test images"
        yield f"  with temperature 1 in place of its own, {result.by_temperature} decisions would be others"
    if result.epochs:
        yield f"  the best of the epochs by validation: {result.epochs}"
    yield f"  {'paper':^60}   {'here':^60}"
    for row, ours in zip(printed, np.array(result.confusion), strict=True):
        yield "  " + " ".join(f"{value:5.1f}" for value in row) + "   " + " ".join(f"{value:5.1f}" for value in ours)


def _draw(study: Study, folder: Path, chosen: Centres, network: Network) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    after = network.weights["centres"].detach().numpy()
    figure, axes = plt.subplots(1, 2, figsize=(12, 6))
    plot_centres(chosen.images, 10, axes[0], title="centres before training")
    plot_centres(after, 10, axes[1], title="centres after training")
    figure.savefig(folder / f"{study.name} centres.png", dpi=120, bbox_inches="tight")
    found = [(path, _load(path)) for path in sorted(folder.glob(f"{study.name} *.json"))]
    figure, axes = plt.subplots(1, len(study.printed) + len(found), figsize=(6 * (len(study.printed) + len(found)), 6))
    for place, matrix, title in zip(axes, study.printed, ("paper, before", "paper, after"), strict=False):
        plot_confusion(matrix, place, title=title)
    for place, (path, result) in zip(axes[len(study.printed) :], found, strict=True):
        plot_confusion(np.array(result.confusion), place, title=path.stem)
    figure.savefig(folder / f"{study.name} confusion.png", dpi=100, bbox_inches="tight")
    plt.close("all")
