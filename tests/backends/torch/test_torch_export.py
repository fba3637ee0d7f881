"""`torch.export`: a dynamic batch under the heuristic's own names, saved, and run where only deepalgo is imported; AOTInductor and ONNX."""

import inspect
import math
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.export import Dim, export

import deepalgo as da
from deepalgo.errors import HeuristicError, InputError

#: Of torch's exporters, and what they call.
FROM_TORCH = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
SIZES = {0: Dim("samples")}


def forces(speed, wing):
    pressure = 0.5 * 1.2 * speed**2
    lift = pressure * wing[0] if speed > 10.0 else 0.0
    return {"lift": lift, "drag": pressure * wing[1] * math.sqrt(wing[0])}


def halving(x):
    while x > 1.0:
        x = 0.5 * x
    return x


def flow(speed, wing):
    return forces(speed, wing)["lift"] + math.log10(wing[1]) * math.pi


def network(function=forces, **options):
    return da.compile(function, example=((20.0, np.ones(2)), {}), **options)


def batch(size):
    generator = torch.Generator().manual_seed(size)
    speed, wing = (torch.rand(shape, dtype=torch.float64, generator=generator) for shape in ((size,), (size, 2)))
    return 20 * speed, wing + 0.1


def exported(net, **options):
    return export(net, batch(5), dynamic_shapes={"speed": SIZES, "wing": SIZES}, **options)


def inputs(program):
    return [item.arg.name for item in program.graph_signature.input_specs if item.kind.name == "USER_INPUT"]


def test_a_network_without_its_function_shows_a_signature_that_python_allows():
    def scaled(x, unit=None, factor=2.0):
        return x * factor

    net = da.compile(scaled, example=((1.0,), {"factor": 3.0}))
    alone = da.Network(net.program, net.signature)
    assert [*inspect.signature(alone.forward).parameters] == ["x", "unit", "factor"]
    assert alone(2.0, factor=3.0).item() == 6.0


def test_forward_shows_the_signature_of_the_heuristic():
    net = network()
    assert str(inspect.signature(net.forward)) == "(speed, wing)"
    assert str(inspect.signature(da.compile(lambda x, limit=2.0: min(x, limit)).forward)) == "(x, limit=2.0)"


def test_forward_of_a_network_from_a_file_shows_it_too(tmp_path):
    network().save(tmp_path / "forces.da")
    loaded = da.load(tmp_path / "forces.da")
    assert str(inspect.signature(loaded.forward)) == "(speed, wing)"
    assert loaded.forward(20.0, [1.0, 2.0])["lift"].item() == forces(20.0, [1.0, 2.0])["lift"]


@pytest.mark.slow
@pytest.mark.parametrize("grad", [True, False], ids=["grad on", "grad off"])
@pytest.mark.parametrize("errors", ["raise", "nan"])
def test_an_exported_network_takes_any_batch_under_its_names(errors, grad, tmp_path):
    net = network(errors=errors)
    with torch.set_grad_enabled(grad):
        program = exported(net)
        torch.export.save(program, tmp_path / "forces.pt2")
    assert inputs(program) == ["speed", "wing"]
    module = torch.export.load(tmp_path / "forces.pt2").module()
    for size in (1, 2, 1000):
        found, wanted = module(*batch(size)), net(*batch(size))
        assert list(found) == ["lift", "drag"]
        assert all(torch.equal(found[key], wanted[key]) for key in found)


ELSEWHERE = """
import sys
import deepalgo, torch
module = torch.export.load(sys.argv[1]).module()
rows = torch.tensor([[1.0, 2.0], [3.0, 6.0]], dtype=torch.float64)
print([value.tolist() for value in module(torch.tensor([5.0, 20.0], dtype=torch.float64), rows).values()])
try:
    module(torch.tensor([5.0, 20.0], dtype=torch.float64), torch.tensor([[1.0, 2.0], [-1.0, 6.0]], dtype=torch.float64))
except deepalgo.HeuristicError as error:
    print(error.error, error.samples, "math domain error" in str(error), "test_torch_export.py:" in str(error))
"""


