"""Train a compiled ClusterNet: epochs of shuffled batches, in pieces that stay in the cache, resumed where it was interrupted.

The initial weights compete: what is handed back is the epoch that was best on the validation images, or the heuristic itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from deepalgo.errors import InputError
from deepalgo.fitting.checkpoint import AWAY, UNFIT, check_place, read, write
from deepalgo.network import Network
from deepalgo.studies.cluster.augment import Changes, augment
from deepalgo.tensorize.soften import anneal

#: So many pixels of all centres go through the network together. More would push what lies between two operations out of the cache.
PIECE = 2**19

#: The rate of weights that act on every image and centre, as a part of that of the centres.
SHARED = 0.3


@dataclass(frozen=True)
class Settings:
    """How to train. The paper's own way is `Settings(loss="mse", optimiser="sgd", rate=0.1, changes=Changes())`."""

    epochs: int = 10
    batch: int = 100
    rate: float = 0.01
    loss: str = "cross-entropy"
    optimiser: str = "adam"
    #: Scores are multiplied by this before the cross-entropy.
    sharpness: float = 10.0
    #: This share of the wanted answer is spread over all classes.
    smoothing: float = 0.0
    #: How much of the mean of all earlier weights stays in each step; what is examined and handed back is that mean.
    averaging: float = 0.0
    #: How smooth the least distance of a softened network (`deepalgo.soften`) is at first. It is hard at the end and where it is examined.
    softness: float = 0.0
    #: How training images are changed.
    changes: Changes = field(default_factory=lambda: Changes(shift=1))
    #: How strongly centres of different classes push each other away.
    repulsion: float = 0.0
    #: Epochs without a better validation accuracy after which training ends.
    patience: int = 5
    #: Weights that stay as they are.
    fixed: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.loss not in ("cross-entropy", "mse"):
            raise InputError(f"loss is 'cross-entropy' or 'mse', not {self.loss!r}")
        if self.optimiser not in ("adam", "sgd"):
            raise InputError(f"optimiser is 'adam' or 'sgd', not {self.optimiser!r}")


@dataclass
class History:
    """What was seen after each epoch; epoch 0 is the heuristic."""

    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    #: Of processor time, in training.
    seconds: float = 0.0

    @property
    def best(self) -> int:
        """The first of the best epochs."""
        return max(range(len(self.accuracies)), key=lambda epoch: (self.accuracies[epoch], -epoch))


def pieces(items: Tensor, size: int) -> list[Tensor]:
    """So many at a time."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def piece_size(network: Network) -> int:
    """How many images go through the network together.

    Without the roughness there is little between the operations. What filters find in the centres is computed for each piece, so
    that larger ones are worth more than the cache.
    """
    room = PIECE if "roughness" in network.weights else 8 * PIECE if "filters" in network.weights else 4 * PIECE
    return max(4, room // math.prod(network.weights["masks"].shape[:3]))


def scores(network: Network, images: Tensor) -> Tensor:
    """The network's answers, without gradients."""
    with torch.no_grad():
        return torch.cat([network(part) for part in pieces(images, piece_size(network))]) if len(images) else network(images)


def accuracy(network: Network, images: Tensor, labels: Tensor) -> float:
    """The share of images whose class gets the largest score."""
    return (scores(network, images).argmax(1) == labels).double().mean().item()


def train(
    network: Network,
    images: Tensor,
    labels: Tensor,
    validation: tuple[Tensor, Tensor],
    settings: Settings,
    *,
    checkpoint: Path | None = None,
    report: Callable[[int, History], None] | None = None,
) -> History:
    """Train in place and leave the best weights in the network. With a checkpoint, an interrupted training goes on where it was."""
    state = _State.fresh(network, images, settings)
    if checkpoint is not None:
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        check_place(checkpoint)
        if checkpoint.is_file():
            state.resume(checkpoint, settings)
    if not state.history.accuracies:
        state.examine(float("nan"), validation)
        _tell(report, 0, state.history)
    while (epoch := len(state.history.accuracies)) <= settings.epochs and epoch - state.history.best <= settings.patience:
        start = time.process_time()
        loss = _epoch(network, images, labels, settings, state, epoch)
        state.history.seconds += time.process_time() - start
        state.examine(loss, validation)
        if checkpoint is not None:
            state.save(checkpoint, settings)
        _tell(report, epoch, state.history)
    network.load_state_dict(state.kept)
    return state.history


