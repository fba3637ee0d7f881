"""Random modules in the shape people write them: constants, helpers, one heuristic, and calls to try it with.

>>> program = generate(4)
>>> program.entry in program.source
True
>>> generate(4).source == program.source
True
"""

from __future__ import annotations

import ast
import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.ops.table import TABLE
from tests.fuzz import constructs, edges, options, registry  # noqa: F401  # importing the constructs fills the registry
from tests.fuzz.constructs.assignments import bind
from tests.fuzz.constructs.table import is_new
from tests.fuzz.expression import Expr
from tests.fuzz.instrument import Instrumented
from tests.fuzz.program import Program
from tests.fuzz.results import entry_result, last_return
from tests.fuzz.writer import Helper, Module, Thing, Writer, indent

SAMPLES = 24
ATTEMPTS = 6
ENTRIES = ("heuristic", "drag_factor", "wet_bulb", "pressure_drop", "fare", "control", "refraction", "dose", "settle", "plan")
INTERVALS = {(-3.0, 3.0): 4.0, (-1.0, 1.0): 1.5, (0.1, 8.0): 2.0, (0.0, 1.0): 1.0, (-6.0, 2.0): 1.0, (1.0, 20.0): 0.7}
OPTIONS = {"mode": ("fast", "exact", "robust"), "units": ("SI", "US"), "method": ("linear", "cubic", "flat")}
#: Kinds of programs that are a few calls each.
SMALL: dict[str, Callable[[int], Program]] = {"options": options.generate, "edges": edges.generate}

Samples = tuple[dict[str, Any], ...]


def generate(seed: int, kind: str = "scalar") -> Program:
    """The program of a seed: the first of a few attempts whose samples are worth running."""
    if kind in SMALL:
        return SMALL[kind](seed)
    best: Program | None = None
    for attempt in range(ATTEMPTS):
        program = draft(seed, attempt, kind)
        merit = _merit(program)
        if merit == 2:
            return program
        if merit == 1 or best is None:
            best = program
    assert best is not None
    return best


def _merit(program: Program) -> int:
    """2: samples take different paths and few of them raise; 1: they run; 0: most raise, or something else is odd."""
    runs = Instrumented(program)
    results = [runs.run(sample) for sample in range(len(program.samples))]
    raised = [result.error for result in results if result.error]
    if any(error in ODD for error in raised) or any(result.complex for result in results):
        return 0
    if len(raised) > 0.4 * len(results):
        return 0
    return 2 if len({result.path for result in results if not result.error}) > 1 else 1


#: Errors that only a slip of the generator produces.
ODD = ("NameError", "UnboundLocalError", "SyntaxError", "AttributeError", "RecursionError", "Endless")


def draft(seed: int, attempt: int, kind: str = "scalar") -> Program:
    """One attempt at the program of a seed; programs of the kind `arrays` also have arrays, containers and objects."""
    rng = random.Random(f"{seed}/{attempt}" if kind == "scalar" else f"{kind}/{seed}/{attempt}")
    taken = "math functools fn args kwargs limit c k t v p g i options gain bias np cmath collections dataclasses e self other"
    module = Module(taken=set(taken.split()), rich=kind == "arrays")
    writer = Writer(rng, module, 0, None)
    _fill(writer)
    for _ in range(writer.pick({0: 2, 1: 3, 2: 4, 3: 3})):
        _add_helper(writer)
    return _entry(writer, seed)


def _fill(writer: Writer) -> None:
    """Module constants, tables of floats, dictionaries."""
    module = writer.module
    for _ in range(writer.pick({0: 2, 1: 3, 2: 3, 3: 1})):
        module.constants[writer.fresh(writer.rng.choice(("ALPHA", "GAIN", "LIMIT", "RHO", "_TOL", "G")))] = _plain(writer, -2.5, 2.5)
    if writer.chance(0.5):
        name = writer.fresh(writer.rng.choice(("COEFFICIENTS", "TABLE", "KNOTS")))
        module.tables[name] = [_plain(writer, -2.0, 2.0) for _ in range(writer.rng.randint(2, 5))]
    if writer.chance(0.4):
        kind = writer.rng.choice(sorted(OPTIONS))
        name = writer.fresh("FACTORS")
        module.options[name] = {key: _plain(writer, 0.1, 3.0) for key in OPTIONS[kind]}


def _plain(writer: Writer, low: float, high: float) -> float:
    return writer.literal(low, high).low


def _add_helper(writer: Writer) -> None:
    rows = registry.HELPERS
    row = writer.rng.choices(rows, [row.weight for row in rows])[0]
    made: Helper | None = row.produce(writer)
    if made is not None:
        writer.module.helpers[made.name] = replace(made, used=made.used | {row.name})


