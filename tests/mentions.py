"""How often files of the package name an operation: `python -m tests.mentions`.

A fact about an operation that stands outside of its row is a second truth, and it begins with the operation's name. Counted are strings
that are a name of the table, docstrings left out. Not counted are the places that have to name operations: the table itself, the rules
that say what a call of the user's function means, and the tables of spellings of the backends.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from pathlib import Path

import deepalgo
from deepalgo.ops.table import TABLE

PACKAGE = Path(deepalgo.__file__).parent
#: Where a call, an operator or a method of the user's function is given its meaning, in operations.
RULES = (
    "stage/rules/numpy/",
    "stage/rules/python/arithmetic.py",
    "stage/rules/python/builtin_containers.py",
    "stage/rules/python/builtin_numbers.py",
    "stage/rules/python/builtin_questions.py",
    "stage/rules/python/complex_mathematics.py",
    "stage/rules/python/complex_power.py",
    "stage/rules/python/functools_rules.py",
    "stage/rules/python/itertools_rules.py",
    "stage/rules/python/mathematics.py",
    "stage/rules/python/number_checks.py",
    "stage/rules/python/number_methods.py",
    "stage/rules/python/operator_functions.py",
    "stage/rules/python/sequence_methods.py",
    "stage/rules/python/sums.py",
    "stage/rules/scipy/",
    "stage/rules/signatures.py",
    "stage/state/array_conversion.py",
    "stage/state/arrays.py",
    "stage/state/masked_arrays.py",
    "stage/syntax/exact_exceptions.py",
    "stage/syntax/failures.py",
)
#: How a backend writes each operation, where a template in the row does not do, and how complex operations are written in real ones.
SPELLINGS = (
    "backends/native/array_loops.py",
    "backends/native/arrays.py",
    "backends/native/by_operation.py",
    "backends/native/doubts.py",
    "backends/native/elementary.py",
    "backends/native/exact_sum.py",
    "backends/native/exponents.py",
    "backends/native/gamma.py",
    "backends/native/hypot.py",
    "backends/native/lambert.py",
    "backends/native/linear_algebra.py",
    "backends/native/mathematics/",
    "backends/native/numbers.py",
    "backends/native/real_steps.py",
    "backends/native/rounding.py",
    "lower/complex_functions.py",
    "lower/fourier.py",
    "lower/real_formulas.py",
    "lower/split_complex.py",
)
#: Modules that may name operations; rows of a study are rows of the table.
APART = ("ops/", "studies/cluster/rows.py", *RULES, *SPELLINGS)


def mentions(text: str) -> Counter[str]:
    """The names of operations in a module, and how often each stands there.

    >>> mentions("if op.name == 'mul' and names[0] != 'factor': add('mul', 'neg')")
    Counter({'mul': 2, 'neg': 1})
    """
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return Counter(value for value in constants if isinstance(value, str) and value in TABLE)


def count(package: Path = PACKAGE) -> dict[str, Counter[str]]:
    """The mentions of each module that should not name operations."""
    found = {path.relative_to(package).as_posix(): mentions(path.read_text()) for path in sorted(package.rglob("*.py"))}
    return {name: names for name, names in found.items() if names and not name.startswith(APART)}


def main() -> None:
    """Print the modules with the most mentions first, and how many there are in all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", type=Path, default=PACKAGE, help="the folder of the package, this one's if not given")
    found = count(parser.parse_args().package)
    for name, names in sorted(found.items(), key=lambda item: -item[1].total()):
        print(f"{names.total():5}  {name}: {', '.join(f'{key} {number}' for key, number in names.most_common(6))}")
    print(f"{sum(names.total() for names in found.values()):5}  in all")


if __name__ == "__main__":
    main()
