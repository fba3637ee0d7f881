"""What the writer has to know about each operation: which Python it is, whether that raises by itself, and what numbers it gives.

A number of the program is a Python number or one of NumPy, and they fail in different ways: `1.0 / 0.0` raises, `np.float64(1.0) / 0.0`
is infinite. The program says by its checks what has to happen; here the spelling is chosen that does it, and checks that Python makes
by itself are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from deepalgo.emit.expression import Text, fill, literal
from deepalgo.emit.source import native
from deepalgo.emit.source.body import ROUNDINGS, count_uses, fuse, without
from deepalgo.emit.source.exits import Stop
from deepalgo.emit.source.numbers import READERS, Numbers
from deepalgo.ir import Block, Check, If, Kind, Loop, Op, Role, Statement, Try, Value, While
from deepalgo.ops.table import TABLE
from deepalgo.spans import Span

PY, NP, MIXED = "py", "np", "mixed"
#: Errors that say what the network cannot do and Python can: large integers, and results of another kind.
OURS = {
    "IntegerTooLarge", "ComplexResult", "FloatResult", "RealResult", "PythonOrNumPy", "OrderOfNaN", "ComplexEdge", "SameNaN", "LargeOrder",
    "ComplexEigenvalues", "EndlessMatrix",
}
#: Array operations that raise by themselves.
ARRAYS = {
    "solve": "LinAlgError",
    "inv": "LinAlgError",
    "cholesky": "LinAlgError",
    "gather": "IndexError",
    "pick_at": "IndexError",
    "put_at": "IndexError",
}
#: Operations whose result may share its numbers with an operand.
VIEWS = {
    "take",
    "index",
    "reshape",
    "permute",
    "broadcast",
    "real",
    "imag",
    "cut",
    "pos",
    "conj",
    "pick_at",
    "gather",
    "to_real",
    "to_int",
    "to_bool",
    "to_complex",
}
#: How deep the condition of a guard is looked into.
DEEP = 6


class Guards:
    """The checks of a block by what they are about, and by their place or their words: an operation asks for its own."""

    def __init__(self) -> None:
        self.found: dict[tuple[Value, Span | str | None], list[Check]] = {}

    def note(self, check: Check, values: Iterable[Value]) -> None:
        """Remember a check about values."""
        for value in values:
            for key in dict.fromkeys((check.span, check.message)):
                self.found.setdefault((value, key), []).append(check)

    def of(self, op: Op, values: Sequence[Value], said: Iterable[str]) -> list[Check]:
        """The checks about values that stand where an operation stands, or say what Python says."""
        found = {id(check): check for key in (op.span, *said) for value in values for check in self.found.get((value, key), ())}
        return list(found.values())


class Facts(Numbers):
    """Facts about the operations of a body, given the values of weights and the inputs that are numbers of NumPy."""

    def __init__(self, body: Block, weights: Mapping[str, Any], numpy: Mapping[Value, bool], roles: Mapping[str, Role]) -> None:
        body = fuse(body)
        super().__init__(body, weights)
        self.roles = roles
        self.uses = count_uses(body)
        self.viewed = {arg for op in self.ops.values() if op.name in VIEWS and op.result.type.shape for arg in op.args}
        self.supports: dict[Value, set[Value]] = {}
        self.flavours: dict[Value, str] = {value: NP if is_numpy else PY for value, is_numpy in numpy.items()}
        self.templates: dict[Value, str] = {}
        self.implied: set[int] = set()
        self.anchored: set[Value] = set()
        self.converted: set[Value] = set()
        self.plained: set[Value] = set()
        for _ in range(4):
            before = dict(self.flavours)
            self.implied.clear()
            self.anchored.clear()
            self.converted.clear()
            self.plained.clear()
            self.block(body)
            if self.flavours == before:
                break
        self.body = without(body, self.implied, self.anchored)
        self.uses = count_uses(self.body)

    def is_own(self, value: Value) -> bool:
        """Whether nothing else can hold the numbers of an array, so that it may be changed in place once it is not needed any more."""
        op = self.ops.get(value)
        return op is not None and op.name not in VIEWS | {"weight", "select"} and value not in self.viewed

    # --- the walk ---------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Note all statements of a block in order."""
        guards = Guards()
        for statement in block.body:
            if isinstance(statement, Check):
                guards.note(statement, self.support(statement.ok))
        for statement in block.body:
            match statement:
                case Op(result, _, args):
                    about = (*args, *(arg for place in args[1:2] if self.is_choice(place) for arg in self.ops[place].args), result)
                    self.op(statement, guards.of(statement, about, self.said_by(statement)))
                case Check():
                    if statement.error in OURS:
                        self.implied.add(id(statement))
                case _:
                    self.region(statement)

    def said_by(self, op: Op) -> set[str]:
        """What Python says where an operation on single numbers raises."""
        if op.result.type.shape or any(arg.type.shape for arg in op.args) or op.name in ("const", "weight"):
            return set()
        held, whole = self.held(op.args), _whole(op.args)
        return {text for template in self.spellings(op) if not _has_attributes(template) for text in native.messages(template, held, whole)}

    def is_choice(self, value: Value) -> bool:
        """Whether a value is chosen between two, as an index is that may count from the end."""
        return value in self.ops and self.ops[value].name == "select"

    def support(self, value: Value) -> set[Value]:
        """What a condition is about: the values that it is made of, as far as a guard looks."""
        if value not in self.supports:
            found, layer = {value}, {value}
            for _ in range(DEEP):
                layer = {arg for item in layer if item in self.ops and self.known(item) is None for arg in self.ops[item].args} - found
                found |= layer
            self.supports[value] = {item for item in found if self.known(item) is None}
        return self.supports[value]

    def region(self, statement: Statement | Stop) -> None:
        """Note the blocks of a region, and join the flavours of what meets."""
        match statement:
            case If(results, _, then, orelse):
                self.block(then)
                self.block(orelse)
                self.join(results, then.results, orelse.results)
            case Loop(results, _, init, body):
                self.join(body.params[1:], init)
                self.flavours[body.params[0]] = PY
                self.block(body)
                self.join(body.params[1:], body.results)
                self.join(results, body.params[1:])
            case While(results, init, test, body):
                self.join(test.params, init)
                self.join(body.params, init)
                self.block(test)
                self.block(body)
                self.join(body.params, body.results)
                self.join(test.params, body.results)
                self.join(results, body.params)
            case Try(results, body, handlers):
                self.block(body)
                self.join(results, body.results)
                for handler in handlers:
                    self.block(handler.block)
                    self.join(results, handler.block.results)
            case Stop(_, block, targets):
                self.block(block)
                if targets is not None:
                    self.join(targets, block.results)

    def join(self, targets: Sequence[Value], *sources: Sequence[Value]) -> None:
        """Targets are what their sources are."""
        for place, target in enumerate(targets):
            found = {self.flavour(group[place]) for group in sources} | ({self.flavours[target]} if target in self.flavours else set())
            self.flavours[target] = found.pop() if len(found) == 1 else MIXED

    def flavour(self, value: Value) -> str:
        """Whose number a value is."""
        return NP if value.type.shape and value not in self.tables else self.flavours.get(value, PY)

    def op(self, op: Op, guards: Sequence[Check]) -> None:
        """Choose a spelling."""
        row = TABLE[op.name]
        self.flavours[op.result] = PY
        if op.name in ("const", "weight") or op.result in self.tables:
            return
        if op.name in READERS and op.args[0] in self.tables:
            self.flavours[op.result] = self.item_flavour(op.args[0])
            self.imply(guards, op)
            return
        if op.result.type.shape or any(arg.type.shape for arg in op.args):
            self.templates[op.result] = row.numpy
            self.flavours[op.result] = NP
            self.imply(guards, op)
            return
        self.scalar(op, guards)

    def item_flavour(self, table: Value) -> str:
        """Whose numbers a tuple holds."""
        op = self.ops[table]
        found = {self.flavour(arg) for arg in op.args} if op.name == "stack" else {PY}
        return found.pop() if len(found) == 1 else MIXED

    def imply(self, guards: Sequence[Check], op: Op) -> None:
        """An array operation raises its own error."""
        found = [check for check in guards if check.error == ARRAYS.get(op.name) and check.span == op.span]
        self.implied.update(map(id, found))
        if found:
            self.anchored.add(op.result)

    def scalar(self, op: Op, guards: Sequence[Check]) -> None:
        """An operation on single numbers."""
        args = op.args
        template = self.spellings(op)[0]
        flavours = {self.flavour(arg) for arg in args}
        calls = _is_call(template)
        if template.startswith(("np.", "scipy.")):
            self.spell(op, template, NP)
        elif op.name in ("sign", "minimum", "maximum", "fmin", "fmax") and flavours != {PY}:
            self.spell(op, TABLE[op.name].numpy, NP)
        elif op.name in ("select", "min", "max", "minimum", "maximum", "fmin", "fmax", "cut"):
            held = {self.flavour(arg) for arg in op.args[TABLE[op.name].apart :]}
            self.spell(op, template, held.pop() if len(held) == 1 else MIXED)
        elif op.result.type.kind == Kind.COMPLEX or Kind.COMPLEX in (arg.type.kind for arg in args):
            self.spell(op, template, NP if NP in flavours else PY)
            self.implied.update(
                id(check) for check in guards if check.error == "ZeroDivisionError" and check.span == op.span and flavours == {PY}
            )
        elif not calls and flavours != {PY} and not self.is_guarded(op, template, guards):
            self.mixed(op, template, args, flavours, any(check.error == "PythonOrNumPy" for check in guards))
        else:
            self.plain(op, args, guards)

    def spellings(self, op: Op) -> list[str]:
        """How an operation on Python's numbers can be written."""
        template = ROUNDINGS[str(op.attr("rounding"))] if op.name == "to_int" and op.attrs else TABLE[op.name].python
        if op.name != "angle" and any(arg.type.kind == Kind.COMPLEX for arg in op.args):
            template = template.replace("math.", "cmath.")
        return [template, *(["math.pow({0}, {1})"] if op.name == "pow" and op.result.type.kind == Kind.REAL else [])]

    def is_guarded(self, op: Op, template: str, guards: Sequence[Check]) -> bool:
        """Whether the program expects of an operation what Python raises by itself."""
        held, whole = self.held(op.args), _whole(op.args)
        raised = set(native.failures(template, held, whole).values()) if not _has_attributes(template) else set()
        return bool(raised) and any(check.error in raised and self.is_implied(check, op, template, held, whole) for check in guards)

    def spell(self, op: Op, template: str, flavour: str) -> None:
        """Note a spelling."""
        self.templates[op.result] = template
        self.flavours[op.result] = flavour if op.result.type.kind > Kind.BOOL else PY

    def mixed(self, op: Op, template: str, args: Sequence[Value], flavours: set[str], either: bool) -> None:
        """An operator that meets numbers of NumPy does not raise; if all may be Python's, one is made NumPy's."""
        if either or NP in flavours or not native.can_raise(template, self.held(args), _whole(args)):
            self.spell(op, template, NP if NP in flavours else MIXED)
        else:
            self.spell(op, template, NP)
            self.converted.add(op.result)

    def plain(self, op: Op, args: Sequence[Value], guards: Sequence[Check]) -> None:
        """Python's own numbers, or a function of `math`: what it raises needs no check, and what has no check must not raise."""
        held, whole = self.held(args), _whole(args)
        best: tuple[int, str, list[Check]] = (-1, "", [])
        for candidate in self.spellings(op):
            implied = [check for check in guards if self.is_implied(check, op, candidate, held, whole)]
            if len(implied) > best[0]:
                best = (len(implied), candidate, implied)
        _, template, implied = best
        raised = set(native.failures(template, held, whole).values()) if not _has_attributes(template) else set()
        if op.name == "pow" and any(check.error in OURS for check in guards):
            raised -= {"TypeError"}
        if raised <= {check.error for check in implied}:
            self.spell(op, template, PY)
            if not _is_call(template) and any(self.flavour(arg) != PY for arg in args):
                self.plained.add(op.result)
            self.implied.update(map(id, implied))
            if implied and raised:
                self.anchored.add(op.result)
        elif _is_call(template):
            self.spell(op, TABLE[op.name].numpy, NP)
        else:
            self.spell(op, template, NP)
            self.converted.add(op.result)

    def held(self, args: Sequence[Value]) -> tuple[Any, ...]:
        """The operands that are known."""
        return tuple(self.known(arg) for arg in args)

    def is_implied(self, check: Check, op: Op, template: str, held: tuple[Any, ...], whole: tuple[bool, ...]) -> bool:
        """Whether the spelling raises what the check raises."""
        if _has_attributes(template) or check.error in OURS:
            return False
        if check.span != op.span and check.message not in native.messages(template, held, whole):
            return False  # the user's own words
        texts = dict(zip(op.args, native.NAMES, strict=False)) | {op.result: "r"}
        question = self.question(check.ok, texts)
        return question is not None and native.implies(template, held, whole, question.text, check.error)

    def question(self, value: Value, texts: Mapping[Value, str], depth: int = DEEP) -> Text | None:
        """A condition as a text in the operands of an operation, None if it asks for anything else."""
        if value in texts:
            return Text(texts[value])
        number = self.known(value)
        if number is not None:
            return literal(number)
        op = self.ops.get(value)
        if op is None or depth == 0 or value.type.shape or op.name in ("const", "weight"):
            return None
        operands = []
        for arg in op.args:
            operand = self.question(arg, texts, depth - 1)
            if operand is None:
                return None
            operands.append(operand)
        return fill(TABLE[op.name].python, operands, dict(op.attrs))


def _whole(args: Sequence[Value]) -> tuple[bool, ...]:
    return tuple(arg.type.kind <= Kind.INT for arg in args)


def _is_call(template: str) -> bool:
    return template.startswith(("math.", "cmath.", "float(", "int(", "bool(", "complex(", "round("))


@functools.cache
def _has_attributes(template: str) -> bool:
    return any(f"{{{name}" in template for name in ("digits", "axis", "key", "order", "branch", "shape", "sub", "path", "*"))
