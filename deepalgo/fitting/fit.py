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

from deepalgo.errors import InputError
from deepalgo.fitting.choice.exponents import with_exponents
from deepalgo.fitting.choice.patterns import Words
from deepalgo.fitting.choice.weight_options import Bounds, Tie, WeightOptions
from deepalgo.fitting.choice.what_trains import require_choice
from deepalgo.fitting.competition import Budget, Competition
from deepalgo.fitting.data.gather import SplitOptions, gather, is_draw
from deepalgo.fitting.data.labels import Labels
from deepalgo.fitting.deadline import Deadline
from deepalgo.fitting.judge.objective import Loss, Objective
from deepalgo.fitting.options import USUAL, SearchOptions, names_search_options, positive
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.progress import Bar
from deepalgo.fitting.report.page import Fit
from deepalgo.network import Network


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
    groups: Any = None,
    split: Any = "random",
    refit: bool = False,
    missing: str = "raise",
    sample_weight: Any = None,
    target_weight: Any = None,
    train: Words = None,
    fixed: Words = None,
    bounds: Mapping[str, Bounds] | None = None,
    scales: Mapping[str, str] | None = None,
    ties: Mapping[str, Tie] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
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
    `loss(output, *arguments)` is the cost itself. `loss`: "squared", "absolute", "relative", "huber(1)", "quantile(0.5)" (or any number
    in brackets), "logistic" (of log-odds), "max" (the largest error of all samples), a torch loss, or a function of output and target that
    gives a number for each sample or one for the set. `sample_weight`: how much each sample counts, or the name of a column;
    `target_weight`: the same for each of several targets, in their structure.

    `validation` and `test` are shares of the data ("auto": a fifth), or samples of their own: `(inputs, targets)`, or inputs where no
    targets are given as numbers. Test samples are looked at once, at the end. With `validation=None` all data are for training, and what
    is kept is better on them than the heuristic. `missing="drop"` leaves out samples with NaN. Fewer than 100 samples are divided into
    folds, each of which is left out once; what is handed back is then trained on all of them.

    `groups`: the group (site, patient) of each sample, or the name of a column. Whole groups are held out, and count as one; fewer than 20
    are left out one by one. `split="time"` holds out the samples that stand last, or are latest by a column `time`, a named column or
    an array of times. Of a single sample whose answer is a series, the times are split. `refit=True` trains the kept network again on all
    data, and returns that if it is nowhere worse than the heuristic; the figures stay those of the selection.

    Where the function declares parameters (float defaults, `da.weight`) these train, else the constants of its text; `print(net.weights)`
    says which. `train` and `fixed` say otherwise, by names, patterns ("k*"), functions ("controller.*"), lines ("line 12", "file.py:12") or
    roles, of which a name counts most. `bounds` holds a lower and an upper number for weights, `scales` "linear", "log" or "positive",
    `ties` the weight that another one equals, or `(weight, ratio)`, and `priors` a mean and a width. `rates` holds factors of the step by
    role or name (0 leaves weights alone).

    `steps` are those of the optimiser, `seconds` limits the whole call, and `search` has what is seldom changed (`SearchOptions`:
    optimiser, rate, batches, several seeds).

    `checkpoint` names a file in which the state is kept: the same call goes on from there, and ends with the same weights. Ctrl-C ends
    training with the best weights so far. Under `torchrun` the processes share each batch.
    """
    deadline = Deadline(seconds)
    objective = Objective(net, loss, residual, _is_supervised(inputs, targets, residual, loss), target_weight)
    weights = WeightOptions(
        train=train, fixed=fixed, rates=rates or {}, bounds=bounds or {}, scales=scales or {}, ties=ties or {}, priors=priors or {}
    )
    if not objective.supervised and residual is None:
        require_choice(net, weights)
    processes = Processes.find()
    batch_size = None if search.batch_size is None else positive("batch_size", search.batch_size)
    options = SplitOptions(validation, test, missing, Labels(groups, split), sample_weight)
    data = gather(net, inputs, targets, options, objective.supervised, batch_size, seed)
    net = with_exponents(net, weights, [data.batches.whole(), data.validation])
    if seconds is not None and not seconds > 0:
        raise InputError(f"seconds must be above 0, not {seconds}")
    positive("seeds", search.seeds)
    budget = Budget(positive("steps", steps), seconds, seed, refit)
    competition = Competition(net, objective, data, search, budget, weights, processes, deadline)
    competition.open(checkpoint)
    with Bar(progress if processes.leads else False) as bar:
        return competition.run(bar)


def _is_supervised(inputs: Any, targets: Any, residual: Any, loss: Loss) -> bool:
    if targets is not None and residual is not None:
        raise InputError("give targets= or residual=, not both: they are two ways to say what is right")
    if residual is not None:
        return False
    return targets is not None or isinstance(inputs, torch.utils.data.Dataset) or (is_draw(inputs) and not callable(loss))
