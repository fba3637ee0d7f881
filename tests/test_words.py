"""Names say one thing each, in the words of the field."""

import ast
import itertools
from collections import Counter
from pathlib import Path

import deepalgo

PACKAGE = Path(deepalgo.__file__).parent

#: Words that a reader would have to decode, each with the name that says it.
RIDDLES = {
    "spare": "drop_proven_checks", "sink": "sink_hazards", "weigh": "branch_cost", "feel": "try_idle_weights", "ways": "untried_arms",
    "world": "processes", "together": "side_by_side", "tidy": "undo_useless_moves", "forgive": "nan_for_failures",
    "look_up": "tabulate_choices", "unite": "share_across_arms", "pins": "replace_weights", "stretch": "slices",
    "moments": "iterator_state", "sifting": "guarded_items", "silence": "warnings_as_errors", "brought": "carried_forms",
}


def definitions(package):
    """The classes and functions of a package, those inside of others, too."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def modules(folder):
    """The modules and packages side by side in a folder."""
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    return sorted(names - {"__init__"})


def folders(package):
    return sorted({path.parent for path in package.rglob("*.py")})


def riddles(package):
    names = {node.name for node in definitions(package)} | {name for folder in folders(package) for name in modules(folder)}
    return {name for name in names if name.strip("_").lower() in RIDDLES}


def classes_said_twice(package):
    counts = Counter(node.name for node in definitions(package) if isinstance(node, ast.ClassDef))
    return {name for name, count in counts.items() if count > 1}


def differ_by_a_letter(one, other):
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long)) == 1
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def alike(package):
    return {pair for folder in folders(package) for pair in itertools.combinations(modules(folder), 2) if differ_by_a_letter(*pair)}


def test_no_name_has_to_be_decoded():
    assert riddles(PACKAGE) == set()


def test_no_two_classes_share_a_name():
    assert classes_said_twice(PACKAGE) == set()


def test_no_modules_side_by_side_differ_by_a_letter():
    assert alike(PACKAGE) == set()


def test_the_checks_find_such_names(tmp_path):
    package = tmp_path / "sample"
    (package / "emit").mkdir(parents=True)
    (package / "order.py").write_text("class Row:\n    def _sink(self):\n        pass\n")
    (package / "orders.py").write_text("def sinks():\n    class Row:\n        pass\n")
    (package / "emit" / "__init__.py").write_text("class Spare:\n    pass\n")
    (package / "emit" / "weigh.py").write_text("")
    (package / "emit" / "weight.py").write_text("")
    assert riddles(package) == {"_sink", "Spare", "weigh"}
    assert classes_said_twice(package) == {"Row"}
    assert alike(package) == {("order", "orders"), ("weigh", "weight")}
