"""`OneLane`: a program of single numbers as a function that Python calls as it calls its own, for one sample at a time.

>>> import numpy as np
>>> from deepalgo.ir import parse
>>> program = parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')
>>> lane = OneLane(program, np.array([3.0]), 100, otherwise=lambda *args: f"not for {args}")
>>> lane.call(2.0), lane.call("2")
(6.0, "not for ('2',)")
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

from deepalgo.backends.native.build import MachineCode
from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.memory import STORED
from deepalgo.backends.native.python_calls import CLASS_AT, addresses, declarations, python_function
from deepalgo.backends.native.text import Unsupported
from deepalgo.backends.native.write import write
from deepalgo.ir import Program, While, walk
from deepalgo.kinds import Kind, Type

#: Of Python: how each kind of number becomes an object.
MADE_BY = {
    Kind.BOOL: ("PyBool_FromLong", "i64"), Kind.INT: ("PyLong_FromLongLong", "i64"), Kind.REAL: ("PyFloat_FromDouble", "double"),
}
#: Numbers of arrays that one sample may have on the machine's stack.
MOST_ROOMS = 1 << 15


class OneLane:
    """Native code for one sample of a program whose inputs are real and whose results are single numbers.

    `call` takes floats, and returns the result, or a tuple of several. Calls with anything else, and samples that fail a check, go to
    `otherwise`. Weights are constants of the code, or, if they are `read`, what their array holds at each call. The code is gone with
    this object.
    """

    def __init__(
        self, program: Program, weights: Array, rounds: int, otherwise: Callable[..., Any], mathematics: Mathematics = "exact",
        read: bool = False,
    ) -> None:
        if not is_plain(program):
            raise Unsupported("arrays, where one sample is computed from single numbers")
        if ctypes.c_void_p.from_address(id(1.0) + CLASS_AT).value != id(float):
            raise Unsupported("the objects of this Python")
        results = [value.type for value in program.body.results]
        written = write(program, mathematics=mathematics)
        if written.rooms > MOST_ROOMS:
            raise Unsupported("large arrays, where one sample is computed from single numbers")
        text = written.for_lanes(1).replace("define i64 @run(", "define internal i64 @run(", 1)
        lets_go = any(isinstance(statement, While) for statement in walk(program.body)) or text.count("\n") > LONG_WORK
        self.weights = weights
        entry = _entry(len(program.inputs), results, _address(weights) if read else _constants(weights), rounds, lets_go, written.rooms)
        symbols = {**written.symbols, **addresses(CALLED)}
        self.machine = MachineCode(f"{text}\n{declarations(CALLED)}\n{entry}", symbols, "one", ctypes.c_void_p)
        self.call, self.definition = python_function(program.name, self.machine.function.value, otherwise)


#: Code of more lines than this lets other threads of Python run meanwhile.
LONG_WORK = 3000
#: What the code calls of Python.
CALLED = (
    "PyFloat_AsDouble", "PyFloat_FromDouble", "PyLong_FromLongLong", "PyBool_FromLong", "PyTuple_New", "PyTuple_SetItem",
    "PyObject_Vectorcall", "PyEval_SaveThread", "PyEval_RestoreThread",
)


def is_plain(program: Program) -> bool:
    """Whether a program makes single numbers of real numbers."""
    results = [value.type for value in program.body.results]
    are_single = bool(results) and all(not type.shape and type.kind in MADE_BY for type in results)
    return are_single and all(item.value.type == Type(Kind.REAL) for item in program.inputs)


def _constants(weights: Array) -> tuple[list[str], str]:
    """Weights as constants: what defines them, and where they are."""
    numbers = ", ".join(f"double {_bits(number)}" for number in weights)
    return [f"@fixed_weights = internal constant [{len(weights)} x double] [{numbers}]"], "@fixed_weights"


def _address(weights: Array) -> tuple[list[str], str]:
    """The same of weights that are read where their array is."""
    return [], f"inttoptr (i64 {weights.ctypes.data} to ptr)"


def _entry(inputs: int, results: Sequence[Type], weights: tuple[list[str], str], rounds: int, lets_go: bool, rooms: int) -> str:
    """The function that Python calls: it calls the one for groups of samples, for a group of one."""
    defined, place_of_weights = weights
    lines = [
        *defined,
        "define ptr @one(ptr %otherwise, ptr %args, i64 %count) {", f"  %inputs = alloca [{max(inputs, 1)} x ptr]",
        f"  %arrays = alloca [{max(rooms, 1)} x double], align 64",
        f"  %outputs = alloca [{len(results)} x ptr]", "  %code = alloca i32", "  store i32 0, ptr %code",
        *(f"  %i{place} = alloca double" for place in range(inputs)),
        *(f"  %o{place} = alloca {STORED[type.kind]}" for place, type in enumerate(results)),
        f"  %fits = icmp eq i64 %count, {inputs}", "  br i1 %fits, label %take0, label %other",
    ]
    for place in range(inputs):
        lines += [
            f"take{place}:", f"  %a{place} = getelementptr ptr, ptr %args, i64 {place}", f"  %x{place} = load ptr, ptr %a{place}",
            f"  %t{place} = getelementptr i8, ptr %x{place}, i64 {CLASS_AT}", f"  %c{place} = load i64, ptr %t{place}",
            f"  %f{place} = icmp eq i64 %c{place}, {id(float)}", f"  br i1 %f{place}, label %read{place}, label %other",
            f"read{place}:", f"  %d{place} = call double @PyFloat_AsDouble(ptr %x{place})", f"  store double %d{place}, ptr %i{place}",
            f"  %p{place} = getelementptr ptr, ptr %inputs, i64 {place}", f"  store ptr %i{place}, ptr %p{place}",
            f"  br label %take{place + 1}",
        ]
    lines.append(f"take{inputs}:")
    for place in range(len(results)):
        lines += [f"  %q{place} = getelementptr ptr, ptr %outputs, i64 {place}", f"  store ptr %o{place}, ptr %q{place}"]
    given = (f"i64 0, i64 1, ptr %inputs, ptr {place_of_weights}, ptr %outputs, ptr null, ptr %code, i64 1, i64 {rounds}, "
             "ptr null, ptr null, ptr %arrays")
    lines += [
        *(["  %thread = call ptr @PyEval_SaveThread()"] if lets_go else []),
        f"  %ended = call i64 @run({given})",
        *(["  call void @PyEval_RestoreThread(ptr %thread)"] if lets_go else []),
        "  %failed = load i32, ptr %code", "  %good = icmp eq i32 %failed, 0", "  br i1 %good, label %make, label %other",
        "other:", "  %answer = call ptr @PyObject_Vectorcall(ptr %otherwise, ptr %args, i64 %count, ptr null)", "  ret ptr %answer",
        "make:", *_objects(results), "}",
    ]
    return "\n".join(lines)


def _objects(results: Sequence[Type]) -> list[str]:
    """Return the result, or all of them in a tuple."""
    lines = []
    for place, type in enumerate(results):
        maker, taken = MADE_BY[type.kind]
        lines.append(f"  %n{place} = load {STORED[type.kind]}, ptr %o{place}")
        if type.kind is Kind.BOOL:
            lines.append(f"  %w{place} = zext i8 %n{place} to i64")
        number = f"%w{place}" if type.kind is Kind.BOOL else f"%n{place}"
        lines.append(f"  %made{place} = call ptr @{maker}({taken} {number})")
    if len(results) == 1:
        return [*lines, "  ret ptr %made0"]
    lines.append(f"  %all = call ptr @PyTuple_New(i64 {len(results)})")
    lines += [f"  %set{place} = call i32 @PyTuple_SetItem(ptr %all, i64 {place}, ptr %made{place})" for place in range(len(results))]
    return [*lines, "  ret ptr %all"]


def _bits(number: float) -> str:
    """A number as LLVM reads it, bit for bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
