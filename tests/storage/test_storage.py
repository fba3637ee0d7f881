"""A network that was saved is the same when it is loaded; a file that is none is refused before anything of it runs."""

import builtins
import contextlib
import enum
import functools
import io
import json
import linecache
import math
import pickle
import re
import struct
import zlib
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import deepalgo as da
from benchmarks.corpus import compile_entry, load_corpus
from deepalgo.ir import Check, Program, walk
from deepalgo.ops.attributes import needed, rule_of
from deepalgo.ops.table import TABLE
from deepalgo.storage.file import _checksum
from deepalgo.storage.plain import NotPlain, Tensors, decode, encode
from examples import attitude, controller, demo, geodesic, implied_volatility, income_tax, wet_bulb
from tests import altered_files
from tests.fuzz.generator import generate
from tests.fuzz.program import load as load_program
from tests.support.cases import CASES


@pytest.fixture
def path(tmp_path):
    return tmp_path / "network.safetensors"


def again(network, path):
    network.save(path)
    return da.load(path)


def assert_same(network, twin):
    """Programs, code and weights are the same; NaN is compared as it prints."""
    assert str(twin.program) == str(network.program)
    assert [item.span for item in walk(twin.program.body)] == [item.span for item in walk(network.program.body)]
    assert twin.code == network.code
    assert [weight.span for weight in twin.program.weights] == [weight.span for weight in network.program.weights]
    for key in network.weights:
        assert twin.weights[key].dtype == network.weights[key].dtype
        assert torch.equal(twin.weights[key].nan_to_num(nan=-7.0), network.weights[key].nan_to_num(nan=-7.0))


@pytest.mark.parametrize("case", CASES[::2], ids=lambda case: case.id)
def test_a_heuristic_answers_the_same_after_it_was_saved(case, path):
    network = da.compile(case.function, errors="nan", **case.compile_options())
    twin = again(network, path)
    assert_same(network, twin)
    for row in case.rows(3):
        args, kwargs = case.arrange(*row)
        assert repr(twin(*args, **kwargs)) == repr(network(*args, **kwargs))


@pytest.mark.parametrize(
    ("function", "example"),
    [
        (demo.friction_factor, ((1e5, 0.01), {})),
        (geodesic.distance, ((-37.9, 144.4, -37.6, 143.9), {})),
        (implied_volatility.implied_volatility, None),
        (income_tax.tax, None),
        (wet_bulb.wet_bulb, None),
        (controller.cost, None),
        (attitude.attitude, (([0.1, 0.2, 0.9], [0.3, 0.1, 0.4]), {})),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_examples_are_the_same_after_they_were_saved(function, example, path):
    network = da.compile(function, example=example)
    assert_same(network, again(network, path))


def generated(seed, kind):
    program = generate(seed, kind)
    file = f"<saved {kind} {seed}>"
    linecache.cache[file] = (len(program.source), None, program.source.splitlines(True), file)
    function = load_program(program.source, file)[program.entry]
    return da.compile(function, example=program.call(0), errors="nan"), program


@pytest.mark.parametrize("kind", ["scalar", "arrays"])
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 40))])
def test_random_programs_answer_the_same_after_they_were_saved(seed, kind, path):
    try:
        network, program = generated(seed, kind)
    except da.CompileError as error:
        pytest.skip(str(error))
    twin = again(network, path)
    assert_same(network, twin)
    args, kwargs = program.call(1)
    assert repr(twin(*args, **kwargs)) == repr(generated(seed, kind)[0](*program.call(1)[0], **program.call(1)[1]))


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore")
def test_real_functions_answer_the_same_after_they_were_saved(path):
    corpus = load_corpus()
    compared = 0
    for entry in corpus.entries()[::6]:
        args, kwargs = corpus.plain_arguments(entry, entry["samples"][0])
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                network = compile_entry(corpus.resolve(entry), args, kwargs)
            except da.DeepalgoError:
                continue
        twin = again(network, path)
        assert_same(network, twin)
        args, kwargs = corpus.plain_arguments(entry, entry["samples"][1])
        with contextlib.suppress(da.HeuristicError):
            assert repr(twin(*args, **kwargs)) == repr(network(*args, **kwargs))
            compared += 1
    assert compared > 40


GAIN = 0.5
ROWS = [[0.25 * number for number in range(20)] for _ in range(3)]


