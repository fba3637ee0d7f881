"""Data flows one way: a module imports only from modules that come before it, and importing the package stays cheap."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import deepalgo

PACKAGE = Path(deepalgo.__file__).parent

#: The parts of the package in data-flow order; `deepalgo/__init__.py` stands after all of them.
ORDER = [
    "errors",
    "spans",
    "files",
    "fingerprint",
    "kinds",
    "ops",
    "ir",
    "marks",
    "literals",
    "origins",
    "signature",
    "stage",
    "runtime",
    "emit",
    "certificate",
    "storage",
    "drawing",
    "network",
    "compiler",
    "source_code",
    "patching",
    "tensorize",
    "fitting",
    "datasets",
    "newton",
    "cluster",
    "commands",
    "cli",
]


def modules(package):
    """Every module of a package by its dotted name without the package's own, e.g. `ops.table`."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(package, name, path, *, while_importing=False):
    """The modules of the package that one module imports, inside functions too, those for type checkers left out."""
    known = dict(modules(package))
    tree = Relevant(while_importing).visit(ast.parse(path.read_text()))
    here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            candidates = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = here[: len(here) - node.level + 1]
                base = ".".join([package.name, *(part for part in above if part), *([base] if base else [])])
            candidates = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for candidate in candidates:
            words = candidate.split(".")
            if words[0] != package.name:
                continue
            inner = words[1:]
            while inner and ".".join(inner) not in known:
                inner = inner[:-1]
            if ".".join(inner) != name:
                yield ".".join(inner)


class Relevant(ast.NodeTransformer):
    """Drop what only type checkers see and, if asked, what runs only when a function is called."""

    def __init__(self, while_importing):
        self.while_importing = while_importing

    def visit_If(self, node):
        return node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)

    def visit_FunctionDef(self, node):
        return None if self.while_importing else self.generic_visit(node)


def violations(package, order):
    found = []
    for name, path in modules(package):
        part = name.split(".")[0]
        if not part:
            continue
        if part not in order:
            found.append(f"{name}: `{part}` has no place in the order")
            continue
        for target in imports(package, name, path):
            other = target.split(".")[0]
            if other and order.index(other) > order.index(part):
                found.append(f"{name} imports {target}, which comes after it")
    return found


def cycle(package):
    graph = {name: set(imports(package, name, path, while_importing=True)) for name, path in modules(package) if name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_module_imports_only_from_modules_above_it():
    assert violations(PACKAGE, ORDER) == []


def test_no_modules_wait_for_each_other_while_being_imported():
    assert cycle(PACKAGE) == []


def test_the_order_check_finds_a_wrong_import(tmp_path):
    package = tmp_path / "sample"
    (package / "ops").mkdir(parents=True)
    (package / "__init__.py").write_text("from sample.ops import table\n")
    (package / "errors.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sample.ops import table\n")
    (package / "ops" / "__init__.py").write_text("from .table import ROWS\n")
    (package / "ops" / "table.py").write_text("from sample import errors\nROWS = []\n")
    assert violations(package, ["errors", "ops"]) == []
    assert cycle(package) == []

    (package / "ops" / "table.py").write_text("from .. import errors\nROWS = []\n")
    (package / "errors.py").write_text("def f():\n    from sample.ops.table import ROWS\n    return ROWS\n")
    assert violations(package, ["errors", "ops"]) == ["errors imports ops.table, which comes after it"]
    assert cycle(package) == []

    (package / "errors.py").write_text("from sample.ops.table import ROWS\n")
    assert set(cycle(package)) == {"errors", "ops.table"}

    (package / "helpers.py").write_text("")
    assert violations(package, ["errors", "ops"])[1:] == ["helpers: `helpers` has no place in the order"]


def test_no_module_hides_a_public_name():
    parts = {name.split(".")[0] for name, _ in modules(PACKAGE)}
    assert parts & set(deepalgo.__all__) == {"newton"}  # which is the module itself


def _run(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_import_takes_less_than_a_second_and_a_half():
    code = "import time; start = time.perf_counter(); import deepalgo; print(time.perf_counter() - start)"
    assert min(float(_run(code)) for _ in range(3)) < 1.5


@pytest.mark.parametrize("use", ["import deepalgo", "import deepalgo; deepalgo.compile"])
def test_import_leaves_plots_and_kernels_alone(use):
    loaded = _run(f"{use}; import sys; print(*sys.modules)").split()
    assert {"matplotlib", "sklearn", "numba"}.isdisjoint(loaded)