def _entry(writer: Writer, seed: int) -> Program:
    """The main function with its signature, samples and configuration."""
    give, word = entry_result(writer)
    main = writer.child(writer.pick({3: 1, 5: 2, 8: 3, 11: 2, 15: 1}), give)
    main.note(f"returns {word}")
    name = writer.fresh(writer.rng.choice(ENTRIES))
    signature, intervals, config = _signature(main)
    lines = [line for _ in range(writer.rng.randint(1, 2)) for line in bind(main)]
    for _ in range(writer.rng.randint(3, 9)):
        lines += main.statement() if main.budget > 0 else []
    lines += _tally(main) if main.module.rich else []
    lines += last_return(main, lines, give, word)
    held = [item.name for item in main.things.values() if item.kind == "array"]
    if held and word == "float" and "return" not in " ".join(lines[:-1]) and main.chance(0.5):
        main.note("returns an array")
        lines[-1] = f"return ({main.rng.choice(held)}, {lines[-1].removeprefix('return ')})"
    doc = ['"""Estimate it."""'] if writer.chance(0.3) else []
    arrow = " -> float" if word == "float" and writer.chance(0.15) else ""
    helpers = _needed(writer.module, main.needs)
    body = [*(line for item in helpers for line in item.lines), f"def {name}({signature}){arrow}:", *indent([*doc, *lines])]
    body = [*writer.module.extra, *body]
    text = [*_preamble(writer, "functools." in "".join(body)), *body]
    text = _imports(text) if writer.module.rich else _rename_math(main, text)
    text = [*_modules_of_rows(text), *text]
    used = main.used.union(*(item.used for item in helpers), _from_signature(signature))
    return Program(seed, _print(text), name, _samples(writer.rng, intervals), config, frozenset(used))


def _tally(main: Writer) -> list[str]:
    """Let every array and list flow into the answer."""
    if not main.things:
        return []
    name = main.fresh("tally")
    sums = [f"{'np.sum' if item.kind == 'array' else 'sum'}({item.name})" for item in main.things.values()]
    parts = [f"{main.literal(-1.0, 1.0).text} * {text}" for text in sums]
    main.declare(name, Expr("", "float", -300.0, 300.0))
    return [f"{name} = {' + '.join(parts)}"]


def _print(lines: list[str]) -> str:
    """The text as the syntax tree prints it: no parentheses but the needed ones."""
    return ast.unparse(ast.parse("\n".join(lines))) + "\n"


def _imports(lines: list[str]) -> list[str]:
    """The other modules that a program with arrays needs."""
    text = "\n".join(lines)
    names = {"cmath": "import cmath", "collections": "import collections", "dataclasses": "import dataclasses", "np": "import numpy as np"}
    return [*(line for name, line in names.items() if f"{name}." in text), *lines]


def _modules_of_rows(lines: list[str]) -> list[str]:
    """Imports of functions that rows of the table mean, and no construct knows of."""
    text = "\n".join(lines)
    called = {name for row in TABLE.values() if is_new(row) for name in row.means if f"{name}(" in text}
    return sorted({f"import {name.rpartition('.')[0]}" for name in called})


def _rename_math(writer: Writer, lines: list[str]) -> list[str]:
    """Other ways of importing: `import math as m`, `from math import sqrt`."""
    way = writer.pick({"math": 8, "m": 1, "from": 1})
    if way == "m":
        writer.note("import as")
        return [line.replace("import math", "import math as m").replace("math.", "m.") for line in lines]
    names = sorted(set(re.findall(r"math\.(\w+)\(", "\n".join(lines))) - {"pow"} - writer.module.taken)
    if way == "from" and names:
        writer.note("from math import")
        chosen = writer.rng.sample(names, min(3, len(names)))
        lines = [re.sub(rf"math\.({'|'.join(chosen)})\(", r"\1(", line) for line in lines]
        return [f"from math import {', '.join(chosen)}", *lines]
    return lines


def _preamble(writer: Writer, functools: bool) -> list[str]:
    module = writer.module
    lines = ["import functools", "import math"] if functools else ["import math"]
    lines += [f"{name} = {value}" for name, value in module.constants.items()]
    for name, values in module.tables.items():
        text = ", ".join(map(str, values))
        lines.append(f"{name} = [{text}]" if writer.chance(0.6) else f"{name} = ({text},)")
    lines += [f"{name} = {entries}" for name, entries in module.options.items()]
    return lines


def _needed(module: Module, names: set[str]) -> list[Helper]:
    """Helpers that are called, with the helpers they call, in the order in which they were written."""
    wanted = set(names)
    for item in reversed(module.helpers.values()):
        if item.name in wanted:
            wanted |= item.needs
    return [item for item in module.helpers.values() if item.name in wanted]


