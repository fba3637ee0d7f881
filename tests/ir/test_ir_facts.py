"""What the engine of facts states holds: claims on small programs, and every fact at every place of random programs that are run."""

import copy
import math
import random
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import deepalgo as da
from deepalgo.backends.targets import SIMPLE
from deepalgo.errors import CompileError
from deepalgo.ir import Check, If, Kind, Loop, Op, Try, Type, While, defined, walk
from deepalgo.ir.catches import catches
from deepalgo.ir.compute import bring, compute
from deepalgo.ir.facts import Facts, Learning
from deepalgo.ir.facts.ranges import image_of_kinds
from deepalgo.ir.rewriter import Fresh
from deepalgo.lower.passes import run
from deepalgo.ops.table import TABLE
from tests.fuzz.generator import generate
from tests.fuzz.program import load
from tests.ops.test_ops_bounds import contains
from tests.support.build import Builder

INF = math.inf
FLAG, WHOLE = Type(Kind.BOOL), Type(Kind.INT)
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-9, -1e-300, 1e5, -1e30, 1e300, INF, -INF, math.nan]


# --- claims by name -------------------------------------------------------------------------------------------------------


def facts_of(build):
    """What is known at the end of a block that a function builds, and the values that it returns."""
    b = Builder()
    values = build(b)
    facts = Facts()
    for statement in b.stack[-1]:
        if isinstance(statement, Op):
            facts.note(statement)
        elif isinstance(statement, Check):
            facts.learn(statement.ok, True)
    return facts, values


def test_a_square_is_not_negative_unless_it_is_nan():
    def build(b):
        x = b.input("x")
        square = b.op("mul", x, x)
        return b.op("ge", square, 0.0), b.op("lt", square, 0.0)

    facts, (at_least, below) = facts_of(build)
    assert facts.truth(below) is False
    assert facts.truth(at_least) is None  # the square of NaN is not at least 0


def test_a_number_less_itself_is_zero_unless_it_is_infinite():
    def build(b):
        x = b.input("x")
        return b.op("eq", b.op("sub", x, x), 0.0), b.op("gt", b.op("sub", x, x), 0.0)

    facts, (equal, above) = facts_of(build)
    assert facts.truth(equal) is None
    assert facts.truth(above) is False


def test_a_comparison_of_a_number_with_itself_is_known_where_nan_is_no_matter():
    def build(b):
        x = b.input("x")
        return b.op("lt", x, x), b.op("ne", x, x)

    facts, (below, differs) = facts_of(build)
    assert facts.truth(below) is False
    assert facts.truth(differs) is None


def test_what_was_checked_holds_and_so_does_what_follows_from_it():
    def build(b):
        x = b.input("x")
        b.check(b.op("gt", x, 1.0), "ValueError", "small")
        return b.op("ne", x, 0.0), b.op("isnan", x), b.op("ge", b.op("sqrt", x), 0.5), b.op("gt", x, 2.0)

    facts, (nonzero, nan, root, large) = facts_of(build)
    assert [facts.truth(value) for value in (nonzero, nan, root, large)] == [True, False, True, None]


def test_what_was_checked_between_two_unknown_numbers_bounds_both():
    def build(b):
        x, y = b.input("x"), b.input("y")
        b.check(b.op("lt", x, y), "ValueError", "order")
        b.check(b.op("lt", y, 0.0), "ValueError", "sign")
        b.check(b.op("lt", x, y), "ValueError", "order, again")
        return b.op("lt", x, 0.0), b.op("lt", y, x)

    facts, (negative, _) = facts_of(build)
    assert facts.truth(negative) is True


def test_a_false_comparison_says_nothing_about_a_number_next_to_nan():
    b = Builder()
    x, y = b.input("x"), b.input("y")
    above, low = b.op("gt", x, y), b.op("le", y, 1.0)
    facts = Facts()
    for op in b.stack[-1]:
        facts.note(op)
    facts.learn(low, False)  # y may be NaN
    facts.learn(above, False)
    assert facts.range(x).high == INF


def test_finite_numbers_are_known_after_the_question():
    def build(b):
        x = b.input("x")
        b.check(b.op("isfinite", x), "ValueError", "infinite")
        return b.op("isinf", b.op("neg", x)), b.op("eq", b.op("sub", x, x), 0.0), b.op("isfinite", b.op("add", x, x))

    facts, (infinite, zero, total) = facts_of(build)
    assert [facts.truth(value) for value in (infinite, zero, total)] == [False, True, None]


def test_one_side_of_an_or_follows_from_the_other():
    def build(b):
        p, q = b.input("p", FLAG), b.input("q", FLAG)
        b.check(b.op("or", p, q), "ValueError", "")
        b.check(b.op("not", p), "ValueError", "")
        b.check(b.op("or", p, q), "ValueError", "")
        either = b.op("or", p, q)
        b.check(b.op("and", either, b.op("not", p)), "ValueError", "")
        return (q,)

    facts, (q,) = facts_of(build)
    assert facts.truth(q) is True


