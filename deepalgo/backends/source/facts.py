"""Find how each operation is written: as Python's or NumPy's, whether that raises by itself, and which numbers it gives.

A number of the program is a Python number or one of NumPy, and they fail in different ways: `1.0 / 0.0` raises, `np.float64(1.0) / 0.0`
is infinite. The program says whose each operation is and which checks stand for what it raises; here the spelling is chosen that does it,
and those checks are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deepalgo.backends.source.body import ROUNDING, all_blocks, count_uses, everything, fuse, without
from deepalgo.backends.source.exits import Stop, read_by
from deepalgo.backends.source.numbers import FixedNumbers, is_list
from deepalgo.ir import Block, By, Check, If, Kind, Loop, Op, Role, Statement, Try, Value, While
from deepalgo.ir.compute import spelling
from deepalgo.ops.table import TABLE

PY, NP, MIXED = "py", "np", "mixed"
#: Errors that say what the network cannot do and Python can: large integers, and results of another kind.
OURS = {
    "IntegerTooLarge", "ComplexResult", "FloatResult", "RealResult", "PythonOrNumPy", "OrderOfNaN", "ComplexEdge", "SameNaN", "LargeOrder",
    "ComplexEigenvalues", "EndlessMatrix",
}


class BodyFacts(FixedNumbers):
    """Facts about the operations of a body, given the values of weights and the inputs that are numbers of NumPy."""

    def __init__(self, body: Block, weights: Mapping[str, Any], numpy: Mapping[Value, bool], roles: Mapping[str, Role]) -> None:
        body = fuse(body)
        super().__init__(body, weights)
        self.roles = roles
        self.uses = count_uses(body)
        self.shared = {arg for op in self.ops.values() if TABLE[op.name].views and op.result.type.shape for arg in op.args}
        self.asking = _asking(body)
        self.decided = {op.args[0] for op in self.ops.values() if op.name == "no_overflow" and op.result not in self.asking}
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
        """Whether no other operation's result can hold the numbers of an array."""
        op = self.ops.get(value)
        return op is not None and not (TABLE[op.name].views or op.is_weight) and value not in self.shared

    def block(self, block: Block) -> None:
        """Note all statements of a block in order."""
        guards: dict[int, list[Check]] = {}
        for statement in block.body:
            if isinstance(statement, Check) and statement.guard:
                guards.setdefault(statement.guard, []).append(statement)
        for statement in block.body:
            match statement:
                case Op():
                    self.op(*self.told(statement, guards.get(statement.guard, ()) if statement.result not in self.asking else ()))
                case Check():
                    if statement.error in OURS:
                        self.implied.add(id(statement))
                case _:
                    self.region(statement)

    def told(self, op: Op, guards: Sequence[Check]) -> tuple[Op, Sequence[Check]]:
        """An operation with its checks; one that must not raise OverflowError, as a branch asks for it, without its guard."""
        raises = any(check.error == "OverflowError" for check in guards)
        return (replace(op, guard=0) if op.result in self.decided and not raises else op), guards

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
        if op.is_const or op.is_weight or op.result in self.tables:
            return
        if row.item and op.args[0] in self.tables:
            self.templates[op.result] = row.numpy
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
        found = {self.flavour(arg) for arg in op.args} if is_list(op) else {PY}
        return found.pop() if len(found) == 1 else MIXED

    def imply(self, guards: Sequence[Check], op: Op) -> None:
        """Leave out the checks that say what the operation raises by itself."""
        found = [check for check in guards if check.error in TABLE[op.name].raises]
        self.implied.update(map(id, found))
        if found:
            self.anchored.add(op.result)

    def scalar(self, op: Op, guards: Sequence[Check]) -> None:
        """An operation on single numbers."""
        row, template = TABLE[op.name], self.spelling(op, guards)
        flavours = {self.flavour(arg) for arg in op.args}
        if template.startswith(("np.", "scipy.")):
            self.spell(op, template, NP)
        elif row.means and " if " in row.python and flavours != {PY}:  # NumPy has a function for what Python writes as a choice
            self.spell(op, row.numpy, NP)
        elif row.chooses:
            held = {self.flavour(arg) for arg in op.args[row.apart :]}
            self.spell(op, template, held.pop() if len(held) == 1 else MIXED)
        elif op.result.type.kind == Kind.COMPLEX or Kind.COMPLEX in (arg.type.kind for arg in op.args):
            self.spell(op, template, NP if NP in flavours else PY)
            if flavours == {PY}:
                self.imply(guards, op)
        elif _is_call(template):
            self.function(op, template, guards)
        else:
            self.operator(op, template, flavours, guards)

    def spelling(self, op: Op, guards: Sequence[Check]) -> str:
        """How an operation on Python's numbers is written."""
        if rounding := dict(op.attrs).get(ROUNDING):
            return str(rounding)
        if op.name == "pow" and any(check.message.startswith("math ") for check in guards):  # `**` has other words
            return "math.pow({0}, {1})"
        return spelling(TABLE[op.name], [arg.type.kind for arg in op.args])

    def function(self, op: Op, template: str, guards: Sequence[Check]) -> None:
        """A function of `math`, or one of NumPy's where the program does not expect it to raise."""
        raises = bool(TABLE[op.name].raises)
        if (op.by is By.NUMPY and (raises or op.result.type.kind > Kind.BOOL)) or (raises and not op.guard):
            self.spell(op, TABLE[op.name].numpy, NP)
        else:
            self.spell(op, template, PY)
            self.imply(guards, op)

    def operator(self, op: Op, template: str, flavours: set[str], guards: Sequence[Check]) -> None:
        """An operator raises between Python's numbers, and does not where one is NumPy's: an operand becomes what is asked for."""
        raises = TABLE[op.name].raises
        met = NP if NP in flavours else MIXED if MIXED in flavours else PY
        can_fail = any(check.error in raises for check in guards)
        if not raises or (op.by is By.PYTHON and op.guard and not can_fail):
            self.spell(op, template, met)
        elif op.by is By.NUMPY or not op.guard:
            self.spell(op, template, NP)
            if met != NP:
                self.converted.add(op.result)
        else:
            self.spell(op, template, PY)
            self.imply(guards, op)
            if met != PY:
                self.plained.add(op.result)

    def spell(self, op: Op, template: str, flavour: str) -> None:
        """Note a spelling."""
        self.templates[op.result] = template
        self.flavours[op.result] = flavour if op.result.type.kind > Kind.BOOL else PY


def _asking(body: Block) -> set[Value]:
    """Values that only the conditions of checks need, for what an operation raises by itself."""
    found, needed = set[Value](), {value for block in all_blocks(body) for value in block.results}
    for statement in reversed(list(everything(body))):
        match statement:
            case Check(guard=guard) if guard:
                found.add(statement.ok)
                needed.update(statement.operands)
            case Op(result, args=args) if result in found and result not in needed:
                found.update(args)
            case _:
                needed.update(read_by(statement))
    return found - needed


def _is_call(template: str) -> bool:
    return template.startswith(("math.", "cmath.", "float(", "int(", "bool(", "complex(", "round("))
