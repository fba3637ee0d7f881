"""Every target is a visible list of passes; each pass leaves a well-formed program; programs are lowered once for each plan."""

import ast
import contextlib
import functools
import gc
import io
import itertools
import sys
import threading
import weakref
from pathlib import Path

import pytest
import torch

import deepalgo as da
from deepalgo import compiler
from deepalgo.backends import targets
from deepalgo.backends.native import engine
from deepalgo.backends.native.engine import PARTS
from deepalgo.backends.source import function
from deepalgo.backends.targets import DRAWING, READY, TORCH, Plan, shared_passes, torch_passes
from deepalgo.backends.torch import builds
from deepalgo.backends.torch.builds import build, builds_of
from deepalgo.drawing import flow
from deepalgo.ir import Block, Input, Kind, Leaf, Op, Program, Type, Value
from deepalgo.ir.check import check_program
from deepalgo.lower.passes import Repeated, Where, flat, function_of, names, run, watching
from deepalgo.lower.prune import prune
from deepalgo.network import Network
from deepalgo.tensorize import grow
from examples import demo
from tests.checked_passes import KINDS, PLANS, Complaints, complaints_of, corpus_networks, heuristic_networks, random_networks
from tests.pass_page import PAGE, page

PACKAGE = Path(da.__file__).parent
REAL = Type(Kind.REAL)
X, Y, LOST = Value(0, REAL, "x"), Value(1, REAL, "y"), Value(9, REAL, "lost")


def program(*body, result=Y):
    return Program("f", (Input("x", X),), (), Block((), body, (result,)), Leaf(0))


@pytest.mark.parametrize("kind", [kind if kind != "arrays" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS])
def test_random_programs_are_well_formed_after_every_pass_of_every_target(kind):
    found = complaints_of(random_networks(kind, range(2 if kind == "arrays" else 3)))
    assert found.seen > 80
    assert found.found == []


def test_heuristics_are_well_formed_after_every_pass_of_every_target():
    found = complaints_of(itertools.islice(heuristic_networks(), 7, None, 20))
    assert found.seen > 300
    assert found.found == []


@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore")
def test_real_functions_are_well_formed_after_every_pass_of_every_target():
    found = complaints_of(corpus_networks(every=100))
    assert found.seen > 150
    assert found.found == []


def test_a_pass_that_loses_a_value_is_found_out():
    def lose(given):
        return program(Op(Y, "neg", (LOST,)))

    complaints = Complaints()
    with watching(complaints.watch):
        run((prune, lose), program(Op(Y, "neg", (X,))))
    assert complaints.found == ["f after lose: %lost.9 is used before it is defined"]
    run((lose,), program(Op(Y, "neg", (X,))))
    assert complaints.seen == 2


def test_passes_that_wait_for_another_one_run_only_where_it_found_something():
    def negate(given):
        return program(Op(Y, "neg", (X,)))

    for found, wanted in ((True, "neg"), (False, "sin")):
        after = run((Where(prune, lambda before, after: found, (negate,)),), program(Op(Y, "sin", (X,))))
        assert [op.name for op in after.body.body] == [wanted]


def test_passes_are_repeated_until_the_program_gets_no_smaller():
    applied = []

    def drop_one(given):
        applied.append(len(given.body.body))
        return program(*given.body.body[: max(1, len(given.body.body) - 1)], result=X)

    def count(given):
        return len(given.body.body)

    body = [Op(Value(number, REAL), "sin", (X,)) for number in range(3, 6)]
    assert count(run((Repeated((drop_one,), count),), program(*body, result=X))) == 1
    assert applied == [3, 2, 1]
    applied.clear()
    run((Repeated((drop_one,), count, most=1),), program(*body, result=X))
    assert applied == [3]


def test_every_form_of_the_torch_code_begins_with_the_passes_that_are_shared():
    assert {(*names(torch_passes(plan)),) for plan in PLANS} == {(*names(passes),) for pair in TORCH.values() for passes in pair}
    for plan in PLANS:
        shared = shared_passes(plan)
        assert torch_passes(plan)[: len(shared)] == shared


