"""The text of a program is the whole program: it is read back as the same one, to the last bit of its numbers.

Those of real functions are read in `test_corpus.py`.
"""

import math
import struct
from dataclasses import replace

import numpy as np
import pytest

import deepalgo as da
from deepalgo.ir import (
    Block,
    By,
    Check,
    Handler,
    If,
    Input,
    Kind,
    Leaf,
    Loop,
    Mapping,
    Op,
    ParseError,
    Program,
    Role,
    Sequence,
    Static,
    Try,
    Type,
    Value,
    Weight,
    While,
    parse,
)
from deepalgo.ops.table import TABLE
from tests.round_trip import differs, lowered, stage
from tests.stage.test_depth import chain
from tests.support.build import Builder, span

REAL = Type(Kind.REAL)


def constant(value, type=None):
    """A program that returns a constant."""
    made = Builder().const(value).type if type is None else type
    return Program("f", (), (), Block((), (Op(Value(0, made), "const", (), (("value", value),)),), (Value(0, made),)), Leaf(0))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["scalar", "arrays", "options", "edges"])
def test_random_programs_are_read_back(kind):
    programs = [program for seed in range(12) if (program := stage(seed, kind)) is not None]
    assert len(programs) > 6
    assert [program.name for program in programs if differs(program)] == []
    assert [program.name for program in programs[:4] if any(map(differs, lowered(program)))] == []


FLOATS = [
    0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, -math.nan, 5e-324, -2.2250738585072014e-308, math.nextafter(1.0, 2.0), 0.1, 1e308,
]


@pytest.mark.parametrize("value", FLOATS, ids=repr)
def test_the_bits_of_floats_survive(value):
    again = parse(str(constant(value)))
    (op,) = again.body.body
    assert struct.pack("<d", op.attr("value")) == struct.pack("<d", value)
    assert again == constant(value)


def test_random_bits_survive():
    values = struct.unpack("<500d", np.random.default_rng(0).bytes(4000))
    program = constant(values)
    assert parse(str(program)) == program
    assert max(map(len, str(program).split("\n"))) <= 120


OTHERS = [
    True, 0, -7, 2**64, complex(0.0, -0.0), complex(math.nan, -math.inf), (1, True, 2.5, 1j), ((1.0, -0.0), (math.inf, math.nan)),
    ((), ()), (),
]


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_numbers_of_every_kind_survive(value):
    assert not differs(constant(value))


ITEMS = [
    None, "it's \"so\"\n\t\u2028", b"\x00'", ..., (1,), [1.5, "a"], {"a": (1, 2), 3: None}, range(1, 9, 2), slice(None, 3), {2, 1},
    frozenset(), np.int64(3), np.float32(0.1), np.float64("nan"), np.array([[1.0, -0.0]]), np.zeros((0, 3)), np.array(True),
]


@pytest.mark.parametrize("item", ITEMS, ids=repr)
def test_fixed_objects_of_the_output_survive(item):
    b = Builder()
    x = b.input("x")
    assert not differs(b.shaped(Mapping("dict", ("a", ("b", 1), 2.5), (Static(item), Leaf(0), Leaf(1))), x, x))


def test_an_object_that_a_text_cannot_hold_is_written_and_refused_when_it_is_read():
    b = Builder()
    text = str(b.shaped(Static(ValueError("lost"))))
    assert text == "f()\n  return static object('lost')"
    with pytest.raises(ParseError) as refusal:
        parse(text)
    assert str(refusal.value) == (
        "line 2, column 17: a text cannot hold this object\n"
        "      return static object('lost')\n"
        "                    ^"
    )


def rich():
    """A program with every kind of statement and structure, and names that occur twice."""
    b = Builder()
    x, n, m = b.input("x"), b.input("n", Type(Kind.INT)), b.value(Type(Kind.REAL, (2,)), "m")
    b.inputs.append(Input("table['a b'][0]", m))
    b.weights.append(Weight("w", (1.0, 2.0), (2,), Role.INITIAL, "it counts"))
    c = b.op("gt", x, 0.0, name="c")
    b.check(c, "ValueError", "{0} is bad: it's \"so\"", x)
    (y,) = b.when(c, lambda: b.op("mul", x, 2.0, name="x"), lambda: n)
    (z,) = b.loop(3, [n], lambda i, carried: b.op("add", carried, i))
    (v,) = b.loop_while([y], lambda y: b.op("lt", y, 9.0), lambda y: b.op("add", y, b.weight("c", 0.5)), bound=4)
    (t,) = b.attempt(lambda: b.op("sqrt", v), (("ValueError", "Lost"), lambda: b.const(0.0)), ((), lambda: x))
    s = b.op("sum", m, axis=None)
    point = Mapping("Point", ("x",), (Sequence("list", (Leaf(1), Static(None))),))
    tree = Sequence("Pair", (Sequence("tuple", (Leaf(0),)), point), ("a", "b"))
    return replace(b.shaped(tree, z, t, s), changes=("table['a b'][0]",))


