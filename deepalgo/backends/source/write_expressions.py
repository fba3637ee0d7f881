"""Write operations of a program as Python expressions.

An operation that is used once stands where it is used. What can raise keeps its order: an expression is written no later than anything
that could raise after it.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deepalgo.backends.expression import ATOM, COMPARISON, LEVELS, PLACE, Fragment, bracket, fill
from deepalgo.backends.names import Names
from deepalgo.backends.source.constants import ANONYMOUS, array, constant_name, literal, nested
from deepalgo.backends.source.facts import PY, BodyFacts
from deepalgo.backends.source.layout import Layout
from deepalgo.backends.source.numbers import is_fixed_item
from deepalgo.backends.source.spellings import CHOICE, CONJUNCTION, DISJUNCTION, for_operands
from deepalgo.backends.source.tree import Assign, Tree
from deepalgo.ir import Attr, Kind, Op, Value
from deepalgo.ops.indexing import subscript
from deepalgo.ops.ranges import ABOVE, BELOW, EQUAL
from deepalgo.ops.table import TABLE

#: Words of spellings that do not evaluate all of their operands.
LAZY = re.compile(r" (and|or|if) ")
#: Letters of a setting up to which it stands where it is used.
LONG = 60


@dataclass(frozen=True, slots=True)
class Expr:
    """A text, and the numbers of the events in it: what may raise, in the order of the program."""

    text: Fragment
    events: tuple[int, ...] = ()


class ExpressionWriter:
    """Writes operations; `out` takes the lines that have to come first, `constants` the numbers that stand at the top of the file."""

    def __init__(self, facts: BodyFacts, layout: Layout, names: Names, defaults: Sequence[str]) -> None:
        self.facts = facts
        self.layout = layout
        self.names = names
        self.defaults = defaults
        self.variables: dict[Value, str] = {}
        self.out: list[Tree] = []
        self.pending: dict[Value, Expr] = {}
        self.done: dict[Value, Fragment] = {}
        self.events = 0
        self.constants: dict[str, tuple[str, str]] = {}
        self.asked = Counter(self.call(op) for op in facts.ops.values() if TABLE[op.name].numpy_form)
        self.answered: dict[Fragment, str] = {}
        self.sizes: dict[str, int] = {}

    def variable(self, value: Value, wish: str = "") -> str:
        """The variable of a stored value."""
        root = self.layout.root(value)
        if root not in self.variables:
            self.variables[root] = self.names.make(self.layout.name(root) or wish)
        return self.variables[root]

    def expr(self, value: Value) -> Expr:
        """The value where it is used."""
        if value in self.done:
            return Expr(self.done[value])
        if value in self.pending:
            return self.pending.pop(value)
        op = self.facts.ops.get(value)
        if op is not None and self.layout.is_atom(op):
            return Expr(self.atom(op))
        return Expr(Fragment(self.variable(value)))

    def text(self, value: Value) -> Fragment:
        """The text of a value whose evaluation raises nothing, or which is the only one at its place."""
        return self.settle([self.expr(value)])[0]

    def atom(self, op: Op) -> Fragment:
        """A number, or the name of one that stands at the top."""
        if is_fixed_item(op):
            return self.item(op).text
        if op.is_const:
            value = op.attr("value")
            if isinstance(value, bool) and self.layout.batched:
                return Fragment(f"np.{value}_")  # `~` turns it round
            if not isinstance(value, tuple):
                return literal(value)
            return Fragment(nested(value) if op.result in self.facts.tables else array(value, op.result.type.kind))
        key = str(op.attr("key"))
        if not op.result.type.shape and ANONYMOUS.match(key):
            return literal(self.facts.weights[key])
        return Fragment(self.constant(key, op.result in self.facts.tables))

    def constant(self, key: str, is_table: bool) -> str:
        """The name of a weight at the top of the file."""
        if key in self.defaults:
            return key
        held = self.facts.weights[key]
        is_array = isinstance(held, tuple) and not is_table
        text = array(held, Kind.REAL) if is_array else nested(held)
        spot = f"{key}, an array" if is_array else key
        if spot not in self.constants:
            self.constants[spot] = (self.names.make(constant_name(key, self.facts.roles[key])), text)
        return self.constants[spot][0]

    def settle(self, exprs: Sequence[Expr]) -> list[Fragment]:
        """Texts for one statement that evaluates them from left to right; what must happen before gets a line of its own."""
        own = [event for expr in exprs for event in expr.events]
        waiting = {value: expr for value, expr in self.pending.items() if expr.events}
        if own == sorted(own) and not any(expr.events[0] < max(own, default=0) for expr in waiting.values()):
            return [expr.text for expr in exprs]
        texts = [expr.text for expr in exprs]
        jobs: list[tuple[int, Value | int, Expr]] = [(expr.events[0], place, expr) for place, expr in enumerate(exprs) if expr.events]
        jobs += [(expr.events[0], value, expr) for value, expr in waiting.items() if expr.events[0] < max(own)]
        for _, job, expr in sorted(jobs, key=lambda item: item[0]):
            if isinstance(job, Value):
                self.name_pending(job, expr)
            else:
                texts[job] = self.named(expr.text)
        return texts

    def named(self, text: Fragment, wish: str = "") -> Fragment:
        """A variable that holds this."""
        name = self.names.make(wish)
        self.out.append(Assign((name,), (text,)))
        return Fragment(name)

    def name_pending(self, value: Value, expr: Expr) -> None:
        """Write what waits for its use into a variable."""
        name = self.names.make(value.name)
        self.out.append(Assign((name,), (expr.text,)))
        del self.pending[value]
        self.done[value] = Fragment(name)

    def flush(self) -> None:
        """Give what may raise and has not been written yet its own line, as something else happens now."""
        for value, expr in sorted(self.pending.items(), key=lambda item: item[1].events):
            if expr.events:
                self.name_pending(value, expr)

    def condition(self, value: Value) -> Fragment:
        """A condition that is asked now, after all that came before it."""
        expr = self.expr(value)
        if any(other.events and other.events > expr.events for other in self.pending.values()) and expr.events:
            expr = Expr(self.named(self.settle([expr])[0]))
        (text,) = self.settle([expr])
        self.flush()
        return text

    def event(self) -> tuple[int, ...]:
        """A number for something that may raise now."""
        self.events += 1
        return (self.events,)

    def formula(self, op: Op) -> Expr:
        """The spelling of an operation with its operands."""
        if op.result in self.facts.tables:
            return self.table(op)
        if TABLE[op.name].item and not is_fixed_item(op):
            return self.lookup(op)
        operands = [self.expr(arg) for arg in op.args]
        if _is_lazy(TABLE[op.name].python) and any(operand.events for operand in operands[1:]):
            operands = [Expr(self.named(self.settle([operand])[0])) if operand.events else operand for operand in operands]
        texts = self.settle(operands) if not _in_order(operands) else [operand.text for operand in operands]
        events = tuple(event for operand in operands for event in operand.events) if _in_order(operands) else ()
        if op.result in self.facts.anchored:
            events = (*events, *self.event())
        return Expr(self.spelled(op, texts), events)

    def spelled(self, op: Op, texts: Sequence[Fragment]) -> Fragment:
        """The template of an operation, filled."""
        template = self.facts.templates.get(op.result, "{0}")
        if op.result in self.facts.converted:
            texts = [Fragment(f"np.float64({texts[0].text})"), *texts[1:]]
        if op.result in self.facts.plained:
            texts = [self.plain(arg, text) for arg, text in zip(op.args, texts, strict=True)]
        attrs = self.attributes(op, template)
        template = for_operands(op, template)
        if template == CHOICE:
            condition, first, second = texts
            return choice_of(condition, first, second)
        if template in (CONJUNCTION, DISJUNCTION):
            found = self.chained(op, texts) if template == CONJUNCTION else None
            return found or _joined(template, texts)
        is_only = "axis" in attrs and attrs["axis"] == 0 and len(op.args[0].type.shape) == 1 and "{*}" not in template
        if is_only or attrs.get("axis", 0) is None:
            template = template.replace(", axis={axis}", "")
        if TABLE[op.name].numpy_form and self.asked[self.call(op)] > 1:
            return self.part(op, texts, attrs)
        template, level = _unbracketed(template)
        made = fill(template, list(texts), attrs)
        return Fragment(made.text, level) if level is not None else made

    def attributes(self, op: Op, template: str) -> dict[str, object]:
        """The attributes of an operation as the template asks for them."""
        attrs: dict[str, object] = {name: self.attribute(name, value) for name, value in op.attrs}
        if "{subscript}" in template:
            attrs["subscript"] = subscript(op.attr("key"))
        match attrs.get("shape"):
            case (size,):
                attrs["shape"] = size
        return attrs

    def call(self, op: Op) -> Fragment:
        """What calls of one function with the same operands have in common."""
        return fill(_bare(TABLE[op.name].numpy), [Fragment(f"%{arg.id}") for arg in op.args], dict(op.attrs))

    def part(self, op: Op, texts: Sequence[Fragment], attrs: Mapping[str, object]) -> Fragment:
        """One of the results of a function, which a block calls once for all of them."""
        template, call = TABLE[op.name].numpy, self.call(op)
        if call not in self.answered:
            self.answered[call] = self.named(fill(_bare(template), texts, attrs), "found").text
        return Fragment(self.answered[call] + template.removeprefix(_bare(template)))

    def attribute(self, name: str, value: Attr) -> object:
        """A setting of an operation; a long table stands at the top of the file."""
        text = nested(value)
        if not isinstance(value, tuple) or len(text) <= LONG:
            return value
        if text not in self.constants:
            self.constants[text] = (self.names.make(name.upper()), text)
        return self.constants[text][0]

    def plain(self, value: Value, text: Fragment) -> Fragment:
        """A number of NumPy as Python's own, which raises."""
        return text if self.facts.flavour(value) == PY else Fragment(f"{'int' if value.type.kind <= Kind.INT else 'float'}({text.text})")

    def chained(self, op: Op, texts: Sequence[Fragment]) -> Fragment | None:
        """`a < b < c` for `a < b and b < c`."""
        first, second = (self.facts.ops.get(arg) for arg in op.args)
        if first is None or second is None or not (_rises(first) or _falls(first)) or not (_rises(second) or _falls(second)):
            return None
        if op.args[0] == op.args[1] or not all(arg in self.layout.inline for arg in op.args):
            return None
        if _falls(first) and _rises(second) and first.args[0] == second.args[0]:
            sign = TABLE[first.name].python.split()[1]
            _, found, low = texts[0].text.partition(f" {sign} ")
            return Fragment(f"{low} {sign.replace('>', '<')} {texts[1].text}", COMPARISON) if found else None
        if first.args[1] != second.args[0]:
            return None
        middle = second.args[0]
        if not self.layout.is_stored(middle) and not self.layout.is_atom(self.facts.ops[middle]):
            return None
        return Fragment(texts[0].text + texts[1].text.removeprefix(self.expr(middle).text.text), COMPARISON)

    def table(self, op: Op) -> Expr:
        """A tuple that is only looked up."""
        if is_fixed_item(op):
            return self.item(op)
        operands = [self.expr(arg) for arg in op.args]
        events = tuple(event for operand in operands for event in operand.events)
        texts = [operand.text for operand in operands] if _in_order(operands) else self.settle(operands)
        return Expr(Fragment(f"({', '.join(text.text for text in texts)}{',' if len(texts) == 1 else ''})"), events)

    def item(self, op: Op) -> Expr:
        """A fixed item of a tuple; of a table without a name the number itself."""
        source = self.facts.ops[op.args[0]]
        number = self.facts.known(op.result) if not op.result.type.shape else None
        if number is not None and self.is_nameless(source):
            return Expr(literal(number))
        holder = self.expr(op.args[0])
        self.sizes[holder.text.text] = op.args[0].type.shape[0]
        keys = "".join(f"[{key}]" for key in op.attr("key"))  # type: ignore[union-attr]  # a tuple
        return Expr(Fragment(f"{bracket(holder.text, ATOM).text}{keys}"), holder.events)

    def is_nameless(self, source: Op) -> bool:
        """Whether a table is a constant, or a weight that the user gave no name."""
        if is_fixed_item(source):
            return self.is_nameless(self.facts.ops[source.args[0]])
        return source.is_const or (source.is_weight and bool(ANONYMOUS.match(str(source.attr("key")))))

    def lookup(self, op: Op) -> Expr:
        """`table[place]`; a place that is counted from the end where it is negative is what Python does by itself."""
        held = self.facts.ops.get(op.args[0])
        numbers = held.attr("value") if held is not None and held.is_const else ()
        if isinstance(numbers, tuple) and not op.result.type.shape and len({repr(item) for item in numbers}) == 1:
            self.expr(op.args[1])
            return Expr(literal(numbers[0]))
        holder, place = self.expr(op.args[0]), self.expr(self.counted(op.args[1]))
        events = (*holder.events, *place.events)
        own = self.event() if op.result in self.facts.anchored else ()
        axis = dict(op.attrs).get("axis", 0)
        whole = op.args[0].type.shape
        if op.args[0] in self.facts.tables or axis in (0, None) and (axis == 0 or len(whole) == 1) or axis == -1 and len(whole) == 1:
            return Expr(Fragment(f"{bracket(holder.text, ATOM).text}[{place.text.text}]"), (*events, *own))
        return Expr(fill("np.take({0}, {1}, {axis})", (holder.text, place.text), {"axis": axis}), (*events, *own))

    def counted(self, place: Value) -> Value:
        """The index as the user wrote it, if this one is it with negative ones counted from the end."""
        op = self.facts.ops.get(place)
        if op is not None and op.is_choice and place in self.layout.inline and self.is_wrapped(op):
            self.pending.pop(place, None)
            return op.args[2]
        return place

    def is_wrapped(self, op: Op) -> bool:
        """Whether this is `i + n if i < 0 else i`."""
        test, shifted = self.facts.ops.get(op.args[0]), self.facts.ops.get(op.args[1])
        index = op.args[2]
        return (
            test is not None
            and shifted is not None
            and TABLE[test.name].order == BELOW
            and shifted.name == "add"
            and test.args[0] == index == shifted.args[0]
            and self.facts.known(test.args[1]) == 0
        )


