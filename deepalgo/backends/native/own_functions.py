"""Operations that take many instructions, as functions: written once for a module, and called wherever they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from deepalgo.backends.native.text import Cell, Code

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms


def call_own(n: NumberForms, name: str, form: Callable[..., Cell], *cells: Cell) -> Cell:
    """The form of these numbers, which must depend on nothing else; `name` tells it from others."""
    level = n.code.level(cells)
    params = tuple(Cell(f"%p{place}", cell.kind, cell.wide) for place, cell in enumerate(level))
    kinds = "".join(cell.kind.name[0].lower() for cell in level)
    title = f"own.{name}.{kinds}.{'lanes' if level[0].wide else 'one'}"
    inner = n.beside(Code())
    found = form(inner, *params)
    if title not in n.declared:
        found = inner.code.spread(found) if level[0].wide else found
        head = f"define internal {found.type} @{title}({', '.join(cell.typed for cell in params)}) nounwind noinline memory(none) {{"
        n.declared[title] = "\n".join([head, "entry:", *inner.code.lines, f"  ret {found.typed}", "}"])
    return Cell(n.code.emit(f"call {found.type} @{title}({', '.join(cell.typed for cell in level)})"), found.kind, level[0].wide)
