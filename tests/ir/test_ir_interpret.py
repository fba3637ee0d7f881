"""The interpreter says what a program means: values in Python's own arithmetic, errors, loops, handlers, structures, changes in place."""

import cmath
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import deepalgo as da
from deepalgo.ir import Block, By, Failed, If, Interpreter, Kind, Leaf, Mapping, Sequence, Static, Type, interpret
from tests.stage.test_depth import chain
from tests.support.build import TEXT, Builder, span
from tests.support.meaning import Meaning, same_bits

REAL3 = Type(Kind.REAL, (3,))


def program_of(name, *types, by=By.PYTHON, **attrs):
    """A program of one operation."""
    b = Builder()
    result = b.op(name, *(b.input("abc"[place], type) for place, type in enumerate(types)), **attrs)
    b.stack[-1][-1] = replace(b.stack[-1][-1], by=by)
    return b.program(result)


def test_loops_branches_and_handlers_run():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 2.0)

    def body():
        b.check(b.op("gt", x, 0.0), "ValueError", "negative")
        return b.loop(3, [x], lambda i, y: b.op("mul", y, w))

    y, = b.attempt(body, (("ValueError",), lambda: b.op("neg", x)))
    program = b.program(y)
    assert interpret(program, [1.0]).output == 8.0
    assert interpret(program, {"x": -1.0}).output == 1.0
    assert interpret(program, [1.0], weights={"w": 3.0}).output == 27.0


def test_a_failed_check_says_error_message_bases_and_place():
    b = Builder()
    x = b.input("x")
    b.check(b.op("gt", x, 0.0), "Lost", "at {0}, {1}", x, b.const((1.0, 2.0)), line=12)
    b.stack[-1][-1] = replace(b.stack[-1][-1], bases=("ValueError", "Exception"))
    with pytest.raises(Failed) as caught:
        interpret(b.program(x), [-1.5])
    failed = caught.value
    assert (failed.error, failed.bases, failed.span) == ("Lost", ("ValueError", "Exception"), span(12, TEXT))
    assert failed.message == "at -1.5, [1.0, 2.0]"
    assert str(failed) == "Lost: at -1.5, [1.0, 2.0]"


@pytest.mark.parametrize(("names", "answer"), [(("ValueError",), 1.0), (("Exception",), 1.0), (("Lost",), 1.0), (("KeyError",), None)])
def test_a_handler_takes_an_error_by_the_classes_above_it(names, answer):
    b = Builder()
    x = b.input("x")

    def body():
        b.check(b.op("gt", x, 0.0), "Lost", "")
        b.stack[-1][-1] = replace(b.stack[-1][-1], bases=("ValueError", "Exception", "BaseException"))
        return x

    program = b.program(b.attempt(body, (names, lambda: b.const(1.0))))
    assert interpret(program, [5.0]).output == (5.0,)
    if answer is None:
        with pytest.raises(Failed):
            interpret(program, [-5.0])
    else:
        assert interpret(program, [-5.0]).output == (answer,)


def test_the_innermost_handler_that_takes_an_error_gets_it_and_one_in_a_handler_does_not_take_its_own():
    b = Builder()
    x = b.input("x")

    def failing():
        b.check(b.op("gt", x, 0.0), "KeyError", "")
        return x

    def again():
        b.check(b.op("gt", x, -1.0), "ValueError", "")
        return b.const(2.0)

    inner = lambda: b.attempt(failing, (("ValueError",), lambda: b.const(1.0)), (("KeyError",), again))  # noqa: E731
    program = b.program(b.attempt(inner, (("ValueError",), lambda: b.const(3.0))))
    assert [interpret(program, [value]).output for value in (4.0, -0.5, -2.0)] == [(4.0,), (2.0,), (3.0,)]


def test_a_loop_without_a_bound_fails_after_max_rounds_and_no_handler_takes_it():
    b = Builder()
    x = b.input("x")
    halved = lambda: b.loop_while([x], lambda y: b.op("gt", y, 1.0), lambda y: b.op("mul", y, 0.5), line=9)  # noqa: E731
    program = b.program(b.attempt(halved, (("Exception",), lambda: b.const(0.0))))
    assert interpret(program, [8.0], max_rounds=3).output == (1.0,)
    with pytest.raises(Failed, match=r"^LoopBound: still running after 3 rounds$") as caught:
        interpret(program, [9.0], max_rounds=3)
    assert caught.value.span.line == 9


