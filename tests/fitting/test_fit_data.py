"""Bad data get a clear error before training starts."""

import numpy as np
import pytest
import torch

import deepalgo as da


def area(width, height):
    return 0.5 * width * height


W, H = np.linspace(1, 2, 30), np.linspace(3, 5, 30) ** 2
GOOD = W * H

BAD = {
    "wrong length": ({"inputs": (W, H), "targets": GOOD[:-1]}, "there are 30 samples of the inputs, but 29 of the targets"),
    "inputs differ": ({"inputs": (W, H[:-1]), "targets": GOOD}, "the inputs have batches of different sizes: 'width' 30, 'height' 29"),
    "NaN target": (
        {"inputs": (W, H), "targets": np.where(W > 1.9, np.nan, GOOD)},
        "there is NaN or infinity in the targets. Samples 27, 28, 29 (3 of 30). Correct them, or leave them out with missing='drop'.",
    ),
    "NaN input": (
        {"inputs": (W, np.where(W == 1, np.inf, H)), "targets": GOOD},
        "there is NaN or infinity in the input 'height'. Sample 0 (1 of 30). Correct them, or leave them out with missing='drop'.",
    ),
    "empty": ({"inputs": (W[:0], H[:0]), "targets": GOOD[:0]}, "there are no samples: the inputs are empty"),
    "empty data set": ({"inputs": torch.utils.data.TensorDataset(torch.zeros(0), torch.zeros(0))}, "the data set is empty"),
    "single": ({"inputs": (1.0, 2.0), "targets": 1.0}, "the inputs are a single sample: give every input a first axis that counts samples"),
    "constant targets": (
        {"inputs": (W, H), "targets": 0 * W + 2},
        "all targets are the same (2): a constant would fit them. If this is meant, say it as a residual, e.g. "
        "residual=lambda output, *inputs: output - 2.",
    ),
    "constant inputs": (
        {"inputs": (0 * W, 0 * H), "targets": GOOD},
        "all 30 samples have the same inputs: there is nothing to learn from them",
    ),
    "words": ({"inputs": (W, H), "targets": ["a"] * 30}, "the targets must be numbers, not str_ (np.str_('a'))"),
    "complex": ({"inputs": (W, H), "targets": GOOD * 1j}, "the targets are complex, but the outputs are real"),
    "complex input": ({"inputs": (W * 1j, H), "targets": GOOD}, "'width' must be real numbers, not complex128"),
    "wrong shape": (
        {"inputs": (W, H), "targets": GOOD[:, None]},
        "the targets must have the shape of the outputs, (samples,), not (samples, 1)",
    ),
    "unknown column": (
        {"inputs": {"width": W, "height": H, "area": GOOD}, "targets": "surface"},
        "there is no column 'surface'; there are width, height, area",
    ),
    "unknown argument": (
        {"inputs": {"width": W, "depth": H}, "targets": GOOD},
        "area() has no argument 'depth'; it has height, width",
    ),
    "missing argument": ({"inputs": {"width": W}, "targets": GOOD}, "area() needs the argument 'height'"),
    "no columns": (
        {"inputs": (W, H), "targets": "area"},
        "targets='area' names a column, but the inputs have none: give a dict or a data frame",
    ),
    "nothing to learn": (
        {"inputs": (W, H)},
        "there is nothing to learn from: give targets=, residual= or loss= as a function of the output",
    ),
    "both": (
        {"inputs": (W, H), "targets": GOOD, "residual": lambda output, *_: output},
        "give targets= or residual=, not both: they are two ways to say what is right",
    ),
    "unknown loss": (
        {"inputs": (W, H), "targets": GOOD, "loss": "mae"},
        "there is no loss 'mae'; there are 'squared', 'absolute', 'relative', 'logistic', 'max', 'huber(1)', 'quantile(0.5)', "
        "or any function of torch",
    ),
    "unknown optimiser": (
        {"inputs": (W, H), "targets": GOOD, "search": da.SearchOptions(optimiser="adagrad")},
        "there is no optimiser 'adagrad'; there are adam, lbfgs, or any class of torch.optim",
    ),
    "an option of the search": (
        {"inputs": (W, H), "targets": GOOD, "optimiser": torch.optim.SGD, "rate": 0.05},
        "optimiser=, rate= are options of the search: search=da.SearchOptions(optimiser=torch.optim.sgd.SGD, rate=0.05)",
    ),
    "no batch": (
        {"inputs": (W, H), "targets": GOOD, "search": da.SearchOptions(batch_size=0)},
        "batch_size must be a positive whole number, not 0",
    ),
    "no steps": ({"inputs": (W, H), "targets": GOOD, "steps": 0}, "steps must be a positive whole number, not 0"),
    "two samples": (
        {"inputs": (W[:2], H[:2]), "targets": GOOD[:2]},
        "2 samples cannot be split into folds: validation=None fits all of them",
    ),
    "share": (
        {"inputs": (W, H), "targets": GOOD, "validation": 1.5},
        'validation=1.5 must be a share of the data, between 0 and 1, samples of its own, "auto", or None',
    ),
    "no test": (
        {"inputs": (W, H), "targets": GOOD, "test": 0},
        'test=0 must be a share of the data, between 0 and 1, samples of its own, "auto", or None',
    ),
    "validation without targets": (
        {"inputs": (W, H), "targets": GOOD, "test": [1.0]},
        "samples for validation or test must be a pair (inputs, targets), as targets are given as numbers",
    ),
    "residual of another length": (
        {"inputs": (W, H), "residual": lambda output, *_: output.mean()},
        "the residual of 3 samples must have a first axis of 3, not ()",
    ),
    "loss of another length": (
        {"inputs": (W, H), "targets": GOOD, "loss": lambda output, target: output[:2]},
        "the loss of 3 samples must be 3 numbers or one, not (2,)",
    ),
    "missing": ({"inputs": (W, H), "targets": GOOD, "missing": "skip"}, "missing must be 'raise' or 'drop', not 'skip'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_are_named_before_training(case):
    arguments, text = BAD[case]
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(area), **arguments)
    assert str(error.value) == text


def test_a_heuristic_without_weights_is_refused():
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(lambda x: x * x), W, targets=GOOD)
    assert str(error.value) == "<lambda>() has no weight that could be trained: print(net.weights) says why"


def test_samples_with_nan_can_be_left_out():
    fit = da.fit(da.compile(area), (W, H), targets=np.where(W > 1.9, np.nan, GOOD), missing="drop", steps=20)
    assert fit.dropped == 3
    assert len(fit.contenders[0].validation) == 27
    assert fit.network.weights.tensors()[0].item() == pytest.approx(1.0)
