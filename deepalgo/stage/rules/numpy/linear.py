"""Linear algebra and what is built on it."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.numpy import option_replacements, replacements
from deepalgo.stage.rules.numpy.elementwise import apply, emit
from deepalgo.stage.rules.numpy.layout import layout, transpose
from deepalgo.stage.rules.numpy.reductions import reduce
from deepalgo.stage.rules.registry import HANDLERS, Args, Kwargs, handles
from deepalgo.stage.rules.replacements import apply_text
from deepalgo.stage.state.array_conversion import call_numpy, is_plain, kind, new_array, plain, shape, to_signal, wrap
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal, UserRaise


def matmul(machine: Machine, left: Any, right: Any) -> Any:
    """`left @ right`."""
    if is_plain(machine, left) and is_plain(machine, right):
        return call_numpy(machine, np.matmul, plain(machine, left), plain(machine, right))
    try:
        return wrap(machine, emit(machine, "matmul", *_same_kind(machine, left, right)))
    except (ValueError, TypeError) as error:
        raise UserRaise(ValueError, str(error), machine.span) from None


def _same_kind(machine: Machine, *values: Any) -> list[Signal]:
    signals = [to_signal(machine, value) for value in values]
    kind = max(Kind.REAL, *(signal.kind for signal in signals))
    return [machine.cast(signal, Type(kind, signal.shape)) for signal in signals]


@handles(np.matmul, options="")
def _matmul(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return matmul(machine, args[0], args[1])


@handles(np.dot, options="")
def _dot(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return dot(machine, args[0], args[1])


def dot(machine: Machine, left: Any, right: Any) -> Any:
    """`np.dot`: a product where one side is a number, a matrix product otherwise."""
    if is_plain(machine, left) and is_plain(machine, right):
        return call_numpy(machine, np.dot, plain(machine, left), plain(machine, right))
    if not shape(machine, left) or not shape(machine, right):
        return wrap(machine, emit(machine, "mul", left, right))
    return matmul(machine, left, right)


@handles(np.outer, options="")
def _outer(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    left, right = (to_signal(machine, item) for item in args[:2])
    rows, columns = int(np.prod(left.shape)), int(np.prod(right.shape))
    return wrap(
        machine, emit(machine, "mul", machine.emit("reshape", left, shape=(rows, 1)), machine.emit("reshape", right, shape=(1, columns)))
    )


@handles(np.trace, options="offset axis1 axis2")
def _trace(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return HANDLERS[np.sum](machine, [HANDLERS[np.diagonal](machine, args, kwargs, node)], {"axis": -1}, node)


@handles(np.linalg.norm, options="ord axis keepdims")
def _norm(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.norm, *[plain(machine, item) for item in args], **kwargs)
    order, axis = kwargs.get("ord"), kwargs.get("axis")
    value = _same_kind(machine, args[0])[0]
    keep = bool(kwargs.get("keepdims", False))
    size = emit(machine, "abs", value)
    of_matrix = len(axis) == 2 if isinstance(axis, tuple) else axis is None and len(value.shape) == 2
    of_vector = not of_matrix and (axis is not None or len(value.shape) == 1)
    match order:
        case None | 2 | "fro" if order is None or (of_matrix if order == "fro" else of_vector):
            return wrap(machine, emit(machine, "sqrt", reduce(machine, "sum", emit(machine, "mul", size, size), axis, keep)))
        case 1 if of_vector:
            return wrap(machine, reduce(machine, "sum", size, axis, keep))
        case float() if order == np.inf and of_vector:
            return wrap(machine, reduce(machine, "amax", size, axis, keep))
        case _:
            if isinstance(order, Signal) and order.known is not None:
                kwargs = {**kwargs, "ord": machine.demand(order, "the order of a norm is needed at compile time")}
            return apply_text(machine, option_replacements.norm, np.linalg.norm, args, kwargs, node)


def _square_matrix(machine: Machine, value: Any) -> Signal:
    matrix = _same_kind(machine, value)[0]
    if len(matrix.shape) < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise UserRaise(np.linalg.LinAlgError, "Last 2 dimensions of the array must be square", machine.span)
    return matrix


def _check_regular(machine: Machine, matrix: Signal) -> None:
    machine.check(machine.negated(machine.emit("is_singular", matrix)), np.linalg.LinAlgError, "Singular matrix")


@handles(np.linalg.solve, options="")
def _solve(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.linalg.solve, *[plain(machine, item) for item in args])
    matrix = _square_matrix(machine, args[0])
    _check_regular(machine, matrix)
    return wrap(machine, emit(machine, "solve", *_same_kind(machine, matrix, args[1])))


@handles(np.linalg.inv, options="")
def _inv(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.inv, plain(machine, args[0]))
    matrix = _square_matrix(machine, args[0])
    _check_regular(machine, matrix)
    return wrap(machine, emit(machine, "inv", matrix))


@handles(np.linalg.det, options="")
def _det(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.det, plain(machine, args[0]))
    return wrap(machine, emit(machine, "det", _square_matrix(machine, args[0])))


@handles(np.linalg.slogdet, options="")
def _slogdet(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.slogdet, plain(machine, args[0]))
    matrix = _square_matrix(machine, args[0])
    if matrix.kind is Kind.COMPLEX:
        machine.refuse("`np.linalg.slogdet` of complex numbers has no rule", "Use np.linalg.det.", node)
    kind = type(np.linalg.slogdet(np.eye(1)))
    return kind(wrap(machine, emit(machine, "det_sign", matrix)), wrap(machine, emit(machine, "det_log", matrix)))


@handles(np.linalg.pinv, options="")
def _pinv(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.pinv, plain(machine, args[0]), **kwargs)
    return wrap(machine, emit(machine, "pinv", _same_kind(machine, args[0])[0]))


@handles(np.linalg.eigvalsh, options="")
def _eigvalsh(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.eigvalsh, *[plain(machine, item) for item in args])
    return wrap(machine, emit(machine, "eigvalsh", _square_matrix(machine, args[0])))


@handles(np.linalg.svd, options="full_matrices compute_uv")
def _svd(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return machine.call_native(np.linalg.svd, args, kwargs, node)
    matrix = _real_matrix(machine, args[0], node)
    values = wrap(machine, emit(machine, "svd_s", matrix))
    if not kwargs.get("compute_uv", True):
        return values
    full = bool(kwargs.get("full_matrices", True))
    vectors = [wrap(machine, emit(machine, name, matrix, full=full)) for name in ("svd_u", "svd_vh")]
    return _named(np.linalg.svd, vectors[0], values, vectors[1])


@handles(np.linalg.eig, options="")
def _eig(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return machine.call_native(np.linalg.eig, args, kwargs, node)
    matrix = _real_matrix(machine, _square_matrix(machine, args[0]), node, "Array must not contain infs or NaNs")
    machine.check(machine.emit("eig_is_real", matrix), "ComplexEigenvalues", "the eigenvalues of a matrix are complex here")
    return _named(np.linalg.eig, *(wrap(machine, emit(machine, name, matrix)) for name in ("eig_w", "eig_v")))


@handles(np.linalg.eigh, options="")
def _eigh(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return machine.call_native(np.linalg.eigh, args, kwargs, node)
    matrix = _real_matrix(machine, _square_matrix(machine, args[0]), node)
    return _named(np.linalg.eigh, *(wrap(machine, emit(machine, name, matrix)) for name in ("eigh_w", "eigh_v")))


@handles(np.linalg.eigvals, options="")
def _eigvals(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _eig(machine, args, kwargs, node)[0]


def _named(native: Any, *parts: Any) -> Any:
    """Several answers as NumPy hands them back: a tuple, since NumPy 1.25 with names."""
    made = type(native(np.eye(1)))
    return made(*parts) if hasattr(made, "_fields") else parts


def _real_matrix(machine: Machine, value: Any, node: ast.AST, text: str = "") -> Signal:
    """One matrix of real numbers. `text` is what NumPy raises where they are not finite; without one LAPACK decides."""
    matrix = _same_kind(machine, value)[0]
    if matrix.kind is Kind.COMPLEX or len(matrix.shape) != 2 or 0 in matrix.shape:
        machine.refuse("this decomposition has a rule for one matrix of real numbers only", "Write it out with NumPy's functions.", node)
    finite = reduce(machine, "all", emit(machine, "isfinite", matrix), None, False)
    if text:
        machine.check(finite, np.linalg.LinAlgError, text)
    else:
        machine.check(finite, "EndlessMatrix", "a decomposition of a matrix whose numbers are not finite")
    return matrix


@handles(np.linalg.cholesky, options="")
def _cholesky(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.linalg.cholesky, plain(machine, args[0]))
    matrix = _square_matrix(machine, args[0])
    machine.check(machine.emit("is_positive", matrix), np.linalg.LinAlgError, "Matrix is not positive definite")
    return wrap(machine, emit(machine, "cholesky", matrix))


@handles(np.einsum, options="optimize")
def _einsum(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Operands with all axes in one order, multiplied, then summed over those that the answer does not have."""
    if not contains_signal(args):
        return machine.call_native(np.einsum, args, kwargs, node)
    if not isinstance(args[0], str):
        machine.refuse("`np.einsum` has a rule only for subscripts in a text", "Write them as a text, such as 'ij,jk->ik'.", node)
    operands = [_same_kind(machine, item)[0] for item in args[1:]]
    terms, answer = _subscripts(machine, args[0].replace(" ", ""), [len(item.shape) for item in operands], node)
    every = [*answer, *dict.fromkeys(label for term in terms for label in term if label not in answer)]
    product: Any = None
    for term, operand in zip(terms, operands, strict=True):
        order = sorted(range(len(term)), key=lambda place: every.index(term[place]))
        turned = to_signal(machine, transpose(machine, new_array(machine, operand), order))
        sizes = {term[place]: size for place, size in zip(order, turned.shape, strict=True)}
        aligned = machine.emit("reshape", turned, shape=tuple(sizes.get(label, 1) for label in every), flavour="np")
        product = aligned if product is None else emit(machine, "mul", product, aligned)
    axes = tuple(range(len(answer), len(every)))
    return wrap(machine, reduce(machine, "sum", product, axes, False) if axes else product)


