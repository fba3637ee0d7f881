"""Restructure written statements: early returns instead of `else`, no empty arms, nothing unreachable.

>>> from deepalgo.backends.expression import Fragment
>>> from deepalgo.backends.source.tree import lines
>>> branch = Branch(Fragment("x < 0", 4), [Assign(("y",), (Fragment("-x", 11),))], [Assign(("y",), (Fragment("x"),))])
>>> print("\\n".join(lines(with_early_returns([branch, Return(Fragment("y"))]))))
if x < 0:
    return -x
return x
"""

from __future__ import annotations

from deepalgo.backends.expression import ATOM, Fragment
from deepalgo.backends.source.tree import Assign, Attempt, Branch, Break, Count, Raise, Repeat, Return, Tree, negated


def with_early_returns(body: list[Tree]) -> list[Tree]:
    """The statements of a whole function, put in order."""
    return _block(_returned(body))


def _returned(body: list[Tree]) -> list[Tree]:
    """Move a final `return` into the arms that compute what it returns."""
    match body:
        case [*before, Assign((name,), (value,), ""), Return(Fragment(text))] if text == name:
            return [*before, Return(value)]
        case [*before, Branch(condition, then, orelse), Return() as last] if _gives(then, last) or _gives(orelse, last):
            return [*before, Branch(condition, _returned([*then, last]), _returned([*orelse, last]))]
        case _:
            return body


def _gives(arm: list[Tree], last: Return) -> bool:
    """Whether an arm ends with what is returned."""
    match arm[-1:]:
        case [Assign((name,), _, "")]:
            return last.text.text == name
        case [Branch(_, then, orelse)]:
            return _gives(then, last) or _gives(orelse, last)
        case [Raise() | Return()]:
            return True
        case _:
            return False


def _block(body: list[Tree]) -> list[Tree]:
    made: list[Tree] = []
    for statement in body:
        made += _statement(statement)
        if _ends(made):
            break
    return made


def _statement(statement: Tree) -> list[Tree]:
    match statement:
        case Branch(condition, then, orelse):
            return _branch(condition, _block(then), _block(orelse))
        case Repeat(condition, inner):
            statement.body = _block(inner)
        case Count(_, _, inner):
            statement.body = _block(inner)
        case Attempt(inner, handlers):
            statement.body = _block(inner)
            statement.handlers = [(classes, _block(handler)) for classes, handler in handlers]
        case _:
            pass
    return [statement]


def _branch(condition: Fragment, then: list[Tree], orelse: list[Tree]) -> list[Tree]:
    """A branch without an empty arm; what follows an arm that leaves needs no `else`."""
    if not then and not orelse:
        return []
    if not then:
        return [Branch(negated(condition), orelse)]
    if orelse and _ends(then):
        return [Branch(condition, then), *orelse]
    if then and _ends(orelse):
        return [Branch(negated(condition), orelse), *then]
    if condition.text.startswith("not ") and orelse and condition.level < ATOM:
        return [Branch(negated(condition), orelse, then)]
    return [Branch(condition, then, orelse)]


def _ends(body: list[Tree]) -> bool:
    """Whether nothing that follows is reached."""
    match body[-1:]:
        case [Return() | Raise() | Break()]:
            return True
        case [Branch(_, then, orelse)]:
            return _ends(then) and _ends(orelse)
        case [Repeat(Fragment("True"), inner)]:
            return not _breaks(inner)
        case _:
            return False


def _breaks(body: list[Tree]) -> bool:
    """Whether a `break` of this loop is among the statements."""
    for statement in body:
        match statement:
            case Break():
                return True
            case Branch(_, then, orelse) if _breaks(then) or _breaks(orelse):
                return True
            case Attempt(inner, handlers) if _breaks(inner) or any(_breaks(handler) for _, handler in handlers):
                return True
            case _:
                pass
    return False
