"""Functions of the module: plain, with defaults and keywords, lambdas, closures, partials, decorated, recursive, methods."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr
from tests.fuzz.registry import helper
from tests.fuzz.results import Give, summary
from tests.fuzz.results import bounded as _number
from tests.fuzz.writer import Helper, Parameter, Writer, indent, unread

STEMS = ("friction", "correction", "blend", "loss", "response", "kernel", "curve", "adjust", "estimate", "transfer", "taper", "tariff")


def _pair(writer: Writer) -> str:
    return f"({_number(writer)}, {_number(writer)})" if writer.chance(0.8) else f"{_number(writer)}, {_number(writer)}"


def _truth(writer: Writer) -> str:
    return writer.bool(2).text


def _parameters(writer: Writer, most: int = 3) -> list[Parameter]:
    intervals = ((-8.0, 8.0), (0.1, 10.0), (-2.0, 2.0))
    return [Parameter(writer.fresh(writer.rng.choice(("x", "y", "t", "v", "r", "s"))), *writer.rng.choice(intervals))
            for _ in range(writer.rng.randint(1, most))]


def _body(writer: Writer, parameters: list[Parameter], give: Give, budget: int = 4) -> tuple[list[str], Writer]:
    """A body that ends in a return, and the writer that made it."""
    inner = writer.child(writer.rng.randint(0, budget), give)
    for item in parameters:
        inner.declare(item.name, Expr("", item.kind, item.low, item.high), writable=writer.chance(0.7))
    inner.sources = [item.name for item in parameters if item.kind == "float"]
    inner.nesting = 1
    lines = inner.statements(3) if inner.budget else []
    if give is _number:
        made = summary(inner, 3, unread(list(inner.scope.values()), lines))
        return [*lines, f"return {fit(inner, made, -15.0, 15.0).text}"], inner
    return [*lines, f"return {give(inner)}"], inner


def _finish(name: str, lines: list[str], parameters: list[Parameter], inner: Writer, gives: str = "float", reach: float = 15.0,
            star: bool = False) -> Helper:
    return Helper(name, tuple(lines), tuple(parameters), gives, -reach, reach, frozenset(inner.used), frozenset(inner.needs), star)


def _signature(parameters: list[Parameter], annotated: bool = False) -> str:
    parts, starred = [], False
    for item in parameters:
        if item.keyword and not starred:
            parts.append("*")
            starred = True
        text = f"{item.name}: float" if annotated else item.name
        parts.append(f"{text}={item.default}" if item.default else text)
    return ", ".join(parts)


@helper("helper", 4.0)
def plain(writer: Writer) -> Helper:
    name, parameters = writer.fresh(writer.rng.choice(STEMS)), _parameters(writer)
    body, inner = _body(writer, parameters, _number, 5)
    annotated = writer.chance(0.2)
    doc = ['"""What it says."""'] if writer.chance(0.2) else []
    return _finish(name, [f"def {name}({_signature(parameters, annotated)}):", *indent([*doc, *body])], parameters, inner)


@helper("helper with defaults", 2.0)
def with_defaults(writer: Writer) -> Helper:
    name, parameters = writer.fresh(writer.rng.choice(STEMS)), _parameters(writer, 2)
    keyword = writer.chance(0.4)
    for _ in range(writer.rng.randint(1, 2)):
        parameters.append(Parameter(writer.fresh("k"), -2.0, 2.0, writer.literal(-2.0, 2.0).text, keyword=keyword))
    body, inner = _body(writer, parameters, _number)
    inner.note("keyword-only parameter" if keyword else "float default")
    return _finish(name, [f"def {name}({_signature(parameters)}):", *indent(body)], parameters, inner)


@helper("helper with *args", 1.0)
def with_star(writer: Writer) -> Helper:
    name, values = writer.fresh("combine"), writer.fresh("values")
    head = Parameter(writer.fresh("x"))
    inner = writer.child(0, None)
    total, item = writer.fresh("acc"), writer.fresh("v")
    body = writer.pick({
        (f"return ({head.name} + sum({values})) / (1 + len({values}))",): 2,
        (f"{total} = {head.name}", f"for {item} in {values}:", f"    {total} = 0.5 * {total} + {writer.literal(-0.5, 0.5).text} * {item}",
         f"return {total}"): 2,
        (f"return max({head.name}, *{values})",): 1,
        (f"{total}, *_ = {values}", f"return {head.name} - {total} if {head.name} > 0.0 else {writer.literal().text}"): 1,
    })
    return _finish(name, [f"def {name}({head.name}, *{values}):", *indent(list(body))], [head], inner, reach=16.0, star=True)


@helper("helper with **options", 0.7)
def with_options(writer: Writer) -> Helper:
    name = writer.fresh("tuned")
    parameters = [Parameter(writer.fresh("x")), Parameter("gain", -2.0, 2.0, keyword=True)]
    inner = writer.child(0, None)
    body = [f"return options['gain'] * {parameters[0].name} + options.get('bias', {writer.literal(-1.0, 1.0).text})"]
    return _finish(name, [f"def {name}({parameters[0].name}, **options):", *indent(body)], parameters, inner, reach=20.0)


@helper("helper that gives a pair", 1.5)
def pair(writer: Writer) -> Helper:
    name, parameters = writer.fresh("split"), _parameters(writer)
    body, inner = _body(writer, parameters, _pair)
    return _finish(name, [f"def {name}({_signature(parameters)}):", *indent(body)], parameters, inner, "pair")


@helper("predicate", 1.2)
def predicate(writer: Writer) -> Helper:
    name, parameters = writer.fresh(writer.rng.choice(("is_hot", "is_inside", "wants_more"))), _parameters(writer, 2)
    body, inner = _body(writer, parameters, _truth, 3)
    return _finish(name, [f"def {name}({_signature(parameters)}):", *indent(body)], parameters, inner, "bool")


@helper("helper that may give None", 2.2)
def maybe(writer: Writer) -> Helper:
    name, parameters = writer.fresh(writer.rng.choice(("find_root", "look_up", "solve"))), _parameters(writer, 2)
    body, inner = _body(writer, parameters, _number, 3)
    condition = f"{parameters[0].name} < {writer.literal(max(-2.0, parameters[0].low), 3.0).text}"
    first = [f"if {condition}:", "    return None" if writer.chance(0.8) else "    return"]
    if writer.chance(0.3):
        last = body.pop()
        body += [f"if {condition}:", f"    {last}", "return None"]
        first = []
    return _finish(name, [f"def {name}({_signature(parameters)}):", *indent([*first, *body])], parameters, inner, "maybe")


@helper("module lambda", 1.2)
def named_lambda(writer: Writer) -> Helper:
    name, parameters = writer.fresh(writer.rng.choice(("squash", "ramp", "mixer"))), _parameters(writer, 2)
    inner = writer.child(0, None)
    for item in parameters:
        inner.declare(item.name, Expr("", "float", item.low, item.high))
    text = inner.within(-15.0, 15.0, 2).text
    return _finish(name, [f"{name} = lambda {_signature(parameters)}: {text}"], parameters, inner)


@helper("closure", 1.2)
def closure(writer: Writer) -> Helper:
    """A function made by a function, with a number it remembers."""
    name, maker, kept = writer.fresh("scaled"), writer.fresh("make_scaled"), writer.fresh("k")
    parameters = _parameters(writer, 1)
    body, inner = _body(writer, [*parameters, Parameter(kept, 0.2, 2.0)], _number, 2)
    lines = [f"def {maker}({kept}):", f"    def {name}({_signature(parameters)}):", *indent(indent(body)), f"    return {name}",
             f"{name} = {maker}({writer.literal(0.2, 2.0).text})"]
    inner_name = writer.fresh("fn")
    return _finish(name, [line.replace(f"def {name}(", f"def {inner_name}(").replace(f"return {name}", f"return {inner_name}")
                          if line.startswith("    ") else line for line in lines], parameters, inner)


@helper("module partial", 3.0)
def fixed(writer: Writer) -> Helper | None:
    found = [item for item in writer.module.helpers.values()
             if item.gives == "float" and len(item.parameters) > 1 and not item.star and item.parameters[-1].kind == "float"
             and not item.parameters[0].keyword and item.lines[0].startswith("def")]
    if not found:
        return None
    base = writer.rng.choice(found)
    last = base.parameters[-1]
    inner = writer.child(0, None)
    inner.needs.add(base.name)
    name = writer.fresh("fixed")
    text = f"{name} = functools.partial({base.name}, {last.name}={writer.literal(max(last.low, 0.2), last.high).text})"
    return _finish(name, [text], list(base.parameters[:-1]), inner, reach=max(-base.low, base.high))


@helper("decorated helper", 1.6)
def decorated(writer: Writer) -> Helper:
    wrap, name, parameters = writer.fresh("bounded"), writer.fresh(writer.rng.choice(STEMS)), _parameters(writer, 2)
    body, inner = _body(writer, parameters, _number, 3)
    limit = writer.literal(2.0, 9.0).text
    wraps = ["@functools.wraps(fn)"] if writer.chance(0.7) else []
    inside = "fn(*args, **kwargs)"
    result = writer.pick({f"return max(-{limit}, min({limit}, {inside}))": 1, f"return {limit} * math.tanh({inside})": 1})
    decorator = [f"def {wrap}(fn):", *indent([*wraps, "def wrapper(*args, **kwargs):", f"    {result}", "return wrapper"])]
    if writer.chance(0.3):
        inner.note("decorator with argument")
        decorator = [f"def {wrap}(limit):", "    def decorate(fn):", *indent(indent([*wraps, "def wrapper(*args, **kwargs):",
                     "    return max(-limit, min(limit, fn(*args, **kwargs)))", "return wrapper"])), "    return decorate"]
        head = f"@{wrap}({limit})"
    else:
        head = f"@{wrap}"
    return _finish(name, [*decorator, head, f"def {name}({_signature(parameters)}):", *indent(body)], parameters, inner)


@helper("recursion of static depth", 1.2)
def recursive(writer: Writer) -> Helper:
    name = writer.fresh("nest")
    value, depth = Parameter(writer.fresh("x")), Parameter(writer.fresh("n"), 1, 4, kind="int")
    inner = writer.child(0, None)
    inner.declare(value.name, Expr("", "float", -8.0, 8.0))
    stop = f"{depth.name} == 0" if writer.chance(0.6) else f"{depth.name} < 1"
    step = inner.within(-8.0, 8.0, 2).text
    again = writer.pick({
        (f"return {name}({step}, {depth.name} - 1)",): 2,
        (f"return 0.5 * {name}({step}, {depth.name} - 1) + {writer.literal(-2.0, 2.0).text}",): 1,
        (f"if {value.name} > {writer.literal(-1.0, 1.0).text}:", f"    return {name}({step}, {depth.name} - 1)", f"return {value.name}"): 1,
    })
    lines = [f"def {name}({value.name}, {depth.name}):", *indent([f"if {stop}:", f"    return {value.name}", *again])]
    return _finish(name, lines, [value, depth], inner, reach=8.0)


@helper("method of a static object", 0.8)
def method(writer: Writer) -> Helper:
    kind, name, gain = writer.fresh("Model"), writer.fresh("model"), writer.fresh("gain")
    parameter = Parameter(writer.fresh("x"))
    inner = writer.child(0, None)
    inner.declare(parameter.name, Expr("", "float", -8.0, 8.0))
    inner.declare(f"self.{gain}", Expr("", "float", -2.0, 2.0), writable=False)
    text = inner.within(-15.0, 15.0, 2).text
    lines = [f"class {kind}:", f"    {gain} = {writer.literal(-2.0, 2.0).text}",
             f"    def step(self, {parameter.name}):", f"        return {text} + self.{gain}", f"{name} = {kind}()"]
    if writer.chance(0.3):
        inner.note("static method")
        lines[1:4] = ["    @staticmethod", f"    def step({parameter.name}):", f"        return {writer.literal().text} * {parameter.name}"]
    return Helper(f"{name}.step", tuple(lines), (parameter,), "float", -24.0, 24.0, frozenset(inner.used), frozenset(inner.needs))