def _signature(main: Writer) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The text between the parentheses, the intervals of the inputs, and the static arguments."""
    intervals: dict[str, Any] = {}
    config: dict[str, Any] = {}
    plain, defaulted, keyword = [], [], []
    for _ in range(main.pick({1: 2, 2: 4, 3: 3, 4: 1})):
        name = main.fresh(main.rng.choice(("x", "y", "z", "u", "speed", "temp", "load")))
        intervals[name] = main.pick(INTERVALS)
        plain.append(f"{name}: float" if main.chance(0.1) else name)
        main.declare(name, Expr("", "float", *intervals[name]), writable=main.chance(0.5))
        main.sources.append(name)
    if main.module.rich:
        plain += _containers(main, intervals)
    if main.chance(0.3):
        _float_default(main, intervals, defaulted, keyword)
    if main.chance(0.25):
        _int_option(main, config, defaulted, keyword)
    if main.chance(0.2):
        _bool_option(main, config, defaulted, keyword)
    if main.chance(0.3):
        _string_option(main, config, defaulted, keyword)
    parts = [*plain, *defaulted, *(["*", *keyword] if keyword else [])]
    return ", ".join(parts), intervals, config


def _containers(main: Writer, intervals: dict[str, Any]) -> list[str]:
    """Arguments that are arrays or lists; now and then a NumPy number takes the place of a float."""
    for name in list(intervals):
        if main.chance(0.12):
            main.note("NumPy number as argument")
            intervals[name] = Thing(name, "number", (), *intervals[name])
    names = []
    for _ in range(main.pick({1: 3, 2: 2})):
        kind, shape = main.pick({("array", (3,)): 4, ("array", (2, 3)): 3, ("array", (2,)): 1, ("list", (3,)): 2})
        name = main.fresh(main.rng.choice(("points", "series", "state", "grid", "samples")))
        main.note(f"{kind} of shape {shape} as argument")
        intervals[name] = main.things[name] = Thing(name, kind, shape, *main.pick(INTERVALS))
        names.append(name)
    return names


def _float_default(main: Writer, intervals: dict[str, Any], defaulted: list[str], keyword: list[str]) -> None:
    name = main.fresh(main.rng.choice(("rate", "alpha", "k")))
    _place(main, f"{name}={main.literal(-2.0, 2.0).text}", defaulted, keyword)
    main.declare(name, Expr("", "float", -2.0, 2.0), writable=main.chance(0.5))
    if main.chance(0.4):
        main.note("float default given by the caller")
        intervals[name] = (-2.0, 2.0)
    else:
        main.note("float default left alone")


def _int_option(main: Writer, config: dict[str, Any], defaulted: list[str], keyword: list[str]) -> None:
    name = main.fresh(main.rng.choice(("rounds", "order", "n")))
    _place(main, f"{name}={main.rng.randint(1, 5)}", defaulted, keyword)
    main.sizes.append(name)
    if main.chance(0.5):
        config[name] = main.rng.randint(1, 5)


def _bool_option(main: Writer, config: dict[str, Any], defaulted: list[str], keyword: list[str]) -> None:
    name = main.fresh(main.rng.choice(("strict", "smooth")))
    _place(main, f"{name}={main.chance(0.5)}", defaulted, keyword)
    main.flags.append(name)
    if main.chance(0.5):
        config[name] = main.chance(0.5)


def _string_option(main: Writer, config: dict[str, Any], defaulted: list[str], keyword: list[str]) -> None:
    name = main.rng.choice(sorted(OPTIONS))
    main.module.taken.add(name)
    _place(main, f"{name}={main.rng.choice(OPTIONS[name])!r}", defaulted, keyword)
    main.options[name] = OPTIONS[name]
    if main.chance(0.5):
        config[name] = main.rng.choice(OPTIONS[name])


def _place(main: Writer, text: str, defaulted: list[str], keyword: list[str]) -> None:
    (keyword if main.chance(0.4) else defaulted).append(text)


def _from_signature(signature: str) -> set[str]:
    parts = signature.split(", ")
    return {"keyword-only parameter of the entry"} if "*" in parts else set()


def _samples(rng: random.Random, intervals: dict[str, Any]) -> Samples:
    """Mostly anything in the interval; now and then a round number, where comparisons tie and divisors vanish."""
    return tuple({name: _argument(rng, interval) for name, interval in intervals.items()} for _ in range(SAMPLES))


def _argument(rng: random.Random, interval: Any) -> Any:
    if not isinstance(interval, Thing):
        return _sample(rng, *interval)
    items = np.array([_sample(rng, interval.low, interval.high) for _ in range(math.prod(interval.shape))]).reshape(interval.shape)
    return items if interval.kind == "array" else items.tolist() if interval.kind == "list" else np.float64(items)


def _sample(rng: random.Random, low: float, high: float) -> float:
    value = rng.uniform(low, high)
    way = rng.random()
    if low < 0.0 < high and way > 0.995:
        return -0.0
    if way < 0.12:
        return float(round(value))
    if way < 0.2:
        return round(4 * value) / 4
    return value
