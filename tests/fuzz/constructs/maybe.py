"""None as a value that may be there or not."""

from __future__ import annotations

from tests.fuzz.constructs.calls import arguments
from tests.fuzz.constructs.loops import fits
from tests.fuzz.expression import Expr
from tests.fuzz.registry import statement
from tests.fuzz.writer import Variable, Writer, indent


@statement("helper that may give None", 14.0)
def maybe(writer: Writer) -> list[str] | None:
    found = [item for item in writer.module.helpers.values() if item.gives == "maybe"]
    if not found or not writer.callable or not writer.roomy:
        return None
    helper = writer.rng.choice(found)
    writer.needs.add(helper.name)
    name, target = writer.fresh("answer"), writer.some("float", writable=True)
    line = f"{name} = {helper.name}({arguments(writer, helper)})"
    given = Variable(name, "float", helper.low, helper.high, writable=False)
    way = writer.variant("maybe", {"is None": 2, "is not None": 2, "default": 2, "return": 1, "conditional expression": 1})
    if way == "default":
        writer.scope[name] = given
        return [line, f"if {name} is None:", f"    {name} = {writer.within(helper.low, helper.high, 1).text}"]
    if way == "conditional expression":
        other = writer.fresh()
        writer.declare(other, Expr("", "float", min(helper.low, -1.0), max(helper.high, 1.0)))
        return [line, f"{other} = {writer.literal(-1.0, 1.0).text} if {name} is None else {name}"]
    if way == "return" and writer.give is not None:
        leave = f"    return {writer.give(writer)}"
        writer.scope[name] = given
        return [line, f"if {name} is None:", leave]
    if target is None:
        return None
    with writer.inside():
        writer.scope[name] = given
        use = writer.assign(target, Expr(f"({target.name} + {name})", "float", target.low + given.low, target.high + given.high))
    if way == "is not None":
        return [line, f"if {name} is not None:", f"    {use}"]
    return [line, f"if {name} is None:", *writer.block(1), "else:", f"    {use}"]


@statement("best so far", 0.6)
def best_so_far(writer: Writer) -> list[str] | None:
    """`best = None`, then `if best is None or value < best`: the first round is special."""
    rounds = writer.rng.randint(2, 4)
    if not fits(writer, rounds):
        return None
    best, value = writer.fresh("best"), writer.fresh("candidate")
    items = ", ".join(writer.within(-8.0, 8.0, 1).text for _ in range(rounds))
    writer.declare(best, Expr(best, "float", -8.0, 8.0))
    compare = writer.pick({"<": 1, ">": 1})
    return [f"{best} = None", f"for {value} in ({items}):", f"    if {best} is None or {value} {compare} {best}:",
            f"        {best} = {value}"]


@statement("None until found", 0.5)
def until_found(writer: Writer) -> list[str] | None:
    """None is replaced where the data say so, and asked for afterwards."""
    if not writer.roomy:
        return None
    name, target = writer.fresh("hit"), writer.fresh()
    made, other = writer.within(-8.0, 8.0, 1), writer.within(-8.0, 8.0, 1)
    bind = [f"{name} = None", f"if {writer.bool(1).text}:", f"    {name} = {made.text}"]
    writer.declare(target, Expr("", "float", -8.0, 8.0))
    if writer.chance(0.4):
        use = [f"if {name} is not None:", f"    {target} = {name}", "else:", f"    {target} = {other.text}"]
    else:
        use = [f"{target} = {other.text} if {name} is None else {name}"]
    return [*bind, *use]


@statement("optional argument", 0.4)
def optional(writer: Writer) -> list[str] | None:
    """A local function whose argument defaults to None."""
    if not writer.roomy:
        return None
    name, target = writer.fresh("pick"), writer.fresh()
    low, high = writer.fresh("v"), writer.fresh("w")
    one, two = writer.within(-8.0, 8.0, 1).text, writer.within(-8.0, 8.0, 1).text
    writer.declare(target, Expr("", "float", -20.0, 20.0))
    body = [f"if {high} is None:", f"    return {low}", f"return {low} - {writer.literal(0.2, 1.2).text} * {high}"]
    call = writer.pick({f"{name}({one})": 1, f"{name}({one}, {two})": 1, f"{name}({one}, {high}={two})": 1})
    return [f"def {name}({low}, {high}=None):", *indent(body), f"{target} = {call}"]
