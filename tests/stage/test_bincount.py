"""`np.bincount` has as many places as `minlength` says; where data asks for more the network stops and says so."""

import numpy as np
import pytest
import torch

import deepalgo as da


def shares(v):
    return np.bincount(np.abs(v).astype(int), weights=0.5 * v, minlength=3)


def test_a_number_beyond_the_last_place_is_a_limit_of_the_network():
    network = da.compile(shares, example=((np.array([0.5, 1.5]),), {}))
    with pytest.raises(da.HeuristicError) as raised:
        network(np.array([[0.5, 2.5], [0.5, 3.5]]))
    assert str(raised.value).splitlines()[0].endswith("test_bincount.py:11:12: this is an array of more than 3 counts")
    assert str(raised.value).splitlines()[-1] == (
        "Sample 1 (1 of 2). Give `minlength` a larger number, leave them out, or compile with errors='nan' to get NaN for them."
    )


def test_slopes_of_weights_that_are_not_finite_stay_in_their_place():
    network = da.compile(shares, example=((np.array([0.5, 1.5]),), {}), errors="nan")
    v = torch.tensor([[0.5, -1.5], [2.5, -2.25]], dtype=torch.float64, requires_grad=True)
    found = network(v)
    assert found.tolist() == [shares(row).tolist() for row in v.detach().numpy()]
    (slope,) = torch.autograd.grad(found.sum(), v)
    assert slope.tolist() == [[0.5, 0.5], [0.5, 0.5]]
