"""The list of small functions leaves no corner out: the language, the builtins and their methods, five modules, the rules for NumPy."""

import ast
import bisect
import builtins
import functools
import heapq
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from deepalgo.stage.rules.catalogue import HANDLERS
from tests.small import functions

TEXTS = {path.stem: path.read_text() for path in sorted(Path(functions.__path__[0]).glob("*.py"))}
TEXT = "\n".join(TEXTS.values())

#: Nodes that stand for no code of their own, or that Python does not make any more.
NO_CODE = frozenset(
    "AST Expression FunctionType Interactive Module Param Suite TypeIgnore type_ignore mod stmt expr expr_context boolop operator unaryop "
    "cmpop excepthandler pattern slice AugLoad AugStore Bytes Ellipsis ExtSlice Index NameConstant Num Str".split()
)
#: Nodes of later Pythons.
LATER = frozenset("TypeAlias TypeVar ParamSpec TypeVarTuple type_param TemplateStr Interpolation".split())
#: Builtins that talk to a person, or end the program, or are asynchronous.
NO_FUNCTION = frozenset("aiter anext breakpoint copyright credits exit help license quit".split())
#: What `dir` finds in a module and is no function that people call.
NO_CALL = frozenset("GenericAlias RLock WRAPPER_ASSIGNMENTS WRAPPER_UPDATES get_cache_token namedtuple recursive_repr singledispatchmethod "
                    "inf nan pi e tau Placeholder".split())


def test_nothing_is_ever_taken_out():
    defined = set(re.findall(r"^def (\w+)", TEXT, re.MULTILINE))
    assert set((Path(functions.__path__[0]).parent / "names.txt").read_text().split()) - defined == set()


def test_every_node_of_the_grammar_is_in_the_list():
    nodes = {name for name, item in vars(ast).items() if isinstance(item, type) and issubclass(item, ast.AST)}
    used = {type(node).__name__ for text in TEXTS.values() for node in ast.walk(ast.parse(text))}
    assert nodes - used - NO_CODE - LATER == set()


def test_every_builtin_is_in_the_list():
    names = {name for name, item in vars(builtins).items() if callable(item) and not name.startswith("_")
             and not (isinstance(item, type) and issubclass(item, BaseException))}
    called = {node.id for node in ast.walk(ast.parse(TEXTS["builtin_functions"])) if isinstance(node, ast.Name)}
    assert names - called - NO_FUNCTION == set()


@pytest.mark.parametrize("kind", [list, dict, set, tuple, str, frozenset])
def test_every_method_is_in_the_list(kind):
    text = TEXTS["strings"] if kind is str else TEXTS["containers"]
    operators = {"intersection": "&", "symmetric_difference": "^", "issubset": "issubset", "union": "union"}
    methods = [name for name in dir(kind) if not name.startswith("_")]
    assert [name for name in methods if not re.search(rf"\.{name}\(", text) and f" {operators.get(name, '<>')} " not in text] == []


@pytest.mark.parametrize("module", [math, itertools, bisect, heapq, functools])
def test_every_function_of_the_module_is_in_the_list(module):
    names = [name for name in dir(module) if not name.startswith("_") and name not in NO_CALL]
    assert [name for name in names if not re.search(rf"\b{module.__name__}\.{name}\b", TEXT)] == []


#: One function of NumPy under several names.
OTHER_NAMES = {"concat": "concatenate", "seterr": "errstate"}


def test_every_function_of_numpy_that_has_a_rule_is_in_the_list():
    public = {}
    for space, prefix in ((np, "np"), (np.linalg, "np.linalg")):
        for name in dir(space):
            item = getattr(space, name)
            if callable(item) and not name.startswith("_"):
                public.setdefault(id(item), []).append(f"{prefix}.{OTHER_NAMES.get(name, name)}")
    ruled = [public[id(function)] for function in HANDLERS if id(function) in public]
    assert [names[0] for names in ruled if not any(f"{name}(" in TEXT for name in names)] == []