def heuristic(x, y, *, mode="fast"):
    total = GAIN * x + 1e-3 - 2 * y
    for row in ROWS:
        total = total + row[3] * y
    while total > 2.0:
        total = total / 1.5
    if y == 0.0:
        raise ValueError(f"y is {y}")
    return {"total": total, "mode": mode, "pair": (total**2.0, 3)}


@pytest.fixture
def network():
    return da.compile(heuristic)


def test_trained_weights_precision_and_options_are_saved(network, path):
    network = da.compile(heuristic, loops="settle", max_rounds=17, errors="nan").to(torch.float32)
    with torch.no_grad():
        for weight in network.parameters():
            weight += torch.rand_like(weight)
    network.weights["GAIN"].requires_grad_(False)
    twin = again(network, path)
    assert_same(network, twin)
    assert (twin.loops, twin.max_rounds, twin.errors, twin.dtype) == ("settle", 17, "nan", torch.float32)
    assert [item.requires_grad for item in twin.parameters()] == [item.requires_grad for item in network.parameters()]
    assert twin.heuristic is twin.program
    answer = twin(torch.linspace(0.0, 9.0, 5), 0.75)
    assert answer["mode"] == "fast" and torch.equal(answer["total"], network(torch.linspace(0.0, 9.0, 5), 0.75)["total"])
    assert {weight.key: weight.value for weight in twin.program.weights}["GAIN"] == 0.5


def test_the_heuristic_of_a_grown_network_is_saved_beside_its_program(path):
    plain, other = da.compile(heuristic), da.compile(lambda x, y, *, mode="fast": 0.5 * x + y**2)
    grown = plain.with_program(other.program)
    twin = again(grown, path)
    assert str(twin.heuristic) == str(plain.program) != str(twin.program) == str(other.program)


def newton(s):
    x = 1.0
    for _ in range(3):
        x = x - 1.0 * (x**5 - s) / (5 * x**4)
    return x


GROWN = {
    "untie": da.untie,
    "remember": da.remember,
    "both": lambda network: da.remember(da.untie(network), depth=2),
    "correct": lambda network: da.correct(network, "x", hidden=3),
    "guard": lambda network: da.guard(da.untie(network), by=lambda x, s: abs(x**5 - s)),
}


@pytest.mark.parametrize("name", GROWN)
def test_grown_networks_answer_the_same_after_they_were_saved(name, path):
    check_grown(GROWN[name](da.compile(newton)), path, torch.linspace(0.5, 4.0, 7, dtype=torch.float64))


def distance(x, y):
    gap = x - y
    return np.sqrt(np.sum(gap * gap))


@pytest.mark.parametrize("structure", [da.Dense(), da.Toeplitz(3), da.Kronecker(2)], ids=lambda item: type(item).__name__)
def test_widened_networks_answer_the_same_after_they_were_saved(structure, path):
    network = da.compile(distance, example=((np.zeros(4), np.ones(4)), {}))
    check_grown(da.widen(network, "gap", structure), path, torch.rand(5, 4), torch.rand(5, 4))


def check_grown(network, path, *inputs):
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.01 * torch.rand_like(weight)
    twin = again(network, path)
    assert twin.program == network.program and twin.heuristic == network.heuristic != network.program
    assert twin.code == network.code
    assert twin(*inputs).tolist() == network(*inputs).tolist()


def test_a_loaded_network_can_be_verified_against_the_function(network, path):
    network.save(path)
    certificate = da.load(path, function=heuristic).verify(torch.linspace(0.5, 9.0, 6), 0.75)
    assert "the network gives the answers of the function" in str(certificate)


def test_a_loaded_network_complains_as_the_first_one_does(network, path):
    twin = again(network, path)
    with pytest.raises(da.HeuristicError) as first:
        network(1.0, 0.0)
    with pytest.raises(da.HeuristicError) as second:
        twin(1.0, 0.0)
    assert str(first.value) == str(second.value)
    with pytest.raises(da.InputError, match="compiled with the default of 'mode'"):
        twin(1.0, 2.0, mode="slow")


