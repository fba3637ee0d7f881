"""A car that follows a line: the gains of the Stanley controller, tuned through the simulated drive.

The controller is the one of the car that won the desert race of 2005 (S. Thrun et al., "Stanley: the robot that won the DARPA Grand
Challenge", Journal of Field Robotics 23(9), 2006): steer by the heading error, and by the arctangent of the distance from the
line over the speed. The loss is what a passenger feels: distance from the line, heading, and how hard the wheel is turned.
"""

import math

import torch

import deepalgo as da

#: The gains of the controller; the other numbers below are the car and the passenger.
ALIGN, APPROACH, CREEP = 1.0, 2.5, 1.0
GAINS = ("ALIGN", "APPROACH", "CREEP")


def steer(offset, heading, speed):
    """The angle of the front wheels for a car that is `offset` metres left of its line."""
    wanted = -ALIGN * heading - math.atan(APPROACH * offset / (CREEP + speed))
    return max(-0.5, min(0.5, wanted))


def drive(offset, heading, speed):
    """Twelve seconds behind the wheel, by steps of a tenth: the discomfort of the drive."""
    wheel, cost = 0.0, 0.0
    for _ in range(120):
        turn = steer(offset, heading, speed) - wheel
        wheel = wheel + 0.35 * turn  # the wheels follow with a lag
        heading = heading + 0.1 * speed / 2.6 * math.tan(wheel)
        offset = offset + 0.1 * speed * math.sin(heading)
        cost = cost + 0.1 * (offset * offset + 2.0 * heading * heading + 8.0 * turn * turn)
    return cost


def starts(count, seed=0):
    """Off the line, askew, at 2 to 12 metres a second."""
    u, v, w = torch.rand(3, count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return 4 * u - 2, 0.8 * v - 0.4, 2 + 10 * w


def tuned(net, inputs, steps):
    """Train the gains, and leave the car and the passenger as they are."""
    search = da.SearchOptions(batch_size=256)
    return da.fit(net, inputs, loss=lambda cost, *_: cost, train=GAINS, steps=steps, search=search, progress=False)


def main(count=500, steps=100):
    """Tune the gains through the whole drive; hand back the mean discomfort before and after."""
    inputs, other = starts(count), starts(500, seed=1)
    net = da.compile(drive)
    found = tuned(net, inputs, steps)
    with torch.no_grad():
        rows = [one(*other).mean().item() for one in (net, found.network)]
    print("mean discomfort of unseen drives: {:.3g} with the first gains, {:.3g} tuned".format(*rows))
    assert rows[1] < 0.9 * rows[0]
    print({key: round(found.network.weights[key].item(), 3) for key in GAINS})
    return rows


if __name__ == "__main__":
    main()
