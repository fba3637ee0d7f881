"""The program that is written as torch code computes nothing in vain and nothing twice; chains of helpers cannot explode."""

import contextlib
import io

import pytest
import torch

import deepalgo as da
from benchmarks.corpus import compile_entry, load_corpus
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.builds import lowered
from deepalgo.errors import CompileError
from deepalgo.ir import Block, If, Input, Kind, Leaf, Op, Program, Type, Value, While, blocks, used, walk
from tests.support.cases import CASES, network


def wastes(program):
    """Operations whose result nothing reads, and those that an operation of the same block repeats."""
    return [*dead(program), *repeated(program.body)]


def all_blocks(block):
    yield block
    for statement in block.body:
        for inner in blocks(statement):
            yield from all_blocks(inner)


def dead(program):
    read = {value for block in all_blocks(program.body) for value in block.results}
    read |= {value for block in all_blocks(program.body) for statement in block.body for value in used(statement)}
    for block in all_blocks(program.body):
        for statement in block.body:
            results = (statement.result,) if isinstance(statement, Op) else statement.results if isinstance(statement, If) else ()
            yield from (f"nothing reads {value} of {statement}" for value in results if value not in read)


def repeated(block, around=frozenset()):
    """Inside of an arm, truth values and whole numbers are not to be computed again, either.

    Real numbers may be: the arm's gradient must not run through what is computed for all samples.
    """
    seen = set()
    for statement in block.body:
        if isinstance(statement, Op):
            key = (statement.name, statement.args, repr([pair for pair in statement.attrs if pair[0] != "site"]))
            if key in seen or (statement.result.type.kind < Kind.REAL and key in around):
                yield f"{statement} is computed twice"
            seen.add(key)
        for inner in blocks(statement):
            yield from repeated(inner, around | seen)


REAL = Type(Kind.REAL)
X, A, B, Y = (Value(number, REAL, name) for number, name in enumerate("xaby"))


@pytest.mark.parametrize("body", [
    (Op(A, "sin", (X,)), Op(Y, "cos", (X,))),
    (Op(A, "sin", (X,)), Op(B, "sin", (X,)), Op(Y, "add", (A, B))),
], ids=["dead", "repeated"])
def test_waste_is_found(body):
    assert len(wastes(Program("f", (Input("x", X),), (), Block((), body, (Y,)), Leaf(0)))) == 1


@pytest.mark.parametrize("plan", [Plan(), Plan("nan"), Plan(fixed=True, rounds=8)], ids=["raise", "nan", "fixed"])
def test_heuristics_are_written_without_waste(plan):
    for case in CASES:
        assert wastes(lowered(network(case.id).program, plan)) == [], case.id


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_real_functions_are_written_without_waste():
    corpus = load_corpus()
    found = 0
    for entry in corpus.entries()[::5]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(CompileError):
            net = compile_entry(corpus.resolve(entry), *corpus.plain_arguments(entry, entry["samples"][0]))
            assert wastes(lowered(net.program, Plan())) == [], entry["id"]
            found += 1
    assert found > 60


def chain(depth):
    """Helpers that call the next one twice each, so that the last is called 2 ** depth times."""
    source = ["def step0(x):", "    return x * 1.5 + 0.5"]
    for number in range(1, depth + 1):
        source += [f"def step{number}(x):", f"    return step{number - 1}(x) + step{number - 1}(x + 1.0)"]
    return "\n".join(source)


def load(folder, depth):
    path = folder / "helpers.py"
    path.write_text(chain(depth))
    space = {"__name__": "helpers"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space[f"step{depth}"]


@pytest.mark.slow
def test_a_chain_of_helpers_that_doubles_is_refused_before_it_explodes(tmp_path):
    with pytest.raises(CompileError, match="grows to more than 200,000 operations"):
        da.compile(load(tmp_path, 40))


def test_a_chain_of_helpers_of_moderate_depth_compiles(tmp_path):
    step = load(tmp_path, 6)
    assert da.compile(step)(2.0).item() == pytest.approx(step(2.0), rel=1e-12)


def test_a_loop_that_may_return_carries_only_what_it_changes():
    def settle(x, y):
        pair = (x * y, [y, x])
        total = 0.0
        while total < 5.0:
            if x > 3.0:
                return total
            if y > 2.0 and total > 1.0:
                if x < 0.5:
                    return 7.0
                y = 0.5 * y
            total += abs(pair[0]) + 1.0
        return pair[0] + pair[1][0]

    (loop,) = (item for item in walk(da.compile(settle).program.body) if isinstance(item, While))
    names = {value.name for block in blocks(loop) for value in block.params}
    assert {"y", "total"} <= names
    assert not names & {"x", "pair"}


def test_what_a_condition_says_of_its_opposite_is_used():
    def f(x):
        small, found = x <= 1.0, None
        if not small:
            found = 2.0 * x
        elif small:
            found = x - 1.0
        if found is None:
            raise ValueError("nowhere")
        return found

    net = da.compile(f)
    assert "check" not in net.code and net.code.count("ops.where") == 1
    assert net(torch.tensor([2.0, 0.5], dtype=torch.float64)).tolist() == [4.0, -0.5]
