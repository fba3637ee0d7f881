"""`array_entry`: the function of a module that Python calls with arrays, which takes a microsecond where `ctypes` and NumPy take twenty.

It reads addresses where NumPy's arrays hold them, which is part of NumPy's binary interface (`PyArrayObject_fields`), after it has seen
that an argument is an array, with this type of number, in one piece, and with a row for each sample. All samples are computed in blocks,
and what the blocks add up to is added in their order.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from deepalgo.backends.native.columns import is_large_type
from deepalgo.backends.native.python_calls import CLASS_AT, declarations
from deepalgo.kinds import Type
from deepalgo.ops.by_numpy import DTYPES

#: Where an array holds its address, number of axes, shape, steps, type of number and flags, behind what all objects have.
DATA, AXES, SHAPE, STEPS, NUMBERS, FLAGS = (object.__basicsize__ + offset for offset in (0, 8, 16, 24, 40, 48))
#: In one piece, and aligned.
WANTED = 0x101
#: What stands before inputs and results: samples, rounds, weights, codes, sums, stack, rooms of arrays.
FIRST = ("count", "rounds", "weights", "codes", "sums", "stack", "arrays")
CALLED = ("PyLong_AsLongLong", "PyLong_FromLongLong", "PyEval_SaveThread", "PyEval_RestoreThread")
#: What is returned where an argument does not fit; otherwise what `run` returns.
REFUSED = -1


@functools.cache
def is_known() -> bool:
    """Whether NumPy's arrays lie in memory as this file believes."""
    array = np.empty((2, 3))

    def held(offset: int, type: Any = ctypes.c_void_p) -> Any:
        return type.from_address(id(array) + offset).value

    shape = (ctypes.c_int64 * 2).from_address(held(SHAPE))
    steps = (ctypes.c_int64 * 2).from_address(held(STEPS))
    return (held(CLASS_AT) == id(np.ndarray) and held(DATA) == array.ctypes.data and held(AXES, ctypes.c_int) == 2 and [*shape] == [2, 3]
            and [*steps] == [24, 8] and held(NUMBERS) == id(np.dtype(np.float64)) and held(FLAGS, ctypes.c_int) == array.flags.num)


def fits(types: Sequence[Type]) -> bool:
    """Whether arrays of these types can be handed over as they are: a column for each, or rows of many numbers."""
    return is_known() and all(not type.shape or is_large_type(type) for type in types)


def array_entry(inputs: Sequence[Type], results: Sequence[Type], sums: int, lanes: int, block: int) -> str:
    """The text of `@many`, which calls `@run` for blocks of samples."""
    lines = [declarations(CALLED), "define ptr @many(ptr %self, ptr %args, i64 %given) {",
             f"  %inputs = alloca [{2 * len(inputs) + 1} x ptr]", f"  %outputs = alloca [{2 * len(results) + 1} x ptr]",
             f"  %part = alloca [{sums + 1} x double]"]
    for place, name in enumerate(FIRST):
        lines += [f"  %{name}.at = getelementptr ptr, ptr %args, i64 {place}", f"  %{name}.object = load ptr, ptr %{name}.at"]
    for name in FIRST[:2]:
        lines.append(f"  %{name} = call i64 @PyLong_AsLongLong(ptr %{name}.object)")
    for name in FIRST[2:]:
        lines += _read(name, f"%{name}.object", DATA, "ptr")
    lines += [*_read("size_at", "%stack.object", SHAPE, "ptr"), "  %size = load i64, ptr %size_at",
              "  %limit = getelementptr i8, ptr %stack, i64 %size", "  br label %fetch0"]
    slot = {"inputs": 0, "outputs": 0}
    for place, type in enumerate((*inputs, *results)):
        lines += _taken(place, type, "inputs" if place < len(inputs) else "outputs", slot, place < len(inputs))
    begun = f"fetch{len(inputs) + len(results)}"
    return "\n".join([
        *lines, f"{begun}:", "  %thread = call ptr @PyEval_SaveThread()", *_blocks(begun, sums, lanes, block), *_added(sums),
        "end:", "  %answer = phi i64 [ %state, %head ], [ 1, %block ]", "  call void @PyEval_RestoreThread(ptr %thread)",
        "  %made = call ptr @PyLong_FromLongLong(i64 %answer)", "  ret ptr %made",
        "refuse:", f"  %no = call ptr @PyLong_FromLongLong(i64 {REFUSED})", "  ret ptr %no", "}",
    ])