def test_a_loop_ends_at_its_bound():
    b = Builder()
    x = b.input("x")
    y = b.loop_while([x], lambda y: b.op("gt", y, 1.0), lambda y: b.op("mul", y, 0.5), bound=2)
    assert interpret(b.program(y), [64.0], max_rounds=1).output == (16.0,)


def test_values_that_a_loop_swaps_are_handed_over_all_at_once():
    b = Builder()
    x, y = b.input("x"), b.input("y")
    program = b.program(b.loop(3, [x, y], lambda i, a, c: (c, a)))
    assert interpret(program, [1.0, 2.0]).output == (2.0, 1.0)


def test_a_loop_inside_of_a_loop_counts_anew():
    b = Builder()
    x = b.input("x")
    inner = lambda i, y: b.loop(3, [y], lambda j, z: b.op("add", z, b.op("mul", b.op("to_real", i), b.op("to_real", j))))  # noqa: E731
    assert interpret(b.program(b.loop(4, [x], inner)), [0.0]).output == (float(sum(i * j for i in range(4) for j in range(3))),)


def test_what_arms_hand_out_takes_the_kind_of_the_result():
    b = Builder()
    x = b.input("x")
    y = b.when(b.op("gt", x, 0.0), lambda: b.const(1), lambda: b.const(2.5))
    result = interpret(b.program(y), [1.0]).output[0]
    assert result == 1.0 and type(result) is float


def test_outputs_have_the_structure_that_the_program_says():
    b = Builder()
    x, v = b.input("x"), b.input("v", REAL3)
    tree = Mapping("dict", ("pair", "list", "point", "object", "word"), (
        Sequence("tuple", (Leaf(0), Leaf(1))), Sequence("list", (Leaf(2),)), Sequence("Point", (Leaf(3), Static(None)), ("x", "y")),
        Mapping("Thing", ("a",), (Leaf(4),)), Static("m")))
    found = interpret(b.shaped(tree, x, v, x, x, x), {"x": 1.5, "v": [1, 2, 3]}).output
    assert found["pair"][0] == 1.5 and type(found["pair"]) is tuple
    assert isinstance(found["pair"][1], np.ndarray) and found["pair"][1].tolist() == [1.0, 2.0, 3.0]
    assert found["list"] == [1.5] and found["word"] == "m"
    assert found["point"]._asdict() == {"x": 1.5, "y": None} and type(found["point"]).__name__ == "Point"
    assert found["object"] == SimpleNamespace(a=1.5)


def test_changes_in_place_are_told_by_their_paths():
    def normalise(v, items):
        v /= v.sum()
        items[0] = items[0] * 2.0
        return items[1]

    arguments = (np.array([1.0, 2.0, 5.0]), [3.0, 4.0])
    network = da.compile(normalise, example=(arguments, {}))
    given = {"v": arguments[0], "items[0]": 3.0, "items[1]": 4.0}
    outcome = interpret(network.program, given)
    assert outcome.output == 4.0
    assert outcome.changes["v"].tolist() == [0.125, 0.25, 0.625] and outcome.changes["items[0]"] == 6.0
    assert given["v"].tolist() == [1.0, 2.0, 5.0]
    assert not Meaning(network, normalise).complaint(arguments, {})


def test_arrays_of_an_answer_belong_to_the_caller():
    b = Builder()
    v = b.input("v", REAL3)
    interpreter = Interpreter(b.program((v, b.op("broadcast", v, shape=(2, 3)), b.const((1.0, 2.0)))))
    for _ in range(2):
        found = interpreter.run([[1.0, 2.0, 3.0]]).output
        assert [item.ravel().tolist() for item in found] == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0] * 2, [1.0, 2.0]]
        for array in found:
            array[...] = 0.0


