"""What each choice contributes to ClusterNet, beside baselines: python -m benchmarks.cluster_study --data mnist --seeds 3

Every row is one training with one thing changed: its test accuracy over the seeds as mean and spread, and the mean difference to the base,
seed by seed. The base is trained as by `deepalgo reproduce cluster`, whose seed is 0. Each finished training is written into a file at
once and not computed again, so the study may be interrupted. `--train`, `--test` and `--epochs` make it smaller, `--markdown` keeps the
table.
"""

import argparse
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F

from deepalgo.studies.cluster import Centres, Changes, Settings, choose_centres, train, transforms
from deepalgo.studies.cluster.augment import augment
from deepalgo.studies.cluster.matching import match_distances
from deepalgo.studies.cluster.reproduce import STUDIES, Rival, build
from deepalgo.studies.cluster.training import accuracy
from deepalgo.tensorize.soften import soften


@dataclass(frozen=True)
class Row:
    """A variant: how centres are chosen and matched, and how it is trained."""

    name: str
    rival: Rival
    settings: Settings


#: How smooth the minimum over moves is at first, in widths that `soften` measures.
SOFTNESS = 30.0
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
        other("edges not corrected", correction=()) if rival.correction else other("edges corrected", correction=(16,)),
        *([other("edges corrected by one layer", correction=rival.correction[:1])] if len(rival.correction) > 1 else []),
        other("vote corrected", hidden=32),
        other("random samples", centres="random"),
        other("k-medoids", centres="k-medoids"),
        other("no shifts", reach=0),
        other("25 shifts", reach=2),
        other("with roughness", roughness=0.1),
        trained("squares", loss="mse"),
        trained("images not changed", changes=Changes()),
        trained("images only moved by 1", changes=Changes(shift=1)),
        trained("smoother min, hard at the end", softness=SOFTNESS),
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


def train_one(row, data, seed):
    """Test accuracies before and after training."""
    chosen = choose_centres(*data.train, row.rival.each, row.rival.centres, seed=seed, metric=near)
    network = build(row.rival, chosen)
    before = accuracy(network, *tensors(data.test))
    images, labels = tensors(data.train)
    if row.settings.softness:
        network = soften(network, images[:100])
    train(network, images, labels, tensors(data.validation), replace(row.settings, seed=seed))
    return before, accuracy(network, *tensors(data.test))


def nearest_prototype(data, seed, base):
    """Euclidean distance to the same k-means centres."""
    chosen = choose_centres(*data.train, 10, "k-means", seed=seed)
    return float(np.mean(chosen.labels[_euclid(data.test[0], chosen.images).argmin(1)] == data.test[1]))


def neighbours(data, seed, base, count=3):
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


def prototypes(data, seed, base):
    """Learning vector quantisation: the same number of prototypes, trained on the relative distance to right and wrong ones (GLVQ)."""
    chosen = choose_centres(*data.train, 10, "k-means", seed=seed)
    points = torch.tensor(chosen.images.reshape(len(chosen.images), -1), requires_grad=True)
    owners = torch.from_numpy(chosen.labels)

    def loss(images, labels):
        distances = torch.cdist(images.flatten(1), points).square()
        own = owners == labels[:, None]
        right, wrong = distances.masked_fill(~own, torch.inf).amin(1), distances.masked_fill(own, torch.inf).amin(1)
        return torch.sigmoid(5 * (right - wrong) / (right + wrong)).mean()

    _descend([points], loss, data, base.settings, seed, 0.01)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (owners[torch.cdist(images.flatten(1), points).argmin(1)] == labels).double().mean().item()


def convolutions(data, seed, base):
    """Two layers of convolutions and two dense ones with as many parameters as ClusterNet, on images changed in the same way."""
    torch.manual_seed(seed)
    hidden = round((parameters(base, data) - 52_106) / 1035)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(64 * 16, hidden),
        torch.nn.ReLU(),
        torch.nn.Linear(hidden, 10),
    )

    def loss(images, labels):
        return F.cross_entropy(network(images[:, None]), labels)

    _descend(list(network.parameters()), loss, data, base.settings, seed, 0.002)
    with torch.no_grad():
        images, labels = tensors(data.test)
        return (network(images[:, None]).argmax(1) == labels).double().mean().item()


def parameters(row, data):
    """How many weights ClusterNet has."""
    count = 10 * row.rival.each
    network = build(row.rival, Centres(data.train[0][:count], np.arange(count) % 10))
    return sum(item.numel() for item in network.parameters())