class _State:
    """Everything that an interrupted training needs to go on."""

    def __init__(self, network: Network, optimiser: torch.optim.Optimizer, schedule: Any, softness: float, total: int) -> None:
        self.network, self.optimiser, self.schedule = network, optimiser, schedule
        self.softness, self.total = softness, total
        self.history = History()
        self.kept, self.mean, self.steps = _copy(network), _copy(network), 0

    @classmethod
    def fresh(cls, network: Network, images: Tensor, settings: Settings) -> _State:
        free = [
            (tensor, settings.rate * _scale(key, tensor))
            for key, tensor in zip(network.weights, network.weights.tensors(), strict=True)
            if tensor.requires_grad and key not in settings.fixed
        ]
        groups = [{"params": [tensor], "lr": rate} for tensor, rate in free]
        steps = max(1, settings.epochs * -(-len(images) // settings.batch))
        if settings.optimiser == "sgd":
            optimiser: torch.optim.Optimizer = torch.optim.SGD(groups, lr=settings.rate)
            return cls(network, optimiser, torch.optim.lr_scheduler.ConstantLR(optimiser, 1.0), settings.softness, steps)
        optimiser = torch.optim.Adam(groups, lr=settings.rate)
        rates = [rate for _, rate in free]
        rising = 0.2 if steps > 10 else 0.5  # torch divides by the number of rising steps less one
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps + 2, pct_start=rising)
        return cls(network, optimiser, schedule, settings.softness, steps)

    def soften(self, share: float) -> None:
        """Set how smooth the least distance is, as a share of how smooth it was at first."""
        if self.softness:
            anneal(self.network, self.softness * share)

    def follow(self, averaging: float) -> None:
        """Move the mean towards the weights. It follows closely at first, where they go far."""
        self.steps += 1
        share = 1 - min(averaging, self.steps / (self.steps + 10))
        for key, item in self.network.state_dict().items():
            self.mean[key].lerp_(item, share)

    def examine(self, loss: float, validation: tuple[Tensor, Tensor]) -> None:
        """Note what the mean weights reach, and keep them if nothing was better."""
        current = _copy(self.network)
        self.network.load_state_dict(self.mean)
        self.soften(0.0)
        self.history.losses.append(loss)
        self.history.accuracies.append(accuracy(self.network, *validation))
        if self.history.best == len(self.history.accuracies) - 1:
            self.kept = _copy(self.network)
        self.network.load_state_dict(current)

    def save(self, path: Path, settings: Settings) -> None:
        content = {
            "settings": asdict(settings),
            "network": self.network.state_dict(),
            "kept": self.kept,
            "mean": self.mean,
            "steps": self.steps,
            "history": asdict(self.history),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
        }
        write(path, content)

    def resume(self, path: Path, settings: Settings) -> None:
        """Go on from a file; InputError for one that holds no state of this training."""
        content = read(path, "a training")
        try:
            self.restore(content, settings)
        except UNFIT:
            raise InputError(f"{path} is not a checkpoint of this training: {AWAY}") from None

    def restore(self, content: dict[str, Any], settings: Settings) -> None:
        if asdict(Settings()) | content["settings"] != asdict(settings):
            raise InputError("the checkpoint was written by a training with other settings: remove it, or name another one")
        self.network.load_state_dict(content["network"])
        self.optimiser.load_state_dict(content["optimiser"])
        self.schedule.load_state_dict(content["schedule"])
        self.kept, self.mean, self.steps = content["kept"], content["mean"], content["steps"]
        self.history = History(**content["history"])


def _scale(key: str, tensor: Tensor) -> float:
    """Temperatures are small numbers, so they take small steps; so do weights that act on every image and centre."""
    if key == "temperature":
        return tensor.detach().abs().mean().item()
    return SHARED if key.startswith(("filters", "correction", "f_")) else 1.0


def _copy(network: Network) -> dict[str, Tensor]:
    return {key: item.clone() for key, item in network.state_dict().items()}


def _tell(report: Callable[[int, History], None] | None, epoch: int, history: History) -> None:
    if report is not None:
        report(epoch, history)


def _epoch(network: Network, images: Tensor, labels: Tensor, settings: Settings, state: _State, epoch: int) -> float:
    """One pass over all images in an order, and with movements, that seed and epoch decide."""
    generator = torch.Generator().manual_seed(settings.seed * 1000 + epoch)
    size, total = piece_size(network), 0.0
    for chosen in pieces(torch.randperm(len(images), generator=generator), settings.batch):
        state.optimiser.zero_grad(set_to_none=True)
        state.soften(1 - state.steps / state.total)
        moved = augment(images[chosen], settings.changes, generator)
        for part, wanted in zip(pieces(moved, size), pieces(labels[chosen], size), strict=True):
            value = loss(network(part), wanted, settings) * (len(part) / len(chosen))
            torch.autograd.backward(value)
            total += value.item() * len(chosen)
        if settings.repulsion:
            torch.autograd.backward(settings.repulsion * repulsion(network))
        state.optimiser.step()
        state.schedule.step()
        state.follow(settings.averaging)
    return total / len(images)


def loss(found: Tensor, labels: Tensor, settings: Settings) -> Tensor:
    """Cross-entropy of the sharpened scores, or the squared distance to a row of zeros with a 1."""
    if settings.loss == "mse":
        return F.mse_loss(found, F.one_hot(labels, found.shape[-1]).to(found.dtype))
    return F.cross_entropy(settings.sharpness * found, labels, label_smoothing=settings.smoothing)


def repulsion(network: Network) -> Tensor:
    """How close centres of different classes are: the mean of exp(-squared distance per pixel) over such pairs."""
    centres, labels = network.weights["centres"].flatten(1), network.weights["labels"].detach()
    apart = (labels.argmax(1)[:, None] != labels.argmax(1)).to(centres.dtype)
    distances = (centres[:, None] - centres).square().mean(-1)
    return (apart * torch.exp(-10 * distances)).sum() / apart.sum().clamp(min=1)
