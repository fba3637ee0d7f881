"""What happens to a program on its way to each target: one tuple of passes for each, from top to bottom.

The torch code has several forms. It runs (each sample takes its own arms and rounds), it reports what samples do (a certificate asks for
that), or it is one fixed graph for all data, which `torch.compile` may fuse into one loop. Failing samples raise, or become NaN.

>>> from deepalgo.lower.passes import names
>>> names(DRAWING)
['drop_checks', 'prune', 'drop_checks']
>>> names(torch_passes(Plan(record=True)))
['hoist_weights', 'fold_constants', 'merge_equal', 'sink_hazards', 'drop_proven_checks', 'prune', 'try_to_if', 'prune',
 'fold_constants', 'merge_equal_per_arm', 'prune', 'coerce', 'prune']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deepalgo.adjoint import adjoint, adjoint_in_segments, careful_adjoint, careful_adjoint_in_segments
from deepalgo.backends.source.batch import batch
from deepalgo.backends.source.duplicate_tails import duplicate_tails
from deepalgo.backends.source.exits import restore_breaks, restore_returns
from deepalgo.backends.source.harden import harden
from deepalgo.backends.source.simplify import simplify, size
from deepalgo.backends.torch.if_convert import has_fewer_branches, if_convert
from deepalgo.backends.torch.mask import mask_all, mask_and_share
from deepalgo.backends.torch.nan_for_failures import nan_for_failures
from deepalgo.backends.torch.sink_hazards import sink_hazards
from deepalgo.backends.torch.truths_as_numbers import truths_as_numbers
from deepalgo.ir import Program
from deepalgo.lower.coerce import coerce
from deepalgo.lower.drop_checks import drop_checks
from deepalgo.lower.drop_proven_checks import drop_proven_checks
from deepalgo.lower.fold_constants import fold_constants
from deepalgo.lower.hoist_weights import hoist_weights
from deepalgo.lower.merge_equal import merge_equal, merge_equal_per_arm
from deepalgo.lower.number_errors import flag_errors, number_errors
from deepalgo.lower.passes import Passes, Repeated, Where, WithRounds, WithWeights, changed
from deepalgo.lower.prune import prune
from deepalgo.lower.scalarize import scalarize
from deepalgo.lower.split_complex import split_complex
from deepalgo.lower.try_to_if import try_to_if
from deepalgo.lower.unroll import unroll

#: What `compile` makes of a program that has been staged.
COMPILED: Passes = (prune,)

#: How every torch code begins: without what is known, repeated or of no use. What reports keeps its loops as they are.
SIMPLE: Passes = (hoist_weights, unroll, fold_constants, merge_equal, sink_hazards, drop_proven_checks, prune)
SIMPLE_LOOPS: Passes = (hoist_weights, fold_constants, merge_equal, sink_hazards, drop_proven_checks, prune)

#: What follows a pass that leaves constants, repetitions or dead code behind.
CLEAN: Passes = (fold_constants, merge_equal_per_arm, prune)
#: Cheap branches are computed for all samples; where some are left, they may be cheap once others are gone.
CHEAP = Where(if_convert, has_fewer_branches, (*CLEAN, if_convert))
#: How every torch code ends: with casts and broadcasts as operations.
TYPED: Passes = (coerce, prune)

#: Handlers become arms; attempts leave what only they needed.
WITHOUT_TRY = Where(WithRounds(try_to_if), changed, (prune,))

RUN: Passes = (*SIMPLE, WITHOUT_TRY, CHEAP, *CLEAN, *TYPED)
RUN_NAN: Passes = (*SIMPLE, WITHOUT_TRY, WithRounds(number_errors), CHEAP, *CLEAN, *TYPED)
RECORD: Passes = (*SIMPLE_LOOPS, WITHOUT_TRY, *CLEAN, *TYPED)
RECORD_NAN: Passes = (*SIMPLE_LOOPS, WITHOUT_TRY, WithRounds(number_errors), *CLEAN, *TYPED)
FIXED: Passes = (*SIMPLE, WITHOUT_TRY, WithRounds(flag_errors), WithRounds(mask_all), *CLEAN, *TYPED)
FIXED_NAN: Passes = (*SIMPLE, WITHOUT_TRY, WithRounds(nan_for_failures), WithRounds(mask_all), *CLEAN, *TYPED)
FUSED: Passes = (
    *SIMPLE, WITHOUT_TRY, WithRounds(flag_errors), WithRounds(mask_and_share), *CLEAN,
    truths_as_numbers, merge_equal_per_arm, prune, *TYPED,
)
FUSED_NAN: Passes = (
    *SIMPLE, WITHOUT_TRY, WithRounds(nan_for_failures), WithRounds(mask_and_share), *CLEAN,
    truths_as_numbers, merge_equal_per_arm, prune, *TYPED,
)

#: How every source begins: as simple as it gets, without what only gradients need.
SIMPLER = Repeated((simplify, prune), size)
HARDENED: Passes = (WithWeights(harden), prune)
RETURNS = Where(restore_returns, changed, (SIMPLER,))
#: Source for one sample, for whole columns, and in single numbers, for a compiler of loops.
SOURCE: Passes = (*HARDENED, SIMPLER, duplicate_tails, SIMPLER, RETURNS, restore_breaks, prune)
SOURCE_COLUMNS: Passes = (*HARDENED, WITHOUT_TRY, SIMPLER, duplicate_tails, SIMPLER, batch)
SOURCE_NUMBERS: Passes = (
    *HARDENED, WithWeights(scalarize), prune, SIMPLER, duplicate_tails, SIMPLER, RETURNS, restore_breaks, prune,
)

#: Native code, and the derivative that it computes back to inputs and weights. Complex numbers have slopes of their own, so that
#: they are split after the derivative is made.
READY: Passes = (
    hoist_weights, fold_constants, merge_equal, drop_proven_checks, prune, WITHOUT_TRY, *CLEAN, *TYPED,
)
IN_REALS = Where(split_complex, changed, CLEAN)
NATIVE: Passes = (*READY, IN_REALS)


def native_back(derivative: Callable[[Program, int], Program]) -> Passes:
    """The passes of native code that goes back, with one of the derivatives of `adjoint/`."""
    return (*READY, WithRounds(derivative), prune, *CLEAN, *TYPED, IN_REALS)


NATIVE_BACK: Passes = native_back(adjoint)
NATIVE_BACK_CAREFUL: Passes = native_back(careful_adjoint)
#: The same for samples that take many rounds of loops that end by data.
NATIVE_BACK_LONG: Passes = native_back(adjoint_in_segments)
NATIVE_BACK_CAREFUL_LONG: Passes = native_back(careful_adjoint_in_segments)

DRAWING: Passes = (drop_checks, prune, drop_checks)

#: For each form of the torch code: with errors that raise, and with NaN for samples that fail.
TORCH: Mapping[str, tuple[Passes, Passes]] = {
    "run": (RUN, RUN_NAN), "record": (RECORD, RECORD_NAN), "fixed": (FIXED, FIXED_NAN), "fused": (FUSED, FUSED_NAN),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How torch code is to run.

    `fixed`: one graph for all data, every arm computed and every loop run for `rounds` rounds; `fused`: torch makes one loop of it.
    `record`: report what samples do. `careful`: with derivatives in which 0 times infinity is 0, by the writer alone.
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
    raising, with_nan = TORCH[form]
    return with_nan if plan.errors == "nan" else raising


def shared_passes(plan: Plan) -> Passes:
    """Those at the beginning that many plans share."""
    return SIMPLE_LOOPS if plan.record else SIMPLE
