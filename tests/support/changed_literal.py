"""A function as it would be with one literal of its source changed: the oracle for gradients of weights."""

import ast
import copy
import functools
import sys
import types
from pathlib import Path


def with_literal(function, span, change):
    """`function` with the number at `span` replaced by `change(number)`, or None where that number is not in its module.

    All functions of the module are bound to a copy of its names, so that helpers see the change, too.
    """
    module = sys.modules.get(function.__module__)
    if not isinstance(function, types.FunctionType) or module is None or span is None or getattr(module, "__file__", None) != span.file:
        return None
    names = dict(vars(module))
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__globals__ is function.__globals__:
            names[name] = _bound_to(value, names)
    owner = next((item for item in vars(module).values() if _holds(item, span)), None)
    if owner is None or names.get(owner.__name__) is None:
        return None
    changed = _changed(owner, span, change, names)
    if changed is None:
        return None
    names[owner.__name__] = changed
    return names[function.__name__] if owner is not function else changed


def _bound_to(function, names):
    twin = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def _holds(item, span):
    if not isinstance(item, types.FunctionType) or item.__closure__ or item.__code__.co_filename != span.file:
        return False
    lines = [line for _, _, line in item.__code__.co_lines() if line is not None]
    return item.__code__.co_firstlineno < span.line <= max(lines) and hasattr(item, "__name__")


def _changed(owner, span, change, names):
    found = [node for node in _functions(span.file) if node.name == owner.__name__ and node.lineno <= span.line <= node.end_lineno]
    if not found:
        return None
    node = copy.deepcopy(found[0])
    node.decorator_list = []
    node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
    if not _Replace(span, change).replaced_in(node):
        return None
    scope = {}
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), span.file, "exec"), names, scope)  # the user's own text
    made = scope[owner.__name__]
    made.__defaults__, made.__kwdefaults__ = owner.__defaults__, owner.__kwdefaults__
    return made


@functools.lru_cache(maxsize=64)
def _functions(file):
    tree = ast.parse(Path(file).read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


class _Replace(ast.NodeTransformer):
    def __init__(self, span, change):
        self.span, self.change, self.done = span, change, False

    def replaced_in(self, node):
        self.visit(node)
        return self.done

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and self._is_here(node):
            self.done = True
            return ast.copy_location(ast.Constant(self.change(-node.operand.value)), node)
        return self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, float) and self._is_here(node):
            self.done = True
            return ast.copy_location(ast.Constant(self.change(node.value)), node)
        return node

    def _is_here(self, node):
        return (node.lineno, node.col_offset) == (self.span.line, self.span.column)
