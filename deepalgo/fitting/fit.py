"""`fit`: train the weights of a network, and hand back nothing that is worse than the heuristic.

>>> import torch
>>> from deepalgo.compiler import compile
>>> def cooling(t):
...     return 20.0 + 60.0 * 0.9 ** t
>>> t = torch.linspace(0, 10, 400, dtype=torch.float64)
>>> found = fit(compile(cooling), t, targets=21.0 + 55.0 * 0.85 ** t)
>>> [round(weight.item(), 4) for weight in found.network.weights.tensors()]
[21.0, 55.0, 0.85]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import torch

from deepalgo.compiler import takes_network
from deepalgo.errors import InputError
from deepalgo.fitting.competition import Budget, Competition
from deepalgo.fitting.data.gather import SplitOptions, gather, is_draw
from deepalgo.fitting.judge.objective import Loss, Objective
from deepalgo.fitting.options import USUAL, SearchOptions, names_search_options, positive
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.progress import Bar
from deepalgo.fitting.report.page import Fit
from deepalgo.network import Network


@takes_network
@names_search_options
def fit(
    net: Network,
    inputs: Any,
    targets: Any = None,
    *,
    loss: Loss = None,
    residual: Callable[..., Any] | None = None,
    validation: Any = "auto",
    test: Any = "auto",
    missing: str = "raise",
    rates: Mapping[str, float] | None = None,
    steps: int = 500,
    seconds: float | None = None,
    seed: int = 0,
    search: SearchOptions = USUAL,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Fit:
    """Train the weights on targets or on a residual, and keep the result only if it is better than the heuristic beyond noise.

    `inputs`: a tuple of arguments, a dict or data frame by argument names, a `Dataset`, the only argument, or a function
    `draw(count)` that makes fresh ones. `targets`: numbers in the structure of the output, the name of a column, or a function that is
    called as the heuristic is. `residual(output, *arguments)` is zero where the output is right and needs no targets; without both,
    `loss(output, *arguments)` is the cost itself. `loss`: "squared", "absolute", "relative", a torch loss or a function of output and
    target.

    `validation` and `test` are shares of the data ("auto": a fifth), or samples of their own: `(inputs, targets)`, or inputs where no
    targets are given as numbers. Test samples are looked at once, at the end. With `validation=None` all data are for training, and what
    is kept is better on them than the heuristic. `missing="drop"` leaves out samples with NaN.

    `rates` holds factors of the step by role or name of weights (0 leaves them alone). `steps` are those of the optimiser, `seconds` limits
    all training, and `search` has what is seldom changed (`SearchOptions`: optimiser, rate, batches, several seeds).

    `checkpoint` names a file in which the state is kept: the same call goes on from there, and ends with the same weights. Ctrl-C ends
    training with the best weights so far. Under `torchrun` the processes share each batch.
    """
    objective = Objective(net, loss, residual, supervised=_is_supervised(inputs, targets, residual, loss))
    processes = Processes.find()
    batch_size = None if search.batch_size is None else positive("batch_size", search.batch_size)
    data = gather(net, inputs, targets, SplitOptions(validation, test, missing), objective.supervised, batch_size, seed)
    if seconds is not None and not seconds > 0:
        raise InputError(f"seconds must be above 0, not {seconds}")
    positive("seeds", search.seeds)
    competition = Competition(net, objective, data, search, Budget(positive("steps", steps), seconds, seed), rates, processes)
    competition.open(checkpoint)
    with Bar(progress if processes.leads else False) as bar:
        return competition.run(bar)


def _is_supervised(inputs: Any, targets: Any, residual: Any, loss: Loss) -> bool:
    if targets is not None and residual is not None:
        raise InputError("give targets= or residual=, not both: they are two ways to say what is right")
    if residual is not None:
        return False
    return targets is not None or isinstance(inputs, torch.utils.data.Dataset) or (is_draw(inputs) and not callable(loss))
