"""Attitude from an accelerometer and a magnetometer: aerospace and robotics.

Gravity and the magnetic field span a frame (TRIAD: H. D. Black, AIAA Journal 2(7), 1964, pages 1350-1351); the rotation matrix
becomes a quaternion without a small divisor by starting from its largest component (S. W. Shepperd, Journal of Guidance and
Control 1(3), 1978, pages 223-224), which is an index chosen by data. The offset of the magnetometer is a table of three
numbers, so it is a weight of shape (3,): the example calibrates a sensor that somebody has put beside a magnet.
"""

import numpy as np
import torch

import deepalgo as da

OFFSET = np.array([0.0, 0.0, 0.0])


def attitude(acceleration, field):
    """The rotation from sensor to east-north-up as a unit quaternion (w, x, y, z) with w >= 0."""
    up = acceleration / np.linalg.norm(acceleration)
    east = np.cross(field - OFFSET, up)
    east /= np.linalg.norm(east)
    rotation = np.array([east, np.cross(up, east), up])
    quaternion = np.zeros(4)
    trace = np.trace(rotation)
    if trace > 0.0:
        quaternion[0] = 1.0 + trace
        quaternion[1:] = [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    else:
        i = np.argmax(np.diag(rotation))
        j, k = (i + 1) % 3, (i + 2) % 3
        quaternion[0] = rotation[k, j] - rotation[j, k]
        quaternion[1 + i] = 1.0 + rotation[i, i] - rotation[j, j] - rotation[k, k]
        quaternion[1 + j] = rotation[i, j] + rotation[j, i]
        quaternion[1 + k] = rotation[i, k] + rotation[k, i]
    if quaternion[0] < 0.0:
        quaternion = -quaternion
    return quaternion / np.linalg.norm(quaternion)


def readings(count, seed, offset=0.0):
    """What sensors in random attitudes measure, at a magnetic dip of 60 degrees."""
    random = np.random.default_rng(seed)
    rotations, _ = np.linalg.qr(random.normal(size=(count, 3, 3)))
    rotations *= np.linalg.det(rotations)[:, None, None]
    return 9.81 * rotations[:, 2], 20.0 * rotations[:, 1] - 34.6 * rotations[:, 2] + offset


def calibrate(network, measured, truth, rounds):
    """Fit the offset to sensors whose attitude is known; a quaternion and its negative are the same attitude."""
    optimiser = torch.optim.LBFGS([network.weights["OFFSET"]], max_iter=rounds, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        loss = (1.0 - (network(*measured) * truth).sum(-1) ** 2).mean()
        loss.backward()
        return loss

    optimiser.step(loss)
    return network.weights["OFFSET"].detach().numpy()


def main(count=400, rounds=50):
    """Certify, then find the magnet; hand back the offset that was found and the one that was there."""
    network = da.compile(attitude, example=((np.ones(3), np.array([1.0, 2.0, 3.0])), {}))
    print(network.verify(*readings(count, seed=1)))

    magnet = np.array([3.0, -5.0, 2.0])
    with torch.no_grad():
        truth = network(*readings(count, seed=2))
    found = calibrate(network, readings(count, seed=2, offset=magnet), truth, rounds)
    print(f"\nA magnet of {magnet} microtesla was found at {found.round(3)} from {count} readings.")
    assert np.allclose(found, magnet, atol=1e-3)
    return found, magnet


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
