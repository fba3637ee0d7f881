"""`raise` and `assert` guards that a few samples run into."""

from __future__ import annotations

from tests.fuzz.registry import statement
from tests.fuzz.writer import Writer, indent

CLASSES = {"ValueError": 4.0, "ArithmeticError": 0.7, "RuntimeError": 1.0, "TypeError": 0.5, "ZeroDivisionError": 0.6, "OverflowError": 0.6}


def _rare(writer: Writer, fails: bool) -> str | None:
    """A condition that few samples meet (or miss): the edge of an input's interval."""
    inputs = [writer.scope[name] for name in writer.sources if name in writer.scope and writer.scope[name].writable]
    found = writer.rng.choice(inputs) if inputs and writer.chance(0.8) else writer.some("float")
    if found is None:
        return None
    edge = 0.08 * (found.high - found.low)
    if writer.chance(0.5):
        return f"{found.name} {'>' if fails else '<='} {round(found.high - edge, 3)}"
    return f"{found.name} {'<' if fails else '>='} {round(found.low + edge, 3)}"


def _message(writer: Writer) -> str:
    return writer.pick({"'out of range'": 2, "'the input must be larger'": 1, "f'bad value {1 + 1}'": 0.3, "": 0.3})


@statement("raise", 2.6)
def refuse(writer: Writer) -> list[str] | None:
    condition = _rare(writer, fails=True)
    if condition is None or not writer.roomy:
        return None
    error = writer.variant("raise", CLASSES)
    message = _message(writer)
    if writer.chance(0.3):
        writer.note("data in the message of an error")
        name = condition.split()[0]
        message = writer.pick({f"f'bad value {{{name}}}'": 2, f"'bad value %s' % {name}": 0.5, f"f'{{{name}:.3f}} is too much'": 1,
                               f"'bad value {{}}'.format({name})": 0.5})
    if writer.chance(0.3):
        condition = f"{condition} and {writer.bool(1).text}"
    with writer.inside():
        before = writer.statements(1) if writer.budget > 0 and writer.chance(0.2) else []
    return [f"if {condition}:", *indent([*before, f"raise {error}({message})"])]


@statement("assert", 1.0)
def assertion(writer: Writer) -> list[str] | None:
    condition = _rare(writer, fails=False)
    if condition is None:
        return None
    return [f"assert {condition}{writer.pick({', ' + chr(34) + 'out of range' + chr(34): 1, '': 1})}"]


@statement("raise in the else arm", 0.3)
def otherwise(writer: Writer) -> list[str] | None:
    condition = _rare(writer, fails=False)
    if condition is None or not writer.roomy:
        return None
    return [f"if {condition}:", *writer.block(2), "else:", f"    raise ValueError({_message(writer)})"]


@statement("operation that may fail", 2.0)
def risky(writer: Writer) -> list[str] | None:
    """No guard at all: Python raises for the samples outside of the domain."""
    item, target = writer.some("float"), writer.some("float", writable=True)
    if item is None or target is None:
        return None
    name, reach = item.name, item.read().reach
    operation = writer.variant("unguarded", {"sqrt": 2, "log": 2, "/": 1, "%": 0.7, "asin": 0.7, "log1p": 0.7, "//": 0.5, "gamma": 0.3,
                                             "exp": 0.5, "int of inf": 0.2, "0 ** negative": 0.3})
    text = {
        "sqrt": f"math.sqrt({name} + {max(0.0, -0.85 * item.low):.3g})",
        "log": f"math.log({name} + {max(0.0, -0.85 * item.low):.3g})",
        "log1p": f"math.log1p({name} + {max(0.0, -0.85 * item.low):.3g})",
        "asin": f"math.asin({name} / {max(reach, 0.1) * 0.9:.3g})",
        "/": f"1.0 / max({name} + {max(0.0, -0.8 * item.low):.3g}, 0.0)",
        "%": f"{name} % round(max({name} + {max(0.0, -0.8 * item.low):.3g}, 0.0))",
        "//": f"{name} // max({name} + {max(0.0, -0.8 * item.low):.3g}, 0.0)",
        "gamma": f"math.gamma(math.floor({name}) + {max(0.0, -0.8 * item.low):.0f})",
        "exp": f"math.log(math.exp({name} * {800.0 / max(reach, 1.0):.4g}) + 1.0)",
        "int of inf": f"int(min({name}, 3.0) * (1e308 * 10.0 if {name} > {0.9 * item.high:.4g} else 1.0))",
        "0 ** negative": f"max({name} + {max(0.0, -0.8 * item.low):.3g}, 0.0) ** -1",
    }[operation]
    return [f"{target.name} = max({max(target.low, -20.0)}, min({min(target.high, 20.0)}, {text}))"]