def _blocks(begun: str, sums: int, lanes: int, block: int) -> list[str]:
    """A loop over blocks of samples, with the sums at zero before it."""
    given = ("ptr %inputs, ptr %weights, ptr %outputs, ptr %part, ptr %codes, i64 %count, i64 %rounds, ptr %stack, ptr %limit, "
             "ptr %arrays")
    return [
        *(f"  %z{place} = getelementptr double, ptr %sums, i64 {place}\n  store double 0.0, ptr %z{place}" for place in range(sums)),
        "  br label %head",
        "head:", f"  %first = phi i64 [ 0, %{begun} ], [ %last, %sum.done ]", f"  %state = phi i64 [ 0, %{begun} ], [ %both, %sum.done ]",
        "  %more = icmp slt i64 %first, %count", "  br i1 %more, label %block, label %end",
        "block:", f"  %full = add i64 %first, {block}", "  %fits = icmp slt i64 %full, %count",
        "  %last = select i1 %fits, i64 %full, i64 %count", f"  %group = sdiv i64 %first, {lanes}",
        f"  %up = add i64 %last, {lanes - 1}", f"  %groups = sdiv i64 %up, {lanes}",
        f"  %ended = call i64 @run(i64 %group, i64 %groups, {given})", "  %both = or i64 %state, %ended",
        "  %full.stack = icmp eq i64 %ended, 1", "  br i1 %full.stack, label %end, label %sum",
    ]


def _added(sums: int) -> list[str]:
    """A loop that adds what a block has to what those before it had."""
    return [
        "sum:", "  %k = phi i64 [ 0, %block ], [ %k.next, %sum.one ]", f"  %k.more = icmp slt i64 %k, {sums}",
        "  br i1 %k.more, label %sum.one, label %sum.done",
        "sum.one:", "  %from = getelementptr double, ptr %part, i64 %k", "  %to = getelementptr double, ptr %sums, i64 %k",
        "  %new = load double, ptr %from", "  %old = load double, ptr %to", "  %total = fadd double %old, %new",
        "  store double %total, ptr %to", "  %k.next = add i64 %k, 1", "  br label %sum",
        "sum.done:", "  br label %head",
    ]


def _read(name: str, held: str, offset: int, type: str) -> list[str]:
    """A field of an object."""
    return [f"  %{name}.in = getelementptr i8, ptr {held}, i64 {offset}", f"  %{name} = load {type}, ptr %{name}.in"]


def _taken(place: int, type: Type, target: str, slot: dict[str, int], is_checked: bool) -> list[str]:
    """Take the address of an array, and of rows how far it is to the next; behind it is the next block."""
    a = f"a{place}"
    lines = [f"fetch{place}:", f"  %{a}.at = getelementptr ptr, ptr %args, i64 {len(FIRST) + place}", f"  %{a} = load ptr, ptr %{a}.at"]
    if is_checked:
        lines += _checked(a, type)
    found = [("data", DATA), *([("step", STEPS)] if is_large_type(type) else [])]
    for name, offset in found:
        lines += _read(f"{a}.{name}", f"%{a}", offset, "ptr")
        value = f"%{a}.{name}"
        if name == "step":
            lines.append(f"  %{a}.bytes = load ptr, ptr %{a}.step")
            value = f"%{a}.bytes"
        lines += [f"  %{a}.{name}.slot = getelementptr ptr, ptr %{target}, i64 {slot[target]}",
                  f"  store ptr {value}, ptr %{a}.{name}.slot"]
        slot[target] += 1
    return [*lines, f"  br label %fetch{place + 1}"]


def _checked(a: str, type: Type) -> list[str]:
    """Refuse what is no array of this type with a row for each sample, in one piece."""
    lines = [
        *_read(f"{a}.class", f"%{a}", CLASS_AT, "i64"), f"  %{a}.array = icmp eq i64 %{a}.class, {id(np.ndarray)}",
        f"  br i1 %{a}.array, label %{a}.look, label %refuse", f"{a}.look:",
        *_read(f"{a}.axes", f"%{a}", AXES, "i32"), *_read(f"{a}.shape", f"%{a}", SHAPE, "ptr"),
        *_read(f"{a}.numbers", f"%{a}", NUMBERS, "i64"), *_read(f"{a}.flags", f"%{a}", FLAGS, "i32"),
        f"  %{a}.c0 = icmp eq i32 %{a}.axes, {1 + len(type.shape)}", f"  br i1 %{a}.c0, label %{a}.more, label %refuse", f"{a}.more:",
        f"  %{a}.whole = and i32 %{a}.flags, {WANTED}", f"  %{a}.ok = icmp eq i32 %{a}.whole, {WANTED}",
        f"  %{a}.c1 = icmp eq i64 %{a}.numbers, {id(np.dtype(DTYPES[type.kind]))}", f"  %{a}.ok1 = and i1 %{a}.ok, %{a}.c1",
    ]
    for axis, wanted in enumerate(("%count", *map(str, type.shape))):
        lines += [
            f"  %{a}.p{axis} = getelementptr i64, ptr %{a}.shape, i64 {axis}", f"  %{a}.d{axis} = load i64, ptr %{a}.p{axis}",
            f"  %{a}.e{axis} = icmp eq i64 %{a}.d{axis}, {wanted}", f"  %{a}.ok{axis + 2} = and i1 %{a}.ok{axis + 1}, %{a}.e{axis}",
        ]
    return [*lines, f"  br i1 %{a}.ok{len(type.shape) + 2}, label %{a}.fits, label %refuse", f"{a}.fits:"]
