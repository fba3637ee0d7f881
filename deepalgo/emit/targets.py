"""What happens to a program on its way to each target: one tuple of passes for each, from top to bottom.

The torch code has several forms. It runs (each sample takes its own arms and rounds), it reports what samples do (a certificate asks for
that), or it is one fixed graph for all data, which `torch.compile` may fuse into one loop. Failing samples raise, or become NaN.

>>> from deepalgo.emit.passes import names
>>> names(DRAWING)
['drop_checks', 'prune', 'drop_checks']
>>> names(torch_passes(Plan(record=True)))
['hoist', 'fold', 'merge', 'sink', 'spare', 'prune', 'catch', 'fold', 'merge_apart', 'prune', 'coerce', 'prune']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deepalgo.emit.catch import catch
from deepalgo.emit.code_errors import code_errors, flag_errors
from deepalgo.emit.coerce import coerce
from deepalgo.emit.drop_checks import drop_checks
from deepalgo.emit.fold import fold
from deepalgo.emit.forgive import forgive
from deepalgo.emit.hoist import hoist
from deepalgo.emit.lighten import has_fewer_branches, lighten
from deepalgo.emit.look_up import look_up
from deepalgo.emit.mask import mask_all, mask_and_unite
from deepalgo.emit.merge import merge, merge_apart
from deepalgo.emit.passes import Passes, Where, WithRounds, WithWeights
from deepalgo.emit.prune import prune
from deepalgo.emit.sink import sink
from deepalgo.emit.source.exits import restore_breaks, restore_returns
from deepalgo.emit.source.harden import harden
from deepalgo.emit.source.scalars import scalarize
from deepalgo.emit.source.simplify import simplify
from deepalgo.emit.source.spread import spread_ends
from deepalgo.emit.spare import spare
from deepalgo.emit.truths import truths_as_numbers
from deepalgo.emit.unroll import unroll

#: What `compile` makes of a program that has been staged.
COMPILED: Passes = (prune,)

#: How every torch code begins: without what is known, repeated or of no use. What reports keeps its loops as they are.
SIMPLE: Passes = (hoist, unroll, fold, merge, sink, spare, prune)
SIMPLE_LOOPS: Passes = (hoist, fold, merge, sink, spare, prune)

#: Light branches are computed for all samples; where some are left, what holds tables by then may be light as well.
LIGHT = Where(lighten, has_fewer_branches, (fold, merge_apart, prune, look_up, prune, lighten))
#: How every torch code ends: with casts and broadcasts as operations.
TYPED: Passes = (coerce, prune)

RUN: Passes = (*SIMPLE, WithRounds(catch), LIGHT, fold, merge_apart, prune, look_up, prune, *TYPED)
RUN_NAN: Passes = (*SIMPLE, WithRounds(catch), WithRounds(code_errors), LIGHT, fold, merge_apart, prune, look_up, prune, *TYPED)
RECORD: Passes = (*SIMPLE_LOOPS, WithRounds(catch), fold, merge_apart, prune, *TYPED)
RECORD_NAN: Passes = (*SIMPLE_LOOPS, WithRounds(catch), WithRounds(code_errors), fold, merge_apart, prune, *TYPED)
FIXED: Passes = (*SIMPLE, WithRounds(catch), WithRounds(flag_errors), WithRounds(mask_all), fold, merge_apart, prune, *TYPED)
FIXED_NAN: Passes = (*SIMPLE, WithRounds(catch), WithRounds(forgive), WithRounds(mask_all), fold, merge_apart, prune, *TYPED)
FUSED: Passes = (
    *SIMPLE, WithRounds(catch), WithRounds(flag_errors), WithRounds(mask_and_unite), fold, merge_apart, prune,
    truths_as_numbers, merge_apart, prune, *TYPED,
)
FUSED_NAN: Passes = (
    *SIMPLE, WithRounds(catch), WithRounds(forgive), WithRounds(mask_and_unite), fold, merge_apart, prune,
    truths_as_numbers, merge_apart, prune, *TYPED,
)

#: Source for one sample; for whole columns, which `emit/source/batch.py` writes; and in single numbers, for a compiler of loops.
SOURCE: Passes = (WithWeights(harden), simplify, spread_ends, simplify, restore_returns, restore_breaks, prune)
SOURCE_COLUMNS: Passes = (WithWeights(harden), WithRounds(catch), simplify, spread_ends, simplify)
SOURCE_NUMBERS: Passes = (
    WithWeights(harden), WithWeights(scalarize), simplify, spread_ends, simplify, restore_returns, restore_breaks, prune,
)

DRAWING: Passes = (drop_checks, prune, drop_checks)

#: For each form of the torch code: with errors that raise, and with NaN for samples that fail.
TORCH: Mapping[str, tuple[Passes, Passes]] = {
    "run": (RUN, RUN_NAN), "record": (RECORD, RECORD_NAN), "fixed": (FIXED, FIXED_NAN), "fused": (FUSED, FUSED_NAN),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How torch code is to run.

    `fixed`: one graph for all data, every arm computed and every loop run for `rounds` rounds; `fused`: torch makes one loop of it.
    `record`: report what samples do. `careful`: with derivatives in which 0 times infinity is 0, which is the writer's business.
    """

    errors: str = "raise"
    fixed: bool = False
    record: bool = False
    rounds: int = 10_000
    fused: bool = False
    careful: bool = False


def torch_passes(plan: Plan) -> Passes:
    """The passes of a plan."""
    form = "fused" if plan.fused else "fixed" if plan.fixed else "record" if plan.record else "run"
    raising, forgiving = TORCH[form]
    return forgiving if plan.errors == "nan" else raising


def shared_passes(plan: Plan) -> Passes:
    """Those at the beginning that many plans share."""
    return SIMPLE_LOOPS if plan.record else SIMPLE