def _subscripts(machine: Machine, text: str, ranks: list[int], node: ast.AST) -> tuple[list[list[str]], list[str]]:
    """The labels of each operand's axes and of the answer's; axes behind `...` count from the last one."""
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise UserRaise(ValueError, "more operands provided to einstein sum function than specified in the subscripts string", machine.span)
    found, most = [], 0
    for term, rank in zip(terms, ranks, strict=True):
        hidden = rank - len(term.replace("...", "")) if "..." in term else 0
        found.append(_labels(term, hidden))
        most = max(most, hidden)
        if len(found[-1]) != rank or len(set(found[-1])) != rank:
            machine.refuse("`np.einsum` has no rule for these subscripts", "Name every axis once for each operand.", node)
    if arrow:
        answer, known = _labels(output, most), {label for term in found for label in term}
        if len(set(answer)) < len(answer) or not set(answer) <= known or (most and "..." not in output):
            machine.refuse("`np.einsum` has no rule for these subscripts of the answer", "Name axes of the operands, each once.", node)
        return found, answer
    letters = [label for term in found for label in term if len(label) == 1]
    return found, [*_labels("...", most), *sorted(label for label in set(letters) if letters.count(label) == 1)]


def _labels(term: str, hidden: int) -> list[str]:
    before, _, after = term.partition("...")
    return [*before, *(f"...{place}" for place in range(hidden, 0, -1)), *after]


