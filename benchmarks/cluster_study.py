"""What each choice contributes to ClusterNet, beside baselines: python -m benchmarks.cluster_study --data mnist --seeds 3

Every row is one training with one thing changed, its test accuracy over the seeds as mean and spread. Each finished row is written into a
file at once and not computed again, so the study may be interrupted. `--train` and `--test` take fewer images for a first look.
"""

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F

from deepalgo.cluster import Changes, Settings, choose_centres, train, transforms
from deepalgo.cluster.augment import augment
from deepalgo.cluster.matching import match_distances
from deepalgo.cluster.reproduce import STUDIES, Rival, build
from deepalgo.cluster.training import accuracy


@dataclass(frozen=True)
class Row:
    """A variant: how centres are chosen and matched, and how it is trained."""

    name: str
    rival: Rival
    settings: Settings


PAPER = Settings(loss="mse", optimiser="sgd", rate=0.1, changes=Changes())


def rows(study):
    """The set-up of `deepalgo reproduce cluster`, and others that differ from it in one thing."""
    rival, settings = study.after, study.settings
    pixels = replace(rival, edges=False, correction=(), temperature=0.005)

    def other(name, training=settings, **change):
        return Row(name, replace(rival, **change), training)

    def trained(name, **change):
        return Row(name, rival, replace(settings, **change))

    return [
        Row("base", rival, settings),
        Row("the paper's way: random samples, pixels, SGD on squares", replace(pixels, centres="random", weighed=False, hidden=0), PAPER),
        Row("pixels in place of edges (no W1)", pixels, settings),
        other("places not weighed (no w2)", weighed=False),
        other("edges not corrected", correction=()),
        other("vote corrected", hidden=32),
        other("random samples", centres="random"),
        other("k-medoids", centres="k-medoids"),
        other("no shifts", reach=0),
        other("25 shifts", reach=2),
        other("with roughness", roughness=0.1),
        trained("squares", loss="mse"),
        trained("images not changed", changes=Changes()),
        trained("images only moved by 1", changes=Changes(shift=1)),
        trained("weights not averaged", averaging=0.0),
        trained("labels smoothed", smoothing=0.1),
        trained("repulsion", repulsion=0.01),
        trained("masks fixed", fixed=("masks",)),
        trained("filters fixed", fixed=("filters",)),
        trained("Q and labels fixed", fixed=("mixing", "labels")),
        trained("temperatures fixed", fixed=("temperature",)),
    ]


@dataclass(frozen=True)
class Data:
    """Images for training, for validation and for the test."""

    train: tuple
    validation: tuple
    test: tuple


