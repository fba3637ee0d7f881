"""Fourier transforms of arrays of a fixed length are those of NumPy and SciPy."""

import numpy as np
import pytest
import scipy.fft
import scipy.signal
import torch

import deepalgo as da


def parts(z):
    return np.concatenate([np.real(z).ravel(), np.imag(z).ravel()])


def forward(v):
    return parts(np.fft.fft(v))


def backward(v):
    return parts(np.fft.ifft(v + 1j * v[::-1]))


def longer(v):
    return parts(np.fft.fft(v, 8)) + parts(np.fft.fft(v, n=8, norm="ortho"))


def shorter(v):
    return parts(np.fft.ifft(v, 3, norm="forward")) + parts(np.fft.fft(v, 3, norm="forward"))


def along_rows(v):
    table = np.outer(v, v[:3] + 1.0)
    return parts(np.fft.fft(table, axis=0)) + parts(np.fft.ifft(table, 3, 1))[0]


def real_half(v):
    return np.concatenate([parts(np.fft.rfft(v)), parts(np.fft.rfft(v, 4, norm="ortho"))])


def filtered(v):
    spectrum = np.fft.rfft(v)
    spectrum[2:] = 0.0
    return np.fft.irfft(spectrum, len(v))


def filtered_even(v):
    return np.fft.irfft(np.fft.rfft(v[:4]) * np.array([1.0, 0.5j, 2.0]))


def of_scipy(v):
    return parts(scipy.fft.fft(v, 6)) + parts(scipy.fft.ifft(v, n=6)) + np.sum(scipy.fft.irfft(scipy.fft.rfft(v), 5))


def envelope(v):
    return np.abs(scipy.signal.hilbert(v))


FUNCTIONS = [forward, backward, longer, shorter, along_rows, real_half, filtered, filtered_even, of_scipy, envelope]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values_and_derivatives_are_those_of_numpy(function):
    rows = np.random.default_rng(0).normal(size=(4, 5))
    network = da.compile(function, example=((rows[0],), {}))
    found = network(torch.tensor(rows)).detach().numpy()
    np.testing.assert_allclose(found, np.stack([function(row) for row in rows]), rtol=1e-12, atol=1e-13)
    network.verify(torch.tensor(rows))


def test_source_calls_numpy():
    row = np.random.default_rng(1).normal(size=5)
    space = {}
    exec(da.source(da.compile(filtered, example=((row,), {}))), space)
    np.testing.assert_allclose(space["filtered"](row), filtered(row), rtol=1e-12)


def test_numbers_that_are_not_finite_are_a_limit_of_ours():
    network = da.compile(forward, example=((np.ones(3),), {}))
    with pytest.raises(da.HeuristicError, match="this is a Fourier transform of numbers that are not finite"):
        network(torch.tensor([[1.0, np.inf, 0.0]]))
