"""Random programs answer as Python does; and the checker that says so is itself tried on wrong answers."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

import deepalgo as da
from deepalgo.backends.native import Engine
from deepalgo.errors import CompileError, HeuristicError
from deepalgo.ir import Interpreter
from tests.fuzz import campaign
from tests.fuzz.campaign import Outcome, examine, judge, run
from tests.fuzz.compare import check
from tests.fuzz.generator import ODD, generate
from tests.fuzz.log import Summary, page, section, sections_of, unbroken
from tests.fuzz.native import Comparison, Rounded
from tests.fuzz.oracle import Oracle
from tests.fuzz.program import Program
from tests.fuzz.registry import all_names
from tests.fuzz.shrink import shrink
from tests.fuzz.standin import Standin, standin
from tests.fuzz.verdict import Verdict
from tests.fuzz.weights import places

PER_CHUNK = 10
CHUNKS = [*range(5), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(5, 30))]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_programs_answer_as_python_does(chunk):
    outcomes = [examine(seed) for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)]
    failed = [(outcome.seed, outcome.verdict) for outcome in outcomes if outcome.verdict.failed]
    assert not failed, f"python -m tests.fuzz --program {failed[0][0]} shows it"
    refused = [(outcome.seed, outcome.verdict.detail) for outcome in outcomes if outcome.verdict.word == "refused"]
    assert len(refused) <= 1, refused


ARRAYS = [(10, 15), *(pytest.param(first, last, marks=pytest.mark.slow) for first, last in ((0, 10), (15, 20), (20, 70), (70, 120)))]


@pytest.mark.parametrize(("first", "last"), ARRAYS)
def test_random_programs_with_arrays_answer_as_python_does(first, last):
    # In a process of its own, as a campaign runs: what other tests leave behind must not matter.
    outcomes = run(list(range(first, last)), jobs=1, kind="arrays")
    failed = [(outcome.seed, outcome.verdict) for outcome in outcomes if outcome.verdict.failed]
    assert not failed, f"python -m tests.fuzz --kind arrays --program {failed[0][0]} shows it"
    refused = [(outcome.seed, outcome.verdict.detail) for outcome in outcomes if outcome.verdict.word == "refused"]
    assert len(refused) <= 1, refused


@pytest.mark.parametrize("kind", ["scalar", "arrays", "options", "edges"])
def test_native_code_computes_what_random_programs_mean(kind):
    verdicts = {seed: judge(generate(seed, kind), native=True) for seed in range(2 if kind in ("scalar", "arrays") else 12)}
    assert not {seed: verdict for seed, verdict in verdicts.items() if verdict.failed}, "python -m tests.fuzz --native shows it"
    assert sum(verdict.facts["native gradients"] for verdict in verdicts.values()) > len(verdicts) / 2


def test_gradients_of_native_code_are_compared_for_every_so_many_programs_and_the_account_has_a_section_of_its_own():
    outcomes = [examine(seed, kind="edges", native=2) for seed in (2, 3)]
    assert [outcome.verdict.facts["native programs"] for outcome in outcomes] == [1, 1]
    assert [outcome.verdict.facts["native gradients"] for outcome in outcomes] == [1, 0]
    sections = {kind: section(Summary(outcomes, kind), "make fuzz", 2, "0.1") for kind in ("edges", "native edges")}
    assert sections["native edges"].startswith("## Native code: infinities, NaN, negative zeros")
    assert sections_of(page(sections)) == sections


SMALL_CHUNKS = [*range(4), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(4, 20))]


@pytest.mark.parametrize("chunk", SMALL_CHUNKS)
@pytest.mark.parametrize("kind", ["options", "edges"])
def test_small_random_programs_answer_as_python_does(kind, chunk):
    outcomes = [examine(seed, kind=kind) for seed in range(25 * chunk, 25 * (chunk + 1))]
    failed = [(outcome.seed, outcome.verdict) for outcome in outcomes if outcome.verdict.failed]
    assert not failed, f"python -m tests.fuzz --kind {kind} --program {failed[0][0]} shows it"
    assert sum(outcome.verdict.word == "refused" for outcome in outcomes) <= 8


SMOOTH = Program(0, """
import math
GAIN = 0.75

def ramp(x, k=1.5):
    return k * x if x > 0.25 else math.sin(GAIN * x)

def heuristic(x, y):
    total = ramp(x)
    while total > 2.5:
        total = 0.5 * total - 0.125
    if y < 0.0:
        return total * y
    return total + math.sqrt(y)
