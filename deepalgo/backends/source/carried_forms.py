"""Find the NumPy functions that written source has to define because its operations call them.

>>> definitions = carried_forms("deepalgo.ops.numpy_forms.places")
>>> list(definitions)
['add_at']
>>> print(definitions["add_at"].splitlines()[0])
def add_at(array, index, item, axis):
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect


@functools.cache
def carried_forms(module: str) -> dict[str, str]:
    """The functions of a module by name, as text."""
    text = inspect.getsource(importlib.import_module(module))
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.unparse(Bare().visit(node)) for node in functions}


class Bare(ast.NodeTransformer):
    """Leaves annotations out."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function that does not say what it returns."""
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter that does not say what it is."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """An assignment of a value."""
        assert node.value is not None
        return ast.copy_location(ast.Assign([node.target], node.value), node)