def _descend(weights, loss, data, settings, seed, rate):
    images, labels = tensors(data.train)
    steps = settings.epochs * -(-len(images) // 100)
    optimiser = torch.optim.Adam(weights, lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 2)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(images), generator=generator).split(100):
            optimiser.zero_grad()
            loss(augment(images[chosen], settings.changes, generator), labels[chosen]).backward()
            optimiser.step()
            schedule.step()


BASELINES = {
    "Euclidean nearest k-means centre": nearest_prototype,
    "3 nearest of all training images": neighbours,
    "GLVQ, 10 prototypes a class": prototypes,
    "two convolutions, as many parameters": convolutions,
}


class Results:
    """Accuracies before and after training, by what was trained and how; each is kept in the file as soon as it is there."""

    def __init__(self, file):
        self.file = file

    def __contains__(self, key):
        return key in self._read()

    def __getitem__(self, key):
        return self._read()[key]

    def __setitem__(self, key, found):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        partial = self.file.with_suffix(".partial")
        partial.write_text(json.dumps(self._read() | {key: found}, indent=1))
        partial.replace(self.file)

    def _read(self):
        return json.loads(self.file.read_text()) if self.file.is_file() else {}


def measure(name, row, base, options, results, console):
    """The accuracies of a row with each seed; what is not known is computed."""
    found = []
    for seed in range(options.seeds):
        key = f"{options.data}, {options.train} and {options.test} images, seed {seed}, {name}: {row or base}"
        if key not in results:
            start = time.process_time()
            data = load(STUDIES[options.data], options.train, options.test, seed)
            results[key] = train_one(row, data, seed) if row else (None, BASELINES[name](data, seed, base))
            console.print(f"{name}, seed {seed}: {100 * results[key][1]:.2f} %, {time.process_time() - start:.0f} s of processor time")
        found.append(results[key])
    return found


def cells(name, found, base):
    """The row of the table: mean and spread before and after training, and the mean difference to the base."""
    parts = [[100 * item[part] for item in found if item[part] is not None] for part in (0, 1)]
    shown = [f"{np.mean(part):.2f} ({np.ptp(part):.2f})" if part else "" for part in parts]
    against = 100 * np.mean([mine[1] - its[1] for mine, its in zip(found, base, strict=True)]) if base else None
    return [name, *shown, "" if against is None else f"{against:+.2f}"]


def main():
    """Compute what is missing and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="mnist", choices=("mnist", "fashion"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, help="for all rows; the command's own, and the paper's 10, unless given")
    parser.add_argument("--train", type=int, default=60_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--rows", nargs="*", help="only rows whose name contains one of these words")
    parser.add_argument("--file", type=Path, help="where results are kept; one for each data set unless given")
    parser.add_argument("--markdown", type=Path, help="write the table there")
    options = parser.parse_args()
    torch.set_num_threads(1)
    console = Console(stderr=True, highlight=False, width=150)
    results = Results(options.file or Path(f"reproduced/cluster_study_{options.data}.json"))
    known = {row.name: row for row in rows(STUDIES[options.data])}
    if options.epochs is not None:
        known = {name: replace(row, settings=replace(row.settings, epochs=options.epochs)) for name, row in known.items()}
    wanted = [name for name in [*known, *BASELINES] if not options.rows or any(word in name for word in options.rows)]
    base, first, lines = known["base"], None, []
    for name in wanted:
        found = measure(name, known.get(name), base, options, results, console)
        first = found if name == "base" else first
        lines.append(cells(name, found, first if name != "base" else None))
        console.print(f"[bold]{lines[-1][0]}: {lines[-1][2]} {lines[-1][3]}[/bold] ({len(lines)} of {len(wanted)} rows)")
    head = f"{options.data}, {options.train} images for training and validation, {base.settings.epochs} epochs, {options.seeds} seeds"
    table = Table("variant", "before training", "after", "against base", title=f"Test accuracy in %, mean (spread): {head}")
    for line in lines:
        table.add_row(*line)
    Console(width=150).print(table)
    if options.markdown is not None:
        titles = [head, "before training", "after", "against base"]
        options.markdown.write_text("".join(f"| {' | '.join(line)} |\n" for line in (titles, ["---"] * 4, *lines)))


if __name__ == "__main__":
    main()
