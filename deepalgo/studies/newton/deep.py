"""DeepNewton: what `compile`, `choose`, `untie`, `widen`, `remember`, `guard` and `fit` make of Newton's method.

>>> from deepalgo.newton.tasks import TASKS
>>> net = deep_newton(TASKS["square-root"])
>>> net.weights
name         value                  role           place  trainable
start        1.0                    initial value         yes
damping      [1e-12, 1e-12, 1e-12]  coefficient           yes
B            [1.0, 1.0, 1.0]        coefficient           yes
C            [0.0, 0.0, 0.0]        coefficient           yes
A            [1.0, 1.0, 1.0]        coefficient           yes
step_scales  [3, 3] array           coefficient           yes
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.compiler import compile
from deepalgo.fitting.fit import fit
from deepalgo.fitting.options import SearchOptions
from deepalgo.fitting.report.page import Fit
from deepalgo.network import Network
from deepalgo.studies.newton.heuristics import STEPS, Heuristic, newton, newton_1d, newton_ls, newton_ls_1d, newton_step, newton_step_1d
from deepalgo.studies.newton.multistart import multistart, multistart_1d
from deepalgo.studies.newton.polynomial import slope, value
from deepalgo.studies.newton.starts import smallest
from deepalgo.studies.newton.system import evaluate, monomials
from deepalgo.studies.newton.tasks import Array, Task
from deepalgo.tensorize.choose import Adds, Scales, choose
from deepalgo.tensorize.guard import guard
from deepalgo.tensorize.remember import remember
from deepalgo.tensorize.structures import Dense
from deepalgo.tensorize.untie import untie
from deepalgo.tensorize.widen import widen

#: How many iterates enter the update of the paper's layer.
DEPTH = 6


def plain(task: Task, rounds: int = 3) -> Heuristic:
    """Newton's method with the start and the damping of a task."""
    if task.variables == 1:
        return newton_1d(task.start[0], task.damping, rounds)
    return newton(task.start, task.damping, task.degree, rounds)


def line_search(task: Task, rounds: int = 3) -> Heuristic:
    """The same with a line search, written out by hand."""
    if task.variables == 1:
        return newton_ls_1d(task.start[0], task.damping, rounds)
    return newton_ls(task.start, task.damping, task.degree, rounds)


def compiled(task: Task, heuristic: Heuristic) -> Network:
    """The network of a heuristic for the systems of a task."""
    return compile(heuristic, example=((task.draw(np.random.default_rng(0), 1)[0],), {}))


def deep_newton(
    task: Task,
    *,
    history: bool = False,
    A: tuple[float, ...] = STEPS,
    B: tuple[float, ...] = (1.0,),
    C: tuple[float, ...] = (0.0,),
) -> Network:
    """The paper's parametrisation: Newton's method with sets of factors A for the step, B for the iterate and C for the derivative.

    Every round has its own; a candidate for each of their combinations is made, and that with the smallest |F| goes on. With `history`
    also the last iterates enter the update, `DEPTH` of them in all. In several variables the factors are matrices. The answer is
    guarded by that of the untrained network.
    """
    sets: list[Scales | Adds] = [Scales("step", A)]
    if B != (1.0,):
        sets.append(Scales("kept", B))
    if C != (0.0,):
        sets.append(Adds("dp" if task.variables == 1 else "gradient", C))
    by_hand = line_search(task) if len(sets) == 1 and A == STEPS else product_search(task, A, B, C)
    net = choose(compiled(task, plain(task)), "x", *sets, by=size(task), keep=False, heuristic=by_hand)
    if history:
        net = remember(net, "x", DEPTH - 1)
    net = untie(net)
    if task.variables > 1:
        for factor in [key for key in net.weights if key not in ("first", "damping", "A", "x_memory")]:
            net = widen(net, factor, Dense())
    return guard(net, by=size(task))


