"""Which values are written where they are used, and which share a variable.

Values that a branch or a loop hands on share a variable where their lives do not overlap, so that `x = x - step` comes back as one `x`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from deepalgo.backends.source.body import all_blocks
from deepalgo.backends.source.exits import Stop, inner_blocks, made_by, read_by
from deepalgo.backends.source.exits import captured_by as captured
from deepalgo.backends.source.facts import BodyFacts
from deepalgo.backends.source.numbers import is_fixed_item
from deepalgo.ir import Block, Check, If, Loop, Op, Try, Value, While
from deepalgo.lower.repeated_views import repeated_views
from deepalgo.ops.table import TABLE

#: Operations in both arms together up to which a choice is written in one line.
SHORT = 4


class Layout:
    """`inline` are the operations without a variable, `choices` the branches that are expressions, `home` the variable of each value."""

    def __init__(self, facts: BodyFacts, inputs: Sequence[Value], batched: bool = False) -> None:
        self.facts = facts
        self.inputs = inputs
        self.batched = batched
        self.choices: set[Value] = set()
        self.inline: set[Value] = set()
        self.branches: dict[Value, If] = {}
        self.rereads = repeated_views(facts.ops.values())
        self.decide(facts.body)
        self.apart: dict[Value, set[Value]] = {}
        self.always: set[Value] = set()
        self.after: list[set[Value]] = []
        self.entered: set[Value] = set()
        live = self.walk(facts.body, self.read(facts.body.results))
        self.meet(inputs, live)
        self.home: dict[Value, Value] = {}
        self.called: dict[Value, str] = {}
        self.share()
        pairs = [(target, source) for target, source in self.handed_on() if not self.changes(source, target)]
        self.lent = {source for target, source in pairs if self.root(target) != self.root(source)}

    def decide(self, block: Block) -> None:
        """Decide for the operations and branches of a block, those inside first."""
        here: Counter[Value] = Counter(block.results)
        single: set[Value] = set()
        for statement in block.body:
            here.update(read_by(statement))
            if isinstance(statement, Op) and self.repeats(statement):
                single.update(statement.args)
            for inner in inner_blocks(statement):
                self.decide(inner)
        for statement in block.body:
            if isinstance(statement, If) and self.is_choice(statement):
                (result,) = statement.results
                self.choices.add(result)
                self.branches[result] = statement
                if self.is_used_here(result, here, single):
                    self.inline.add(result)
            elif isinstance(statement, Op) and self.is_used_here(statement.result, here, single):
                self.inline.add(statement.result)
            elif isinstance(statement, (Loop, While)):
                self.assign_at_the_end(statement.body, statement.body.params[-len(statement.results) :] if statement.results else ())

    def assign_at_the_end(self, body: Block, params: tuple[Value, ...]) -> None:
        """What a round hands on is assigned at its end, where something needs the old value until then: `a, b = b, a % b`."""
        places = {statement.result: place for place, statement in enumerate(body.body) if isinstance(statement, Op)}
        before = -1
        while before != len(self.inline):
            before = len(self.inline)
            for param, after in zip(params, body.results, strict=True):
                if after in places and self.facts.uses[after] == 1 and self.is_read_later(body, places[after], param, after):
                    self.inline.add(after)

    def is_read_later(self, body: Block, place: int, param: Value, after: Value) -> bool:
        """Whether a value is read behind a place of a block, other than to compute what comes after it."""
        for statement in body.body[place + 1 :]:
            values = (*read_by(statement), *(value for inner in inner_blocks(statement) for value in captured(inner)))
            if not (isinstance(statement, Op) and statement.result in self.inline) and param in self.read(values):
                return True
        return param in self.read(value for value in body.results if value != after)

    def repeats(self, op: Op) -> bool:
        """Whether the spelling names an operand more than once."""
        template = self.facts.templates.get(op.result, "")
        return ("{*}" in template and "{0}" in template) or any(template.count(f"{{{place}}}") > 1 for place in range(len(op.args)))

    def is_used_here(self, value: Value, here: Counter[Value], single: set[Value]) -> bool:
        """Whether a value has no name and one use, in its own block."""
        op = self.facts.ops.get(value)
        if op is not None and TABLE[op.name].replaces:
            return False
        return (not value.name or value in self.rereads) and here[value] == 1 and self.facts.uses[value] == 1 and value not in single

    def is_choice(self, branch: If) -> bool:
        """Whether a branch is short enough for one line."""
        if len(branch.results) != 1:
            return False
        size = 0
        for arm in (branch.then, branch.orelse):
            for statement in arm.body:
                if not isinstance(statement, (Op, If)) or self.is_stored_in(statement):
                    return False
                size += not self.is_atom(statement)
        return size <= SHORT

    def is_atom(self, statement: object) -> bool:
        """Whether an operation is written wherever it is used: a constant, a weight without a variable, an item of a table."""
        match statement:
            case Op() if statement.is_const:
                return True
            case Op(result) if statement.is_weight:
                return not result.name or bool(result.type.shape)
            case Op(args=(table,)) if is_fixed_item(statement):
                return table in self.facts.tables and self.is_atom(self.facts.ops[table])
            case _:
                return False

    def is_stored_in(self, statement: Op | If) -> bool:
        """Whether a statement of an arm needs a line of its own."""
        if isinstance(statement, If):
            return len(statement.results) != 1 or statement.results[0] not in self.inline
        return not self.is_atom(statement) and statement.result not in self.inline

    def is_stored(self, value: Value) -> bool:
        """Whether a value has a variable."""
        op = self.facts.ops.get(value)
        return value not in self.inline and (op is None or not self.is_atom(op))

    def read(self, values: Iterable[Value]) -> set[Value]:
        """The stored values that are read when these are written."""
        found: set[Value] = set()
        for value in values:
            if self.is_stored(value):
                found.add(value)
            elif value in self.choices:
                found |= self.read_choice(self.branches[value])
            elif value in self.inline:
                found |= self.read(self.facts.ops[value].args)
        return found

    def read_choice(self, branch: If) -> set[Value]:
        """What a choice in one line reads."""
        return self.read((branch.condition, *branch.then.results, *branch.orelse.results))

    def meet(self, values: Iterable[Value], live: set[Value]) -> None:
        """Values that are defined while others live; they are defined at the same time."""
        made = [value for value in values if self.is_stored(value)]
        for value in made:
            others = (live | self.always | set(made)) - {value}
            self.apart.setdefault(value, set()).update(others)
            for other in others:
                self.apart.setdefault(other, set()).add(value)

    def walk(self, block: Block, live: set[Value]) -> set[Value]:
        """What lives before a block, given what lives after it."""
        for statement in reversed(block.body):
            live = self.before(statement, live)
        return live

    def before(self, statement: object, live: set[Value]) -> set[Value]:
        """What lives before a statement."""
        match statement:
            case Op(result):
                if not self.is_stored(result):
                    return live
                self.meet((result,), live)
                return (live - {result}) | self.read(statement.args)
            case Check(ok, _, _, operands):
                return live | self.read((ok, *operands))
            case Stop(condition, block, targets):
                end = self.read(block.results) | (self.after[-1] if targets is not None else set())
                return live | self.walk(block, end) | self.read((condition,))
            case If(results, condition, then, orelse):
                if results and results[0] in self.choices:
                    if results[0] in self.inline:
                        return live
                    self.meet(results, live)
                    return (live - set(results)) | self.read_choice(statement)
                self.meet(results, live)
                base = live - set(results)
                arms = [self.walk(arm, base | self.read(arm.results)) for arm in (then, orelse)]
                return arms[0] | arms[1] | self.read((condition,))
            case Loop(results, _, init, body):
                return self.rounds(results, init, None, body, body.params[1:], live)
            case While(results, init, test, body):
                return self.rounds(results, init, test, body, body.params, live)
            case Try(results, body, handlers):
                self.meet(results, live)
                base = live - set(results)
                caught: set[Value] = set()
                for handler in handlers:
                    caught |= self.walk(handler.block, base | self.read(handler.block.results))
                outer, self.always = self.always, self.always | caught
                inside = self.walk(body, base | self.read(body.results))
                self.always = outer
                return inside | caught
            case _:
                raise AssertionError(statement)

    def rounds(
        self,
        results: tuple[Value, ...],
        init: tuple[Value, ...],
        test: Block | None,
        body: Block,
        params: tuple[Value, ...],
        live: set[Value],
    ) -> set[Value]:
        """A loop: what lives at its head lives through all of it."""
        self.meet(results, live)
        base = live - set(results)
        endless = test is not None and self.facts.known(test.results[0]) is True
        leaving = base | {param for param, result in zip(params, results, strict=True) if result in live and not endless}
        self.after.append(base)
        tested = test.params if test is not None else ()
        head = set(leaving)
        while True:
            inside = self.walk(body, (head - {*body.params, *tested}) | base | self.read(body.results))
            first = inside | leaving
            if test is not None:
                same = dict(zip(body.params, tested, strict=True))
                first = self.walk(test, {same.get(value, value) for value in first} | self.read(test.results))
            if first <= head:
                break
            head |= first
        self.after.pop()
        self.meet(body.params, head - set(tested))
        twins = zip(params, tested or params, strict=True)
        self.entered.update(result for result, pair in zip(results, twins, strict=True) if head & set(pair))
        return (head - {*body.params, *tested}) | self.read(init)

    def share(self) -> None:
        """Let values share a variable: those of a loop always, others if they never live at the same time."""
        self.christen()
        for results, params in self.carried():
            for result, twins in zip(results, zip(*params, strict=True), strict=True):
                for twin in twins:
                    self.union(result, twin)
        for first, second in self.handed_on():
            if self.is_stored(first) and self.is_stored(second) and self.may_share(first, second):
                self.union(first, second)
        for values in self.namesakes():
            variables: list[Value] = []
            for value in filter(self.is_stored, values):
                for other in variables:
                    if self.may_share(other, value):
                        self.union(other, value)
                variables = list(dict.fromkeys(map(self.root, (*variables, value))))

    def christen(self) -> None:
        """Call the result of a branch what most of the values are called that it may be."""
        for block in all_blocks(self.facts.body):
            for statement in block.body:
                if not isinstance(statement, If) or (statement.results and statement.results[0] in self.choices):
                    continue
                inside = {
                    value
                    for arm in (statement.then, statement.orelse)
                    for inner in all_blocks(arm)
                    for op in inner.body
                    for value in made_by(op)
                }
                for result in statement.results:
                    votes = Counter(self.votes(result, statement, inside))
                    if not result.name and votes:
                        name, count = votes.most_common(1)[0]
                        if count > 1:
                            self.called[result] = name

    def votes(self, result: Value, branch: If, inside: set[Value]) -> Iterator[str]:
        """Names of what a result may be; those made in the branch count twice."""
        place = branch.results.index(result)
        for arm in (branch.then, branch.orelse):
            value = arm.results[place]
            inner = next((item for item in arm.body if isinstance(item, If) and value in item.results), None)
            if value.name or inner is None:
                yield from [value.name] * (1 + (value in inside)) if value.name else []
            else:
                yield from self.votes(value, inner, inside)

    def name(self, value: Value) -> str:
        """What the user, or most of the values that it may be, call a value."""
        return "i" if value.name == "round" else value.name or self.called.get(value, "")

    def carried(self) -> Iterator[tuple[tuple[Value, ...], tuple[tuple[Value, ...], ...]]]:
        """Of each loop its results, and the params that stand for the same variables."""
        for block in all_blocks(self.facts.body):
            for statement in block.body:
                match statement:
                    case Loop(results, _, _, body):
                        yield results, (body.params[1:],)
                    case While(results, _, test, body):
                        yield results, (test.params, body.params)

    def handed_on(self) -> Iterator[tuple[Value, Value]]:
        """Pairs of which one is assigned to the other."""
        for block in all_blocks(self.facts.body):
            for statement in block.body:
                match statement:
                    case Op(result, name, (array, *_)) if TABLE[name].replaces:
                        yield array, result
                    case Loop(results, _, init, body):
                        yield from zip(results, body.results, strict=True)
                        yield from zip(results, init, strict=True)
                    case While(results, init, _, body):
                        yield from zip(results, body.results, strict=True)
                        yield from zip(results, init, strict=True)
                    case If(results, _, then, orelse):
                        yield from zip(results, then.results, strict=True)
                        yield from zip(results, orelse.results, strict=True)
                    case Try(results, body, handlers):
                        yield from zip(results, body.results, strict=True)
                        for handler in handlers:
                            yield from zip(results, handler.block.results, strict=True)
                    case Stop(block=inner, targets=tuple() as targets):
                        yield from zip(targets, inner.results, strict=True)

    def changes(self, value: Value, array: Value) -> bool:
        """Whether a value is an array with other numbers at some places."""
        op = self.facts.ops.get(value)
        return op is not None and TABLE[op.name].replaces and op.args[0] == array

    def is_own(self, value: Value) -> bool:
        """Whether nothing else holds the numbers of an array, so that it may be changed in place once it is not needed any more."""
        return self.facts.is_own(value) and value not in self.lent

    def namesakes(self) -> list[list[Value]]:
        """The values of each name."""
        found: dict[str, list[Value]] = {}
        for value in self.apart:
            if name := self.name(value):
                found.setdefault(name, []).append(value)
        return list(found.values())

    def root(self, value: Value) -> Value:
        """The value that stands for all that share its variable."""
        found = value
        while found in self.home:
            found = self.home[found]
        if found != value:
            self.home[value] = found
        return found

    def is_alone(self, value: Value) -> bool:
        """Whether a value shares its variable with no other."""
        return value not in self.home and value not in self.home.values()

    def union(self, first: Value, second: Value) -> None:
        """Let two values share a variable."""
        kept, gone = self.root(first), self.root(second)
        if kept == gone:
            return
        if not self.name(kept) and self.name(gone):
            kept, gone = gone, kept
        self.home[gone] = kept
        moved = self.apart.pop(gone, set())
        self.apart.setdefault(kept, set()).update(moved)
        for other in moved:
            self.apart[other].discard(gone)
            self.apart[other].add(kept)

    def may_share(self, first: Value, second: Value) -> bool:
        """Whether two values never live at the same time, and a reader would call them the same."""
        one, other = self.root(first), self.root(second)
        if one == other or (one.type.shape != other.type.shape and not self.batched):
            return False
        name, twin = self.name(one), self.name(other)
        if (name or twin) and name != twin and (name and twin or not {one, other}.isdisjoint(self.inputs)):
            return False
        return other not in self.apart.get(one, ())
