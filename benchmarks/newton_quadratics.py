"""Dense quadratic systems with a planted root: how often each method finds one, all from the same random starts.

Newton, Newton with halving, and SciPy's hybr and lm have 50 rounds. Ours has four chains of twelve: the first from that start, one
from its mirror image, two from starts of their own. In each round a chain takes Newton's step or Chebyshev's, whichever leaves the
smaller |F|, and no step is longer than `reach`. Starts and reach are trained on |F| of fresh systems. The factors of the steps stay 1:
others make |F| smaller on the whole, and spoil the order of convergence, so that fewer systems are solved.
"""

import time

import numpy as np
import scipy.optimize
import torch

import deepalgo as da
from deepalgo.studies.newton.deep import answers
from deepalgo.studies.newton.multistart import best_of_each
from deepalgo.studies.newton.polish import sizes
from deepalgo.studies.newton.starts import smallest
from deepalgo.studies.newton.system import columns, curve, damped_step, evaluate, linearize, monomials, squares
from deepalgo.studies.newton.tasks import plant

CHAINS, ROUNDS = 4, 12  # together no more rounds than the 50 of the others
SOLVED = 1e-6
DAMPING = 1e-12


def chains(n):
    """The heuristic: a function of the system and of the start."""
    base = np.concatenate([np.zeros((2, n)), np.random.default_rng(7).standard_normal((CHAINS - 2, n))])
    mirror = np.array([1.0, -1.0] + [0.0] * (CHAINS - 2))
    A, H, reach = 1.0, 1.0, 2.0

    def within(step):
        length = np.sqrt(np.sum(step * step, axis=-1) + DAMPING)
        return step * np.fmin(reach / length, 1.0)[:, None]

    def solve(S, start):
        x = base + mirror[:, None] * start
        for _ in range(ROUNDS):
            F, J = linearize(S, columns(x), 2)
            newton = damped_step(J, F, DAMPING)
            chebyshev = newton + damped_step(J, curve(S, columns(x), columns(newton), 2), DAMPING)
            candidates = np.stack([x - within(A * newton), x - within(H * chebyshev)])
            x = best_of_each(candidates, squares(S, candidates, 2))
        return x[smallest(squares(S, x, 2))]

    return solve


def draw(n, count, rng):
    """Systems with a root, and starts."""
    S = plant(rng.standard_normal((count, n, len(monomials(n, 2)))), rng.standard_normal((count, n)), 2)
    return S, rng.standard_normal((count, n))


def trained(n, steps):
    """The chains for n variables, trained, and how long that took."""
    begin = time.process_time()
    net = da.compile(chains(n), example=(tuple(item[0] for item in draw(n, 1, np.random.default_rng(0))), {}), errors="nan")
    if not steps:
        return net, net, 0.0

    def residual(x, S, start):
        F = evaluate(S.movedim(0, -1), x.T, 2).T
        return torch.tanh(F)  # a system that is far from solved counts no more than one that is not solved

    def fresh(count, generator):
        return draw(n, count, np.random.default_rng(generator.initial_seed()))

    rates = {key: 0.0 for key in net.weights if key not in ("base", "mirror", "reach")}
    search = da.SearchOptions(batch_size=128, polished=False)
    fit = da.fit(net, fresh, residual=residual, steps=steps, rates=rates, search=search, progress=False)
    return net, fit.network, time.process_time() - begin


def plain_newton(S, x, halving):
    """Newton from given starts, at most 50 rounds, with a halving line search or without."""
    with np.errstate(all="ignore"):
        for _ in range(50):
            F, J = linearize(np.moveaxis(S, 0, -1), list(x.T), 2)
            step = damped_step(np.moveaxis(J, 1, 0), F.T, DAMPING)
            length = np.ones(len(x))
            for _ in range(10 if halving else 0):
                worse = ~(sizes(x - length[:, None] * step, S, 2) < sizes(x, S, 2))
                length[worse] /= 2
            x = x - length[:, None] * step
    return x


def by_scipy(S, starts, method):
    """SciPy, one system after the other."""
    options = {"maxfev": 50 * (starts.shape[1] + 1)} if method == "hybr" else {"maxiter": 50 * (starts.shape[1] + 1)}
    return np.array(
        [
            scipy.optimize.root(lambda x, row=row: evaluate(row, x, 2), start, method=method, options=options).x
            for row, start in zip(S, starts, strict=True)
        ]
    )


def quadratics(variables=(2, 3, 5, 8), count=300, steps=0):
    """Print the share that each method solves."""
    print(f"\nDense quadratic systems with a planted root, {count} each: share solved, in %")
    print("   n  Newton  halving    hybr      lm   chains  trained   seconds of training")
    for n in variables:
        S, starts = draw(n, count, np.random.default_rng(n))
        chain, better, seconds = trained(n, steps)
        found = [plain_newton(S, starts, False), plain_newton(S, starts, True), *(by_scipy(S, starts, name) for name in ("hybr", "lm"))]
        found += [answers(net, S, starts) for net in (chain, better)]
        print(f"{n:4d}" + "".join(f"{100 * (sizes(x, S, 2) < SOLVED).mean():8.1f}" for x in found) + f"  {seconds:8.0f}", flush=True)
