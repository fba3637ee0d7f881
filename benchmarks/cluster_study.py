"""What each choice contributes to ClusterNet, beside baselines: python -m benchmarks.cluster_study --data mnist --seeds 3

Every row is one training with one thing changed, its test accuracy over the seeds as mean and spread. Each finished row is written into a
file at once and not computed again, so the study may be interrupted. `--train` and `--test` take fewer images for a first look.
"""

import argparse
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F

from deepalgo.cluster import Changes, Settings, choose_centres, train, transforms
from deepalgo.cluster.matching import match_distances
from deepalgo.cluster.reproduce import STUDIES, Rival, build
from deepalgo.cluster.training import accuracy


@dataclass(frozen=True)
class Row:
    """A variant: how centres are chosen and matched, and how it is trained."""

    name: str
    rival: Rival = field(default_factory=lambda: Rival("", 10, "k-means", reach=1))
    settings: Settings = field(default_factory=Settings)


BASE = Row("base: k-means, 9 shifts, cross-entropy, one-cycle Adam, moved by 1")
PAPER = Settings(loss="mse", optimiser="sgd", rate=0.1, changes=Changes())
ROWS = [
    BASE,
    Row(
        "the paper's way: random, SGD on squares",
        Rival("", 10, reach=1),
        Settings(loss="mse", optimiser="sgd", rate=0.1, changes=Changes()),
    ),
    Row("random centres", Rival("", 10, reach=1)),
    Row("k-medoids", Rival("", 10, "k-medoids", reach=1)),
    Row("25 shifts", Rival("", 10, "k-means", reach=2)),
    Row("no shifts", Rival("", 10, "k-means", reach=0)),
    Row("with roughness", Rival("", 10, "k-means", reach=1, roughness=0.1)),
    Row("squares", settings=Settings(loss="mse")),
    Row("no augmentation", settings=Settings(changes=Changes())),
    Row("moved by 2", settings=Settings(changes=Changes(shift=2))),
    Row("repulsion", settings=Settings(repulsion=0.01)),
    Row("masks fixed", settings=Settings(fixed=("masks",))),
    Row("Q and labels fixed", settings=Settings(fixed=("mixing", "labels"))),
    Row("temperatures fixed", settings=Settings(fixed=("temperature",))),
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


def trained(row, data, seed, epochs):
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


def prototypes(data, seed, epochs):
    """Learning vector quantisation: the same number of prototypes, trained on the relative distance to right and wrong ones (GLVQ)."""
    chosen = choose_centres(*data.train, 10, "k-means", seed=seed)
    points = torch.tensor(chosen.images.reshape(len(chosen.images), -1), requires_grad=True)
    owners = torch.from_numpy(chosen.labels)

    def loss(images, labels):
        distances = torch.cdist(images.flatten(1), points).square()
        own = owners == labels[:, None]
        right, wrong = distances.masked_fill(~own, torch.inf).amin(1), distances.masked_fill(own, torch.inf).amin(1)
        return torch.sigmoid(5 * (right - wrong) / (right + wrong)).mean()

    _descend([points], loss, data, epochs, seed, 0.01)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (owners[torch.cdist(images.flatten(1), points).argmin(1)] == labels).double().mean().item()


def convolutions(data, seed, epochs):
    """A small network of convolutions with about as many parameters as ClusterNet."""
    torch.manual_seed(seed)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(64 * 16, 100),
        torch.nn.ReLU(),
        torch.nn.Linear(100, 10),
    )

    def loss(images, labels):
        return F.cross_entropy(network(images[:, None]), labels)

    _descend(list(network.parameters()), loss, data, epochs, seed, 0.002)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (network(images[:, None]).argmax(1) == labels).double().mean().item()


def _descend(parameters, loss, data, epochs, seed, rate):
    images, labels = tensors(data.train)
    steps = epochs * -(-len(images) // 100)
    optimiser = torch.optim.Adam(parameters, lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 2)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        for chosen in torch.randperm(len(images), generator=generator).split(100):
            optimiser.zero_grad()
            loss(images[chosen], labels[chosen]).backward()
            optimiser.step()
            schedule.step()


BASELINES = {
    "Euclidean nearest k-means centre": lambda data, seed, epochs: nearest_prototype(data, seed),
    "3 nearest of all training images": lambda data, seed, epochs: neighbours(data, seed),
    "GLVQ, 10 prototypes a class": prototypes,
    "two convolutions": convolutions,
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
    for name in [row.name for row in ROWS] + list(BASELINES):
        if options.rows and not any(word in name for word in options.rows):
            continue
        results = []
        for seed in range(options.seeds):
            key = f"{head}, test {options.test}: {name}, seed {seed}"
            if key not in found:
                data = load(STUDIES[options.data], options.train, options.test, seed)
                row = next((item for item in ROWS if item.name == name), None)
                found[key] = trained(row, data, seed, options.epochs) if row else (None, BASELINES[name](data, seed, options.epochs))
                options.file.parent.mkdir(parents=True, exist_ok=True)
                options.file.write_text(json.dumps(found, indent=1))
            results.append(found[key])
        cells = [[item[part] for item in results if item[part] is not None] for part in (0, 1)]
        table.add_row(name, *(f"{100 * np.mean(cell):.2f} ({100 * np.ptp(cell):.2f})" if cell else "" for cell in cells))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
