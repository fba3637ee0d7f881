"""Conditions that are decided at compile time: constants, what the path implies, and weights, which are frozen."""

from __future__ import annotations

from typing import Any

from deepalgo.stage.state.machine import UNROLL, Machine
from deepalgo.stage.state.values import (
    NeedsUnroll,
    Signal,
)


def decide(machine: Machine, verdict: Any) -> Any:
    """A plain bool wherever data has no say: constants, what the path implies, and weights (which are frozen)."""
    if not isinstance(verdict, Signal):
        return verdict
    told = machine.truth_of(verdict)
    if told is not None:
        return told
    if verdict.known is not None:
        return bool(machine.demand(verdict, f"decides a branch at {machine.span.place if machine.span else 'compile time'}"))
    if verdict.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL:
        raise NeedsUnroll
    return verdict
