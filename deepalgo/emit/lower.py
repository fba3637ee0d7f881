"""The passes that a program goes through before it is written as torch code, in order.

>>> lower.__annotations__["return"]
'Lowered'
"""

from __future__ import annotations

from dataclasses import dataclass

from deepalgo.emit.catch import catch
from deepalgo.emit.code_errors import can_fail, code_errors, flag_errors
from deepalgo.emit.coerce import coerce
from deepalgo.emit.fold import fold
from deepalgo.emit.forgive import forgive
from deepalgo.emit.hoist import hoist
from deepalgo.emit.look_up import look_up
from deepalgo.emit.mask import mask, mask_all
from deepalgo.emit.merge import merge
from deepalgo.emit.prune import prune
from deepalgo.emit.sink import sink
from deepalgo.emit.spare import spare
from deepalgo.emit.truths import truths_as_numbers
from deepalgo.emit.unroll import unroll
from deepalgo.emit.weigh import Scales
from deepalgo.ir import Check, If, Program, Try, walk
from deepalgo.ir.facts import Level, find_levels


@dataclass(frozen=True, slots=True)
class Plan:
    """How a program is to run.

    `fixed`: one graph for all data, every arm computed and every loop run for `rounds` rounds; `fused`: torch makes one loop of it.
    `record`: report what samples do. `careful`: with derivatives in which 0 times infinity is 0.
    """

    errors: str = "raise"
    fixed: bool = False
    record: bool = False
    rounds: int = 10_000
    fused: bool = False
    careful: bool = False


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program that can be written. If it has `checks`, its last result is the number of the check a sample fails, or 0.

    In a fixed graph that raises, it is only whether a sample fails.
    """

    program: Program
    checks: tuple[Check, ...] = ()


def simplify(program: Program, record: bool) -> Program:
    """The program without what is known, repeated or of no use, as every plan takes it; a record has its loops as they are."""
    program = hoist(program)
    if not record:
        program = unroll(program)
    return prune(spare(sink(merge(fold(program)))))


def lower(program: Program, plan: Plan) -> Lowered:
    """Bring a program that `simplify` made into the form that its plan asks for."""
    if any(isinstance(statement, Try) for statement in walk(program.body)):
        program = prune(catch(program, plan.rounds))
    checks: tuple[Check, ...] = ()
    if (plan.fixed or plan.errors == "nan") and any(map(can_fail, program.body.body)):
        find = code_errors if not plan.fixed else forgive if plan.errors == "nan" else flag_errors
        program, checks = find(program, plan.rounds)
    if plan.fixed:
        program = mask_all(program, plan.rounds) if plan.fused else mask(program, rounds=plan.rounds)
    elif not plan.record:
        before, program = _branches(program), lighten(program)
        if 0 < _branches(program) < before:  # what holds tables by now may be light as well
            program = lighten(prune(look_up(prune(merge(fold(program), apart=True)))))
    program = prune(merge(fold(program), apart=True))
    if not plan.fixed and not plan.record:
        program = prune(look_up(program))
    if plan.fused:
        program = prune(merge(truths_as_numbers(program), apart=True))
    return Lowered(prune(coerce(program)), checks)


def _branches(program: Program) -> int:
    return sum(isinstance(statement, If) for statement in walk(program.body))


def lighten(program: Program) -> Program:
    """Compute both arms of light branches for all samples."""
    levels = find_levels(program)
    scales = Scales(lambda value: levels[value] == Level.BATCHED)
    return mask(program, lambda branch: levels[branch.condition] == Level.BATCHED and scales.is_light(branch))
