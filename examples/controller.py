"""A PID controller with saturation and anti-windup, in a simulated loop: control engineering.

K. J. Åström and T. Hägglund, "PID Controllers: Theory, Design, and Tuning", 2nd edition, 1995, section 3.5: the integral is fed
back with what the actuator could not deliver. The controller is a small class, its gains are defaults of `__init__`, and so they
are weights: what a rule of thumb chose, gradients through the whole closed loop improve.
"""

import torch

import deepalgo as da


class Controller:
    """Holds the integral and the last measurement between two samples of the clock."""

    def __init__(self, gain=4.0, integral_time=3.0, derivative_time=0.6, tracking_time=1.0):
        self.gain = gain
        self.integral_time = integral_time
        self.derivative_time = derivative_time
        self.tracking_time = tracking_time
        self.integral = 0.0
        self.last = 0.0

    def step(self, target, measured, dt):
        """The actuator's position, between 0 and 1."""
        wanted = self.gain * (target - measured) + self.integral
        wanted -= self.gain * self.derivative_time * (measured - self.last) / dt
        position = min(max(wanted, 0.0), 1.0)
        rate = self.gain * (target - measured) / self.integral_time + (position - wanted) / self.tracking_time
        self.integral += rate * dt
        self.last = measured
        return position


def cost(target, lag, steps=80, dt=0.1):
    """The time-weighted error of a furnace: two lags in a row behind a heater that can only heat, and only so much."""
    controller = Controller()
    metal, air, total = 0.0, 0.0, 0.0
    for n in range(steps):
        air += dt * (1.5 * controller.step(target, metal, dt) - air) / 0.3
        metal += dt * (air - metal) / lag
        total += n * dt * abs(target - metal) * dt
    return total


def furnaces(count, seed):
    """Targets and lags that a controller has to do with."""
    random = torch.Generator().manual_seed(seed)
    u, v = torch.rand(2, count, generator=random, dtype=torch.float64)
    return 0.3 + 0.6 * u, 1.0 + v


def tune(network, fixed, inputs, steps):
    """Adam, with steps of a few percent of each gain."""
    gains = [network.weights[name] for name in ("gain", "integral_time", "derivative_time", "tracking_time")]
    optimiser = torch.optim.Adam([{"params": [gain], "lr": 0.03 * gain.item()} for gain in gains])
    for _ in range(steps):
        optimiser.zero_grad()
        network(*inputs, **fixed).mean().backward()
        optimiser.step()
    return [round(gain.item(), 2) for gain in gains]


def main(count=100, steps=60, horizon=80):
    """Certify, tune, and measure on furnaces that the tuning has not seen."""
    fixed = {"steps": horizon, "dt": 0.1}
    network = da.compile(cost, example=((0.5, 1.5), fixed), static=("dt",))
    print(network.verify(*furnaces(count, seed=1), **fixed))

    before = network(*furnaces(count, seed=2), **fixed).mean().item()
    gains = tune(network, fixed, furnaces(count, seed=1), steps)
    after = network(*furnaces(count, seed=2), **fixed).mean().item()
    print(f"\nTime-weighted error on other furnaces: {before:.3f} by rule of thumb, {after:.3f} tuned; gain and times {gains}.")
    assert after < 0.9 * before
    return before, after


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
