"""A program as a graph: what has a name, or is used twice, is a node; everything else is written into the formula that uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from deepalgo.backends.targets import DRAWING
from deepalgo.drawing.boxes import FormulaBox, chip, row, space, subscript, text
from deepalgo.drawing.formula import ATOM, RELATION, SIGN, Term, cases, formula
from deepalgo.drawing.graph import Edge, Graph, Node, Region, Wire
from deepalgo.drawing.letters import PRIME, name_box, number_box
from deepalgo.drawing.uses import count_uses, find_wraps
from deepalgo.ir import (
    Attr,
    Block,
    Check,
    If,
    Kind,
    Loop,
    Op,
    Program,
    Restore,
    Rewind,
    Save,
    Try,
    Value,
    Weight,
    While,
    blocks,
    captured,
    leaves,
    walk,
)
from deepalgo.lower.passes import run
from deepalgo.lower.repeated_views import repeated_views
from deepalgo.ops.indexing import index_of
from deepalgo.ops.table import TABLE

#: A formula with more operations than this is cut into two.
LONGEST = 16
#: A condition wider than this stands in a node of its own, not in the title of its branch.
WIDEST = 16.0
MOST_ROUNDS = 60


def flow(program: Program, weights: Mapping[str, Any], unroll: bool = False) -> Graph:
    """The graph of a program; `weights` are the values to show."""
    return Drafter(run(DRAWING, program), weights, unroll).graph()


class Sheet:
    """A graph in the making, and the formulas of the values that can be seen in it."""

    def __init__(self, drafter: Drafter) -> None:
        self.drafter = drafter
        self.graph = Graph()
        self.terms: dict[Value, Term] = {}
        self.group: int | None = None
        self.pills: dict[Value, str] = {}
        self.taken: set[str] = set()

    def node(self, kind: str, box: FormulaBox, region: Region | None = None) -> str:
        """A new node in the group that is being drawn."""
        name = f"n{self.drafter.next()}"
        self.graph.nodes[name] = Node(kind, box, region, self.group if kind in ("formula", "region") else None)
        return name

    def place(self, term: Term, name: str) -> Term:
        """Make a node of a formula; what stands for it is its letter."""
        chosen = self.free(name)
        letter = name_box(chosen)
        return Term(letter, wires=frozenset({Wire(self.show(term), None, letter)}), name=chosen)

    def free(self, name: str) -> str:
        """A name that means nothing else here: with primes if need be, or a number where there is none."""
        name = name or f"t{self.drafter.letter()}"
        while name in self.taken:
            name += PRIME
        self.taken.add(name)
        return name

    def show(self, term: Term) -> str:
        """Make a node of a formula."""
        node = self.node("formula", term.box)
        self.connect(term, node)
        return node

    def connect(self, term: Term, target: str, entrance: int | None = None) -> None:
        """Edges from all that enters a formula."""
        wires = sorted((wire for wire in term.wires if isinstance(wire, Wire)), key=lambda wire: (int(wire.node[1:]), wire.exit or 0))
        self.graph.edges += [Edge(wire, target, entrance) for wire in wires]

    def last(self, term: Term) -> Term:
        """A formula on its way to a pill, which says what it is called: its own node, or a new one."""
        return term if len(term.wires) == 1 and term.size == 1 else Term(term.box, wires=frozenset({Wire(self.show(term))}))


class Drafter:
    """Goes through a program block by block."""

    def __init__(self, program: Program, weights: Mapping[str, Any], unroll: bool) -> None:
        self.program = program
        self.weights = {weight.key: weight for weight in program.weights}
        self.shown = weights
        self.unroll = unroll
        self.wraps = find_wraps(program.body)
        self.uses = count_uses(program.body, self.wraps)
        self.shared = {value for statement in walk(program.body) for block in blocks(statement) for value in captured(block)}
        self.made = {item.result: item for item in walk(program.body) if isinstance(item, Op)}
        #: What is never a node: helpers of wraps, views that are read again, and what the titles of loops are made of.
        self.written_out = {value for pair in self.wraps.values() for value in pair} | repeated_views(self.made.values())
        for loop in walk(program.body):
            if isinstance(loop, While):
                self.written_out |= {item.result for item in walk(loop.test) if isinstance(item, Op)}
        self.numbers = self.letters = 0

    def next(self) -> int:
        """The number of the next node."""
        self.numbers += 1
        return self.numbers

    def letter(self) -> int:
        """The number of the next signal without a name."""
        self.letters += 1
        return self.letters

    def graph(self) -> Graph:
        """The whole program."""
        sheet = Sheet(self)
        for item in self.program.inputs:
            letter = name_box(item.path) if item.path.isidentifier() else text(item.path, "italic")
            sheet.taken.add(item.path)
            sheet.terms[item.value] = Term(letter, wires=frozenset({Wire(sheet.node("input", letter))}), name=item.path)
        self.block(sheet, self.program.body)
        for value, label in zip(self.program.body.results, self.labels(), strict=True):
            sheet.connect(sheet.last(sheet.terms[value]), sheet.node("output", name_box(self.called(value)) if not label else text(label)))
        return _without_twins(sheet.graph)

    def called(self, value: Value) -> str:
        """The name of a value at a border; an answer without a name is the result."""
        return value.name or ("result" if value in self.program.body.results else f"t{self.letter()}")

    def labels(self) -> list[str]:
        """What the results are called, as far as the structure of the output says."""
        count = len([*leaves(self.program.output)])
        names = [""] if count == 1 else [f"result {number}" for number in range(1, count + 1)]
        return [*names, *(f"{path} after" for path in self.program.changes)]

    def block(self, sheet: Sheet, block: Block) -> None:
        """All statements of a block."""
        for statement in block.body:
            match statement:
                case Op():
                    self.op(sheet, statement)
                case If() if not (statement.then.body or statement.orelse.body):
                    self.choice(sheet, statement)
                case If():
                    self.branch(sheet, statement)
                case Loop():
                    self.unrolled(sheet, statement) if self.unroll and statement.count <= MOST_ROUNDS else self.loop(sheet, statement)
                case While():
                    self.repeat(sheet, statement)
                case Try():
                    self.attempt(sheet, statement)
                case Check():
                    pass
                case Save() | Restore() | Rewind():
                    raise AssertionError("only derivatives save and restore")
                case _:
                    assert_never(statement)

    def op(self, sheet: Sheet, op: Op) -> None:
        """One operation: part of a formula, or a node."""
        term = self.term(sheet, op)
        sheet.terms[op.result] = sheet.place(term, op.result.name) if self.is_node(op.result, term) else term

    def is_node(self, value: Value, term: Term) -> bool:
        """Whether a formula stands for itself: it has a name, is used at several places or by a region, or is long."""
        if term.size == 1 or not term.wires and term.size <= 3 or value in self.written_out:
            return False
        if value.name or value in self.shared:
            return True
        return self.uses[value] > 1 and term.size > 2 or term.size > LONGEST

    def term(self, sheet: Sheet, op: Op) -> Term:
        """The formula of an operation."""
        attrs = dict(op.attrs)
        if op.is_const:
            return _constant(attrs["value"])
        if op.is_weight:
            return self.weight(self.weights[str(attrs["key"])])
        if op.result in self.wraps:
            return sheet.terms[op.args[2]]
        if TABLE[op.name].takes and (entry := self.entry(sheet, op)) is not None:
            return entry
        if op.name == "eq" and op.args[0] == op.args[1]:
            known = sheet.terms[op.args[0]]
            return Term(row(known.box, text(" is a number")), RELATION, known.wires, known.size + 1)
        return formula(op.name, [sheet.terms[arg] for arg in op.args], attrs)

    def entry(self, sheet: Sheet, op: Op) -> Term | None:
        """One number of a table of weights."""
        made = self.made.get(op.args[0])
        key = dict(op.attrs).get("key") if len(op.args) == 1 else (sheet.terms[op.args[1]].value,)
        if made is None or not made.is_weight or op.result.type.shape or not isinstance(key, tuple) or None in key:
            return None
        weight = self.weights[str(made.attr("key"))]
        return self.number(weight, float(self.shown[weight.key][index_of(key)]))

    def weight(self, weight: Weight) -> Term:
        """A trained number on the colour of its role: its name where a person gave it one, else its value."""
        if weight.shape:
            size = "×".join(map(str, weight.shape))
            return Term(chip(row(name_box(weight.key), space(0.2), text(f"[{size}]").scaled(0.72)), role_of(weight)))
        return self.number(weight, float(self.shown[weight.key]))

    def number(self, weight: Weight, value: float) -> Term:
        """A number of a weight."""
        return Term(chip(number_box(value), role_of(weight)), number=True)

    def enter(self, sheet: Sheet, inner: Sheet, region: Region, values: Sequence[Value]) -> list[tuple[Term, int]]:
        """Let values into a region: a pill for each that has a wire; returns where they come from."""
        joined = []
        for value in dict.fromkeys(values):
            term = sheet.terms[value]
            if not term.wires:
                inner.terms[value] = term
            elif value not in inner.pills:
                joined.append((term, self.pill(inner, region, value, "input", term.name)))
        return joined

    def pill(self, inner: Sheet, region: Region, value: Value, kind: str, called: str) -> int:
        """A signal that enters through the border."""
        called = inner.free(called)
        box = name_box(called)
        name = inner.node(kind, box)
        inner.pills[value] = name
        inner.terms[value] = Term(box, wires=frozenset({Wire(name)}), name=called)
        region.inputs.append(name)
        return len(region.inputs) - 1

    def leave(self, inner: Sheet, region: Region, term: Term, called: str) -> None:
        """A signal that leaves through the border."""
        name = inner.node("output", name_box(called))
        region.names.append(called)
        inner.connect(term, name)
        region.outputs.append(name)

    def close(self, sheet: Sheet, region: Region, entries: Sequence[tuple[Term, int]], results: Sequence[Value]) -> None:
        """Put a finished region into the graph around it."""
        node = sheet.node("region", region.title, region)
        for term, entrance in entries:
            sheet.connect(term, node, entrance)
        for number, (result, pill) in enumerate(zip(results, region.outputs, strict=True)):
            called = sheet.free(region.names[number])
            region.graph.nodes[pill].box = box = name_box(called)
            sheet.terms[result] = Term(box, wires=frozenset({Wire(node, number)}), name=called)

    def choice(self, sheet: Sheet, branch: If) -> None:
        """A branch without anything in its arms is a formula with two cases."""
        condition = sheet.terms[branch.condition]
        for result, then, orelse in zip(branch.results, branch.then.results, branch.orelse.results, strict=True):
            terms = sheet.terms[then], sheet.terms[orelse]
            box = cases(((terms[0].box, condition.box), (terms[1].box, None)))
            term = Term(box, 0, condition.wires | terms[0].wires | terms[1].wires, condition.size + terms[0].size + terms[1].size + 1)
            sheet.terms[result] = sheet.place(term, result.name)

    def branch(self, sheet: Sheet, branch: If) -> None:
        """Two groups in one box."""
        title = self.condition(sheet, branch.condition)
        inner, region = self.open("if", row(text("if ", "sans"), space(0.15), title.box))
        entries = self.enter(sheet, inner, region, [*captured(branch.then), *captured(branch.orelse)])
        entries += self.mention(sheet, inner, region, title, entries)
        arms = [self.arm(inner, name, block) for name, block in (("yes", branch.then), ("no", branch.orelse))]
        self.merge(inner, region, branch.results, arms)
        self.close(sheet, region, entries, branch.results)

    def condition(self, sheet: Sheet, value: Value) -> Term:
        """What decides, short enough for a title."""
        term = sheet.terms[value]
        if term.box.width > WIDEST:
            sheet.terms[value] = term = sheet.place(term, value.name)
        return term

    def mention(
        self, sheet: Sheet, inner: Sheet, region: Region, title: Term, entries: Sequence[tuple[Term, int]]
    ) -> list[tuple[Term, int]]:
        """Let in what only the title mentions."""
        known = {wire for term, _ in entries for wire in term.wires}
        missing = [wire for wire in title.wires if isinstance(wire, Wire) and wire not in known]
        found = []
        for wire in sorted(missing, key=lambda wire: int(wire.node[1:])):
            name = inner.node("input", wire.label or _pill_of(wire, sheet))
            region.inputs.append(name)
            found.append((Term(text(""), wires=frozenset({wire})), len(region.inputs) - 1))
        return found

    def open(self, kind: str, title: FormulaBox, repeats: bool = False) -> tuple[Sheet, Region]:
        """An empty region."""
        inner = Sheet(self)
        return inner, Region(kind, title, inner.graph, repeats=repeats)

    def arm(self, inner: Sheet, title: str, block: Block) -> list[Term]:
        """One arm as a group; every result has a node in it."""
        outer_terms = dict(inner.terms)
        inner.graph.groups.append(title)
        inner.group = len(inner.graph.groups) - 1
        self.block(inner, block)
        pills = {Wire(name) for name in inner.pills.values()}
        found = []
        for value in block.results:
            term = inner.terms[value]
            through = term.wires <= pills and term.size == 1
            found.append(Term(term.box, wires=frozenset({Wire(inner.show(term))})) if through else inner.last(term))
        inner.group, inner.terms = None, outer_terms
        return found

    def merge(self, inner: Sheet, region: Region, results: Sequence[Value], arms: Sequence[Sequence[Term]]) -> None:
        """The results of the arms leave through the same pills."""
        for number, result in enumerate(results):
            terms = [arm[number] for arm in arms]
            wires = frozenset(wire for term in terms for wire in term.wires)
            self.leave(inner, region, Term(text(""), wires=wires), self.called(result))

    def attempt(self, sheet: Sheet, attempt: Try) -> None:
        """A group for what is tried, and one for each handler."""
        inner, region = self.open("try", text("try", "sans"))
        arms = [("try", attempt.body), *((f"if {' or '.join(item.catches)}", item.block) for item in attempt.handlers)]
        entries = self.enter(sheet, inner, region, [value for _, block in arms for value in captured(block)])
        self.merge(inner, region, attempt.results, [self.arm(inner, name, block) for name, block in arms])
        self.close(sheet, region, entries, attempt.results)

    def loop(self, sheet: Sheet, loop: Loop) -> None:
        """A box that is run through several times."""
        index, *params = loop.body.params
        letter = name_box(index.name) if index.name and index.name != "round" else text("n", "italic")
        counts = row(text(f"repeat {loop.count}×", "sans"))
        if self.uses[index]:
            counts = row(counts, text(",  ", "sans"), letter, text(f" = 0 … {loop.count - 1}"))
        inner, region = self.open("loop", counts, repeats=True)
        inner.terms[index] = Term(letter)
        entries = self.carry(sheet, inner, region, loop.init, params)
        entries += self.enter(sheet, inner, region, captured(loop.body))
        self.block(inner, loop.body)
        self.carry_out(inner, region, loop.body.results, params)
        self.close(sheet, region, entries, loop.results)

    def carry(self, sheet: Sheet, inner: Sheet, region: Region, init: Sequence[Value], params: Sequence[Value]) -> list[tuple[Term, int]]:
        """Carried values enter through filled pills; their first value has a node."""
        entries = []
        for first, param in zip(init, params, strict=True):
            entries.append((sheet.last(sheet.terms[first]), self.pill(inner, region, param, "carried", self.carried(param))))
        return entries

    def carried(self, param: Value) -> str:
        """What a carried value is called; a truth value without a name says whether to go on."""
        return param.name or ("go on" if param.type.kind == Kind.BOOL else f"t{self.letter()}")

    def carry_out(self, inner: Sheet, region: Region, results: Sequence[Value], params: Sequence[Value]) -> None:
        """What the next round begins with."""
        for value, param in zip(results, params, strict=True):
            self.leave(inner, region, inner.last(inner.terms[value]), inner.terms[param].name)

    def unrolled(self, sheet: Sheet, loop: Loop) -> None:
        """One box for every round."""
        index, *params = loop.body.params
        state = [sheet.last(sheet.terms[value]) for value in loop.init]
        for number in range(loop.count):
            inner, region = self.open("round", text(f"round {number + 1}", "sans"))
            inner.terms[index] = _constant(number)
            entries = [(term, self.pill(inner, region, param, "carried", self.carried(param)))
                       for term, param in zip(state, params, strict=True)]
            entries += self.enter(sheet, inner, region, captured(loop.body))
            self.block(inner, loop.body)
            self.carry_out(inner, region, loop.body.results, params)
            sheet.taken.difference_update(term.name for term in state if number)
            self.close(sheet, region, entries, loop.results)
            state = [sheet.terms[result] for result in loop.results]

    def repeat(self, sheet: Sheet, loop: While) -> None:
        """A box that is run through until a condition fails."""
        inner, region = self.open("while", text("while", "sans"), repeats=True)
        entries = self.carry(sheet, inner, region, loop.init, loop.body.params)
        for twin, param in zip(loop.test.params, loop.body.params, strict=True):
            inner.terms[twin] = inner.terms[param]
        entries += self.enter(sheet, inner, region, [*captured(loop.test), *captured(loop.body)])
        self.block(inner, loop.test)
        region.title = row(text("while ", "sans"), space(0.15), inner.terms[loop.test.results[0]].box)
        self.block(inner, loop.body)
        self.carry_out(inner, region, loop.body.results, loop.body.params)
        self.close(sheet, region, entries, loop.results)


def _pill_of(wire: Wire, sheet: Sheet) -> FormulaBox:
    node = sheet.graph.nodes[wire.node]
    if node.region is not None and wire.exit is not None:
        return node.region.graph.nodes[node.region.outputs[wire.exit]].box
    return node.box


def _constant(value: Attr) -> Term:
    if isinstance(value, tuple):
        shape = []
        inside: Attr = value
        while isinstance(inside, tuple):
            shape.append(len(inside))
            inside = inside[0] if inside else None
        return Term(subscript(text("const"), text("×".join(map(str, shape)))))
    assert isinstance(value, (bool, int, float, complex))
    return Term(number_box(value), SIGN if not isinstance(value, complex) and value < 0 else ATOM, number=True, value=value)


def role_of(weight: Weight) -> str:
    """By what a weight is coloured."""
    return "frozen" if weight.frozen else weight.role.value


def _without_twins(graph: Graph) -> Graph:
    """Drop pills at the rim of the figure that say no more than the pill of the only region they lead to or come from."""
    regions = {name for name, node in graph.nodes.items() if node.region is not None}
    for name, node in list(graph.nodes.items()):
        near = [edge for edge in graph.edges if name in (edge.source.node, edge.target)]
        if len(near) == 1 and node.kind in ("input", "output") and {near[0].source.node, near[0].target} & regions:
            del graph.nodes[name]
            graph.edges.remove(near[0])
    return graph
