"""Source stands alone: what an operation needs that NumPy does not have is written above the function."""

import subprocess
import sys

import numpy as np

import deepalgo as da
from deepalgo.studies.cluster import match, transforms

CENTRES = np.random.default_rng(5).random((3, 6, 6))
MOVES = transforms(1, (0.0, 10.0))


def nearest(image):
    moved, rotation = match(image, np.ones((3, 6, 6)), CENTRES, MOVES, 2)
    return np.sum(moved * moved, axis=(1, 2)) * 0.5 + np.sum(np.abs(rotation))


IMAGES = np.random.default_rng(6).random((4, 6, 6))


def test_source_of_image_matching_runs_where_only_numpy_is():
    network = da.compile(nearest, example=((IMAGES[0],), {}))
    text = da.source(network)
    program = f"{text}\nimport sys\nfor image in np.array({IMAGES.tolist()}):\n    print(*nearest(image))\n"
    program += 'assert not {"torch", "deepalgo"} & set(sys.modules)\n'
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    answers = np.array([list(map(float, line.split())) for line in printed.splitlines()])
    np.testing.assert_allclose(answers, network(IMAGES).detach().numpy(), rtol=1e-12)


def test_one_call_gives_all_results_of_a_matching():
    text = da.source(da.compile(nearest, example=((IMAGES[0],), {})))
    assert text.count("= match_boxes(") == 1


def test_a_variable_keeps_clear_of_the_functions_that_come_along():
    body = da.source(da.compile(nearest, example=((IMAGES[0],), {}))).partition("def nearest")[2]
    assert "    moved_2 = found[0]\n" in body and "    rotation_2 = found[1]\n" in body