def test_passes_are_called_by_the_lists_alone():
    lists = {id(passes): passes for passes in vars(targets).values() if isinstance(passes, tuple)}
    homes = {(function_of(each).__name__, function_of(each).__module__) for passes in lists.values() for each in flat(passes)}
    assert len(homes) > 25
    known = dict(homes)
    called = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("deepalgo", *path.relative_to(PACKAGE).with_suffix("").parts))
        called += [(node.func.id, module) for node in ast.walk(ast.parse(path.read_text()))
                   if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and known.get(node.func.id, module) != module]
    assert called == []


def test_every_pass_opens_with_a_text_before_and_after():
    modules = {function_of(each).__module__ for passes in vars(targets).values() if isinstance(passes, tuple) for each in flat(passes)}
    examples = {name: sys.modules[name].__doc__.split("\n\n") for name in modules}
    assert [name for name, parts in examples.items() if not any("%" in part and part.count("\n...") > 2 for part in parts)] == []


def test_every_part_of_native_code_begins_with_the_same_passes():
    for passes in PARTS.values():
        assert passes[: len(READY)] == READY


def test_the_number_of_a_failure_is_one_result_more():
    def root(x):
        if x < 0.0:
            raise ValueError("negative")
        return x**0.5

    net = da.compile(root)
    for plan in PLANS:
        made = builds.lowered(net.program, plan)
        assert len(made.body.results) == 1 + bool(made.failures)
        assert bool(made.failures) == (plan.fixed or plan.errors == "nan")
        check_program(made)


def test_the_drawing_has_no_checks():
    def inverse(x):
        return 1.0 / x

    assert "check" in str(da.compile(inverse).program)
    assert "check" not in str(run(DRAWING, da.compile(inverse).program))


def test_the_demo_lowers_and_builds_each_program_once_for_each_target(monkeypatch, tmp_path):
    written, lowered = [], []
    load_code, run_passes = builds.load_code, run

    def note_build(made, plan):
        written.append((str(made), plan))
        return load_code(made, plan)

    def note_run(passes, made, *settings):
        chosen = [step.apply.keywords for step in flat(passes) if isinstance(getattr(step, "apply", None), functools.partial)]  # as weights
        lowered.append((names(passes), str(made), chosen, [item for item in settings if not item.weights]))
        return run_passes(passes, made, *settings)

    monkeypatch.setattr(builds, "load_code", note_build)
    for module in (builds, compiler, engine, flow, function, grow):
        monkeypatch.setattr(module, "run", note_run)
    with contextlib.redirect_stdout(io.StringIO()):
        fit = demo.main(count=100, steps=5, folder=str(tmp_path))
        fit.network(*demo.pipes(20, seed=5))
        for _ in "ab":
            assert not engine.engine_of(fit.network.program, mathematics="vector").reason_against(gradient=True)
        for style in ("python", "numpy", "numbers"):
            da.source(fit.network, style)
        Network(fit.network.program, backend="torch")(1e5, 1e-4)
    assert written
    targeted = {tuple(words) for words, *_ in lowered}
    for passes in (targets.COMPILED, targets.SOURCE, targets.DRAWING, PARTS["forward"], PARTS["back"]):
        assert tuple(names(passes)) in targeted
    for noted in (written, lowered):
        assert [item for item in noted if noted.count(item) > 1] == []


def test_copies_of_a_network_share_what_is_built():
    def double(x):
        return 2.0 * x

    net = da.compile(double, backend="torch")
    net(1.0)
    assert build(net.with_errors("raise").program, Plan()) is build(net.program, Plan())


def test_a_program_that_is_gone_takes_its_builds_along():
    def double(x):
        return 2.0 * x

    net = da.compile(double, backend="torch")
    net(1.0)
    with torch.no_grad():
        net.verify([1.0, 2.0], gradients=False)
    gone, key, built = weakref.ref(net.program), id(net.program), weakref.ref(next(iter(builds_of(net.program).shared.values())))
    assert key in builds._builds
    del net
    gc.collect()
    assert gone() is None
    assert built() is None
    assert key not in builds._builds or builds._builds[key][0]() is not None


def test_threads_that_ask_at_once_get_one_build():
    made, start = program(Op(Y, "sin", (X,))), threading.Barrier(4)
    found = []

    def ask():
        start.wait()
        found.append(build(made, Plan()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(each is found[0] for each in found)


def test_the_page_of_passes_is_that_of_the_tuples():
    assert PAGE.read_text() == page(), "python -m tests.pass_page writes it"
