"""Which weights of a network train, and for each of the others why not.

>>> from deepalgo.compiler import compile
>>> def model(x, rate=0.5, offset=1.0):
...     return offset - 2.0 * rate * x
>>> net = compile(model)
>>> what_trains(net, WeightOptions())
{'rate': '', 'offset': '', 'c2': 'rate, offset are declared'}
>>> what_trains(net, WeightOptions(train=["coefficient"], fixed="rate"))
{'rate': "fixed by 'rate'", 'offset': '', 'c2': ''}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deepalgo.backends.torch.runtime.parameter_groups import rate_factor
from deepalgo.errors import InputError
from deepalgo.fitting.choice.patterns import by_function, check_words, closest, words_of
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.ir import Weight
from deepalgo.ir.standing import is_declared, why_still
from deepalgo.network import Network

LEFT_ALONE, NOT_NAMED = "its requires_grad is False", "not named by train"


def what_trains(net: Network, options: WeightOptions, *, strict: bool = True) -> dict[str, str]:
    """For each weight why it does not train, or ''. `strict` refuses words that mean nothing."""
    train, fixed = words_of(options.train, "train"), words_of(options.fixed, "fixed") or ()
    weights = net.weights.entries
    usual = why_still(weights) if train is None else {weight.key: NOT_NAMED for weight in weights}
    if strict:
        check_words(train or (), weights, "train", net.program.name)
        check_words(fixed, weights, "fixed", net.program.name)
        _check_sense(net, train or (), fixed, options.rates)
    return {
        weight.key: _barred(net, weight, options.rates) or _chosen(weight, train or (), fixed, usual[weight.key]) for weight in weights
    }


def _chosen(weight: Weight, train: tuple[str, ...], fixed: tuple[str, ...], usual: str) -> str:
    """Why a weight that could train does not: the closer word decides, and `fixed` of two that are equally close."""
    (wanted, _), (held, word) = closest(train, weight), closest(fixed, weight, shared=True)
    if held and held >= wanted:
        return f"fixed by {word!r}"
    return "" if wanted or weight.standing.made else usual


def _check_sense(net: Network, train: tuple[str, ...], fixed: tuple[str, ...], rates: Mapping[str, float]) -> None:
    """Refuse names of what cannot train, and names that train and are fixed."""
    for weight in net.weights.entries:
        if weight.key in train and (reason := _barred(net, weight, rates)):
            raise InputError(f"train names '{weight.key}', which cannot train: {reason}")
        if weight.key in train and weight.key in fixed:
            raise InputError(f"'{weight.key}' is named by train and by fixed: a name belongs to one of them")


def check_anything(net: Network, options: WeightOptions) -> None:
    """Refuse a network of which nothing would train although the caller left no weight out."""
    reasons = what_trains(net, replace(options, fixed=None, rates={}))
    if all(reason and reason != LEFT_ALONE for reason in reasons.values()):
        rows = "".join(f"\n  {key}: {reason}" for key, reason in reasons.items())
        raise InputError(f"{net.program.name}() has no weight that could be trained: print(net.weights) says why{rows}")


def require_choice(net: Network, options: WeightOptions) -> None:
    """Refuse a cost alone where nothing says which weights are the caller's to move."""
    if options.train is None and not is_declared((*net.weights.entries, *net.heuristic.weights)):
        raise InputError(
            f"a cost alone does not say which constants of {net.program.name}() may move, and the function declares no parameters:\n"
            f"{by_function(net.weights.entries)}\n"
            "Say it with train=, by names, patterns, functions (\"controller.*\"), lines or roles; train=\"*\" is all of them."
        )


def _barred(net: Network, weight: Weight, rates: Mapping[str, float]) -> str:
    """Why nothing can make a weight train, or ''."""
    if weight.frozen:
        return weight.frozen
    if not net.weights[weight.key].requires_grad:
        return LEFT_ALONE
    return "its rate is 0" if rate_factor(weight, rates) == 0 else ""