def test_operations_of_python_and_of_numpy_are_computed_by_their_own():
    for value in (0.1, 0.7, 2.3, 100 / 3):
        for name in ("exp", "sin", "log", "tanh", "cbrt"):
            assert interpret(program_of(name, Type(Kind.REAL)), [value]).output == getattr(math, name)(value)
            assert interpret(program_of(name, Type(Kind.REAL), by=By.NUMPY), [value]).output == float(getattr(np, name)(value))
    assert interpret(program_of("add", Type(Kind.INT), Type(Kind.INT)), [2**63 - 1, 1]).output == 2**63
    assert interpret(program_of("add", Type(Kind.INT), Type(Kind.INT), by=By.NUMPY), [2**63 - 1, 1]).output == -(2**63)


def test_operations_answer_where_python_raises_and_a_check_is_what_raises():
    real = Type(Kind.REAL)
    assert interpret(program_of("exp", real), [1e3]).output == math.inf
    assert interpret(program_of("div", real, real), [-1.0, 0.0]).output == -math.inf
    assert math.isnan(interpret(program_of("log", real), [-1.0]).output)
    assert math.isnan(interpret(program_of("pow", real, real), [-8.0, 0.5]).output)
    assert math.isnan(interpret(program_of("gamma", real), [-1.0]).output)
    assert np.isnan(interpret(program_of("inv", Type(Kind.REAL, (2, 2))), [[[1.0, 2.0], [2.0, 4.0]]]).output).all()


def test_complex_numbers_are_those_of_cmath():
    z = Type(Kind.COMPLEX)
    for value in (1 + 2j, -0.5 - 0.0j, 3j):
        for name in ("exp", "sqrt", "log", "sin", "tanh"):
            assert interpret(program_of(name, z), [value]).output == getattr(cmath, name)(value)
        assert interpret(program_of("angle", z), [value]).output == cmath.phase(value)
        assert interpret(program_of("abs", z), [value]).output == abs(value)


def test_inputs_of_another_number_or_shape_are_refused():
    program = program_of("neg", REAL3)
    with pytest.raises(ValueError, match="argument"):
        interpret(program, [])
    with pytest.raises(ValueError, match="cannot reshape"):
        interpret(program, [[1.0, 2.0]])
    with pytest.raises(KeyError):
        interpret(program, {"z": [1.0, 2.0, 3.0]})


def test_a_long_chain_of_early_returns_is_interpreted():
    function = chain(60)
    meaning = Meaning(da.compile(function), function)
    for x in (0.5, 17.2, 30.1, 59.9, 61.0):
        assert not meaning.complaint((x,), {})


def test_programs_far_deeper_than_python_nests_run():
    b = Builder()
    x = b.input("x")
    block = b.block(lambda: b.op("add", x, 1.0))
    for _ in range(5000):
        (result,) = block.results
        handed = b.value(result.type)
        b.stack.append([])
        condition = b.op("gt", x, 0.0)
        b.stack[-1].append(If((handed,), condition, block, Block((), (), (x,))))
        block = Block((), tuple(b.stack.pop()), (handed,))
    program = replace(b.program(x), body=block)
    assert interpret(program, [1.0]).output == 2.0


def test_the_comparison_sees_a_last_place_a_sign_of_zero_another_error_and_another_line():
    assert not same_bits(1.0, math.nextafter(1.0, 2.0))
    assert not same_bits(0.0, -0.0)
    assert not same_bits(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]))

    def square(x):
        return x * x

    def cube(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * x * x

    def other_text(x):
        if x < 0.0:
            raise ValueError("less than zero")
        return x * x * x

    network = da.compile(cube)
    assert Meaning(network, cube).complaint((2.0,), {}) == ""
    assert Meaning(network, cube).complaint((-2.0,), {}) == ""
    assert Meaning(network, square).complaint((2.0,), {}) == "8.0 instead of 4.0"
    assert Meaning(network, other_text).complaint((-2.0,), {}) == "ValueError says 'negative' instead of 'less than zero'"
    assert Meaning(network, square).complaint((-2.0,), {}).endswith("where Python answers 4.0")
