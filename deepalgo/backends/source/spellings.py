"""How operations are written in source where the spelling of their row is not what a person would write.

>>> from deepalgo.ir import Kind, Type, Value
>>> x, y = Value(0, Type(Kind.REAL)), Value(1, Type(Kind.REAL))
>>> for_operands(Op(Value(2, Type(Kind.REAL, (2,))), "stack", (x, y)), "np.stack(np.broadcast_arrays({*}))")
'np.array([{*}])'
"""

from __future__ import annotations

from deepalgo.ir import Op

#: Spellings that evaluate an operand only where it is needed.
CHOICE, CONJUNCTION, DISJUNCTION = "{1} if {0} else {2}", "{0} and {1}", "{0} or {1}"
#: NumPy's operators on arrays of truth values.
OF_TRUTHS = {"not": "~{0}", "and": "{0} & {1}", "or": "{0} | {1}"}


def for_operands(op: Op, template: str) -> str:
    """The spelling of an operation for operands of such shapes, if it has another one than usual."""
    match op.name:
        case "stack" if op.result.type.shape == (len(op.args),):
            return "np.array([{*}])"
        case "stack" if len({arg.type.shape for arg in op.args}) == 1:
            return "np.stack([{*}])"
        case "select" if not op.args[0].type.shape and op.args[1].type == op.args[2].type:
            return CHOICE
        case _:
            return OF_TRUTHS.get(op.name, template) if op.result.type.shape else template