def test_saving_replaces_a_file_as_a_whole(network, path):
    path.write_text("old")
    path.chmod(0o640)
    network.save(path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [item.name for item in path.parent.iterdir()] == [path.name]
    da.load(str(path))


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Settings:
    gain: float
    names: tuple


def cube(x):
    return x * x * x


def cube_with_comment(x):
    return x * x * x  # the same, said otherwise


def quartic(x):
    return x * x * x * x


def shaped(x, by):
    if callable(by):
        return by(x) + 0.5
    return x + 0.5


PLAIN = [None, True, 3, 10**30, "word", b"\x00bytes", (1, [2.5, {"a": {1, 2}}]), frozenset({1, 2}), range(1, 7, 2), slice(None, 3), ...,
         np.arange(40), np.int8(3), np.array(["a", "bc"]), math.inf, 1j, [True, False] * 20, {(1, 2): -0.0}]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:20])
def test_plain_data_keeps_its_exact_type(value):
    tensors = Tensors()
    text = json.dumps(encode(value, tensors), allow_nan=False)
    found = decode(json.loads(text), tensors)
    assert type(found) is type(value) and repr(found) == repr(value)


@pytest.mark.parametrize(
    ("fixed", "same", "other"),
    [
        ("word", "word", "other"),
        ([1, 2], [1, 2], (1, 2)),
        (np.arange(3), np.arange(3), np.arange(1, 4)),
        (math.sin, math.sin, math.cos),
        (cube, cube, quartic),
        (Colour.RED, Colour.RED, Colour.BLUE),
        (Settings(1.5, ("a",)), Settings(1.5, ("a",)), Settings(1.25, ("a",))),
        (functools.partial(max, 2.0), functools.partial(max, 2.0), functools.partial(max, 3.0)),
        ({"f": cube}, {"f": cube}, {"f": cube_with_comment}),
        (float, float, abs),
    ],
    ids=["text", "list", "array", "builtin", "function", "enum", "object", "partial", "dict", "class"],
)
def test_fixed_arguments_are_known_again(fixed, same, other, path):
    twin = again(da.compile(shaped, example=((1.0, fixed), {}), static=("by",)), path)
    assert twin(2.0, same).item() == shaped(2.0, same)
    with pytest.raises(da.InputError, match="'by' is fixed"):
        twin(2.0, other)


def test_a_fixed_argument_that_cannot_be_known_again_is_refused_by_name(path):
    network = da.compile(shaped, example=((1.0, object()), {}), static=("by",))
    with pytest.raises(da.FileError) as refusal:
        network.save(path)
    assert str(refusal.value) == (
        f"{path}: shaped cannot be saved: the fixed argument 'by': a object cannot be known again: "
        "a object shows nothing of what it holds\nCompile it with plain data there."
    )
    assert not path.exists()


def test_an_object_in_the_answer_is_refused(path):
    def coloured(x):
        return {"value": x + 0.5, "colour": Colour.RED}

    with pytest.raises(da.FileError, match="a Colour is no plain data"):
        da.compile(coloured).save(path)
    with pytest.raises(NotPlain):
        encode(Colour.RED, Tensors())


@pytest.mark.parametrize("share", [0.0, 0.0005, 0.01, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_off_is_refused(network, path, share):
    network.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(da.FileError, match="it is cut off, damaged or no file of deepalgo"):
        da.load(path)


def test_a_file_that_is_longer_is_refused(network, path):
    network.save(path)
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(da.FileError, match="cut off, damaged"):
        da.load(path)


@pytest.mark.parametrize(("old", "new"), [(b"GAIN", b"PAIN"), (b'\\"fast\\"', b'\\"slow\\"'), (b"deepalgo", b"deepalga"), (None, None)])
def test_a_file_that_was_altered_is_refused(network, path, old, new):
    network.save(path)
    content = path.read_bytes()
    changed = content.replace(old, new) if old else content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]
    assert changed != content and len(changed) == len(content)
    path.write_bytes(changed)
    with pytest.raises(da.FileError, match="altered after it was saved|holds tensors, but no network"):
        da.load(path)


@pytest.mark.parametrize("content", [b"", b"hello, I am a text file\n" * 9, pickle.dumps({"a": 1}), zlib.compress(b"x" * 99), b"\xff" * 64])
def test_a_foreign_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(da.FileError, match="no file of deepalgo"):
        da.load(path)


def test_tensors_of_others_are_refused(path):
    save_file({"layer.weight": torch.zeros(3)}, path, {"format": "pt"})
    with pytest.raises(da.FileError, match="it holds tensors, but no network of deepalgo"):
        da.load(path)


def test_a_file_that_is_not_there_says_so(path):
    with pytest.raises(FileNotFoundError):
        da.load(path)


def edit(path, change, **metadata):
    """Change the JSON of a file as someone would who also knows how to make the checksum right."""
    with safe_open(path, "pt") as file:
        held = dict(file.metadata())
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}
    data = json.loads(held["network"])
    change(data, tensors)
    held["network"] = json.dumps(data)
    held["sha256"] = _checksum(held["network"], Tensors(tensors))
    save_file(tensors, path, held | metadata)


