"""The table that a report begins with: which weights train, between what, and why the others do not.

>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.choice.plan import plan_weights
>>> from deepalgo.fitting.choice.weight_options import WeightOptions
>>> def decay(t, size=2.0, rate=0.5):
...     return 1.5 + size * rate ** t
>>> net = compile(decay)
>>> print(trained(net, plan_weights(net, WeightOptions(bounds={"rate": (0, 1)}, scales={"size": "log"}))))
weight  value  trains
size    2.0    yes, on a log scale
rate    0.5    yes, 0 .. 1
c2      1.5    no: size, rate are declared
train= lets others move: c2
"""

from __future__ import annotations

import math

from deepalgo.fitting.choice.plan import WeightPlan
from deepalgo.fitting.choice.scales import Scale
from deepalgo.fitting.choice.ties import TiedWeight
from deepalgo.fitting.report.table import count, table
from deepalgo.ir import Weight
from deepalgo.ir.standing import why_still
from deepalgo.network import Network

#: So many weights are listed, and so many numbers of each.
LISTED, NUMBERS = 20, 3
#: So many of those that train= would move.
NAMED = 4


def trained(net: Network, plan: WeightPlan) -> str:
    """The table, those that train first."""
    weights = sorted(net.weights.entries, key=lambda weight: bool(plan.reasons[weight.key]))
    rows = [("weight", "value", "trains", "place"), *(_row(net, weight, plan) for weight in weights[:LISTED])]
    rest = weights[LISTED:]
    training = sum(not plan.reasons[weight.key] for weight in rest)
    more = f"\nand {count(len(rest), 'weight')} more, of which {training} train" if rest else ""
    usual = why_still(net.weights.entries)
    resting = [weight.key for weight in weights if not weight.frozen and plan.reasons[weight.key] == usual[weight.key] != ""]
    return table(rows) + more + (f"\ntrain= lets others move: {', '.join(resting[:NAMED])}" if resting else "")


def _row(net: Network, weight: Weight, plan: WeightPlan) -> tuple[str, str, str, str]:
    place = weight.span.place if weight.span is not None and "<" not in weight.span.place else ""
    reason = plan.reasons[weight.key]
    return weight.key, _brief(net, weight.key), f"no: {reason}" if reason else ", ".join(["yes", *_how(weight.key, plan)]), place


def _how(key: str, plan: WeightPlan) -> list[str]:
    """What holds for a weight that trains."""
    said = []
    tie = next((tie for tie in plan.ties if tie.follower.key == key), None)
    if tie is not None:
        said.append(_followed(tie))
    elif plan.scales[key] is not Scale.LINEAR:
        said.append(f"on a {plan.scales[key]} scale")
    low, high = plan.bounds.get(key, (-math.inf, math.inf))
    if math.isfinite(low) and math.isfinite(high):
        said.append(f"{low:g} .. {high:g}")
    elif math.isfinite(low) or math.isfinite(high):
        said.append(f"from {low:g}" if math.isfinite(low) else f"up to {high:g}")
    if key in plan.priors:
        mean, width = plan.priors[key]
        said.append(f"expected at {mean:g} +- {width:g}")
    return said


def _followed(tie: TiedWeight) -> str:
    ratios = set(tie.ratio.reshape(-1).tolist())
    if len(ratios) > 1:
        return f"in proportion to {tie.leader}"
    return f"as {tie.leader}" if ratios == {1.0} else f"{ratios.pop():.6g} {tie.leader}"


def _brief(net: Network, key: str) -> str:
    value = net.weights[key].detach()
    if value.dim() == 0:
        return repr(float(f"{value.item():.6g}"))
    numbers = value.reshape(-1).tolist()
    return str([float(f"{number:.4g}") for number in numbers]) if len(numbers) <= NUMBERS else f"{'x'.join(map(str, value.shape))} array"
