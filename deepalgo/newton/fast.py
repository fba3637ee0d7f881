"""The fast batched path: the source of a network, compiled by Numba, in a parallel loop over the samples.

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

Array = NDArray[np.float64]


def batched(network: Network, *, parallel: bool = False) -> Callable[[Array], Any]:
    """A function of a batch of coefficients that gives one number, or a list of them, for each, from the text that `da.source` writes.

    `parallel` spreads the samples over the cores. The first call compiles.
    """
    import numba

    namespace: dict[str, Any] = {}
    exec(source(network), namespace)
    one = numba.njit(error_model="numpy")(namespace[network.program.name])

    width, kind = _answer(network)
    run = numba.njit(parallel=parallel, error_model="numpy")(_loop_over_lists(one, numba.prange) if width else _loop(one, numba.prange))

    def solve(S: Array) -> Any:
        answers: Any = np.empty((len(S), width) if width else len(S), dtype=kind)
        run(np.ascontiguousarray(S, dtype=np.float64), answers)
        return answers

    return solve


def _answer(network: Network) -> tuple[int, type]:
    """How many numbers an answer has, zero if it is not a list, and of which kind they are."""
    output = network.program.output
    results = network.program.body.results
    return (0 if isinstance(output, Leaf) else len(results)), (complex if results[0].type.kind == Kind.COMPLEX else float)


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
