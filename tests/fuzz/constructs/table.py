"""Operations that no construct knows of: rows of the table that mean functions outside of `math`, NumPy and SciPy."""

from __future__ import annotations

from deepalgo.kinds import Kind, Type
from deepalgo.ops.row import Row
from deepalgo.ops.table import TABLE
from tests.fuzz.expression import Expr
from tests.fuzz.registry import EXPRESSIONS, Construct
from tests.fuzz.writer import Writer
from tests.support.row_cases import arity

KNOWN = ("math", "numpy", "scipy")


def is_new(row: Row) -> bool:
    """Whether no other construct writes calls of the functions that a row means."""
    return bool(row.means) and not any(name.startswith(f"{module}.") for name in row.means for module in KNOWN)


def call_of(row: Row) -> Construct:
    """Calls of a row's function, with operands of any size; how large the result is the row says."""

    def produce(writer: Writer, depth: int) -> Expr | None:
        if depth <= 0 or not row.range.is_finite and not abs(row.range.low) + abs(row.range.high) < float("inf"):
            return None
        operands = ", ".join(writer.float(depth - 1).text for _ in range(arity(row.name)))
        return Expr(f"{row.means[0]}({operands})", "float", row.range.low, row.range.high)

    assert row.types([Type(Kind.REAL)] * arity(row.name), {}) == Type(Kind.REAL)
    return Construct(row.name, 2.0, produce)


EXPRESSIONS["float"] += [call_of(row) for row in TABLE.values() if is_new(row)]