def test_every_kind_of_statement_is_written_in_this_way_and_read_back():
    program = rich()
    assert not differs(program)
    assert str(program) == """\
f(x: real, n: int, table['a b'][0] as %m: real[2])
  weight w = (1.0, 2.0)  initial value frozen='it counts'
  weight c = 0.5  coefficient  # heuristic.py:1
  %c = gt %x 0.0
  check %c guard 7 else ValueError('{0} is bad: it\\'s "so"', %x) under ()
  %x.7 = if %c
    %x.6 = mul %x 2.0
    yield %x.6
  else
    yield %n
  %n.11 = loop 3 rounds (%i, %n.9) from (%n)
    %10 = add %n.9 %i
    next %10
  %x.14 = while (%x.12) from (%x.7) at most 4 rounds
    %16 = lt %x.12 9.0
    test %16
  do (%x.13)
    %c.17 = weight c
    %18 = add %x.13 %c.17
    next %18
  %21 = try
    %19 = sqrt %x.14
    yield %19
  except ValueError, Lost
    yield 0.0
  except
    yield %x
  %22 = sum %m axis=None
  return Pair(a=(%n.11,), b=Point{'x': [%21, static None]})
  set table['a b'][0] = %22"""


def test_what_no_name_says_is_written():
    b = Builder()
    x = b.input("x")
    result = Value(7, Type(Kind.COMPLEX), "y")
    op = Op(result, "exp", (x,), (("odd", (1, "a")),), by=By.NUMPY, guard=3)
    check = Check(b.op("gt", x, x), "Lost", "", (), None, ("Missing", "ValueError", "Exception", "BaseException"), 3)
    program = replace(b.program(x), name="<lambda>")
    program = replace(program, body=replace(program.body, body=(*program.body.body, check, op)))
    assert not differs(program)
    assert str(program) == """\
<lambda>(x: real)
  %1 = gt %x %x
  check %1 guard 3 else Lost('') under Missing, ValueError
  %y: complex = np.exp %x odd=(1, 'a') guard 3
  return %x"""


def test_values_are_spelt_apart():
    first, second, third = Value(0, REAL, "x1"), Value(10, REAL, "x"), Value(11, REAL, "x")
    body = Block((), (Op(second, "neg", (first,)), Op(third, "neg", (second,))), (third,))
    program = Program("f", (Input("x1", first),), (), body, Leaf(0))
    assert str(program) == "f(x1: real)\n  %x = neg %x1\n  %x.11 = neg %x\n  return %x.11"
    assert not differs(program)


def test_hand_written_text_may_have_numbers_for_operands():
    program = parse("""
    f(x: real)
      %square = mul %x %x
      # a remark
      %y = add %square 1.0  # and another

      %z = mul %y (1.0,
        2.0)
      return %y, %z
    """)
    assert [op.name for op in program.body.body] == ["mul", "const", "add", "const", "mul"]
    assert [str(value.type) for value in program.body.results] == ["real", "real[2]"]
    assert program.output == Sequence("tuple", (Leaf(0), Leaf(1)))
    assert parse("f(x: real)\n  return %x").output == Leaf(0)
    assert parse("f(x: real)\n  return").output == Static(None)


def test_a_constant_stands_in_the_place_of_its_use_only_if_it_is_read_back_there():
    b = Builder()
    x = b.input("x")
    first, second = b.const(1.0), b.const(2.0)
    y = b.op("sub", second, first)
    between = b.const(3.0)
    z = b.op("neg", y)
    program = b.program((b.op("add", z, between), b.op("mul", x, 5), b.const(4.0)))
    assert str(program) == """\
f(x: real)
  %1 = const 1.0
  %3 = sub 2.0 %1
  %4 = const 3.0
  %5 = neg %3
  %6 = add %5 %4
  %8 = mul %x 5
  return %6, %8, 4.0"""
    assert not differs(program)


def test_programs_that_python_cannot_nest_are_read_back():
    program = da.compile(chain(300)).program
    assert not differs(program)


def nested(depth):
    """Branches so deep in one another."""
    x, c = Value(0, REAL, "x"), Value(1, Type(Kind.BOOL), "c")
    block = Block((), (), (x,))
    for number in range(depth):
        result = Value(number + 2, REAL)
        block = Block((), (If((result,), c, block, Block((), (), (x,))),), (result,))
    return Program("f", (Input("x", x), Input("c", c)), (), block, Leaf(0))


def test_no_depth_is_too_deep():
    assert not differs(nested(3000))


