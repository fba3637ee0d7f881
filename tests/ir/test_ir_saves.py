"""What a derivative needs of a loop and of an arm is saved on the way forward and restored on the way back."""

import pytest

from deepalgo.ir import Save, interpret, parse, walk
from deepalgo.ir.check import Nonsense, check_program
from deepalgo.ir.facts.varies import Level, find_levels
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.lower.prune import prune
from deepalgo.lower.unroll import unroll

#: x -> x * x / 2, four times, and its derivative: each round saves the number that it squares.
SQUARES = """
squares(x: real)
  %y = loop 4 rounds (%i, %a) from (%x)
    save 1 (%a)
    %s = mul %a %a
    %h = mul %s 0.5
    next %h
  %one = const 1.0
  %g = loop 4 rounds (%j, %b) from (%one)
    %c: real = restore 1
    %d = mul %b %c
    next %d
  return %y, %g
"""
#: The derivative of |x| x, in which an arm tells the way back what it saw.
ARMS = """
arms(x: real)
  %low = lt %x 0.0
  %y = if %low
    %m = neg %x
    save 2 (%m, %low)
    %p = mul %m %x
    yield %p
  else
    %q = mul %x %x
    save 3 (%x)
    yield %q
  %g = if %low
    %n: real, %was: bool = restore 2
    %k = mul %n 2.0
    yield %k
  else
    %o: real = restore 3
    %l = mul %o 2.0
    yield %l
  return %y, %g
"""


def squares(x):
    slope = 1.0
    for _ in range(4):
        x, slope = x * x * 0.5, slope * x
    return x, slope


@pytest.mark.parametrize("x", [0.5, 1.75, 2.25, -3.0])
def test_a_loop_goes_back_through_what_it_saved(x):
    value, slope = interpret(parse(SQUARES), [x]).output
    forward, found = squares(x)
    assert value == forward
    assert slope == pytest.approx(found, rel=1e-15)


@pytest.mark.parametrize("x", [2.0, -3.0])
def test_arms_restore_what_the_same_arms_saved(x):
    assert interpret(parse(ARMS), [x]).output == (abs(x) * x, 2.0 * abs(x))


@pytest.mark.parametrize("text", [SQUARES, ARMS])
def test_saving_is_written_and_read_back_and_checked(text):
    program = parse(text)
    assert parse(str(program)) == program
    check_program(program)
    assert str(program).strip() == text.strip()


@pytest.mark.parametrize("pass_", [prune, unroll, lambda program: Rewriter(Fresh.of(program)).program(program)])
@pytest.mark.parametrize("text", [SQUARES, ARMS])
def test_passes_keep_what_is_saved_and_restored(text, pass_):
    program = parse(text)
    made = pass_(program)
    check_program(made)
    for x in (1.5, -0.5):
        assert interpret(made, [x]).output == interpret(program, [x]).output


def test_what_is_saved_in_a_loop_that_nothing_else_needs_is_kept():
    program = prune(parse(SQUARES.replace("return %y, %g", "return %g")))
    assert any(isinstance(statement, Save) for statement in walk(program.body))
    assert interpret(program, [2.25]).output == interpret(parse(SQUARES), [2.25]).output[1]


def test_what_comes_back_may_differ_from_sample_to_sample():
    program = parse(SQUARES)
    levels = {value.name: level for value, level in find_levels(program).items()}
    assert levels["c"] is levels["g"] is Level.BATCHED


@pytest.mark.parametrize(("old", "new"), [("save 1 (%a)", "save 1 (%i)"), ("%c: real = restore 1", "%c: int = restore 1"),
                                      ("save 1 (%a)", "save 1 (%a, %a)")])
def test_a_number_saves_and_restores_the_same_types(old, new):
    with pytest.raises(Nonsense, match="save and restore 1 are of different types"):
        check_program(parse(SQUARES.replace(old, new)))


def test_programs_that_save_something_else_differ():
    assert parse(SQUARES) != parse(SQUARES.replace("save 1 (%a)", "save 2 (%a)"))
    assert parse(SQUARES) != parse(SQUARES.replace("save 1 (%a)", "save 1 (%x)"))
    assert parse(SQUARES) != parse(SQUARES.replace("restore 1", "restore 2"))


def test_a_restore_that_meets_the_work_of_another_save_is_an_error_of_the_program():
    with pytest.raises(AssertionError, match="restore 2 does not meet what save 2 left"):
        interpret(parse(SQUARES.replace("restore 1", "restore 2")), [1.0])
