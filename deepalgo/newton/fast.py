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

from deepalgo.network import Network
from deepalgo.source_code import source

Array = NDArray[np.float64]


def batched(network: Network, *, parallel: bool = False) -> Callable[[Array], Array]:
    """A function of a batch of coefficients that gives one number for each, from the text that `da.source` writes.

    `parallel` spreads the samples over the cores. The first call compiles.
    """
    import numba

    namespace: dict[str, Any] = {}
    exec(source(network), namespace)
    one = numba.njit(error_model="numpy")(namespace[network.program.name])

    def loop(S: Any, answers: Any) -> None:
        for sample in numba.prange(len(S)):
            answers[sample] = one(S[sample])

    run = numba.njit(parallel=parallel, error_model="numpy")(loop)

    def solve(S: Array) -> Array:
        answers = np.empty(len(S))
        run(np.ascontiguousarray(S, dtype=np.float64), answers)
        return answers

    return solve
