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
    "lower",
    "adjoint",
    "backends",
    "certificate",
    "storage",
    "drawing",
    "network",
    "scaled_view",
    "compiler",
    "plain_function",
    "source_code",
    "patching",
    "tensorize",
    "fitting",
    "estimators",
    "datasets",
    "studies",
    "newton",
    "cluster",
    "commands",
    "cli",
]


#: The parts of `stage` in the same way; what calls back asks the machine, which has the operations of Python as methods.
STAGE = ["state", "rules", "syntax", "weight_roles", "entry"]
#: Imports of the package's own modules inside of functions are few, and a comment on the line says why each is there.
MOST_IMPORTS_INSIDE = 15
#: Rooms and modules that make a package usable which is not always installed, or is slow to import.
ADAPTERS = (
    "backends.torch.runtime.segments", "cluster", "commands", "datasets", "drawing", "fitting.report.plot", "newton",
    "signature", "storage", "studies",
)


def modules(package):
    """Every module of a package by its dotted name without the package's own, e.g. `ops.table`."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def graph_of(package, *, while_importing=False):
    """The modules of the package that each of its modules imports, inside functions too, those for type checkers left out."""
    known = dict(modules(package))
    return {name: list(imports(package, known, name, while_importing)) for name in known}


def imports(package, known, name, while_importing):
    """The modules of the package, among those known, that one module imports."""
    path = known[name]
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


def imports_inside(package):
    """Imports inside of functions, those for type checkers left out: module, line, whether of the package's own, and the comment there."""
    for name, path in modules(package):
        text = path.read_text()
        lines = text.split("\n")
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        inside = [node for function in functions for node in ast.walk(function) if isinstance(node, (ast.Import, ast.ImportFrom))]
        for line, node in sorted({node.lineno: node for node in inside}.items()):
            modules_named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            own = bool(getattr(node, "level", 0)) or any(item.split(".")[0] == package.name for item in modules_named)
            yield name, line, own, lines[line - 1].partition("#")[2].strip()


def knots(package, part):
    """Sets of modules of one part that import each other, inside of functions too: strongly connected components of more than one."""
    graph = {name: targets for name, targets in graph_of(package).items() if name.split(".")[0] == part}
    reached = {name: _reachable(graph, name) for name in graph}
    found = {frozenset(other for other in reached[name] if name in reached.get(other, ())) for name in graph if name in reached[name]}
    return sorted(map(sorted, found))


def _reachable(graph, start):
    found, todo = set(), list(graph[start])
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(graph.get(name, ()))
    return found


def violations(package, order, room=""):
    """Imports against the order of the parts of a package, or of one room in it."""
    found = []
    for name, targets in graph_of(package).items():
        part = _part(name, room)
        if not part:
            continue
        if part not in order:
            found.append(f"{name}: `{part}` has no place in the order")
            continue
        for target in targets:
            other = _part(target, room)
            if other and order.index(other) > order.index(part):
                found.append(f"{name} imports {target}, which comes after it")
    return found


def _part(name, room):
    """The part of a room that a module belongs to; empty for the room itself and for what lies outside of it."""
    words, inside = name.split("."), room.split(".") if room else []
    return words[len(inside)] if words[: len(inside)] == inside and len(words) > len(inside) else ""


def cycle(package):
    graph = {name: set(targets) for name, targets in graph_of(package, while_importing=True).items() if name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_module_imports_only_from_modules_above_it():
    assert violations(PACKAGE, ORDER) == []


def test_in_stage_state_comes_before_rules_and_rules_before_syntax():
    assert violations(PACKAGE, STAGE, "stage") == []


def test_no_modules_wait_for_each_other_while_being_imported():
    assert cycle(PACKAGE) == []


@pytest.mark.parametrize("part", ["stage"])
def test_no_modules_need_each_other(part):
    assert knots(PACKAGE, part) == []


def test_few_imports_stand_inside_of_functions_and_each_says_why():
    own = [(name, line, why) for name, line, own, why in imports_inside(PACKAGE) if own]
    assert [(name, line) for name, line, why in own if not why] == []
    assert len(own) <= MOST_IMPORTS_INSIDE, own


def test_other_packages_are_imported_inside_of_functions_by_adapters_alone():
    inside = {name for name, _, own, _ in imports_inside(PACKAGE) if not own}
    assert {name for name in inside if not name.startswith(ADAPTERS)} == set()


def test_the_checks_of_imports_inside_of_functions_find_them(tmp_path):
    package = tmp_path / "sample"
    (package / "stage").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "stage" / "__init__.py").write_text("")
    (package / "stage" / "calls.py").write_text("from sample.stage import values\n")
    (package / "stage" / "values.py").write_text("import ast\n")
    assert knots(package, "stage") == []
    assert list(imports_inside(package)) == []

    (package / "stage" / "values.py").write_text("def f():\n    import numba\n    from sample.stage.calls import call  # because\n")
    assert knots(package, "stage") == [["stage.calls", "stage.values"]]
    assert list(imports_inside(package)) == [("stage.values", 2, False, ""), ("stage.values", 3, True, "because")]


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

    (package / "ops" / "forms.py").write_text("def f():\n    from sample.ops.table import ROWS\n")
    assert violations(package, ["forms", "table"], "ops") == ["ops.forms imports ops.table, which comes after it"]

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


#: Folders of tests that have no counterpart in the package.
APART = {"examples", "fuzz", "small", "support"}


def test_tests_live_in_rooms_of_the_package():
    tests = Path(__file__).parent
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("*.py")}
    assert {room.as_posix() for room in rooms if room.parts[:1] and room.parts[0] not in APART and not (PACKAGE / room).is_dir()} == set()