def test_another_version_of_the_format_is_refused(network, path):
    network.save(path)
    edit(path, lambda data, tensors: None, version="3")
    with pytest.raises(da.FileError) as refusal:
        da.load(path)
    assert str(refusal.value) == (
        f"{path}: it has version 3 of the format, and this deepalgo reads versions 1 and 2\n"
        "Load it with the deepalgo that saved it, or compile and save again."
    )


def test_an_edit_that_changes_nothing_loads(network, path):
    network.save(path)
    edit(path, lambda data, tensors: None)
    assert_same(network, da.load(path))


CODE = "__import__('builtins').__dict__.__setitem__('CAUGHT', 1)"


def op(data, name):
    return next(item for item in statements(data["program"]["body"]) if item.get("op") == name)


def statements(block):
    for item in block["body"]:
        yield item
        for key in ("then", "else", "body", "while", "try"):
            if isinstance(item.get(key), dict):
                yield from statements(item[key])


def setting(*keys, to, of=lambda data: data):
    def change(data, tensors):
        holder = of(data)
        for key in keys[:-1]:
            holder = holder[key]
        assert keys[-1] in holder if isinstance(holder, dict) else len(holder) > keys[-1]
        holder[keys[-1]] = to

    return change


def first(condition, **changes):
    """Change the first statement that fulfils a condition."""

    def change(data, tensors):
        next(item for item in statements(data["program"]["body"]) if condition(item)).update(changes)

    return change


def is_raise(item):
    return item.get("error") == "ValueError"


def every_line(text):
    return lambda data, tensors: [span.__setitem__(5, [text]) for span in data["program"]["spans"]]


def use_itself(data, tensors):
    found = op(data, "mul")
    found["args"][0] = found["result"]


def use_later(data, tensors):
    body = data["program"]["body"]["body"]
    body.insert(0, body.pop())


def rename_weight(data, tensors):
    data["program"]["weights"][0]["key"] = CODE
    op(data, "weight")["attrs"]["key"] = CODE
    tensors[f"weights.{CODE}"] = tensors.pop("weights.GAIN")


def drop_weight(data, tensors):
    del tensors["weights.GAIN"]


def widen(data, tensors):
    tensors["weights.GAIN"] = torch.zeros(2, dtype=torch.float64)


def double(data, tensors):
    tensors["weights.GAIN"] = tensors["weights.GAIN"].float()


def stray_path(data, tensors):
    """Without a signature nothing says how the arguments are called."""
    data["signature"] = None
    data["program"]["inputs"][0][0] = f"p[{CODE}]"


def quotes_in_a_message(data, tensors):
    found = next(item for item in statements(data["program"]["body"]) if is_raise(item))
    found["message"] = f"{{0}} \" ' + {CODE} + '"


