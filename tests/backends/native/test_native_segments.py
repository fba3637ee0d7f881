"""Native derivatives in segments have the bits of those without, on a stack that grows with the root of the rounds."""

import math

import numpy as np
import pytest

import deepalgo as da
from deepalgo.adjoint import SegmentRule
from deepalgo.backends.native import Unsupported, compile_kernel, engine, engine_of
from deepalgo.backends.native.kernel import StackLimit
from deepalgo.errors import CompileError
from deepalgo.ir import Kind, Loop, Rewind, While, walk
from deepalgo.ops.formula import NoFormulaError
from tests.adjoint.loops import FORCED, LOOPS, PLAIN, derivative, ends_by_data
from tests.fuzz.generator import generate
from tests.fuzz.program import load
from tests.support.cases import CASES, network
from tests.support.random_heuristics import write_heuristic


def weights_of(program):
    return np.concatenate([np.ravel(np.array(weight.value, float)) for weight in program.weights] or [np.zeros(0)])


def has_loops(program):
    return any(isinstance(statement, (Loop, While)) for statement in walk(program.body))


def kernel_of(made, program):
    first = len(made.body.results) - len(program.weights)
    return compile_kernel(made, range(first, first + len(program.weights)))


def all_bits(program, rule, inputs):
    """Everything that a derivative says about samples; of those that fail, only the place where they do."""
    made = derivative(program, rule)
    given = [*inputs]
    rng = np.random.default_rng(3)
    given += [rng.uniform(-1.0, 1.0, (len(inputs[0]), *item.value.type.shape)) for item in made.inputs[len(inputs) :]]
    outcome = kernel_of(made, program).run(given, weights_of(program))
    good = outcome.codes == 0
    numbers = [array[good].tobytes() for array in outcome.results] + [array.tobytes() for array in outcome.sums]
    return good.tolist(), numbers, any(isinstance(statement, Rewind) for statement in walk(made.body))


def check_segments(program, inputs):
    """The bits of a derivative are the same in segments; whether there was a loop to go back through."""
    good, numbers, goes_back = all_bits(program, PLAIN, inputs)
    for rule in FORCED:
        assert all_bits(program, rule, inputs)[:2] == (good, numbers)
    return goes_back and any(good)


@pytest.mark.parametrize("function", LOOPS)
def test_segments_change_no_bit(function):
    assert check_segments(da.compile(function).program, [np.linspace(0.02, 3.3, 61)])


@pytest.mark.parametrize("case", [case for case in CASES if has_loops(network(case.id).program)], ids=lambda case: case.id)
def test_segments_change_no_bit_of_a_heuristic(case):
    program = network(case.id).program
    if any(item.value.type.shape or item.value.type.kind is not Kind.REAL for item in program.inputs):
        pytest.skip("its inputs are no columns of numbers")
    rows = np.array(case.rows(40))
    if rows.shape[1] != len(program.inputs):
        pytest.skip("its inputs are no columns of numbers")
    try:
        check_segments(program, [np.ascontiguousarray(column) for column in rows.T])
    except (Unsupported, NoFormulaError) as reason:
        pytest.skip(f"not native: {reason}")


@pytest.mark.slow
def test_segments_change_no_bit_of_random_programs(tmp_path):
    found = 0
    for seed in range(60):
        path = tmp_path / f"heuristic_{seed}.py"
        path.write_text(write_heuristic(np.random.default_rng(seed)))
        program = da.compile(load(path.read_text(), str(path))["heuristic"]).program
        rng = np.random.default_rng(seed)
        if has_loops(program):
            found += check_segments(program, [rng.uniform(0.1, 3.0, 19), rng.uniform(0.1, 3.0, 19)])
    assert found > 10


def fuzzed(seed, folder):
    """The program of the fuzz with this seed and its samples, if they are columns of numbers."""
    made = generate(seed)
    path = folder / f"fuzzed_{seed}.py"
    path.write_text(made.source)
    try:
        program = da.compile(load(made.source, str(path))[made.entry], example=made.call(0)).program
    except CompileError:
        return None
    if not has_loops(program) or [item.path for item in program.inputs] != made.inputs():
        return None
    return program, [np.array([float(sample[name]) for sample in made.samples]) for name in made.inputs()]


@pytest.mark.parametrize(("first", "last"), [(0, 5), *(pytest.param(5 + 40 * chunk, 45 + 40 * chunk, marks=pytest.mark.slow)
                                                       for chunk in range(3))])