def test_powers_of_negative_zero_are_not_taken_for_positive():
    def f(x):
        return math.sqrt(np.sqrt(x) ** -1.0)

    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="math domain error"):
        f(np.float64(-0.0))
    with pytest.raises(da.HeuristicError, match="the heuristic raises ValueError: math domain error"):
        da.compile(f, example=((np.float64(1.0),), {}))(-0.0)


def test_whole_numbers_have_steps_of_one():
    def build(b):
        n = b.input("n", WHOLE)
        b.check(b.op("gt", n, 2), "ValueError", "few")
        return b.op("ge", n, 3), b.op("gt", n, 3)

    facts, (three, more) = facts_of(build)
    assert [facts.truth(value) for value in (three, more)] == [True, None]


def test_long_conditions_are_looked_into_without_calls_inside_of_calls():
    b = Builder()
    parts = [b.input(f"p{place}", FLAG) for place in range(5000)]
    whole = parts[0]
    for part in parts[1:]:
        whole = b.op("and", whole, part)
    facts = Facts()
    for op in b.stack[-1]:
        facts.note(op)
    facts.learn(whole, True)
    assert all(facts.truth(part) is True for part in parts)


def test_what_an_arm_learned_is_forgotten_behind_it():
    b = Builder()
    x = b.input("x")
    positive = b.op("gt", x, 0.0)
    facts = Facts()
    for op in b.stack[-1]:
        facts.note(op)
    before = facts.range(x)
    facts.enter()
    facts.learn(positive, True)
    assert facts.truth(positive) is True and facts.range(x) != before
    facts.leave()
    assert facts.truth(positive) is None and facts.range(x) == before


def test_what_was_learned_since_a_mark_is_forgotten_with_the_scopes_opened_since():
    b = Builder()
    p, q = b.input("p", FLAG), b.input("q", FLAG)
    facts = Facts()
    facts.learn(p, True)
    mark = facts.mark()
    facts.learn(q, True)
    facts.enter()
    facts.learn(p, False)
    facts.rewind(mark)
    assert (facts.truth(p), facts.truth(q), facts.depth) == (True, None, 1)
    facts.enter()
    facts.learn(q, False)
    assert facts.learned() == {q: False}


# --- every fact at every place of random programs -------------------------------------------------------------------------


class Recorder(Learning):
    """Notes what is known before each statement."""

    def __init__(self, program):
        super().__init__(Fresh.of(program), bounded=True)
        self.at, self.functions = {}, {}
        self.program(program)

    def statement(self, statement):
        conditions = [value for value in self.facts.ops if value.type.kind is Kind.BOOL]
        truths = {value: truth for value in conditions if (truth := self.facts.truth(value)) is not None}
        self.at[id(statement)] = dict(self.facts.ranges), {**truths, **self.facts.truths}, dict(self.facts.known)
        super().statement(statement)


class Stopped(Exception):
    """The run takes too long."""


class Failed(Exception):
    """A check failed."""