@handles(np.interp, options="left right period")
def _interp(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in (*args, *kwargs.values())):
        given = {key: plain(machine, item) for key, item in kwargs.items()}
        return call_numpy(machine, np.interp, *[plain(machine, item) for item in args], **given)
    if kwargs:
        return apply_text(machine, replacements.interp, np.interp, args, kwargs, node)
    return wrap(machine, emit(machine, "interp", *_same_kind(machine, *args[:3])))


@handles(np.searchsorted, options="side")
def _searchsorted(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.searchsorted, *[plain(machine, item) for item in args], **kwargs)
    side = kwargs.get("side", "left")
    if side not in ("left", "right"):
        machine.refuse("this side of np.searchsorted has no rule here", "Use 'left' or 'right'.", node)
    return wrap(machine, emit(machine, "searchsorted", *_same_kind(machine, *args[:2]), side=side))


@handles(np.polyval, options="")
def _polyval(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Horner's rule, as NumPy does it."""
    point = args[1]
    if isinstance(point, np.poly1d):
        whole: Any = 0
        for coefficient in machine.iterate(args[0], node):
            whole = machine.binary(ast.Add, machine.binary(ast.Mult, whole, point, node), coefficient, node)
        return whole
    result: Any = 0.0 if kind(machine, point) >= Kind.REAL else 0
    for coefficient in machine.iterate(args[0], node):
        held = to_signal(machine, point) if not is_plain(machine, point) else plain(machine, point)
        result = apply(machine, "add", operator.add, [apply(machine, "mul", operator.mul, [result, held]), coefficient])
    return result


@handles(np.convolve, options="mode")
def _convolve(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    mode = kwargs.get("mode", "full")
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.convolve, *[plain(machine, item) for item in args], **kwargs)
    left, right = (machine.emit("reshape", side, shape=side.shape or (1,), flavour="np") for side in _same_kind(machine, *args[:2]))
    for name, side in (("a", left), ("v", right)):
        if side.shape[0] == 0:
            raise UserRaise(ValueError, f"{name} cannot be empty", machine.span)
    if left.shape[0] < right.shape[0]:
        left, right = right, left
    n, m = left.shape[0], right.shape[0]
    first, last = {"full": (0, n + m - 1), "same": ((m - 1) // 2, (m - 1) // 2 + n), "valid": (m - 1, n)}[mode]
    parts = [_middle_of_convolution(machine, left, right)]
    if first < m - 1:
        parts.insert(0, _edge_of_convolution(machine, left, right, range(first, m - 1)))
    if last > n:
        parts.append(_edge_of_convolution(machine, left, right, range(n, last)))
    return wrap(machine, machine.emit("concat", *parts, axis=0, flavour="np") if len(parts) > 1 else parts[0])


def _middle_of_convolution(machine: Machine, left: Signal, right: Signal) -> Signal:
    """Where all of the shorter row lies beside the longer one."""
    n, m = left.shape[0], right.shape[0]
    windows = np.arange(n - m + 1)[:, None] + np.arange(m)[None, :]
    return to_signal(machine, matmul(machine, layout(machine, new_array(machine, left), windows), wrap(machine, _turned(machine, right))))


def _turned(machine: Machine, row: Signal) -> Signal:
    return machine.emit("take", row, key=(("slice", None, None, -1),), flavour="np")


def _edge_of_convolution(machine: Machine, left: Signal, right: Signal, rows: range) -> Signal:
    """Where a part of the shorter row has nothing beside it: zeros there would turn its infinities to NaN."""
    n, m = left.shape[0], right.shape[0]
    places = np.array(rows, dtype=int)[:, None] - np.arange(m)[None, ::-1]
    inside = (places >= 0) & (places < n)
    beside = to_signal(machine, layout(machine, new_array(machine, left), np.clip(places, 0, n - 1)))
    products = emit(machine, "mul", beside, _turned(machine, right))
    held = emit(machine, "select", machine.constant_array(inside), products, machine.cast(machine.constant(0), Type(products.kind)))
    return machine.emit("sum", held, axis=1, flavour="np")