def product_search(task: Task, A: tuple[float, ...], B: tuple[float, ...], C: tuple[float, ...], rounds: int = 3) -> Heuristic:
    """The paper's layer written out by hand: of all combinations of factors that with the smallest |F|."""
    is_small, combinations = size(task), list(product(A, B, C))

    def search_1d(S: Any) -> Any:
        x = task.start[0]
        for _ in range(rounds):
            step, dp = newton_step_1d(S, x, task.damping)
            candidates = np.stack([b * x - a * step + c * dp for a, b, c in combinations])
            x = candidates[smallest(np.stack([is_small(y, S) for y in candidates]))]
        return x

    def search(S: Any) -> Any:
        x = np.array(task.start)
        for _ in range(rounds):
            step, J = newton_step(S, x, task.damping, task.degree)
            candidates = np.stack([b * x - a * step + c * np.sum(J, axis=0) for a, b, c in combinations])
            x = candidates[smallest(np.stack([is_small(y, S) for y in candidates]))]
        return x

    return search_1d if task.variables == 1 else search


def richer_newton(task: Task) -> Network:
    """The richer tensorization: chains from several starts that are affine in the coefficients, with steps of third order."""
    return compiled(task, richer(task))


def richer(task: Task) -> Heuristic:
    """The heuristic of `richer_newton`."""
    if task.variables == 1:
        return multistart_1d(tuple(row[0] for row in task.starts), task.degree + 1, line_search(task))
    count = len(monomials(task.variables, task.degree))
    return multistart(task.starts, task.variables, count, task.degree, line_search(task), task.light)


def size(task: Task) -> Callable[[Any, Any], Any]:
    """|F|, by which candidates and answers are chosen; of the two square roots the positive one is meant."""
    if task.metric == "root MSE":
        return lambda x, S: abs(value(S, x)) + (abs(x) - x)
    if task.variables == 1:
        return lambda x, S: abs(value(S, x))
    degree = task.degree
    return lambda x, S: np.sum(evaluate(S, x, degree) ** 2)


def error(task: Task) -> Callable[[Tensor, Tensor], Tensor]:
    """What training makes small, without knowing any root.

    Where the paper measures the distance to a root it is the way that ten more rounds of Newton would go; a negative answer is wrong
    by twice its size, as the square root is the positive one. Elsewhere it is F.
    """
    if task.metric == "root MSE":
        return _correction
    if task.variables == 1:
        return lambda x, S: torch.as_tensor(value(S.T, x))
    return lambda x, S: torch.as_tensor(evaluate(S.movedim(0, -1), x.T, task.degree).T)


def _correction(x: Tensor, S: Tensor) -> Tensor:
    ahead = x.detach()
    for _ in range(10):
        p, dp = slope(S.T, ahead)
        ahead = ahead - p * dp / (dp * dp + 1e-12)
    return x - ahead + 2 * x.clamp(max=0)


def train(task: Task, net: Network, *, seed: int = 0, steps: int = 200, attempts: int = 1, polished: bool = True) -> Fit:
    """Train on fresh systems, of several attempts keep the best; the damping, which keeps J = 0 harmless, stays.

    `polished` ends with steps of second order, which for chains take minutes.
    """
    dampings = {key: 0.0 for key in net.weights if key.startswith("damping")}
    return fit(
        net,
        _drawn(task),
        residual=error(task),
        steps=steps,
        rates=dampings,
        seed=seed,
        search=SearchOptions(batch_size=512, seeds=attempts, polished=polished),
        progress=False,
    )


def train_richer(task: Task, net: Network, *, seed: int = 0, steps: int = 10) -> Network:
    """A few steps for the chains, whose structure does most of it, and their untrained answers as a guard."""
    trained = train(task, net, seed=seed, steps=steps, polished=False).network
    return guard(trained, by=size(task))


def _drawn(task: Task) -> Callable[[int, torch.Generator], tuple[Array]]:
    draw = task.practice or task.draw
    return lambda count, generator: (draw(np.random.default_rng(generator.initial_seed()), count),)


def answers(net: Network, *inputs: Array) -> Array:
    """What a network answers, without gradient and in parts that fit into the cache."""
    count = max(1, len(inputs[0]) // 4096)
    with torch.no_grad():
        return np.concatenate([net(*part).numpy() for part in zip(*(np.array_split(item, count) for item in inputs), strict=True)])
