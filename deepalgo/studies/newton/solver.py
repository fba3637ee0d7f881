"""`Solver`: roots of many polynomials, or systems of them, at once.

>>> solver = Solver(degree=3)
>>> result = solver.solve(np.array([[1.0, 0.0, 0.0, -27.0], [2.0, 0.0, 0.0, 2.0]]))
>>> result.x.round(12).tolist(), result.converged.tolist()
([3.0, -1.0], [True, True])
>>> circles = Solver(degree=2, variables=2)
>>> circles.solve(np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -4.0], [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]])).converged
np.True_

What has no root, or no coefficients that are numbers, has an answer, too: `converged` is false, and `x` is a point where |F| is small,
or NaN. The zero polynomial vanishes everywhere: its answer is 0. Complex coefficients lead to complex roots:

>>> Solver(degree=2, dtype=complex).solve(np.array([1.0, 0.0, 1.0])).x.round(12) in (1j, -1j)
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from deepalgo.compiler import compile
from deepalgo.errors import InputError
from deepalgo.fitting.fit import fit
from deepalgo.fitting.report.page import Fit
from deepalgo.network import Network
from deepalgo.studies.newton.charts import real_root, scaled_root
from deepalgo.studies.newton.fast import batched
from deepalgo.studies.newton.heuristics import Heuristic, halley_step_1d, newton_1d, newton_ls
from deepalgo.studies.newton.multistart import multistart, one_by_one
from deepalgo.studies.newton.polish import backward_error, newton_rounds, sizes
from deepalgo.studies.newton.polynomial import value
from deepalgo.studies.newton.roots import all_roots, roots_together, starts_on_circles
from deepalgo.studies.newton.scale import balanced, grown
from deepalgo.studies.newton.starts import best_of
from deepalgo.studies.newton.system import evaluate, monomials

Array = NDArray[Any]

#: First and last coefficient may differ by this factor before the variable is scaled.
WIDE = 1e3
CHAINS = 16


@dataclass(frozen=True)
class Result:
    """Answers for a batch: where, how small |F| is there, whether that is a root, and how many rounds it took."""

    x: Array
    residual: Array
    converged: NDArray[np.bool_]
    rounds: NDArray[np.int64]


class Solver:
    """Roots of polynomials of one degree, or of systems of them.

    One polynomial in one variable has `S` of the shape (batch, degree + 1), the highest power first; a system (batch, equations,
    monomials), in the order of `deepalgo.newton.monomials`. More equations than variables are solved in the sense of least squares. An
    answer has converged if its backward error, |F| relative to the sum of the sizes of its terms, is at most `tolerance`. `polish` adds
    Newton steps as long as they help, at most so many.

    `dtype=complex` takes complex coefficients and looks for complex roots. `backend="numba"` runs the source of the network as a
    compiled loop over the samples; the first call compiles, which takes seconds for a system of two variables and minutes for one of
    many.
    """

    def __init__(
        self,
        degree: int,
        variables: int = 1,
        *,
        equations: int | None = None,
        rounds: int = 3,
        tolerance: float = 1e-10,
        polish: int = 20,
        dtype: type = float,
        backend: str = "torch",
    ) -> None:
        if degree < 1 or variables < 1:
            raise InputError(f"a solver needs a degree and a number of variables of at least 1, not {degree} and {variables}")
        self.degree, self.variables = degree, variables
        self.equations = equations if equations is not None else variables
        if self.equations < variables:
            raise InputError(f"{variables} variables need as many equations, not {self.equations}")
        if backend not in ("torch", "numba"):
            raise InputError(f"there is no backend '{backend}'; there are 'torch' and 'numba'")
        if dtype not in (float, complex):
            raise InputError(f"the dtype of a solver is float or complex, not {dtype!r}")
        self.rounds, self.tolerance, self.polish, self.dtype, self.backend = rounds, tolerance, polish, dtype, backend
        self.is_single = self.variables == self.equations == 1
        self.network = compile(self._heuristic(), example=((np.ones(self._shape(degree), dtype=dtype),), {}))
        self._loops: dict[Any, Callable[[Array], Array]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loops": {}}  # they are made again when they are needed

    def _shape(self, degree: int) -> tuple[int, ...]:
        return (degree + 1,) if self.is_single else (self.equations, len(monomials(self.variables, degree)))

    def _heuristic(self, chains: Callable[..., Heuristic] = multistart) -> Heuristic:
        if self.is_single:
            return real_root if self.dtype is float else complex_root
        starts = np.random.default_rng(0).standard_normal((2, CHAINS, self.variables))
        points = (starts[0] if self.dtype is float else starts[0] + 1j * starts[1]).tolist()
        plain = newton_ls(points[0], 1e-4, self.degree, self.rounds)
        count = len(monomials(self.variables, self.degree))
        return chains(points, self.equations, count, self.degree, plain, 1e-4, self.rounds)

    def fit(self, S: Array, *, steps: int = 200, seed: int = 0) -> Fit:
        """Train on a sample of systems, without knowing their roots; answers are never worse than before, beyond noise."""
        S = self._checked(S)
        S = S[np.isfinite(S.reshape(len(S), -1)).all(axis=1)]
        dampings = {key: 0.0 for key in self.network.weights if "damping" in key.lower() or key == "TINY"}
        found = fit(self.network, (S,), residual=self._relative, steps=steps, seed=seed, rates=dampings, progress=False)
        self.network = found.network
        self._loops.clear()
        return found

    def _relative(self, x: torch.Tensor, S: torch.Tensor) -> torch.Tensor:
        """F relative to the size of its terms, which does not depend on how a system is scaled."""
        if self.is_single:
            F, terms = value(S.T, x), value(S.T.abs(), x.abs())
        else:
            columns = S.movedim(0, -1)
            F, terms = evaluate(columns, x.T, self.degree), evaluate(columns.abs(), x.T.abs(), self.degree)
        relative = torch.as_tensor(F / (terms + 1e-300)).movedim(-1, 0)
        return torch.view_as_real(relative) if relative.is_complex() else relative

    def solve(self, S: Array) -> Result:
        """A root of each polynomial or system; of one without a batch axis a result without it."""
        S = self._numbers(S)
        if S.shape == self._shape(self.degree):
            found = self.solve(S[None])
            return Result(found.x[0], found.residual[0], found.converged[0], found.rounds[0])
        S, by, unit = balanced(self._checked(S))
        shape = (len(S),) if self.is_single else (len(S), self.variables)
        x, rounds = np.full(shape, np.nan, dtype=self.dtype), np.zeros(len(S), dtype=np.int64)
        for degree, chosen in self._groups(S):
            part = S[chosen, -degree - 1 :] if self.is_single else S[chosen]
            x[chosen], rounds[chosen] = newton_rounds(self._start(part), part, degree, self.polish)
            rounds[chosen] += self.rounds
        x[~S.reshape(len(S), -1).any(axis=1)] = 0.0
        with np.errstate(all="ignore"):
            error = backward_error(x, S, self.degree)
            residual = np.ldexp(sizes(x, S, self.degree), -unit)
            return Result(grown(x, by), residual, error <= self.tolerance, rounds)

    def all_roots(self, S: Array) -> NDArray[np.complex128]:
        """All complex roots of polynomials in one variable, (batch, degree), or (degree,) for one polynomial without a batch axis.

        Roots at infinity, of leading zeros, are NaN.
        """
        if not self.is_single:
            raise InputError("all_roots is for one polynomial in one variable")
        S = self._numbers(S)
        if S.shape == self._shape(self.degree):
            return np.asarray(self.all_roots(S[None])[0])
        S, by, _ = balanced(self._checked(S))
        roots = np.full((len(S), self.degree), np.nan, dtype=np.complex128)
        for degree, chosen in self._groups(S):
            roots[chosen, :degree] = self._run(S[chosen, -degree - 1 :], "all")
        return np.asarray(grown(roots, by[:, None]))

    def _numbers(self, S: Array) -> Array:
        S = np.asarray(S)
        if np.iscomplexobj(S) and self.dtype is float:
            raise InputError("these coefficients are complex: Solver(..., dtype=complex) takes them")
        return S.astype(self.dtype)

    def _checked(self, S: Array) -> Array:
        S = self._numbers(S)
        if S.shape[1:] != self._shape(self.degree):
            wanted = self._shape(self.degree)
            batch = ", ".join(map(str, wanted))
            raise InputError(f"the coefficients must have the shape (batch, {batch}) or {wanted}, not {S.shape}")
        return S

    def _groups(self, S: Array) -> list[tuple[int, NDArray[np.int64]]]:
        """The samples by their degree, which leading zeros lower; those without a variable or with a NaN are in no group."""
        finite = np.isfinite(S.reshape(len(S), -1)).all(axis=1)
        if not self.is_single:
            return [(self.degree, np.flatnonzero(finite & S.reshape(len(S), -1).any(axis=1)))]
        degrees = np.where(finite & S.any(axis=1), self.degree - (S != 0).argmax(axis=1), 0)
        return [(int(degree), np.flatnonzero(degrees == degree)) for degree in np.unique(degrees[degrees > 0])]

    def _start(self, S: Array) -> Array:
        """What the network answers; badly scaled polynomials in a variable of their own."""
        if not self.is_single or self.dtype is complex:
            return self._run(S, "given")
        first, last = np.abs(S[:, 0]), np.abs(S[:, -1])
        wide = (last > WIDE * first) | (first > WIDE * last)
        x = np.empty(len(S))
        for which, chosen in (("given", ~wide), ("scaled", wide)):
            if chosen.any():
                x[chosen] = self._run(S[chosen], which)
        return x

    def _run(self, S: Array, which: str) -> Array:
        key = (which, S.shape[1])
        if key not in self._loops:
            network = self._network(which, S[0])
            self._loops[key] = batched(network, parallel=True) if self.backend == "numba" else _torch_loop(network)
        return self._loops[key](S)

    def _network(self, which: str, example: Array) -> Network:
        """The network for samples like the example: the trained one, or one of another form with its weights."""
        if which == "all":
            return compile(all_roots if self.backend == "numba" else roots_together, example=((example,), {}))
        loops = self.backend == "numba" and not self.is_single
        if which == "given" and not loops and example.shape == self._shape(self.degree):
            return self.network
        heuristic = scaled_root if which == "scaled" else self._heuristic(one_by_one if loops else multistart)
        network = compile(heuristic, example=((example,), {}))
        with torch.no_grad():
            for name in network.weights:
                network.weights[name].copy_(self.network.weights[name])
        return network


#: A root of a polynomial with complex coefficients: the best start on circles, and steps of Halley.
complex_root = newton_1d(best_of(starts_on_circles), 1e-300, rounds=6, base=halley_step_1d)


def _torch_loop(network: Network) -> Callable[[Array], Array]:
    def loop(S: Array) -> Array:
        with torch.no_grad():
            answer = network(S)
            return np.asarray(answer.numpy() if isinstance(answer, torch.Tensor) else torch.stack(list(answer), dim=1).numpy())

    return loop