EDITS = {
    "path that is code": (stray_path, "is no name of an input"),
    "path that holds another": (setting("program", "inputs", 0, 0, to="y[0]"), "is an input and holds others"),
    "path of a keyword": (setting("program", "inputs", 0, 0, to="class"), "is no name of an input"),
    "name that is read as another": (setting("program", "values", 0, 3, to="\uff52un"), "is no name"),
    "keyword for a parameter": (setting("signature", "order", 0, to="class"), "is no name of a parameter"),
    "parameter twice": (setting("signature", "order", 0, to="y"), "a parameter occurs twice"),
    "class that is no exception": (first(lambda item: "check" in item, error="int"), "is no name of an exception"),
    "format of another kind": (first(is_raise, message="{0:d}"), "a message that asks for"),
    "half a character": (setting("program", "files", 0, to="a\ud800.py"), "line break"),
    "place outside of the table": (setting("attrs", to={"key": {"tuple": [99]}}, of=lambda data: op(data, "index")), "cannot have 'key'"),
    "truth value for a place": (setting("attrs", to={"key": {"tuple": [True]}}, of=lambda data: op(data, "index")), "cannot have 'key'"),
    "attribute that is missing": (setting("attrs", to={}, of=lambda data: op(data, "index")), "needs 'key'"),
    "endless loop": (setting("options", "max_rounds", to=10**12), "max_rounds is 1000000000000"),
    "column far away": (setting("program", "spans", 0, 2, to=10**12), "is no line and no column"),
    "field that is none": (setting("program", "output", to={"sequence": "Pair", "items": [], "names": ["class"]}), "fields without names"),
    "keys twice": (setting("program", "output", "keys", to=["a", "a", "b"]), "or one twice"),
    "list for a key": (setting("program", "output", "keys", to=["a", {"list": []}, "b"]), "keys that are none"),
    "wide text": (setting("program", "output", "items", 1, to={"static": {"array": ["<U99999999", [1], {"list": ["a"]}]}}), "are not read"),
    "op name": (setting("op", to=CODE, of=lambda data: op(data, "mul")), "is no operation"),
    "op that is none": (setting("op", to="sinus", of=lambda data: op(data, "mul")), "`sinus` is no operation"),
    "weight key": (rename_weight, "has a key that is no name"),
    "function name": (setting("program", "name", to=f"f(): {CODE} #"), "is no name of a function"),
    "value name": (setting("program", "values", 0, 3, to=CODE), "is no name"),
    "value name that ends a line": (setting("program", "values", 0, 3, to="x\n"), "is no name"),
    "input path": (setting("program", "inputs", 0, 0, to=f"x)\n{CODE}"), "is no name of an input"),
    "source line": (setting("program", "spans", 0, 5, to=[f"x\n    {CODE}"]), "has a text with a line break"),
    "every source line": (every_line(f"x\r    {CODE}"), "line break"),
    "file name": (setting("program", "files", 0, to=f"a.py\n    {CODE}"), "line break"),
    "attribute": (setting("attrs", to={"key": {"tuple": [CODE]}}, of=lambda data: op(data, "index")), "cannot have 'key'"),
    "attribute name": (setting("attrs", to={CODE: 1}, of=lambda data: op(data, "add")), "cannot have"),
    "constant": (setting("attrs", to={"value": CODE}, of=lambda data: op(data, "const")), "cannot have 'value'"),
    "word for a constant": (setting("attrs", to={"value": "run"}, of=lambda data: op(data, "const")), "cannot have 'value' = 'run'"),
    "attribute of another kind": (setting("attrs", to={"key": {"call": "f"}}, of=lambda data: op(data, "index")), "call"),
    "operands": (setting("args", to=[0], of=lambda data: op(data, "add")), "add takes 2 operands"),
    "shape": (setting("program", "values", 0, 2, to=[3]), "is declared as|is handed to|decides"),
    "kind": (setting("program", "values", 0, 1, to="COMPLEX"), "has no type|is declared as|is handed"),
    "size": (setting("program", "values", 0, 2, to=[2**40]), "is too large"),
    "negative number": (setting("program", "values", 0, 0, to=-1), "where a whole number is expected"),
    "weight shape": (setting("program", "weights", 0, "shape", to=[3]), "is not of the shape"),
    "weight value": (setting("program", "weights", 0, "value", to="0.5"), "is no number"),
    "weight role": (setting("program", "weights", 0, "role", to="BOSS"), "BOSS"),
    "cycle": (use_itself, "is used before it is defined"),
    "order": (use_later, "is used before it is defined"),
    "unknown value": (setting("args", to=[0, 99999], of=lambda data: op(data, "add")), "99999"),
    "message": (first(is_raise, message="{0.__class__.__init__.__globals__}"), "a message that asks for"),
    "wide message": (first(is_raise, message="{0:>99999999999}"), "a message that asks for"),
    "exception": (first(lambda item: "check" in item, error=CODE), "is no name of an exception"),
    "field of the answer": (setting("program", "output", "mapping", to=CODE), "is no class"),
    "results": (setting("program", "body", "results", to=[0]), "the results are not those of the output"),
    "parameter": (setting("signature", "order", 0, to=CODE), "is no name of a parameter"),
    "arguments": (setting("signature", "arguments", 0, 1, to={"static": 1}), "the arguments are not the inputs"),
    "loops": (setting("options", "loops", to="forever"), "'forever' is none of run, settle"),
    "rounds": (setting("options", "max_rounds", to="9"), "max_rounds is '9'"),
    "precision": (setting("options", "dtype", to="int8"), "int8"),
    "tensor shape": (widen, "of shape \\(2,\\), not"),
    "tensor kind": (double, "is torch.float32"),
    "missing tensor": (drop_weight, "weights.GAIN"),
    "missing part": (lambda data, tensors: data.pop("program"), "program"),
    "list for the whole": (lambda data, tensors: data.update(program=[]), "list"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_malicious_edit_with_the_right_checksum_is_refused_and_runs_nothing(name, network, path):
    change, words = EDITS[name]
    network.save(path)
    edit(path, change)
    with pytest.raises(da.FileError, match=words) as refusal:
        da.load(path)
    assert "Nothing of it was run" in str(refusal.value)
    assert not hasattr(builtins, "CAUGHT")


def test_the_texts_of_a_file_cannot_leave_their_comments(network, path):
    network.save(path)
    edit(path, every_line(f'"""; {CODE} #'))
    twin = da.load(path)
    twin(1.0, 2.0)
    assert CODE in twin.code
    assert all(re.search(r"# .*CAUGHT", line) for line in twin.code.splitlines() if "CAUGHT" in line)
    assert not hasattr(builtins, "CAUGHT")


def test_the_text_of_a_message_cannot_leave_its_quotes(network, path):
    network.save(path)
    edit(path, quotes_in_a_message)
    text = da.source(da.load(path))
    space = {}
    exec(text, space)
    with pytest.raises(ValueError, match="CAUGHT") as error:
        space["heuristic"](1.0, 0.0)
    assert str(error.value) == f"0.0 \" ' + {CODE} + '"
    assert not hasattr(builtins, "CAUGHT")


def test_a_whole_number_beyond_64_bits_may_only_meet_floats(path):
    large = first(lambda item: item.get("attrs") == {"value": 7}, attrs={"value": {"int": str(2**70)}})
    da.compile(lambda x: x * 7).save(path)
    edit(path, large)
    assert da.load(path)(0.5).item() == 2.0**69
    da.compile(lambda x: int(x) % 7).save(path)
    edit(path, large)
    with pytest.raises(da.FileError, match="is a whole number beyond 64 bits"):
        da.load(path)


def test_every_attribute_in_the_table_has_a_rule():
    for name in TABLE:
        for key in needed(name):
            assert callable(rule_of(name, key)), (name, key)


@pytest.mark.parametrize("part", range(4))
def test_an_altered_file_is_refused_in_clear_words_or_works(part, path):
    outcomes = [altered_files.guarded(number, 0, path) for number in range(75 * part, 75 * (part + 1))]
    assert [reason for _, reason in outcomes if reason] == []
    assert len({kind for kind, _ in outcomes}) > 1


def test_a_key_that_stands_twice_is_refused(network, path):
    network.save(path)
    with safe_open(path, "pt") as file:
        held, tensors = dict(file.metadata()), {name: file.get_tensor(name) for name in file.keys()}
    text = held["network"].replace('{"program":', '{"program":null,"program":', 1)
    save_file(tensors, path, held | {"network": text, "sha256": _checksum(text, Tensors(tensors))})
    with pytest.raises(da.FileError, match="an object has a key twice"):
        da.load(path)


def test_json_that_is_none_is_refused(network, path):
    network.save(path)
    with safe_open(path, "pt") as file:
        held, tensors = dict(file.metadata()), {name: file.get_tensor(name) for name in file.keys()}
    for text in ("", "{", "NaN", "[" * 100_000, '"text"'):
        save_file(tensors, path, held | {"network": text, "sha256": _checksum(text, Tensors(tensors))})
        with pytest.raises(da.FileError, match="makes no sense"):
            da.load(path)


def test_a_header_that_claims_too_much_is_refused(path):
    path.write_bytes(struct.pack("<Q", 2**60) + b"{}")
    with pytest.raises(da.FileError, match="cut off, damaged"):
        da.load(path)


def test_large_tables_are_tensors_and_small_ones_are_text(network, path):
    network.save(path)
    with safe_open(path, "pt") as file:
        names = list(file.keys())
        text = file.metadata()["network"]
    assert "table 0" in names and len(text) < 40_000
    assert isinstance(network.program, Program) and any(isinstance(item, Check) for item in walk(network.program.body))
