"""How the examples measure and print: on samples that no training has seen."""

import torch


def rms(network, inputs, target):
    """The root of the mean squared difference."""
    with torch.no_grad():
        return (network(*inputs) - target).square().mean().sqrt().item()


def percent(network, inputs, target):
    """The root of the mean squared relative difference, in percent."""
    with torch.no_grad():
        return 100 * (network(*inputs) / target - 1).square().mean().sqrt().item()


def show(name, rows, unit):
    """Print the errors of the heuristic, of its tuned constants and of the grown network."""
    words = ("as published", "tuned constants", "tensorized")
    print(f"{name}, rms error on unseen samples: " + ", ".join(f"{row:.3g} {unit} {word}" for row, word in zip(rows, words, strict=False)))
