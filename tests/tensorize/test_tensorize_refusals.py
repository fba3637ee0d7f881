"""What cannot be grown is refused, and the text says what is in the way and what there is instead."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2.0 * x)
    return x


def two_loops(s):
    x = 1.0
    for _ in range(3):
        x = 0.5 * (x + s / x)
    y = x
    for _ in range(2):
        x = x - 0.1 * y
    return x


def straight(x, y):
    gap = 2.0 * x - y
    return gap


def fixed(x):
    return x + x


def spin(x):
    z = complex(x, 1.0)
    turned = z * z
    n = int(x)
    for _ in range(3):
        n = n + 1
    return turned.real + n


def image(pixels):
    edges = pixels - 0.5
    for _ in range(2):
        edges = 0.5 * edges
    return np.sum(edges)


def squares(x):
    if x > 1.0:
        x = x * x
    y = x + 0.5
    y = y * x
    return y


def sized(x):
    part = 2.0 * x[:2]
    total = np.sum(part * part)
    part = 2.0 * x[:3]
    return total + np.sum(part)


def swap(x):
    old, new = 1.0, x
    for _ in range(3):
        old, new = new, 0.5 * (old + new)
    return new


def shaped(function, *shapes):
    return da.compile(function, example=(tuple(np.ones(shape) if shape else 1.0 for shape in shapes), {}))


FILE = "test_tensorize_refusals.py"
REFUSALS = [
    # untie
    (lambda: da.untie(da.compile(root), rounds=0), "rounds must be a positive whole number, not 0"),
    (lambda: da.untie(da.compile(straight)),
     "nothing to untie in straight: `c30` is not read in a loop or by several calls; suggest(net) lists what can be untied"),
    (lambda: da.untie(da.compile(root), "calls"),
     "nothing to untie in root: no such weight is read by several calls; suggest(net) lists what can be untied"),
    (lambda: da.untie(da.compile(fixed)), "nothing to untie in fixed: it has no trainable weight"),
    (lambda: da.untie(da.compile(root), weights=["gain"]), "the weight `gain` is not there; root has c15, c15_2, x"),
    (lambda: da.untie(da.compile(straight), 3), "straight has no loop"),
    (lambda: da.untie(da.compile(root), 3), "there is no loop of root at line 3; there is a loop at line 14 with `x`"),
    (lambda: da.untie(da.compile(root), "y"), "no loop of root carries `y`; there is a loop at line 14 with `x`"),
    (lambda: da.untie(da.compile(two_loops), "x"),
     "2 loops carry `x`: there is a loop at line 21 with `x`; there is a loop at line 24 with `x`; name one by its line"),
    # widen
    (lambda: da.widen(da.compile(straight), "gap", da.Dense()),
     "Dense needs a vector, and this is a number; for a number there is Scalar()"),
    (lambda: da.widen(shaped(straight, (3,), (3,)), "gap", da.BlockToeplitz()),
     "BlockToeplitz needs an array with 2 axes, and this is an array of shape (3,); for a vector there is Toeplitz()"),
    (lambda: da.widen(da.compile(straight), "slope", da.Scalar()), "straight has no signal `slope`; it has `gap`, `x`, `y`"),
    (lambda: da.widen(da.compile(straight), "gap", da.Scalar(), line=3),
     "straight has no signal `gap` at line 3; it has `gap` at line 30, `x`, `y`"),
    (lambda: da.widen(da.compile(straight), "gap", da.Scalar(), until="gap"),
     "`until` is for Kronecker, whose copies have to meet somewhere"),
    (lambda: da.widen(da.compile(straight), "gap", "dense"),
     "'dense' is no structure; there are Scalar, Diagonal, Dense, Toeplitz, BlockToeplitz, LowRank, Product and Kronecker"),
    (lambda: da.widen(da.compile(squares), "c55", da.Scalar()),
     f"`c55` can only be widened where it multiplies, and here it enters `gt` at tests/tensorize/{FILE}:55; widen a signal instead"),
    (lambda: da.widen(da.compile(spin), "turned", da.Scalar()), "`turned` is not a real number or array but complex"),
    (lambda: da.widen(shaped(sized, (5,)), "part", da.Dense()),
     "`part` is given values of different shapes (real[2], real[3]): pick one by its line (63, 65)"),
    (lambda: da.widen(shaped(straight, (3,), (3,)), "gap", da.LowRank(4)), "LowRank(4) does not fit vectors of 3 items"),
    (lambda: da.Toeplitz(4), "a kernel has an odd number of taps, so that it has a middle, not 4"),
    (lambda: da.Product(3), "Product takes structures, e.g. Product(Toeplitz(3), 2) or Product(Dense(), Diagonal())"),
    (lambda: da.Kronecker(1), "Kronecker takes at least two copies, not 1"),
    (lambda: da.widen(da.compile(squares), "y", da.Kronecker(2)),
     "`y` is given a value at 2 places, and Kronecker copies what comes of one: pick one by its line (57, 58)"),
    (lambda: da.widen(da.compile(straight), "gap", da.Kronecker(2)),
     "what comes of `gap` is not gathered in one value: name where the copies meet with until="),
    (lambda: da.widen(da.compile(straight), "x", da.Kronecker(2), until="far"),
     "`x` does not reach `far` in the block where it is computed"),
    # remember
    (lambda: da.remember(da.compile(root), "x", 0), "depth must be a positive whole number, not 0"),
    (lambda: da.remember(da.compile(root), signal="y"), "the loop does not carry `y`; it carries `x`"),
    (lambda: da.remember(da.compile(swap)), "the loop carries `old`, `new`: name the one that is meant"),
    (lambda: da.remember(da.compile(spin), "n"), "`n` is int: only real numbers and vectors are remembered"),
    (lambda: da.remember(shaped(image, (4, 4)), "edges"),
     "`edges` is real[4, 4]: only real numbers and vectors are remembered; for an array there is widen(net, 'edges', ...)"),
    # choose
    (lambda: da.choose(da.compile(root), "x", by=abs), "choose needs candidates: steps=(0.5, 1.0, 1.5), Scales, Adds or functions"),
    (lambda: da.choose(da.compile(root), "x", (0.5, 1.0), by=abs),
     "(0.5, 1.0) is no set of candidates; there are Steps, Scales, Adds and functions"),
    (lambda: da.choose(da.compile(root), "x", steps=(), by=abs), "a set of candidates must not be empty: Steps(factors=())"),
    (lambda: da.choose(da.compile(straight), "gap", steps=(1.0,), by=abs),
     "no loop carries `gap`, so it has no steps; use Scales, Adds or functions"),
    (lambda: da.choose(da.compile(swap), "old", steps=(1.0,), by=abs),
     "the loop at line 71 hands `old` on without computing it: name the variable that it takes its value from"),
    (lambda: da.choose(da.compile(straight), "gap", da.Scales("y", (1.0,)), by=abs),
     "`y` is not on the way to `gap` in the block where that is computed"),
    (lambda: da.choose(da.compile(straight), "gap", da.Adds("z", (0.0,)), by=abs),
     "the set of candidates asks for `z`, which is not known there; known are x, y"),
    (lambda: da.choose(da.compile(root), "x", steps=(1.0,), by=lambda x, t: x),
     "the criterion asks for `t`, which is not known there; known are round, s, x"),
    (lambda: da.choose(da.compile(root), "x", steps=(1.0,), by=lambda x: (x, x)),
     "the criterion must return one real number for a sample, not real, real; take a norm of it"),
    (lambda: da.choose(da.compile(root), "x", steps=(1.0,), by=3), "the criterion must be a function, not 3"),
    (lambda: da.choose(da.compile(root), "x", steps=(1.0,), by=lambda: 3.0),
     "the criterion must take the value that it is about as its first parameter"),
    (lambda: da.choose(da.compile(straight), "gap", lambda gap: (gap, gap), by=abs), "a candidate for `gap` must be real, not real, real"),
    # soften
    (lambda: da.soften(da.compile(root), 2.0),
     "root has no guard that chooses between real values by comparing real numbers and is still hard"),
    (lambda: da.soften(da.compile(squares), 2.0, guards=[3]),
     "squares has no guard at line 3 that chooses between real values by comparing real numbers and is still hard"),
    (lambda: da.soften(da.compile(squares), 2.0, guards=[55, 57]), "there is no guard that can be softened at line 57"),
    (lambda: da.soften(da.soften(da.compile(squares), 2.0), 2.0),
     "squares has no guard that chooses between real values by comparing real numbers and is still hard"),
    (lambda: da.anneal(da.compile(root), 0.5), "root was not softened: call soften(net, *inputs) first"),
    (lambda: da.anneal(da.soften(da.compile(squares), 2.0), math.nan), "softness is zero or more, not nan"),
    # correct
    (lambda: da.correct(da.compile(root), "x", hidden=0), "hidden must be a positive whole number, not 0"),
    (lambda: da.correct(da.compile(root), "x", []), "a correction needs a context: name at least one input or variable"),
    (lambda: da.correct(da.compile(root), "x", ["y"]), "the correction asks for `y`, which is not known there; known are round, s, x"),
    (lambda: da.correct(shaped(image, (4, 4)), "edges"),
     "`edges` is real[4, 4]: only numbers and vectors are corrected; for an array there is widen(net, 'edges', ...)"),
    # guard
    (lambda: da.guard(da.compile(fixed), by=abs),
     "fixed has no trainable weight, so it gives the heuristic's answers: nothing to guard"),
    (lambda: da.guard(da.compile(root), by=lambda x, t: x), "the criterion asks for `t`; the inputs are s"),
    (lambda: da.guard(da.compile(root), by=lambda x: (x, 1.0)),
     "the criterion must return one real number for a sample, not real, real; take a norm of it"),
]


@pytest.mark.parametrize(("grow", "text"), REFUSALS, ids=[text[:60] for _, text in REFUSALS])
def test_what_cannot_be_grown_is_refused_with_the_reason_and_a_way_out(grow, text):
    with pytest.raises(da.TensorizeError) as error:
        grow()
    assert str(error.value) == text


def test_a_criterion_that_cannot_be_compiled_shows_the_compilers_own_words():
    with pytest.raises(da.TensorizeError) as error:
        da.guard(da.compile(root), by=lambda x: float(input(x)))
    assert str(error.value).startswith(f"the criterion cannot be compiled:\ntests/tensorize/{FILE}:")
    assert "this asks the user for input" in str(error.value)


def test_a_refusal_leaves_the_network_as_it_was():
    net = da.compile(root)
    before = net.program, {key: net.weights[key].item() for key in net.weights}
    with pytest.raises(da.TensorizeError):
        da.correct(net, "x", ["y"])
    assert (net.program, {key: net.weights[key].item() for key in net.weights}) == before
    assert torch.isfinite(net(2.0))
