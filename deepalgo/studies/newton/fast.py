"""The fast batched path: the source of a network, number by number, compiled by Numba, in a parallel loop over the samples.

>>> import deepalgo as da
>>> from deepalgo.newton.charts import real_root
>>> run = batched(da.compile(real_root, example=((np.ones(4),), {})))
>>> run(np.array([[1.0, 0.0, 0.0, -27.0], [2.0, 0.0, 0.0, 2.0]])).round(12).tolist()
[3.0, -1.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepalgo.ir import Kind, Leaf
from deepalgo.network import Network
from deepalgo.source_code import source


def batched(network: Network, *, parallel: bool = False) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """A function of a batch of coefficients that gives the network's answers, from the text that `da.source` writes.

    An answer is a number, an array or a list of numbers. `parallel` spreads the samples over the cores. The first call compiles.
    """
    import numba

    namespace: dict[str, Any] = {}
    exec(source(network, style="numbers"), namespace)
    one = numba.njit(error_model="numpy")(namespace[network.program.name])
    shape, kind = _answer(network)
    run = numba.njit(parallel=parallel, error_model="numpy")(_loop_over_lists(one, numba.prange) if shape else _loop(one, numba.prange))
    given = _dtype(network.program.inputs[0].value.type.kind)

    def solve(S: NDArray[Any]) -> NDArray[Any]:
        answers: NDArray[Any] = np.empty((len(S), int(np.prod(shape))) if shape else len(S), dtype=kind)
        run(np.ascontiguousarray(S, dtype=given), answers)
        return answers.reshape(len(S), *shape)

    return solve


def _answer(network: Network) -> tuple[tuple[int, ...], type]:
    """The shape of an answer, empty for a single number, and the kind of its numbers."""
    results = network.program.body.results
    shape = results[0].type.shape if isinstance(network.program.output, Leaf) else (len(results),)
    return shape, _dtype(results[0].type.kind)


def _dtype(kind: Kind) -> type:
    return complex if kind == Kind.COMPLEX else float


def _loop(one: Any, prange: Any) -> Callable[[Any, Any], None]:
    def loop(S: Any, answers: Any) -> None:
        for sample in prange(len(S)):
            answers[sample] = one(S[sample])

    return loop


def _loop_over_lists(one: Any, prange: Any) -> Callable[[Any, Any], None]:
    def loop(S: Any, answers: Any) -> None:
        for sample in prange(len(S)):
            found = one(S[sample])
            for k in range(answers.shape[1]):
                answers[sample, k] = found[k]

    return loop