def test_no_statement_is_an_operation():
    assert {"if", "loop", "while", "try", "check", "guard", "static"}.isdisjoint(TABLE)


def variants():
    """Programs that differ from `rich` in one thing each."""
    program = rich()
    body = program.body.body
    by_type = {type(statement): number for number, statement in enumerate(body)}

    def changed(kind, **fields):
        number = by_type[kind]
        statements = (*body[:number], replace(body[number], **fields), *body[number + 1 :])
        return replace(program, body=replace(program.body, body=statements))

    op, check, branch, attempt = (body[by_type[kind]] for kind in (Op, Check, If, Try))
    loop, repeat = body[by_type[Loop]], body[by_type[While]]
    x, n, m = (item.value for item in program.inputs)
    yield "name", replace(program, name="g")
    yield "path", replace(program, inputs=(Input("z", x), *program.inputs[1:]))
    yield "type of an input", replace(program, inputs=(Input("x", replace(x, type=Type(Kind.COMPLEX))), *program.inputs[1:]))
    yield "order of inputs", replace(program, inputs=(program.inputs[1], program.inputs[0], program.inputs[2]))
    yield "output", replace(program, output=Sequence("Pair", program.output.items, ("a", "c")))
    yield "class", replace(program, output=replace(program.output, kind="Couple"))
    yield "changes", replace(program, changes=("n",))
    yield "results", replace(program, body=replace(program.body, results=(*program.body.results[:2], x)))
    for field, value in {"key": "v", "value": (1.0, 3.0), "shape": (1, 2), "role": Role.EXPONENT, "frozen": ""}.items():
        yield f"weight {field}", replace(program, weights=(replace(program.weights[0], **{field: value}), program.weights[1]))
    for field, value in {"name": "prod", "args": (x,), "attrs": (("axis", 0),), "by": By.NUMPY, "guard": 1}.items():
        yield f"operation {field}", changed(Op, **{field: value})
    yield "type of a result", changed(Op, result=replace(op.result, type=Type(Kind.INT)))
    fields = {"ok": op.result, "error": "KeyError", "message": "", "operands": (n,), "bases": ("Exception",), "guard": 0}
    for field, value in fields.items():
        yield f"check {field}", changed(Check, **{field: value})
    yield "arms", changed(If, then=branch.orelse, orelse=branch.then)
    yield "count", changed(Loop, count=4)
    yield "init", changed(Loop, init=(x,))
    index, carried = loop.body.params
    yield "type of a parameter", changed(Loop, body=replace(loop.body, params=(index, replace(carried, type=REAL))))
    yield "bound", changed(While, bound=None)
    yield "test", changed(While, test=replace(repeat.test, results=(repeat.test.body[0].result,)))
    yield "handlers", changed(Try, handlers=attempt.handlers[:1])
    yield "caught", changed(Try, handlers=(replace(attempt.handlers[0], catches=("ValueError",)), attempt.handlers[1]))
    yield "handler", changed(Try, handlers=(attempt.handlers[0], Handler((), Block((), (), (n,)))))
    yield "one statement less", replace(program, body=replace(program.body, body=body[:-1]))
    assert (check.ok, m) == (body[1].result, program.inputs[2].value)


#: Changes that leave a program which does not fit together: another type than where it is used, or a value that is not defined.
NONSENSE = ("type of an input", "type of a parameter", "operation args", "check ok", "test", "one statement less")


@pytest.mark.parametrize(("what", "variant"), list(variants()), ids=[what for what, _ in variants()])
def test_programs_that_differ_in_one_thing_are_not_equal(what, variant):
    assert variant != rich()
    if what not in NONSENSE:
        assert not differs(variant)


def test_numbers_and_names_of_values_and_places_make_no_difference():
    program = rich()
    weights = tuple(replace(item, span=None) for item in program.weights)
    moved = replace(program, sources=(("a.py", "1"),), peeled=(span(3),), weights=weights)
    assert moved == program and hash(moved) == hash(program)
    one = parse("f(x: real)\n  %y = neg %x guard 1\n  %z = exp %y guard 2\n  return %z")
    two = parse("f(x: real)\n  %4 = neg %x guard 9\n  %3 = exp %4 guard 1\n  return %3")
    both = parse("f(x: real)\n  %4 = neg %x guard 9\n  %3 = exp %4 guard 9\n  return %3")
    assert one == two and hash(one) == hash(two)
    assert one != both
    assert parse("f(x: real, y: real)\n  return %x") != parse("f(x: real, y: real)\n  return %y")


