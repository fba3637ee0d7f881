"""Root finders against each other: `python -m benchmarks.newton_bench`, one run on one thread, ratios of processor time.

Two parts here. *One real root* of many random polynomials: time each, and the share of those with a real root for which the backward
error |p(x)| / sum |a_k x^k| is above 1e-3. *All roots* of polynomials of degree six. The third part, dense quadratic systems, is in
`benchmarks.newton_quadratics`.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.optimize
import torch

import deepalgo as da
from benchmarks.newton_quadratics import quadratics
from deepalgo.studies.newton.charts import real_root, scaled_root
from deepalgo.studies.newton.fast import batched
from deepalgo.studies.newton.polish import backward_error
from deepalgo.studies.newton.polynomial import slope, value
from deepalgo.studies.newton.roots import all_roots
from deepalgo.studies.newton.tasks import companion_roots

COUNT = 100_000


def newton_ls_3(S):
    """Three rounds of Newton with line search from x = 1, in a form that needs no arrays."""
    a = list(S)
    x = np.float64(1)
    for _ in range(3):
        p, dp = slope(a, x)
        step = dp / (dp * dp + 1e-12) * p
        start, least = x, np.float64(np.inf)
        for length in (0.5, 1.0, 1.5):
            candidate = start - length * step
            size = abs(value(a, candidate))
            if size < least:
                x, least = candidate, size
    return x


def newton_20(S):
    """Twenty rounds of Newton from x = 1."""
    a = list(S)
    x = np.float64(1)
    for _ in range(20):
        p, dp = slope(a, x)
        x = x - dp / (dp * dp + 1e-12) * p
    return x


def scipy_newton(S):
    """The vectorised Newton of SciPy."""
    derivative = S[:, :-1] * np.arange(S.shape[1] - 1, 0, -1)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        found = scipy.optimize.newton(
            lambda x: value(S.T, x), np.ones(len(S)), lambda x: value(derivative.T, x), maxiter=50, full_output=True, disp=False
        )
    return found.root


def jax_newton(S):
    """Twenty rounds of Newton, jit(vmap) of JAX; None where JAX is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)

    def one(row):
        def body(_, x):
            p, dp = slope(list(row), x)
            return x - dp / (dp * dp + 1e-12) * p

        return jax.lax.fori_loop(0, 20, body, jnp.asarray(1.0))

    compiled = jax.jit(jax.vmap(one))
    compiled(S[:2000])
    return lambda S: np.asarray(compiled(S))


def optimistix_newton(S):
    """Newton of Optimistix, until it has converged or for 50 rounds; None where that is not installed."""
    try:
        import jax
        import jax.numpy as jnp
        import optimistix
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    solver = optimistix.Newton(rtol=1e-8, atol=1e-8)

    def one(row):
        return optimistix.root_find(lambda x, row: value(list(row), x), solver, jnp.asarray(1.0), row, max_steps=50, throw=False).value

    compiled = jax.jit(jax.vmap(one))
    compiled(S[:2000])
    return lambda S: np.asarray(compiled(S))


def a_real_one(S):
    """A real root by batched companion eigenvalues: the eigenvalue nearest to the real line."""
    roots = companion_roots(S)
    return roots[np.arange(len(S)), np.abs(roots.imag).argmin(axis=1)].real


def families(rng):
    """The polynomials by name."""
    scale = 10 ** rng.uniform(-6, 6, (COUNT, 1))
    return {
        "degree 5, U(-1,1)": rng.uniform(-1, 1, (COUNT, 6)),
        "degree 6, N(0,1)": rng.standard_normal((COUNT, 7)),
        "degree 6, badly scaled": rng.standard_normal((COUNT, 7)) * scale ** np.arange(6, -1, -1),
    }


def numba_loop(heuristic, S):
    """The source of a compiled heuristic as a Numba loop, warmed up."""
    run = batched(da.compile(heuristic, example=((S[0],), {})))
    run(S[:10])
    return run


