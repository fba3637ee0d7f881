"""`worse_part`: the floor on samples that training has seen, where only "no worse" can be asked.

>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.data.samples import read
>>> def line(x):
...     return 2.0 * x
>>> def other(x):
...     return 1.9 * x
>>> net = compile(line)
>>> parts = {"the training": read(net, [1.0, 2.0], targets=[1.8, 3.8]), "the test": read(net, [3.0, 4.0], targets=[6.0, 8.0])}
>>> worse_part(Objective(net), net, compile(other), parts)
'the test samples'
"""

from __future__ import annotations

from collections.abc import Mapping

from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.floor import mean
from deepalgo.fitting.judge.objective import Objective
from deepalgo.network import Network


def worse_part(objective: Objective, heuristic: Network, network: Network, parts: Mapping[str, Samples]) -> str:
    """The first part on which a network has a higher mean loss than the heuristic, or no answer where that has one; '' if there is none."""
    for name, part in parts.items():
        before, after = objective.measure(heuristic, part), objective.measure(network, part)
        known = before.isfinite()
        if not bool(after[known].isfinite().all()) or mean(after[known]) > mean(before[known]):
            return f"{name} samples" if part.times is None else f"{name} times"
    return ""
