"""Powers of Python's complex numbers: small whole exponents by products, others by the length and the angle, as Python computes them."""

from __future__ import annotations

from typing import Any

from deepalgo.ir import Kind, Type
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal

#: Whole exponents up to this one are products.
MOST = 100
POLE = "0.0 to a negative or complex power"


def complex_power(machine: Machine, base: Any, exponent: Any) -> Signal:
    """`base ** exponent`, where one of them is complex."""
    known = exponent.known.value if isinstance(exponent, Signal) and exponent.known is not None else exponent
    base = machine.cast(base, Type(Kind.COMPLEX))
    number = None if isinstance(known, Signal) else complex(known)
    if number is not None and number.imag == 0 and abs(number.real) <= MOST and number.real == int(number.real):
        result = _whole(machine, base, int(number.real))
    else:
        result = _by_angle(machine, base, machine.cast(exponent, Type(Kind.COMPLEX)))
    endless = [machine.emit("isinf", machine.emit(part, result)) for part in ("real", "imag")]
    machine.check(machine.none_of(endless), OverflowError, "complex exponentiation")
    return result


def _whole(machine: Machine, base: Signal, exponent: int) -> Signal:
    result, power, left = machine.constant(1 + 0j), base, abs(exponent)
    while left:
        if left & 1:
            result = machine.emit("mul", result, power)
        left >>= 1
        if left:
            power = machine.emit("mul", power, power)
    if exponent > 0:
        return result
    if exponent < 0:
        machine.check(machine.emit("ne", result, 0j), ZeroDivisionError, POLE)
    return machine.emit("div", 1 + 0j, result)


def _by_angle(machine: Machine, base: Signal, exponent: Signal) -> Signal:
    across, along = (machine.emit(part, base) for part in ("real", "imag"))
    real, imag = (machine.emit(part, exponent) for part in ("real", "imag"))
    zero = machine.emit("eq", base, 0j)
    pole = machine.emit("or", machine.emit("ne", imag, 0.0), machine.emit("lt", real, 0.0))
    machine.check(machine.negated(machine.emit("and", zero, pole)), ZeroDivisionError, POLE)
    size, angle = machine.emit("hypot", across, along), machine.emit("atan2", along, across)
    length = machine.emit("pow", size, real)
    length = machine.emit("mul", length, machine.emit("exp", machine.emit("neg", machine.emit("mul", angle, imag))))
    turn = machine.emit("add", machine.emit("mul", angle, real), machine.emit("mul", imag, machine.emit("log", size)))
    turn = machine.emit("select", machine.emit("eq", imag, 0.0), machine.emit("mul", angle, real), turn)
    nothing = machine.emit("eq", exponent, 0j)
    # The cosine of an infinite angle sets the error that Python takes for that of a pole.
    endless = machine.emit("and", machine.emit("isinf", turn), machine.none_of([zero, nothing]))
    machine.check(machine.negated(endless), ZeroDivisionError, POLE)
    result = machine.emit("complex", *[machine.emit("mul", length, machine.emit(name, turn)) for name in ("cos", "sin")])
    result = machine.emit("select", zero, 0j, result)
    return machine.emit("select", nothing, 1 + 0j, result)