""", "heuristic", tuple({"x": 0.37 * number - 2.0, "y": 0.61 * (number % 5) - 1.1} for number in range(9)), {})

RAISING = Program(0, """
import math

def heuristic(x):
    if x > 2.0:
        raise ValueError("too large")
    return math.log(x + 1.0)
""", "heuristic", ({"x": 0.5}, {"x": -1.5}, {"x": 3.0}, {"x": 1.5}), {})


def test_a_right_network_passes():
    verdict = check(SMOOTH, standin(SMOOTH))
    assert verdict.word == "ok", verdict
    assert verdict.facts["input slopes not zero"] > 10
    assert verdict.facts["literal slopes not zero"] >= 2
    verdict = check(RAISING, standin(RAISING))
    assert (verdict.word, verdict.facts["errors"]) == ("ok", 1)


def test_generated_programs_pass_when_python_itself_is_the_network():
    for seed in (3, 14, 15):
        program = generate(seed)
        program = replace(program, samples=program.samples[:8])
        assert check(program, standin(program)).word == "ok"


def spoiling(what, change):
    """Answer rightly but for one thing: one number of a list is changed."""

    def spoil(name, numbers):
        return [*numbers[:-1], change(numbers[-1])] if name == what else numbers

    return spoil


@pytest.mark.parametrize(("what", "change", "word"), [
    ("value 0", lambda number: number * (1 + 1e-9), "wrong"),
    ("value 0", lambda number: number + 1e-8, "wrong"),
    ("value 0", lambda number: math.nan, "wrong"),
    ("by x", lambda number: number * 1.001 + 1e-3, "wrong-gradient"),
    ("by y", lambda number: 0.0, "wrong-gradient"),
    ("by y", lambda number: math.nan, "nan-gradient"),
    ("by x", lambda number: math.inf, "nan-gradient"),
    ("by literal 0", lambda number: math.nan, "nan-gradient"),
    ("by literal 0", lambda number: number * 1.001, "wrong-gradient"),
])
def test_a_network_with_one_wrong_number_is_found_out(what, change, word):
    assert check(SMOOTH, standin(SMOOTH, spoiling(what, change))).word == word


@pytest.mark.parametrize("kind", ["scalar", "edges"])
def test_a_program_that_means_something_else_by_one_bit_is_found_out(monkeypatch, kind):
    program = Program(0, "def program(x):\n    return 3.0 * x\n", "program", ({"x": 1.5}, {"x": 0.7}), {}, frozenset(), kind, 1)
    assert judge(program).word == "ok"
    right = Interpreter.run

    def otherwise(*args, **options):
        outcome = right(*args, **options)
        return replace(outcome, output=math.nextafter(outcome.output, 9.0))

    monkeypatch.setattr(Interpreter, "run", otherwise)
    verdict = judge(program)
    assert verdict.word == "wrong" and verdict.reason.startswith("interpreted") and "4.500000000000001 instead of 4.5" in verdict.detail


def test_native_code_that_is_wrong_by_one_bit_or_in_a_slope_is_found_out(monkeypatch):
    program = Program(0, "def program(x):\n    return 3.0 * x\n", "program", ({"x": 1.5}, {"x": 0.7}), {})
    assert judge(program, native=True).word == "ok"
    forward, gradient = Engine.forward, Engine.gradient

    def near(*args):
        outcome = forward(*args)
        return replace(outcome, results=[np.nextafter(result, 9.0) for result in outcome.results])

    monkeypatch.setattr(Engine, "forward", near)
    assert (judge(program, native=True).word, judge(program, native=True).reason) == ("wrong", "native: other bits")
    monkeypatch.setattr(Engine, "forward", forward)
    for factor, word in ((1 + 1e-9, "wrong-gradient"), (math.nan, "nan-gradient")):

        def off(*args, factor=factor):
            found = gradient(*args)
            return replace(found, inputs=[array * factor for array in found.inputs])

        monkeypatch.setattr(Engine, "gradient", off)
        assert judge(program, native=True).word == word


def constants(x):
    return np.power(np.linspace(1.1, 3.0, 9), 7.5), math.pow(2.5, 7.5), np.add(x, 2.5)


def test_functions_of_constants_are_asked_for_other_roundings_and_exact_ones_are_not():
    program = da.compile(constants, example=((1.0,), {})).program
    found = [Comparison._meaning(made).run([0.3]).output for made in (program, Rounded(program, random.Random(0)).made())]
    powers, *others = zip(*found, strict=True)
    ulps = np.abs(powers[1] - powers[0]) / np.spacing(powers[0])
    assert (ulps >= 1).all() and (ulps <= 4).all()
    assert all(one == other for one, other in others)


def test_a_literal_that_is_no_weight_is_found_out():
    def compiler(function, example, **options):
        network = standin(SMOOTH)(function, example, **options)
        network.weights.entries = [entry for entry in network.weights.entries if entry.value != 0.75]
        return network

    verdicts = [check(replace(SMOOTH, seed=seed), compiler) for seed in range(12)]
    assert {(verdict.word, verdict.reason) for verdict in verdicts} >= {("wrong-gradient", "a literal is no weight")}


def test_a_number_where_python_raises_is_found_out():
    fills = standin(RAISING, lambda what, numbers: [0.0 if math.isnan(number) else number for number in numbers])
    verdict = check(RAISING, fills)
    assert (verdict.word, verdict.reason, verdict.sample) == ("wrong", "no NaN where Python raises ValueError", 1)


@pytest.mark.parametrize(("error", "samples", "reason"), [
    ("ValueError", [0], "ValueError for a sample that Python answers"),
    ("ZeroDivisionError", [1], "another error"),
    ("ValueError", [], "an error without samples"),
])
def test_a_wrong_complaint_is_found_out(error, samples, reason):
    class Complainer(Standin):
        def forward(self, *args, **kwargs):
            if self.errors == "raise":
                raise HeuristicError(error, "", span=None, samples=samples, size=4)
            return super().forward(*args, **kwargs)

    verdict = check(RAISING, lambda function, example, **options: Complainer(RAISING, options["errors"], lambda what, numbers: numbers, {}))
    assert (verdict.word, verdict.reason) == ("wrong", reason)


def test_an_error_that_is_not_reported_is_found_out():
    verdict = check(RAISING, lambda function, example, **options: standin(RAISING)(function, example, errors="nan"))
    assert (verdict.word, verdict.reason) == ("wrong", "no error")


def test_a_loop_that_settles_on_another_value_is_found_out():
    def compiler(function, example, **options):
        settled = spoiling("value 0", lambda number: number + 1e-3) if options["loops"] == "settle" else None
        return standin(SMOOTH, settled)(function, example, **options)

    verdict = check(SMOOTH, compiler)
    assert (verdict.word, verdict.reason) == ("wrong", "settle: another value")


def test_another_structure_is_found_out():
    class Pair(Standin):
        def forward(self, *args, **kwargs):
            return (super().forward(*args, **kwargs),)

    verdict = check(SMOOTH, lambda function, example, **options: Pair(SMOOTH, options["errors"], lambda what, numbers: numbers, {}))
    assert (verdict.word, verdict.reason) == ("wrong", "another structure")


def test_refusals_crashes_and_endless_compilers_have_words_of_their_own(monkeypatch):
    def refuse(function, example, **options):
        raise CompileError("`total` is a generator", span=None, remedy="Write a loop.")

    def crash(function, example, **options):
        return {}["rate7"]

    verdict = check(SMOOTH, refuse)
    assert (verdict.word, verdict.reason) == ("refused", "`...` is a generator")
    verdict = check(SMOOTH, crash)
    assert (verdict.word, verdict.reason) == ("crashed", "KeyError: '...'")
    monkeypatch.setattr("tests.fuzz.compare.check", lambda program: time.sleep(30))
    assert judge(SMOOTH, seconds=0.2).word == "slow"


def test_a_guard_that_an_ulp_decides_is_excused_and_counted():
    program = Program(0, "import math\ndef f(x):\n    return 1.0 if math.log(math.exp(x)) > x else 0.0\n", "f",
                      tuple({"x": 0.1 * number + 0.013} for number in range(9)), {})
    turned = check(program, standin(program, lambda what, numbers: [1.0 - n for n in numbers] if what == "value 0" else numbers))
    assert (turned.word, turned.facts["near ties"] > 0) == ("ok", True)


def test_cancellation_is_excused_only_as_far_as_an_ulp_reaches():
    program = Program(0, "import math\ndef f(x):\n    return (math.exp(x) - math.exp(x + 1e-9)) * 1e6\n", "f", ({"x": 1.25},), {})
    here = Oracle(program).results[0].value
    assert check(program, standin(program, spoiling("value 0", lambda number: number + 1e-10))).word == "ok"
    assert check(program, standin(program, spoiling("value 0", lambda number: number * 1.001))).word == "wrong", here


def test_differences_that_straddle_a_kink_or_a_jump_are_left_out():
    for text in ("abs(x)", "max(x, 0.0)", "math.floor(x)", "x % 1.0", "1.0 if x >= 0.0 else x", "math.copysign(2.0, x)", "round(x)",
                 "x // 0.5", "int(x > 0.0)", "(x > 0.0 and x) or 2.0", "math.fmod(x + 1.0, 1.0)", "math.sqrt(x * x)", "(x ** 2) ** 0.5",
                 "math.acos(math.cos(x))", "math.pow(x * x, 0.5)", "math.hypot(x, x)"):
        oracle = Oracle(Program(0, f"import math\ndef f(x):\n    return {text}\n", "f", ({"x": 0.0}, {"x": 0.3}), {}))
        left_out = oracle.input_slope(0, "x") is None
        assert left_out == (text != "round(x)"), text
        assert oracle.input_slope(1, "x") is not None, text


def test_literals_that_must_be_weights_are_those_a_compiler_can_see():
    source = "import math\nA = 1.5\nB = 2.0 * A\nT = (0.5, -0.25)\ndef f(x, k=0.75):\n    return x * 3.5 + k\ng = lambda t: t * 4.5\n"
    assert places(source) == {(2, 4), (4, 5), (4, 11), (5, 11), (6, 15), (7, 18)}


def test_samples_take_different_paths_and_few_raise():
    programs = [generate(seed) for seed in range(1000, 1150)]
    results = [Oracle(program).results for program in programs]
    different = [len({result.path for result in some if not result.error}) > 1 for some in results]
    raised = [bool(result.error) for some in results for result in some]
    assert sum(different) > 0.9 * len(programs)
    assert 0.005 < sum(raised) / len(raised) < 0.15
    assert not {result.error for some in results for result in some} & set(ODD)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("scalar", 2000), ("arrays", 600)])
def test_every_construct_is_in_more_than_half_a_percent_of_the_programs(kind, count):
    outcomes = [Outcome(seed, Verdict("ok"), generate(seed, kind).constructs, 0.0) for seed in range(count)]
    shares = dict(Summary(outcomes, kind).coverage())
    assert not [(name, shares[name]) for name in all_names(kind) if shares[name] <= 0.005]


@pytest.mark.parametrize("kind", ["options", "edges"])
def test_small_programs_are_generated_anew_from_their_seed(kind):
    assert generate(11, kind) is not generate(11, kind)
    assert [generate(seed, kind).source for seed in range(20)] == [generate(seed, kind).source for seed in range(20)]


def test_options_go_by_position_and_by_keyword():
    calls = "".join(generate(seed, "options").source for seed in range(300))
    assert "axis=" in calls and ", 0)" in calls and "keepdims=" in calls


def test_a_wrong_answer_at_an_edge_is_found_out(monkeypatch):
    from tests.small import compare

    program = Program(0, "def program(x):\n    return 0.0 - x\n", "program", ({"x": 1.5}, {"x": 0.0}), {}, frozenset(), "edges", 1)
    assert judge(program).word == "ok"
    right = compare.python
    monkeypatch.setattr(compare, "python", lambda function, row: compare.Ran(-row[0]) if row == (0.0,) else right(function, row))
    assert (judge(program).word, judge(program).reason) == ("wrong", "another value")


def test_a_seed_gives_one_program():
    assert generate(11) == generate(11)
    assert generate(11).source != generate(12).source


def test_a_failing_program_is_shrunk_to_its_core():
    program = next(item for seed in range(2000, 2100) if "math.sqrt(" in (item := generate(seed)).source and item.source.count("\n") > 25)

    def fails(candidate):
        wrong = "math.sqrt(" in candidate.source
        spoil = (lambda what, numbers: [n + 1.0 for n in numbers] if what == "value 0" else numbers) if wrong else None
        return check(candidate, standin(candidate, spoil)).word == "wrong"

    small = shrink(program, fails, seconds=60.0)
    assert fails(small)
    assert small.source.count("\n") <= 6
    assert len(small.samples) == 1


def test_a_log_tells_of_programs_without_a_gap():
    outcomes = [Outcome(seed, Verdict("ok"), frozenset(), 0.0) for seed in (7, 5, 6, 9)]
    assert [outcome.seed for outcome in unbroken(outcomes, 5)] == [5, 6, 7]
    assert unbroken(outcomes, 4) == []


@pytest.mark.slow
def test_a_campaign_reports_every_program_and_writes_its_page():
    outcomes = campaign.run([0, 1, 2], jobs=2)
    assert [outcome.seed for outcome in outcomes] == [0, 1, 2]
    text = page({"scalar": section(Summary(outcomes), "make fuzz N=3 SEED=0", 0, "0.1")})
    assert "    make fuzz N=3 SEED=0\n" in text
    assert "first seed 0, 3 programs, 72 samples" in text
