"""How the examples measure and conclude: on samples that no training has seen."""

import torch


def rms(network, inputs, target):
    """The root of the mean squared difference."""
    with torch.no_grad():
        return (network(*inputs) - target).square().mean().sqrt().item()


def percent(network, inputs, target):
    """The root of the mean squared relative difference, in percent."""
    with torch.no_grad():
        return 100 * (network(*inputs) / target - 1).square().mean().sqrt().item()


def conclude(name, rows, unit, goal):
    """Print the errors as published, with tuned constants and with the grown network; the second must reach the goal."""
    words = ("as published", "with tuned constants", "tensorized")
    print(f"{name}, rms error on unseen samples: " + ", ".join(f"{row:.3g} {unit} {word}" for row, word in zip(rows, words, strict=True)))
    assert rows[1] <= goal < rows[0], f"tuned constants should reach {goal} {unit}"
    assert rows[2] < rows[1], "the grown network should be better still"