def choice_of(condition: Fragment, first: Fragment, second: Fragment) -> Fragment:
    """`first if condition else second`, or the `and` and `or` that it amounts to."""
    if second.text == "False":
        return fill(CONJUNCTION, (condition, first))
    if first.text == "True":
        return fill(DISJUNCTION, (condition, second))
    return Fragment(f"{bracket(first, 1).text} if {bracket(condition, 1).text} else {second.text}", 0)


def _joined(template: str, texts: Sequence[Fragment]) -> Fragment:
    """Conditions with `and` or `or` between them, without brackets around those that are joined in the same way."""
    word = template.split()[1]
    return Fragment(f" {word} ".join(bracket(text, LEVELS[word]).text for text in texts), LEVELS[word])


def _rises(op: Op) -> bool:
    """Whether an operation is `<` or `<=`."""
    return TABLE[op.name].order | EQUAL == BELOW | EQUAL


def _falls(op: Op) -> bool:
    """Whether an operation is `>` or `>=`."""
    return TABLE[op.name].order | EQUAL == ABOVE | EQUAL


@functools.cache
def _is_lazy(template: str) -> bool:
    """Whether a spelling evaluates operands, each of which it names once, only where they are needed."""
    places = PLACE.findall(template)
    return LAZY.search(template) is not None and len(places) == len(set(places))


def _in_order(operands: Sequence[Expr]) -> bool:
    events = [event for operand in operands for event in operand.events]
    return events == sorted(events)


def _bare(template: str) -> str:
    """A call without the item that is taken of its results."""
    return template.rpartition("[")[0]


def _unbracketed(template: str) -> tuple[str, int | None]:
    """A spelling with brackets of its own, without them, and how tightly it binds then."""
    if template.startswith("(") and template.endswith(")") and " if " in template and template.count("{0}") == 1:
        return template[1:-1], 0
    return template, None