def load(study, train_count, test_count, seed):
    """Shuffle the training images; a tenth of them is for validation."""
    data = study.load()
    order = np.random.default_rng(seed).permutation(len(data.train_images))[:train_count]
    held, kept = order[: len(order) // 10], order[len(order) // 10 :]
    images, test = (item.astype(np.float32) / 255 for item in (data.train_images, data.test_images[:test_count]))
    labels, answers = data.train_labels.astype(np.int64), data.test_labels[:test_count].astype(np.int64)
    return Data((images[kept], labels[kept]), (images[held], labels[held]), (test, answers))


def tensors(pair):
    """Both for torch."""
    return tuple(map(torch.from_numpy, pair))


def near(first, second):
    """The metric for medoids."""
    return match_distances(first, second, transforms(1))


def train_one(row, data, seed, epochs):
    """Test accuracies before and after training."""
    chosen = choose_centres(*data.train, row.rival.each, row.rival.centres, seed=seed, metric=near)
    network = build(row.rival, chosen)
    before = accuracy(network, *tensors(data.test))
    train(network, *tensors(data.train), tensors(data.validation), replace(row.settings, seed=seed, epochs=epochs))
    return before, accuracy(network, *tensors(data.test))


def nearest_prototype(data, seed):
    """Euclidean distance to the same k-means centres."""
    chosen = choose_centres(*data.train, 10, "k-means", seed=seed)
    return float(np.mean(chosen.labels[_euclid(data.test[0], chosen.images).argmin(1)] == data.test[1]))


def neighbours(data, seed, count=3):
    """The nearest training images vote."""
    hits = 0
    for start in range(0, len(data.test[0]), 500):
        near = np.argpartition(_euclid(data.test[0][start : start + 500], data.train[0]), count, 1)[:, :count]
        votes = np.apply_along_axis(np.bincount, 1, data.train[1][near], minlength=10)
        hits += int(np.sum(votes.argmax(1) == data.test[1][start : start + 500]))
    return hits / len(data.test[0])


def _euclid(first, second):
    a, b = (item.reshape(len(item), -1) for item in (first, second))
    return (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)


def prototypes(data, seed, epochs, changes):
    """Learning vector quantisation: the same number of prototypes, trained on the relative distance to right and wrong ones (GLVQ)."""
    chosen = choose_centres(*data.train, 10, "k-means", seed=seed)
    points = torch.tensor(chosen.images.reshape(len(chosen.images), -1), requires_grad=True)
    owners = torch.from_numpy(chosen.labels)

    def loss(images, labels):
        distances = torch.cdist(images.flatten(1), points).square()
        own = owners == labels[:, None]
        right, wrong = distances.masked_fill(~own, torch.inf).amin(1), distances.masked_fill(own, torch.inf).amin(1)
        return torch.sigmoid(5 * (right - wrong) / (right + wrong)).mean()

    _descend([points], loss, data, epochs, seed, 0.01, changes)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (owners[torch.cdist(images.flatten(1), points).argmin(1)] == labels).double().mean().item()


def convolutions(data, seed, epochs, changes):
    """Two layers of convolutions and two dense ones with as many parameters as ClusterNet (202,000), on images changed in the same way."""
    torch.manual_seed(seed)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(64 * 16, 145),
        torch.nn.ReLU(),
        torch.nn.Linear(145, 10),
    )

    def loss(images, labels):
        return F.cross_entropy(network(images[:, None]), labels)

    _descend(list(network.parameters()), loss, data, epochs, seed, 0.002, changes)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (network(images[:, None]).argmax(1) == labels).double().mean().item()


def _descend(parameters, loss, data, epochs, seed, rate, changes):
    images, labels = tensors(data.train)
    steps = epochs * -(-len(images) // 100)
    optimiser = torch.optim.Adam(parameters, lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 2)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        for chosen in torch.randperm(len(images), generator=generator).split(100):
            optimiser.zero_grad()
            loss(augment(images[chosen], changes, generator), labels[chosen]).backward()
            optimiser.step()
            schedule.step()


BASELINES = {
    "Euclidean nearest k-means centre": lambda data, seed, epochs, changes: nearest_prototype(data, seed),
    "3 nearest of all training images": lambda data, seed, epochs, changes: neighbours(data, seed),
    "GLVQ, 10 prototypes a class": prototypes,
    "two convolutions, as many parameters": convolutions,
}


def main():
    """Compute what is missing and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="mnist", choices=("mnist", "fashion"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--train", type=int, default=60_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--rows", nargs="*", help="only rows whose name contains one of these words")
    parser.add_argument("--file", type=Path, default=Path("reproduced/cluster_study.json"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    found = json.loads(options.file.read_text()) if options.file.is_file() else {}
    head = f"{options.data}, {options.train} images, {options.epochs} epochs"
    table = Table("variant", "before training", "after", title=f"Test accuracy in %, mean (spread) of {options.seeds} seeds: {head}")
    study = STUDIES[options.data]
    known = {row.name: row for row in rows(study)}
    for name in [*known, *BASELINES]:
        if options.rows and not any(word in name for word in options.rows):
            continue
        results = []
        for seed in range(options.seeds):
            key = f"{head}, test {options.test}: {name}, seed {seed}"
            if key not in found:
                data = load(study, options.train, options.test, seed)
                found[key] = (
                    train_one(known[name], data, seed, options.epochs)
                    if name in known
                    else (None, BASELINES[name](data, seed, options.epochs, study.settings.changes))
                )
                options.file.parent.mkdir(parents=True, exist_ok=True)
                options.file.write_text(json.dumps(found, indent=1))
            results.append(found[key])
        cells = [[item[part] for item in results if item[part] is not None] for part in (0, 1)]
        table.add_row(name, *(f"{100 * np.mean(cell):.2f} ({100 * np.ptp(cell):.2f})" if cell else "" for cell in cells))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
