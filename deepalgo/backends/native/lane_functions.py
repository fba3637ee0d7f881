"""Functions of a module for all lanes of a group: those of the C library lane by lane, and the sum of what lanes have.

>>> any("@lanes.exp" in line for line in lane_function("exp", 1, False, 8))
True
"""

from __future__ import annotations

from deepalgo.backends.native.text import LANES, PURE, SCALARS, VECTORS
from deepalgo.backends.native.width import FEW
from deepalgo.ir import Kind

#: What is added up over the samples is kept for eight of them, whatever the width of a group.
COUNTER = f"<{FEW} x double>"


def addition(lanes: int) -> list[str]:
    """A function that adds the numbers of a group to a counter, eight after eight, so that sums have the same bits for any width."""
    whole, parts = f"<{lanes} x double>", []
    before = "%held"
    for first in range(0, lanes, FEW):
        places = ", ".join(f"i32 {lane}" for lane in range(first, first + FEW))
        parts += [f"  %part{first} = shufflevector {whole} %x, {whole} poison, <{FEW} x i32> <{places}>",
                  f"  %sum{first} = fadd {COUNTER} {before}, %part{first}"]
        before = f"%sum{first}"
    return [f"define internal void @add.lanes(ptr %counter, {whole} %x) nounwind alwaysinline {{",
            f"  %held = load {COUNTER}, ptr %counter", *parts, f"  store {COUNTER} {before}, ptr %counter", "  ret void", "}"]


def lane_function(name: str, count: int, special: bool, lanes: int) -> list[str]:
    """A function of the C library or of SciPy, for one number and lane by lane.

    LLVM must not take it for one that it knows: it writes `pow(x, 2)` as `x * x`, which is another number now and then.
    """
    real, wide = SCALARS[Kind.REAL], VECTORS[Kind.REAL]
    letters = [f"%{letter}" for letter in "abc"[:count]]
    callee, more = (f"special.{name}", ", i32 0") if special else (name, "")
    ones = ", ".join(f"{real} {letter}" for letter in letters)
    lines = [
        f"declare {real} @{callee}({', '.join([real] * count)}{', i32' if special else ''}) {PURE}",
        f"define internal {real} @one.{name}({ones}) {PURE}", "{", f"  %r = call {real} @{callee}({ones}{more}) nobuiltin",
        f"  ret {real} %r", "}",
        f"define internal {wide} @lanes.{name}({', '.join(f'{wide} {letter}' for letter in letters)}) {PURE} noinline", "{",
    ]
    held = "poison"
    for lane in range(lanes):
        lines += [f"  {letter}{lane} = extractelement {wide} {letter}, i64 {lane}" for letter in letters]
        operands = ", ".join(f"{real} {letter}{lane}" for letter in letters)
        lines.append(f"  %r{lane} = call {real} @{callee}({operands}{more}) nobuiltin")
        lines.append(f"  %v{lane} = insertelement {wide} {held}, {real} %r{lane}, i64 {lane}")
        held = f"%v{lane}"
    return [*lines, f"  ret {wide} {held}", "}"]


def function_of_some(name: str, count: int, lanes: int) -> list[str]:
    """The function for those lanes that are in a mask; the others get zero."""
    real, wide = SCALARS[Kind.REAL], VECTORS[Kind.REAL]
    letters = [f"%{letter}" for letter in "abc"[:count]]
    head = ", ".join([f"i{LANES} %lanes", *(f"{wide} {letter}" for letter in letters)])
    lines = [f"define internal {wide} @some.{name}({head}) {PURE} noinline", "{", "  br label %lane0"]
    held, before = "zeroinitializer", ""
    for lane in range(lanes):
        lines += [f"lane{lane}:"]
        if lane:
            lines.append(f"  %h{lane} = phi {wide} [ {held}, %{before} ], [ %r{lane - 1}, %call{lane - 1} ]")
            held = f"%h{lane}"
        lines += [f"  %s{lane} = and i{LANES} %lanes, {1 << lane if lane < lanes - 1 or lanes == 1 else -(1 << lane)}",
                  f"  %m{lane} = icmp ne i{LANES} %s{lane}, 0",
                  f"  br i1 %m{lane}, label %call{lane}, label %lane{lane + 1}", f"call{lane}:",
                  *(f"  {letter}{lane} = extractelement {wide} {letter}, i64 {lane}" for letter in letters)]
        operands = ", ".join(f"{real} {letter}{lane}" for letter in letters)
        lines += [f"  %v{lane} = call {real} @one.{name}({operands})",
                  f"  %r{lane} = insertelement {wide} {held}, {real} %v{lane}, i64 {lane}", f"  br label %lane{lane + 1}"]
        before = f"lane{lane}"
    last = f"  %all = phi {wide} [ {held}, %{before} ], [ %r{lanes - 1}, %call{lanes - 1} ]"
    return [*lines, f"lane{lanes}:", last, f"  ret {wide} %all", "}"]
