"""Functions are short; what is long holds one idea, and stands here with the reason."""

import ast
from pathlib import Path

import pytest

import deepalgo

PACKAGE = Path(deepalgo.__file__).parent

MOST_LINES = 40
MOST_DECISIONS = 15
MOST_LINES_OF_A_FILE = 450

CASES = "one `match`, a case for each kind: it is read as a table"
OWN_TEXT = "compiled in the place of the library's function, whose whole algorithm it is"
KERNEL = "one nest of loops, which Numba compiles; its arguments are addresses, one a line"
ATTRIBUTES = "a list of attributes, with what each of them is"

#: Longer functions by module and name, and why they stay whole.
STAY = {
    ("backends/native/regions.py", "rounds"): "one loop of LLVM: its labels and phis are opened at the top and closed at the bottom",
    ("backends/native/regions.py", "repeat"): "one loop of LLVM: its labels and phis are opened at the top and closed at the bottom",
    ("backends/source/tree.py", "_lines"): CASES,
    ("commands/tune.py", "tune"): "a signature with the help of each option",
    ("compiler.py", "compile"): "a signature and its docstring; its body is one `return`",
    ("fitting/fit.py", "fit"): "a signature and its docstring",
    ("lower/prune.py", "_keep_statement"): CASES,
    ("ops/bounds.py", "add"): "a formula: what is true of a sum, in seven lines of conditions",
    ("ops/ranges.py", "compared"): "a formula: what an order says about the two ends of a range",
    ("stage/rules/numpy/option_replacements.py", "pad"): OWN_TEXT,
    ("stage/rules/scipy/root_replacements.py", "_brentq"): OWN_TEXT,
    ("stage/state/machine.py", "__init__"): ATTRIBUTES,
    ("stage/state/structure.py", "structure_of"): CASES,
    ("storage/plain.py", "encode"): CASES,
    ("studies/cluster/classifier.py", "__init__"): "the parameters of the estimator, which scikit-learn wants in one row",
    ("studies/cluster/kernels/numba_match.py", "_forward"): KERNEL,
    ("studies/cluster/kernels/numba_match.py", "_backward"): KERNEL,
    ("studies/cluster/kernels/numba_match.py", "run"): KERNEL,
    ("studies/cluster/kernels/numba_soft_match.py", "_soft_backward"): KERNEL,
    ("studies/cluster/kernels/numba_soft_match.py", "run"): KERNEL,
    ("studies/cluster/kernels/pixel_rows.py", "_forward_pixels"): KERNEL,
    ("studies/cluster/kernels/pixel_rows.py", "share_row"): KERNEL,
    ("studies/cluster/kernels/pixel_rows.py", "backward_row"): KERNEL,
    ("studies/cluster/vote.py", "heuristic"): "the heuristic of the paper, as a person writes it",
}


def own_nodes(function):
    """The nodes of a function, without those of functions and classes inside of it."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))


def decisions(function):
    """Places where the function goes one way or another: tests, loops, handlers, cases, `and`, `or`, and conditions in comprehensions."""
    return sum(map(_ways, own_nodes(function)))


def _ways(node):
    match node:
        case ast.If() | ast.IfExp() | ast.For() | ast.While() | ast.ExceptHandler():
            return 1
        case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=None):
            return 0  # the `else` of a `match`
        case ast.match_case():
            return 1
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=ifs):
            return len(ifs)
    return 0


def long_functions(package):
    """Module, name, lines and decisions of functions that have too many of either."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines, ways = node.end_lineno - node.lineno + 1, decisions(node)
                if lines > MOST_LINES or ways > MOST_DECISIONS:
                    yield path.relative_to(package).as_posix(), node.name, lines, ways


def test_functions_are_short_or_say_why_not():
    found = list(long_functions(PACKAGE))
    assert [row for row in found if row[:2] not in STAY] == []
    assert set(STAY) - {row[:2] for row in found} == set()  # a function that became short leaves the list


def test_no_file_is_long():
    lines = {path.relative_to(PACKAGE).as_posix(): len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path: count for path, count in lines.items() if count > MOST_LINES_OF_A_FILE} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return x", 0),
        ("if x and y or z:\n        pass\n    elif y:\n        pass", 4),
        ("return [a for a in x if a if y] or (1 if y else 2)", 4),
        ("for a in x:\n        while y:\n            pass", 2),
        ("try:\n        pass\n    except ValueError:\n        pass\n    except TypeError:\n        pass", 2),
        ("match x:\n        case 1:\n            pass\n        case _ if y:\n            pass\n        case _:\n            pass", 2),
        ("def g():\n        return 1 if y else 2", 0),
    ],
)
def test_decisions_are_counted(text, expected):
    assert decisions(ast.parse(f"def f(x, y, z):\n    {text}\n").body[0]) == expected


def test_the_check_finds_long_functions(tmp_path):
    (tmp_path / "long.py").write_text("def long():\n" + "    pass\n" * 40)
    (tmp_path / "short.py").write_text("def short():\n" + "    pass\n" * 39)
    assert list(long_functions(tmp_path)) == [("long.py", "long", 41, 0)]
