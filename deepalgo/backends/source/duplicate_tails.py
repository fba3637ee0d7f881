"""Tail duplication: copy the short end of a function into the arms of the branch that decides it, so a flag becomes an early return.

>>> from deepalgo.ir.show import show
>>> show(duplicate_tails, '''
... f(x: real)
...   %c = lt %x 0.0
...   %returned, %early = if %c
...     yield True, 0.0
...   else
...     %big = gt %x 9.0
...     yield %big, 9.0
...   %out = if %returned
...     yield %early
...   else
...     %root = sqrt %x
...     yield %root
...   return %out
... ''')
f(x: real)
  %c = lt %x 0.0
  %out = if %c
    yield 0.0
  else
    %big = gt %x 9.0
    %17 = const 9.0
    %out.19 = if %big
      yield %17
    else
      %root = sqrt %x
      yield %root
    yield %out.19
  return %out
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from deepalgo.backends.source.simplify import Simplify
from deepalgo.ir import Attr, Block, If, Loop, Op, Program, Statement, Try, Value, While, used, walk
from deepalgo.ir.facts.constants import single
from deepalgo.ir.rewriter import BOOL, Fresh
from deepalgo.lower.prune import prune_block

#: Statements behind a branch up to which they are copied into its arms.
FEW = 12


def duplicate_tails(program: Program) -> Program:
    """Copy the end of the function into the arms of a branch that decides about it: what was a flag becomes an early return."""
    fresh = Fresh.of(program)
    return replace(program, body=_spread(fresh, program.body, {}))


def _spread(fresh: Fresh, block: Block, known: Mapping[Value, Attr]) -> Block:
    place = _deciding(block, known)
    if place is None:
        return block
    before, branch, after = block.body[:place], block.body[place], block.body[place + 1 :]
    assert isinstance(branch, If)
    facts = {**known, **single(before)}
    arms = []
    for arm, truth in ((branch.then, True), (branch.orelse, False)):
        pass_ = Simplify(fresh, {**facts, branch.condition: truth})
        pass_.renews = True
        pass_.statements(arm.body)
        pass_.env.update(zip(branch.results, pass_.see(arm.results), strict=True))
        pass_.statements(after)
        results = settled(pass_, block.results)
        made = prune_block(Block((), tuple(pass_.out), results))
        arms.append(_spread(fresh, made, facts))
    results = tuple(fresh.value(value.type, value.name) for value in block.results)
    return Block(block.params, (*before, If(results, branch.condition, arms[0], arms[1], branch.span)), results)


def _deciding(block: Block, known: Mapping[Value, Attr]) -> int | None:
    """The place of a branch of which an arm knows the flag that the end of the block asks for."""
    for place in range(len(block.body) - 1, -1, -1):
        branch, after = block.body[place], block.body[place + 1 :]
        if isinstance(branch, (Loop, While, Try)) or _size(after) > FEW:
            return None
        if isinstance(branch, If):
            asked = {value for statement in after if not isinstance(statement, Op) for value in used(statement)}
            asked |= {arg for op in after if isinstance(op, Op) and op.result.type == BOOL for arg in op.args}
            if any(result in asked and _knows(branch, result) for result in branch.results if result.type == BOOL):
                return place
    return None


def _knows(branch: If, flag: Value) -> bool:
    """Whether an arm sets the flag to a constant."""
    place = branch.results.index(flag)
    for arm in (branch.then, branch.orelse):
        value = arm.results[place]
        inner = next((item for item in arm.body if isinstance(item, If) and value in item.results), None)
        if single(arm.body).get(value) is not None or (inner is not None and _knows(inner, value)):
            return True
    return False


def _size(statements: Iterable[Statement]) -> int:
    """How many statements there are, constants not counted."""
    return sum(1 for statement in walk(Block((), tuple(statements), ())) if not (isinstance(statement, Op) and statement.is_const))


def settled(pass_: Simplify, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """What stands for the values: constants where they are known."""
    found = [(value, pass_.facts.constant(value)) for value in pass_.see(values)]
    return tuple(value if number is None else pass_.const(number) for value, number in found)
