"""The studies bring their own operations, and are found under their short names."""

import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo import studies
from deepalgo.cluster import Settings, match, transforms
from deepalgo.ops import forms
from deepalgo.ops.table import HARDENED, TABLE
from deepalgo.studies.cluster.rows import ROWS

FOLDER = Path(studies.__file__).parent
MODULES = sorted(f"{path.parent.name}.{path.stem}" for path in FOLDER.glob("*/*.py") if path.stem != "__init__")
CENTRES = np.random.default_rng(5).random((2, 4, 4))
MOVES = transforms(1)


def nearest(image):
    distance, _ = match(image, np.ones((2, 4, 4)), CENTRES, MOVES)
    return np.sum(distance, axis=(1, 2)) * 0.5


def printed(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout


def test_the_table_has_the_operations_of_a_study_that_nobody_imported():
    code = "from deepalgo.ops.table import TABLE; import sys; print('match' in TABLE, 'deepalgo.studies.cluster.matching' in sys.modules)"
    assert printed(code) == "True False\n"


def test_a_network_with_such_an_operation_loads_in_a_process_that_knows_nothing_of_the_study(tmp_path):
    net = da.compile(nearest, example=((CENTRES[0],), {}))
    net.save(tmp_path / "net.safetensors")
    code = "import deepalgo, sys, torch; print(deepalgo.load(sys.argv[1])(torch.full((1, 4, 4), 0.5, dtype=torch.float64)).tolist())"
    assert printed(code, str(tmp_path / "net.safetensors")) == f"{net(torch.full((1, 4, 4), 0.5, dtype=torch.float64)).tolist()}\n"


def test_compiling_leaves_the_torch_forms_of_a_study_alone():
    code = "import deepalgo; import colorsys; deepalgo.compile(colorsys.rgb_to_yiq); import sys; print(*sys.modules)"
    assert not {name for name in printed(code).split() if "kernels" in name and "deepalgo" in name}


def test_a_row_names_where_its_torch_function_is():
    for row in ROWS:
        assert getattr(forms, row.name) is getattr(importlib.import_module(row.torch_form), row.name)
    with pytest.raises(AttributeError, match="module 'deepalgo.ops.forms' has no attribute 'spin'"):
        forms.spin  # noqa: B018


def test_a_softened_operation_has_one_operand_more():
    assert {"soft_match": "match"} == HARDENED
    for soft, hard in HARDENED.items():
        assert TABLE[hard].softened == soft


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_a_study_is_the_same_under_its_short_name(name):
    module = importlib.import_module(f"deepalgo.studies.{name}")
    assert importlib.import_module(f"deepalgo.{name}") is module
    assert module.__name__ == module.__spec__.name == f"deepalgo.studies.{name}"


def test_no_other_module_has_a_short_name():
    for name in ("newton.nothing", "cluster.kernels"):
        with pytest.raises(ModuleNotFoundError, match=f"No module named 'deepalgo.{name}'"):
            importlib.import_module(f"deepalgo.{name}")


def test_a_study_hands_out_the_same_things_under_both_names():
    for name in ("newton", "cluster"):
        short, long = importlib.import_module(f"deepalgo.{name}"), importlib.import_module(f"deepalgo.studies.{name}")
        assert dir(short) == dir(long) and all(getattr(short, item) is getattr(long, item) for item in dir(long))
    assert da.newton.Solver is importlib.import_module("deepalgo.studies.newton.solver").Solver


def test_what_was_pickled_under_the_short_name_is_read():
    settings = Settings(epochs=3)
    earlier = pickle.dumps(settings, protocol=0).replace(b"deepalgo.studies.cluster", b"deepalgo.cluster")
    assert b"deepalgo.cluster.training" in earlier
    assert pickle.loads(earlier) == settings
