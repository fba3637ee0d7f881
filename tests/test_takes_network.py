"""What takes a network takes a function, too, and compiles it; anything else is refused in a sentence."""

import pytest
import torch

import deepalgo as da
from deepalgo.errors import CompileError, DeepalgoError, InputError


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2 * x)
    return x


def test_a_function_is_fitted():
    s = torch.linspace(0.5, 4.0, 60, dtype=torch.float64)
    quick = da.SearchOptions(polished=False)
    fit = da.fit(net=root, inputs=s, targets=s.sqrt(), steps=2, search=quick)
    assert (fit.name, str(fit.network.heuristic)) == ("root", str(da.compile(root).program))
    assert str(da.fit(root, s, targets=s.sqrt(), steps=2, search=quick).network.program) == str(fit.network.program)


def test_functions_are_transformed_written_and_called():
    assert [0.9] * 3 in [weight.tolist() for weight in da.untie(root).parameters()]
    assert da.source(root) == da.source(da.compile(root))
    assert da.function(root)(2.0) == root(2.0)
    assert da.correct(root, "x", ["s"])(2.0).item() == da.compile(root)(2.0).item()
    assert [str(item) for item in da.suggest(root)] == [str(item) for item in da.suggest(da.compile(root))]


@pytest.mark.parametrize(("given", "kind"), [
    (3.0, "a float"), (torch.nn.Linear(1, 1), "a Linear"), (int, "the class int"), (None, "a NoneType"),
])
@pytest.mark.parametrize("verb", [da.fit, da.untie, da.source, da.function, da.suggest])
def test_other_things_are_refused(verb, given, kind):
    with pytest.raises(InputError) as refusal:
        verb(given)
    assert str(refusal.value) == f"{verb.__name__} takes a function or a network, as da.compile(function) makes one, not {kind}"


def test_what_cannot_be_compiled_says_so():
    with pytest.raises((CompileError, InputError)) as refusal:
        da.fit(lambda x: input(x), [1.0], targets=[1.0])
    assert isinstance(refusal.value, DeepalgoError)


def test_draw_says_what_it_takes(tmp_path):
    with pytest.raises(InputError, match=r"draw takes a network: da.draw\(da.compile\(function\), path\)"):
        da.draw(root, tmp_path / "root.svg")