def test_segments_change_no_bit_of_fuzzed_programs(first, last, tmp_path):
    found = 0
    for seed in range(first, last):
        made = fuzzed(seed, tmp_path)
        try:
            found += made is not None and check_segments(*made)
        except (Unsupported, NoFormulaError):
            continue
    assert found > 0


def test_the_comparison_sees_one_other_bit():
    program = da.compile(ends_by_data).program
    xs = np.linspace(0.5, 3.0, 16)
    other = xs.copy()
    other[5] = xs[5] + 1e-12
    assert all_bits(program, PLAIN, [xs]) != all_bits(program, PLAIN, [other])


def long_sum(x, step=1e-4):
    for _ in range(4096):
        x = x + step * math.sin(x)
    return x


def longer_sum(x, step=1e-4):
    for _ in range(65536):
        x = x + step * math.sin(x)
    return x


def until(x, rounds, step=1e-4):
    done = 0
    while done < rounds:
        x = x + step * math.sin(x)
        done += 1
    return x


def least_stack(kernel, inputs, weights):
    """The bytes that the derivative of a group of samples needs on its stack."""
    low, high = 0, 1 << 26
    while high - low > 64:
        kernel.stack = kernel.most_stack = middle = (low + high) // 2
        try:
            kernel.run(inputs, weights, 10**7)
            high = middle
        except StackLimit:
            low = middle
    return high


def test_the_stack_of_a_loop_grows_with_the_root_of_its_rounds():
    rule = SegmentRule(limit=0)
    sizes, plain = [], []
    for function in (long_sum, longer_sum):
        program = da.compile(function).program
        for found, each in ((sizes, rule), (plain, PLAIN)):
            kernel = kernel_of(derivative(program, each), program)
            found.append(least_stack(kernel, [np.array([0.3, 1.2]), np.ones(2)], weights_of(program)))
    assert sizes[1] <= 4.1 * sizes[0]
    assert plain[1] >= 15.9 * plain[0]


def test_the_stack_of_a_loop_that_ends_by_data_grows_with_the_root_of_its_rounds():
    program = da.compile(until).program
    kernel = kernel_of(derivative(program, SegmentRule(by_data=True), rounds=10**7), program)
    sizes = [least_stack(kernel, [np.array([0.3, 1.2]), np.array([rounds, 7.0]), np.ones(2)], weights_of(program))
             for rounds in (10_000.0, 160_000.0)]
    assert sizes[1] <= 4.6 * sizes[0]


def test_a_derivative_takes_segments_when_a_stack_is_full_and_changes_no_bit(monkeypatch):
    xs, adjoints = np.linspace(0.1, 1.5, 20), np.linspace(-1.0, 1.0, 20)
    counts = np.linspace(3.0, 30_000.0, 20).round()
    found = []
    for limit in (1 << 30, 1 << 20):
        monkeypatch.setattr(engine, "SHORT_STACK", limit)
        program = da.compile(until).program
        made = engine_of(program, 10**6)
        gradient = made.gradient([xs, counts], weights_of(program), [adjoints])
        found.append([array.tobytes() for array in (*gradient.inputs, *gradient.weights)])
        assert made._long == (limit == 1 << 20)
    assert found[0] == found[1]


def test_lanes_that_fail_in_rounds_do_not_fail_again_on_the_way_back():
    program = da.compile(LOOPS[3]).program
    xs = np.linspace(0.02, 3.3, 61)
    codes = engine_of(program).forward([xs], weights_of(program)).codes
    assert 5 < np.count_nonzero(codes) < 56
    for rule in FORCED:
        outcome = kernel_of(derivative(program, rule), program).run([xs, np.ones_like(xs)], weights_of(program))
        assert ((outcome.codes != 0) == (codes != 0)).all()


def test_a_sum_of_what_is_the_same_for_all_samples_differs_where_rounds_do():
    def counts_in_floats(x, rounds, step=1.0):
        done = 0.0
        while done < rounds:
            x = x * 0.9 + done
            done += step
        return x + done

    program = da.compile(counts_in_floats).program
    rounds = np.arange(0.0, 11.0)
    found = engine_of(program).gradient([np.ones(11), rounds], weights_of(program), [np.ones(11)])
    assert found.inputs[0].tolist() == pytest.approx([0.9**count for count in range(11)], rel=1e-14)
    assert check_segments(program, [np.linspace(-1.0, 1.0, 11), rounds])