@pytest.mark.slow
def test_it_runs_and_raises_in_a_process_that_only_imports_deepalgo(tmp_path):
    torch.export.save(exported(network()), tmp_path / "forces.pt2")
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, str(tmp_path / "forces.pt2")], capture_output=True, text=True, check=False)
    rows = [forces(5.0, [1.0, 2.0]), forces(20.0, [3.0, 6.0])]
    wanted = [[row[key] for row in rows] for key in ("lift", "drag")]
    assert done.stdout.splitlines() == [str(wanted), "ValueError (1,) True True"], done.stderr


def test_loops_that_data_end_are_refused():
    with pytest.raises(InputError) as refusal:
        export(da.compile(halving), (torch.tensor([3.0, 9.0], dtype=torch.float64),))
    assert "halving has a loop that ends by data" in str(refusal.value)
    assert "for torch.export, compile it with loops='settle', and with max_rounds=" in str(refusal.value)


@pytest.mark.slow
def test_a_settled_loop_is_exported():
    net = da.compile(halving, loops="settle", max_rounds=6)
    module = export(net, (torch.tensor([3.0, 9.0], dtype=torch.float64),), dynamic_shapes=(SIZES,)).module()
    x = torch.tensor([0.5, 60.0, 2.0], dtype=torch.float64)
    assert module(x).tolist() == [halving(value) for value in x.tolist()]
    with pytest.raises(HeuristicError, match="still running after 6 rounds"):
        module(torch.tensor([1.0, 1e9], dtype=torch.float64))


class Three(torch.nn.Module):
    """Three formulas in one package, as compiling takes long."""

    def __init__(self):
        super().__init__()
        self.first, self.second = network(), network(flow, errors="nan")
        self.third = da.compile(halving, loops="settle", max_rounds=5)

    def forward(self, speed, wing):
        return self.first(speed, wing), self.second(speed, wing), self.third(speed)


@pytest.mark.slow
@FROM_TORCH
@pytest.mark.skipif(shutil.which("g++") is None, reason="AOTInductor needs a C++ compiler, g++")
def test_formulas_packaged_with_aotinductor_run(tmp_path):
    model = Three()
    with torch.no_grad():
        program = exported(model)
        options = {"aot_inductor.compile_wrapper_opt_level": "O0"}
        place = str(tmp_path / "three.pt2")
        path = torch._inductor.aoti_compile_and_package(program, package_path=place, inductor_configs=options)
        packaged = torch._inductor.aoti_load_package(path)
        for size in (1, 3, 100):
            found, wanted = packaged(*batch(size)), model(*batch(size))
            for ours, theirs in zip(torch.utils._pytree.tree_leaves(wanted), torch.utils._pytree.tree_leaves(found), strict=True):
                torch.testing.assert_close(theirs, ours, rtol=1e-12, atol=0.0)


def to_onnx(net, path):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    torch.onnx.export(net, batch(5), path, dynamo=True, dynamic_shapes={"speed": SIZES, "wing": SIZES}, verbose=False)
    return runtime.InferenceSession(path)


@pytest.mark.slow
@FROM_TORCH
def test_an_onnx_graph_takes_any_batch_and_keeps_all_digits(tmp_path):
    net = network(flow, errors="nan")
    session = to_onnx(net, tmp_path / "flow.onnx")
    assert [item.name for item in session.get_inputs()] == ["speed", "wing"]
    for size in (1, 2, 1000):
        columns = batch(size)
        (found,) = session.run(None, {"speed": columns[0].numpy(), "wing": columns[1].numpy()})
        np.testing.assert_allclose(found, net(*columns).detach().numpy(), rtol=1e-13, atol=1e-13)


@pytest.mark.slow
@FROM_TORCH
def test_an_onnx_graph_that_would_have_to_raise_is_refused(tmp_path):
    with pytest.raises(Exception, match="flow can raise, and an ONNX graph cannot: compile it with errors='nan'"):
        to_onnx(network(flow), tmp_path / "flow.onnx")


@FROM_TORCH
def test_the_exporter_of_old_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"torch.onnx.export\(\.\.\., dynamo=True\)"):
        torch.onnx.export(network(), batch(5), tmp_path / "forces.onnx", dynamo=False)
