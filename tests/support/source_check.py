"""Runs the source that comes out of a network beside the network, sample by sample."""

import copy
import math
import warnings

import numpy as np
import torch

from deepalgo.errors import HeuristicError
from deepalgo.source_code import source

RTOL = 1e-10


def load(text, name=None):
    """The function that a text defines."""
    space = {}
    exec(compile(text, "<source>", "exec"), space)
    name = name or text[text.rindex("\ndef ") + 5 if "\ndef " in text else 4 :].partition("(")[0]
    return space[name]


def shake(network, seed, by=0.03):
    """Change every weight that can be trained by a few percent."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 1 + by * (2 * torch.rand(parameter.shape, generator=generator, dtype=parameter.dtype) - 1)
    return network


def live_arguments(network, args, kwargs):
    """The arguments without those that the network fixed, which its source does not have."""
    signature = network.signature
    live = {item.path.partition("[")[0] for item in network.program.inputs}
    kept = [arg for name, arg in zip(signature.order, args) if name in live]
    if signature.star in live:
        kept += args[len(signature.order) :]
    others = signature.double_star in live
    return kept, {name: value for name, value in kwargs.items() if name in live or (others and name not in signature.order)}


def outcome(function, args, kwargs, left=lambda args, kwargs: (args, kwargs)):
    """The numbers that a call returns and leaves behind, or the name of what it raises."""
    args, kwargs = copy.deepcopy((args, kwargs))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(*args, **kwargs)
    except HeuristicError as error:
        return error.error
    except Exception as error:
        return type(error).__name__
    return [*numbers(result), *numbers(left(args, kwargs))]


def numbers(item):
    """The numbers of a structure, in reading order."""
    if isinstance(item, torch.Tensor):
        item = item.detach().numpy()
    if isinstance(item, np.ndarray):
        return item.ravel().tolist()
    if isinstance(item, dict):
        return [number for part in item.values() for number in numbers(part)]
    if isinstance(item, (list, tuple)):
        return [number for part in item for number in numbers(part)]
    if hasattr(item, "__dict__") and not isinstance(item, (type, np.generic)):
        return numbers(vars(item))
    return [item.item() if isinstance(item, np.generic) else item]


def agree(first, second, rtol=RTOL):
    """Whether two outcomes are the same."""
    if isinstance(first, str) or isinstance(second, str):
        return first == second or (first, second) == ("NoNumber", "ValueError")
    return len(first) == len(second) and all(close(a, b, rtol) for a, b in zip(first, second))


def close(a, b, rtol):
    if not isinstance(a, (int, float, complex)) or not isinstance(b, (int, float, complex)):
        return a == b
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        return close(a.real, b.real, rtol) and close(a.imag, b.imag, rtol) or abs(a - b) <= rtol * abs(a)
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= rtol * max(abs(a), abs(b)) + 1e-13


#: What the network cannot answer and Python can: there the source does what the heuristic itself does.
BEYOND = {"IntegerTooLarge", "ComplexResult", "FloatResult", "RealResult", "LoopBound", "PythonOrNumPy"}


def differences(network, calls):
    """The calls on which network and source differ: (call, network's outcome, source's outcome)."""
    function = load(source(network))
    found = []
    for args, kwargs in calls:
        ours = outcome(network, args, kwargs, lambda args, kwargs: live_arguments(network, args, kwargs))
        if isinstance(ours, str) and ours in BEYOND:
            continue
        theirs = outcome(function, *live_arguments(network, args, kwargs))
        if not agree(ours, theirs):
            found.append(((args, kwargs), ours, theirs))
    return found


def is_rounding(network, call, ours, theirs):
    """Whether the last digit of an input moves the network's answer about as much as the source differs from it."""
    if isinstance(ours, str) or isinstance(theirs, str) or len(ours) != len(theirs) or not agree(ours, theirs, 1e-8):
        return False
    moved = [0.0] * len(ours)
    for direction in (-math.inf, math.inf):
        args, kwargs = nudged(call[0], direction), {name: nudged(value, direction) for name, value in call[1].items()}
        others = outcome(network, args, kwargs, lambda args, kwargs: live_arguments(network, args, kwargs))
        if isinstance(others, str) or len(others) != len(ours):
            return False
        moved = [max(most, distance(a, b)) for most, a, b in zip(moved, ours, others)]
    return all(close(a, b, RTOL) or distance(a, b) <= 4 * most for a, b, most in zip(ours, theirs, moved))


def distance(a, b):
    """How far two numbers are apart; what is no number is where it is."""
    return abs(a - b) if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)) else 0.0


def nudged(item, direction):
    """The floats of a structure, moved by their last digit."""
    if isinstance(item, float):
        return math.nextafter(item, direction)
    if isinstance(item, np.ndarray) and item.dtype == float:
        return np.nextafter(item, direction)
    return type(item)(nudged(part, direction) for part in item) if type(item) in (list, tuple) else item