def test_equality_is_that_of_bits():
    different = [0.0, -0.0, 0, False, math.nan, -math.nan, 0j, complex(0.0, -0.0), complex(0.0, math.nan), (0.0,), (0,)]
    programs = [constant(value, REAL) for value in different]
    assert [[one == two for two in programs].count(True) for one in programs] == [1] * len(programs)
    assert constant(float("nan")) == constant(float("nan")) and constant((math.nan, 1.0)) == constant((float("nan"), 1.0))
    assert constant(1.0) != "f()" and {constant(1.0): "found"}[constant(1.0)] == "found"


WRONG = {
    "f(x: real)\n  %y = add %x %z\n  return %y": (
        "line 2, column 15: %z is not defined here\n      %y = add %x %z\n                  ^"),
    "f(x: real)\n  %y = sun %x\n  return %y": (
        "line 2, column 8: there is no operation sun\n      %y = sun %x\n           ^"),
    "f(x: real[2], y: real[3])\n  %z = add %x %y\n  return %z": (
        "line 2, column 8: add has no type here: operands could not be broadcast together with shapes (2,) (3,)\n"
        "      %z = add %x %y\n           ^"),
    "f(x: real)\n  %x = neg %x\n  return %x": (
        "line 2, column 3: %x is defined twice\n      %x = neg %x\n      ^"),
    "f(x: real)\n  %a.1 = neg %x\n  %b.1 = neg %x\n  return %x": (
        "line 3, column 3: %b.1 and %a.1 have the same number\n      %b.1 = neg %x\n      ^"),
    "f(x: float)\n  return %x": (
        "line 1, column 6: expected a type (bool, int, real, complex), found `float`\n    f(x: float)\n         ^"),
    "f(x: real)\n  %y = add %x 1.0": (
        "line 2, column 18: expected a statement, or `return`, found the end of the text\n      %y = add %x 1.0\n                     ^"),
    "f(x: real)\n  %y = add (%x\n  return %y": (
        "line 2, column 12: this `(` is never closed\n      %y = add (%x\n               ^"),
    "f(x: real)\n  %y = neg %x $\n  return %y": (
        "line 2, column 15: there is no such word\n      %y = neg %x $\n                  ^"),
    "f(x: real)\n%y = neg %x\nreturn %y": (
        "line 2, column 1: expected a line further to the right, or `return`, found `%y`\n    %y = neg %x\n    ^"),
    "f(x: real)\n  %y = neg %x\n    return %y": (
        "line 3, column 5: the lines of this block begin in column 3, and it ends with `return`\n        return %y\n        ^"),
    "f(x: real)\n  %y = weight w\n  return %y": (
        "line 2, column 15: there is no weight w\n      %y = weight w\n                  ^"),
    "f(c: bool, x: real)\n  %y = if %c\n    yield %x\n  return %y": (
        "line 4, column 3: expected `else`, found `return`\n      return %y\n      ^"),
    "f(c: bool, x: real)\n  %y = if %c\n    yield %x\n  else\n    yield\n  return %y": (
        "line 2, column 3: the type of %y does not follow: write it, as in `%y: real`\n      %y = if %c\n      ^"),
    "f(c: bool, x: real)\n  %y, %z = neg %x\n  return %y": (
        "line 2, column 12: expected if, loop, while or try, as there are several results, found `neg`\n"
        "      %y, %z = neg %x\n               ^"),
    "f(x: real)\n  check %x else ValueError\n  return %x": (
        "line 2, column 27: expected `(`, found the end of the line\n      check %x else ValueError\n                              ^"),
    "f(x: real)\n  %y = loop -3 rounds (%i) from ()\n    next\n  return %x": (
        "line 2, column 13: expected a whole number, found `-3`\n      %y = loop -3 rounds (%i) from ()\n                ^"),
    "f(x: real)\n  %y = sum %x axis=zero\n  return %y": (
        "line 2, column 20: expected a number, a text, or a tuple of them, found `zero`\n"
        "      %y = sum %x axis=zero\n                       ^"),
    "f(x: real)\n  return %x\n  return %x": (
        "line 3, column 3: expected the end of the text, found `return`\n      return %x\n      ^"),
    "f(p[0]: real)\n  return 1.0": (
        "line 1, column 7: expected `as` and a value, as %x, found `:`\n    f(p[0]: real)\n          ^"),
    "": "line 1, column 1: expected the name of the program, found the end of the text\n    \n    ^",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_program_is_refused_with_its_place(text):
    with pytest.raises(ParseError) as refusal:
        parse(text)
    assert str(refusal.value) == WRONG[text]


@pytest.mark.parametrize("text", ["f()\n  return {}", "f()\n  %x = const {}\n  return %x"])
def test_brackets_that_lie_too_deep_are_refused(text):
    with pytest.raises(ParseError, match="brackets lie too deep in one another"):
        parse(text.format("(" * 5000 + ")" * 5000))
