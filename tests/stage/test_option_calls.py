"""Every parameter of every function that has a rule, given by keyword and by position: the answer is right, or the call is refused."""

import collections
import inspect

import numpy as np
import pytest

import deepalgo as da
from deepalgo.stage.rules import signatures
from deepalgo.stage.rules.signatures import MISSING, bind, signature_of, signature_of_method, written_signature
from tests.support.option_calls import MORE, compiled_function, rules, trials, verdict

RULES = rules()
#: Functions whose calls are no expressions of numbers: they are tried elsewhere.
ELSEWHERE = {"super", "contextlib.contextmanager", "deepalgo.studies.cluster.matching.match"}
#: One of many that differ only in their numbers stands for all of them on an ordinary day.
ALIKE = {label for label in RULES if isinstance(RULES[label][0], np.ufunc)} - {"np.exp", "np.add", "np.less", "np.square", "np.matmul"}
TALLY = collections.Counter()


def tried(label):
    found = {trial.text: verdict(trial.text) for trial in trials(label, RULES[label][1])}
    TALLY.update(answer.partition(":")[0] for answer in found.values())
    print(label, dict(collections.Counter(answer.partition(":")[0] for answer in found.values())), "all so far:", dict(TALLY))
    return found


def test_every_rule_has_a_signature():
    assert [label for label, (_, signature) in RULES.items() if signature is None] == []


def test_every_rule_has_a_call_that_is_tried():
    assert {label for label, (_, signature) in RULES.items() if not list(trials(label, signature))} <= ELSEWHERE


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=pytest.mark.slow) if label in ALIKE else label for label in RULES if label not in ELSEWHERE]
)
@pytest.mark.filterwarnings("ignore")
def test_an_option_is_right_or_refused(label):
    found = tried(label)
    assert next(iter(found.values())) == "right"
    assert {text: answer for text, answer in found.items() if not answer.startswith(("right", "refused"))} == {}


@pytest.mark.parametrize("text", MORE)
@pytest.mark.filterwarnings("ignore")
def test_several_options_are_right(text):
    assert verdict(text) == "right"


@pytest.mark.parametrize("name", [name for name in signatures.METHODS if hasattr(np.ndarray, name)])
def test_written_signatures_of_methods_take_what_the_method_takes(name):
    signature = signature_of_method(name)
    try:
        own = inspect.signature(getattr(np.ndarray, name)).parameters
    except ValueError:
        assert np.lib.NumpyVersion(np.__version__) < "2.4.0", "every method has a signature there"
        return
    hidden = any(item.kind is item.VAR_KEYWORD for item in own.values())
    named = {item.name for item in own.values() if item.kind not in (item.VAR_KEYWORD, item.VAR_POSITIONAL)}
    assert named <= set(signature.names)
    assert hidden or set(signature.names) <= named


@pytest.mark.parametrize("function", [item for item in signatures.WRITTEN if item not in signatures.FIRST], ids=lambda item: item.__name__)
def test_written_signatures_are_those_of_the_function(function):
    written = written_signature(signatures.WRITTEN[function])
    try:
        own = inspect.signature(function).parameters.values()
    except ValueError:
        check_by_calls(function, written)
        return
    known = {item.name for item in own if item.kind not in (item.VAR_KEYWORD, item.VAR_POSITIONAL)}
    assert set(written.names) <= known or function is bool


def check_by_calls(function, signature):
    """A function that tells no signature takes no more arguments, and no other keywords, than what is written."""
    if signature.star is None:
        with pytest.raises(TypeError):
            function(*[1.0] * (len(signature.before) + len(signature.either) + 1))
    if signature.rest is None:
        with pytest.raises(TypeError):
            function(*[1.0] * len(signature.before), unheard_of=1)
        for name in signature.before:
            with pytest.raises(TypeError):
                function(**{name: 1.0})


@pytest.mark.parametrize(
    ("call", "takes"),
    [
        ("math.log(x, 2.0, 3.0)", False), ("math.log(x=x)", False), ("math.hypot(x, coordinates=y)", False), ("int(x, 8, 9)", False),
        ("round(x, digits=1)", False), ("round(number=x, ndigits=1)", True), ("pow(base=x, exp=2)", True), ("sum(iterable=[x])", False),
        ("sum([x], start=y)", True), ("max(x, y, kee=1)", False), ("np.sqrt(x=m)", False), ("np.diff(a=m)", True), ("np.diff(n=1)", False),
        ("np.diff(m, 1, axis=0, n=2)", False), ("m.sum(0, axis=0)", False), ("m.sum(axes=0)", False), ("m.flatten('C', 1)", False),
        ("abs(x, y)", False), ("len()", False), ("np.mean()", False), ("min()", False), ("next()", False),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_call_that_fits_no_parameters_raises_what_python_raises(call, takes):
    function = compiled_function(call)
    sample = np.linspace(0.1, 0.9, 9)
    if takes:
        assert verdict(call) == "right"
        return
    with pytest.raises(TypeError) as raised:
        function(sample)
    with pytest.raises(da.CompileError) as refused:
        da.compile(function, example=((sample,), {}))
    assert refused.value.reason == f"the function raises TypeError on every input: {raised.value}"


def test_what_is_at_its_default_is_left_out():
    bound = bind(signature_of(np.diff), ["m", 1, 0], {"prepend": np._NoValue})
    assert bound.values == {"a": "m", "axis": 0}
    assert repr(MISSING) == "<no value>"


def test_a_checker_of_calls_notices_a_wrong_answer(monkeypatch):
    monkeypatch.setattr("tests.support.option_calls.numbers", lambda output, seen=[]: (seen.append(0) or [float(len(seen))], ()))
    assert verdict("np.sum(m)").startswith("wrong")
