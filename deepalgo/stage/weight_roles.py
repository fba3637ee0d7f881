"""What each weight does: a threshold is compared, an exponent is raised to, an initial value enters a loop, the rest are coefficients.

What an operation by itself asks of its operands, such as a base that must not be 0, is no comparison.
"""

from __future__ import annotations

from deepalgo.ir import Block, Check, Kind, Loop, Op, Program, Role, Statement, Value, While, walk
from deepalgo.ops.table import TABLE


def find_roles(program: Program) -> dict[str, Role]:
    """The role of every weight, by key."""
    keys: dict[Value, str] = {}
    roles: dict[str, Role] = {}
    statements = list(walk(Block((), program.body.body, ())))
    guarding = _guarding(statements)
    for statement in statements:
        match statement:
            case Op(name="weight"):
                keys[statement.result] = str(statement.attr("key"))
            case Op(name="index" | "to_real" | "neg") if statement.args[0] in keys:
                keys[statement.result] = keys[statement.args[0]]
            case Op(name="pow", args=(_, exponent)) if exponent in keys:
                roles[keys[exponent]] = Role.EXPONENT
            case Op() if TABLE[statement.name].order and statement.result not in guarding:
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


def _guarding(statements: list[Statement]) -> set[Value]:
    """The truth values that only say whether an operation raises: `k ** t` compares its base with 0, and nobody wrote that."""
    found = {statement.ok for statement in statements if isinstance(statement, Check) and statement.guard}
    for statement in reversed(statements):
        if isinstance(statement, Op) and statement.result in found:
            found.update(arg for arg in statement.args if arg.type.kind is Kind.BOOL)
    return found
