"""Stage speculatively, and roll everything back on failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UserRaise


@contextmanager
def trial(machine: Machine, *undone_by: type[Exception]) -> Iterator[None]:
    """On one of the given exceptions, undo what was staged, written and found since; the exception goes on."""
    body, length = machine.builder.body, len(machine.builder.body)
    facts, levels, frames = machine.facts.mark(), len(machine.heap.levels), len(machine.frames)
    site, span, mark = machine.site, machine.builder.span, machine.mark()
    machine.heap.open()
    try:
        yield
    except undone_by:
        while len(machine.heap.levels) > levels:
            machine.heap.close()
        machine.facts.rewind(facts)
        del machine.frames[frames:], body[length:]
        machine.builder.body, machine.site, machine.builder.span = body, site, span
        machine.rewind(mark)
        raise
    except UserRaise:
        machine.heap.keep()  # what the user's code wrote before it raised is written
        raise
    machine.heap.keep()