def best(run, S, rounds):
    """Nanoseconds for one polynomial, and the answers; of several rounds the quickest, part by part."""
    parts = [S[k : k + 2000] for k in range(0, len(S), 2000)] if rounds > 1 else [S]
    times = np.full(len(parts), np.inf)
    for _ in range(rounds):
        for number, part in enumerate(parts):
            start = time.process_time()
            run(part)
            times[number] = min(times[number], time.process_time() - start)
    return 1e9 * times.sum() / len(S), run(S)


def one_root():
    """The first part."""
    for name, S in families(np.random.default_rng(0)).items():
        has_root = (np.abs((roots := companion_roots(S)).imag) < 1e-8 * np.maximum(1e-3, np.abs(roots))).any(axis=1)
        ours = scaled_root if "badly" in name else real_root
        methods = {
            "Newton-LS-3, Numba": (numba_loop(newton_ls_3, S), S, 5),
            "Newton-20, Numba": (numba_loop(newton_20, S), S, 3),
            "Newton-20, JAX": (jax_newton(S), S[:20_000], 3),
            "Optimistix Newton": (optimistix_newton(S), S[:20_000], 3),
            "scipy newton, vectorised": (scipy_newton, S[:20_000], 1),
            "companion eigenvalues": (a_real_one, S[:20_000], 3),
            "numpy.roots": (lambda S: np.array([(r := np.roots(row))[np.abs(r.imag).argmin()].real for row in S]), S[:500], 1),
            "ours: two charts, Numba": (numba_loop(ours, S), S, 5),
        }
        print(f"\n{name}: {has_root.mean():.1%} have a real root\n{'':28}ns each   /Newton-LS-3   share above 1e-3")
        reference = None
        for method, (run, part, rounds) in methods.items():
            if run is None:
                continue
            nanoseconds, x = best(run, part, rounds)
            reference = reference or nanoseconds
            with np.errstate(all="ignore"):
                failed = ~(backward_error(x, part, part.shape[1] - 1) <= 1e-3)[has_root[: len(part)]]
            print(f"{method:28}{nanoseconds:8.0f}   {nanoseconds / reference:10.2f}   {failed.mean():12.4f}")


def every_root():
    """The second part."""
    S = np.random.default_rng(1).standard_normal((20_000, 7))
    nanoseconds, found = best(numba_loop(all_roots, S), S, 3)
    few = S[:500]
    numpy_nanoseconds, true = best(lambda S: np.array([np.roots(row) for row in S]), few, 1)
    companion_nanoseconds, _ = best(companion_roots, S[:4000], 3)
    errors = [_backward(few, roots).max(axis=1) for roots in (found[:500], true)]
    times = numpy_nanoseconds / nanoseconds
    print(f"\nall roots, degree 6: {nanoseconds:.0f} ns, numpy.roots {numpy_nanoseconds:.0f} ns: {times:.0f} times faster")
    print(f"  batched companion eigenvalues {companion_nanoseconds:.0f} ns: {companion_nanoseconds / nanoseconds:.1f} times faster")
    for method, error in zip(("ours", "numpy.roots"), errors, strict=True):
        print(f"  {method:12} backward error: median {np.median(error):.1e}, worst {error.max():.1e}")


def _backward(S, roots):
    F, terms = np.abs(value(S.T[:, :, None], roots)), value(np.abs(S).T[:, :, None], np.abs(roots))
    return F / terms


def main():
    """Run the parts that are asked for."""
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["one", "all", "quadratic"])
    parser.add_argument("--steps", type=int, default=30, help="train the chains for the quadratic systems, so many steps")
    options = parser.parse_args()
    if "one" in options.parts:
        one_root()
    if "all" in options.parts:
        every_root()
    if "quadratic" in options.parts:
        quadratics(steps=options.steps)


if __name__ == "__main__":
    main()
