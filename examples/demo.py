"""Train the constants of a pipe-friction formula that engineers have used since 1966: `make demo`.

The heuristic is explicit and has a branch: laminar flow below a Reynolds number of 2040, Wood's formula above it. The
reference is the implicit Colebrook equation, solved with a fixed number of Newton steps. Both ranges are those for which
the formula was published, and the error that counts is taken on pipes that the training has not seen.

D. J. Wood, "An explicit friction factor relationship", Civil Engineering (ASCE) 36(12), 1966, pages 60-61.
"""

import math

import torch

import deepalgo as da


def friction_factor(reynolds, roughness):
    """The Darcy friction factor of a pipe; `roughness` is relative to the diameter."""
    if reynolds < 2040.0:
        return 64.0 / reynolds
    falloff = 1.62 * roughness**0.134
    return 0.094 * roughness**0.225 + 0.53 * roughness + 88.0 * roughness**0.44 * reynolds**-falloff


def reference(reynolds, roughness):
    """Laminar flow exactly; else Colebrook, 1/sqrt(f) = -2 log10(roughness/3.7 + 2.51/(Re sqrt(f))), solved for 1/sqrt(f)."""
    x = 1.8 * torch.log10(reynolds)
    for _ in range(12):
        inner = roughness / 3.7 + 2.51 * x / reynolds
        slope = 1 + 2 / math.log(10) * 2.51 / (reynolds * inner)
        x = x - (x + 2 * torch.log10(inner)) / slope
    return torch.where(reynolds < 2040, 64 / reynolds, x**-2)


def pipes(count, seed):
    """Pipes with log-uniform Reynolds number and roughness, one in ten laminar."""
    random = torch.Generator().manual_seed(seed)
    u, v = torch.rand(2, count, generator=random, dtype=torch.float64)
    turbulent = 4e3 * (5e7 / 4e3) ** u
    laminar = 500 + 1500 * u
    reynolds = torch.where(torch.arange(count) % 10 == 0, laminar, turbulent)
    return reynolds, 1e-5 * (4e-2 / 1e-5) ** v


def relative_errors(network, inputs):
    """What the network says, relative to the reference, minus one."""
    return network(*inputs) / reference(*inputs) - 1


def percent(network, inputs):
    """The relative rms error in percent."""
    with torch.no_grad():
        return 100 * relative_errors(network, inputs).square().mean().sqrt().item()


def train(network, inputs, steps):
    """Adam with a step that is relative to each constant: they reach from 0.09 to 2040."""
    optimiser = torch.optim.Adam([{"params": [weight], "lr": 0.01 * weight.abs().max().item()} for weight in network.parameters()])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        optimiser.zero_grad()
        relative_errors(network, inputs).square().mean().backward()
        optimiser.step()
        schedule.step()


def main(count=2000, steps=600):
    """Compile, certify, train; print every step and hand back the held-out error before and after."""
    training, held_out = pipes(count, seed=1), pipes(count, seed=2)
    network = da.compile(friction_factor)

    print("The network repeats the function it was made from:\n")
    print(network.verify(*held_out))
    print("\nEvery constant that somebody wrote is a weight:\n")
    print(network.weights)

    before = percent(network, held_out)
    train(network, training, steps)
    after = percent(network, held_out)
    print(f"\nAfter {steps} steps on {count} pipes:\n")
    print(network.weights)
    print(f"\nRelative rms error on {count} other pipes: {before:.2f} % as published, {after:.2f} % trained.")
    return before, after


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