class Run:
    """Runs a program for one sample, and holds each fact against the values."""

    def __init__(self, program, recorder, inputs, weights):
        self.program, self.at, self.weights = program, recorder.at, weights
        self.env = dict(zip([item.value for item in program.inputs], inputs, strict=True))
        self.functions = recorder.functions
        self.steps = self.facts = 0

    def compare(self, statement):
        ranges, truths, known = self.at[id(statement)]
        for value, range in ranges.items():
            for number in np.ravel(self.env[value]).tolist() if value in self.env else ():
                self.facts += 1
                assert contains(range, number), f"{value} is {number}, not in {range}, before {statement}\n{self.program}"
        for value, truth in truths.items():
            if value in self.env:
                self.facts += 1
                assert np.all(np.asarray(self.env[value]) == truth), f"{value} is {self.env[value]}, not {truth}\n{self.program}"
        for value, number in known.items():
            if value in self.env:
                assert repr(self.env[value]) == repr(number), f"{value} is {self.env[value]}, not {number}\n{self.program}"

    def block(self, block):
        inside = {value for statement in block.body for value in defined(statement)}
        for value in inside:
            self.env.pop(value, None)
        for statement in block.body:
            self.steps += 1
            if self.steps > 3000:
                raise Stopped
            self.compare(statement)
            self.statement(statement)

    def hand_on(self, results, block):
        self.block(block)
        self.env.update(zip(results, [self.env[value] for value in block.results], strict=True))
        self.forget(block)

    def forget(self, block):
        """What a block defined is not to be seen behind it."""
        for statement in walk(block):
            for value in defined(statement):
                self.env.pop(value, None)

    def statement(self, statement):
        match statement:
            case Op():
                self.env[statement.result] = self.compute(statement)
            case Check(ok=ok):
                if not self.env[ok]:
                    raise Failed(statement)
            case If(results, condition, then, orelse):
                self.hand_on(results, then if self.env[condition] else orelse)
            case Loop(results, count, init, body):
                state = [self.env[value] for value in init]
                for index in range(count):
                    self.env.update(zip(body.params, [index, *state], strict=True))
                    self.block(body)
                    state = [self.env[value] for value in body.results]
                self.forget(body)
                self.env.update(zip(results, state, strict=True))
            case While(results, init, test, body):
                state = [self.env[value] for value in init]
                while True:
                    self.env.update(zip(test.params, state, strict=True))
                    self.block(test)
                    if not self.env[test.results[0]]:
                        break
                    self.env.update(zip(body.params, state, strict=True))
                    self.block(body)
                    state = [self.env[value] for value in body.results]
                self.env.update(zip(results, state, strict=True))
                self.forget(test)
                self.forget(body)
            case Try(results, body, handlers):
                try:
                    self.hand_on(results, body)
                except Failed as failed:
                    self.forget(body)
                    check = failed.args[0]
                    fitting = [handler.block for handler in handlers if catches(handler.catches, check.error, check.bases)]
                    if not fitting:
                        raise
                    self.hand_on(results, fitting[0])

    def compute(self, op):
        if op.name == "const":
            return bring(op.attrs[0][1], op.result.type)
        if op.name == "weight":
            return bring(self.weights[op.attr("key")], op.result.type)
        if op not in self.functions:
            self.functions[op] = compute(op)
        return self.functions[op](*(self.env[arg] for arg in op.args))


def hold(program, chance, runs):
    """Hold the facts about a program against runs of it; how many were held against a value."""
    recorder, held = Recorder(program), 0
    for _ in range(runs):
        weights = {weight.key: weight.value for weight in program.weights}
        if chance.random() < 0.3:
            weights = {key: value if isinstance(value, tuple) else chance.choice([0.0, -1.0, 3.0, value]) for key, value in weights.items()}
        inputs = [some_number(chance, item.value.type) for item in program.inputs]
        run = Run(program, recorder, inputs, weights)
        try:
            run.block(program.body)
        except (Stopped, Failed):
            pass
        held += run.facts
    return held


def some_number(chance, type):
    def one():
        return chance.choice(EDGES) if chance.random() < 0.4 else chance.uniform(-4.0, 4.0)

    if type.kind is Kind.REAL:
        return np.array([one() for _ in range(math.prod(type.shape))]).reshape(type.shape) if type.shape else one()
    return bring(np.array([chance.randint(-3, 5) for _ in range(math.prod(type.shape))]).reshape(type.shape), type)


def programs(seed, kind):
    """The program that a seed's function is staged as, and what is left of it for torch."""
    drafted = generate(seed, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(drafted.source)
        function = load(drafted.source, str(file))[drafted.entry]
        try:
            program = da.compile(function, example=copy.deepcopy(drafted.call(0))).program
        except CompileError:
            return ()
    return program, run(SIMPLE, program)


def holding(seeds, kind, runs):
    held = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for seed in seeds:
            for program in programs(seed, kind):
                held += hold(program, random.Random(f"facts {kind} {seed}"), runs)
    return held


@pytest.mark.parametrize(("kind", "seeds"), [("edges", range(30)), ("scalar", range(3)), ("arrays", range(3))])
def test_every_fact_at_every_place_of_random_programs_holds(kind, seeds):
    assert holding(seeds, kind, 6) > 1000


def test_the_comparison_with_runs_finds_a_wrong_fact(monkeypatch):
    row = TABLE["mul"]
    wrong = {**TABLE, "mul": replace(row, bounds=lambda args, same: row.bounds(args, True))}
    monkeypatch.setattr("deepalgo.ir.facts.ranges.TABLE", wrong)
    b = Builder()
    x, y = b.input("x"), b.input("y")
    checked = b.op("isfinite", x)
    b.check(checked, "ValueError", "")
    product = b.op("mul", x, y)
    program = b.program(b.op("neg", product))
    image_of_kinds.cache_clear()
    with pytest.raises(AssertionError), np.errstate(all="ignore"):
        hold(program, random.Random(0), 50)
    image_of_kinds.cache_clear()


if __name__ == "__main__":  # python -m tests.ir.test_ir_facts edges 0 1000 20
    import sys

    kind_, first, last, runs_ = sys.argv[1], *map(int, sys.argv[2:])
    for seed_ in range(first, last):
        try:
            print(kind_, seed_, holding([seed_], kind_, runs_), flush=True)
        except AssertionError as error:
            print(kind_, seed_, "WRONG", str(error)[:3000], flush=True)
