"""What each weight does: a threshold is compared, an exponent is raised to, an initial value enters a loop, the rest are coefficients.

What an operation by itself asks of its operands, such as a base that must not be 0, is no comparison.
"""

from __future__ import annotations

from deepalgo.ir import Block, Check, Loop, Op, Program, Role, Value, While, blocks, used, walk
from deepalgo.ops.table import TABLE


def find_roles(program: Program) -> dict[str, Role]:
    """The role of every weight, by key."""
    keys: dict[Value, str] = {}
    roles: dict[str, Role] = {}
    read = _read(program.body)
    for statement in walk(Block((), program.body.body, ())):
        match statement:
            case Op(name="weight"):
                keys[statement.result] = str(statement.attr("key"))
            case Op(name="index" | "to_real" | "neg") if statement.args[0] in keys:
                keys[statement.result] = keys[statement.args[0]]
            case Op(name="pow", args=(_, exponent)) if exponent in keys:
                roles[keys[exponent]] = Role.EXPONENT
            case Op() if TABLE[statement.name].order and statement.result in read:
                for arg in statement.args:
                    if arg in keys:
                        roles.setdefault(keys[arg], Role.THRESHOLD)
            case Loop(init=init) | While(init=init):
                for value in init:
                    if value in keys:
                        roles.setdefault(keys[value], Role.INITIAL)
            case _:
                pass
    return roles


def _read(body: Block) -> set[Value]:
    """The values that anything but the checks of operations reads in the end."""
    statements = list(walk(body))
    found = {*body.results, *(result for statement in statements for block in blocks(statement) for result in block.results)}
    for statement in reversed(statements):
        by_operation = isinstance(statement, Check) and statement.guard
        if not by_operation and not (isinstance(statement, Op) and statement.result not in found):
            found.update(used(statement))
    return found
