"""Count how often each value of a drawing is used; what only makes an index count from the end is not drawn and does not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deepalgo.ir import Block, Kind, Op, Value, blocks, used, walk


def find_wraps(block: Block) -> dict[Value, tuple[Value, ...]]:
    """Operations that only make a negative index count from the end, with the two that help them."""
    made = {item.result: item for item in walk(block) if isinstance(item, Op)}
    wraps: dict[Value, tuple[Value, ...]] = {}
    for op in made.values():
        if op.is_choice and op.result.type.kind == Kind.INT:
            below, raised, index = op.args
            if all(value in made and made[value].name == name and made[value].args[0] == index
                   for value, name in ((below, "lt"), (raised, "add"))):
                wraps[op.result] = (below, raised)
    return wraps


def count_uses(block: Block, wraps: Mapping[Value, tuple[Value, ...]]) -> Counter[Value]:
    """How often each value is used, wraps aside."""
    helpers = {value for pair in wraps.values() for value in pair}
    uses: Counter[Value] = Counter(block.results)
    for statement in walk(block):
        if not (isinstance(statement, Op) and statement.result in helpers):
            uses.update({statement.args[2]: 1} if isinstance(statement, Op) and statement.result in wraps else used(statement))
        for inner in blocks(statement):
            uses.update(inner.results)
    return uses
