"""Calls of every function that has a rule: one ordinary call, and one for each parameter with values other than its default.

They are made from the table of rules and from the signatures, so that a new rule is tried the day it is written. What cannot be
guessed from the names of parameters stands in the tables below.
"""

import ast
import cmath
import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import linecache
import logging
import math
import operator
import typing
import warnings
from dataclasses import dataclass

import numpy as np
import scipy
import scipy.linalg
import scipy.optimize
import scipy.special
import torch

import deepalgo as da
from deepalgo.stage.rules.catalogue import find
from deepalgo.stage.rules.numpy import methods
from deepalgo.stage.rules.registry import HANDLERS
from deepalgo.stage.rules.scipy import compiled_functions
from deepalgo.stage.rules.signatures import signature_of, signature_of_method
from deepalgo.stage.state.libraries import short_label

#: What the calls are about: a vector, a matrix, a square one, two numbers, a whole one, a mask and a complex number made of inputs.
PRELUDE = """
def f(d):
    v, m, x, y = d[:3], d[3:9].reshape(2, 3), float(d[0]), float(d[1])
    s = d[:9].reshape(3, 3) + 4 * np.eye(3)
    p = s @ s.T
    n, b, z = int(10 * d[2]), m > 0.6, complex(d[0], d[1])
    i = (10 * m).astype(int)
    point = Point(x, y)
    return {}
"""
SAMPLES = np.array([
    [0.3, 0.9, 0.7, 0.2, 0.95, 0.55, 0.8, 0.15, 0.65],
    [0.85, 0.25, 0.4, 0.75, 0.1, 0.5, 0.35, 0.99, 0.45],
])


@dataclass
class Point:
    a: float
    b: float


#: The arguments that a call must have, by the names of the parameters.
REQUIRED = {
    "msg": "'message'", "self": "logging.getLogger('calls')", "level": "10",
    "a": "m", "x": "m", "x1": "m", "x2": "m + 0.5", "array": "m", "arr": "m", "ary": "m", "m": "m", "A": "m", "B": "v", "b": "m + 0.5",
    "val": "m", "object": "m", "prototype": "m", "y": "m", "p": "v", "v": "v", "z": "z", "shape": "(3, 2)", "N": "3", "n": "3",
    "arrays": "[m, m + 0.5]", "tup": "[m, m + 0.5]", "iterable": "[x, y]", "seq": "[x, y]", "obj": "point", "number": "x", "a1": "m",
    "a2": "m", "element": "x", "axis1": "0", "axis2": "1", "value": "x", "sequence": "[x, y]", "first": "[x, y]", "condition": "b",
}
SCALAR = {name: "x" for name in ("x", "a", "z", "value", "base")} | {"y": "y", "b": "y", "exp": "2", "i": "2"}
#: Calls that need more than that, by the function as it is written: the arguments, and what is done with the answer.
CALLS = {
    "functools.cache": "math.sin", "functools.lru_cache": "math.sin",
    "heapq.heappush": "q, x", "heapq.heappop": "q", "heapq.heapreplace": "q, x", "heapq.heappushpop": "q, x", "heapq.heapify": "q",
    "heapq.merge": "[0.1, x + 1.0], [0.5, y + 2.0]",
    "itertools.repeat": "x, 3", "itertools.chain": "[x], [y]", "itertools.product": "[x, y]", "itertools.zip_longest": "[x, y], [1.0, 2.0]",
    "itertools.islice": "[x, y, 1.0], 2", "itertools.combinations": "[x, y, 1.0], 2", "itertools.starmap": "math.atan2, [(x, y)]",
    "itertools.combinations_with_replacement": "[x, y], 2", "itertools.compress": "[x, y], [1, 0]", "itertools.count": "x",
    "itertools.filterfalse": "lambda q: q > 1.0, [x, y]", "itertools.takewhile": "lambda q: q < 5.0, [x, y]",
    "itertools.dropwhile": "lambda q: q > 5.0, [x, y]", "itertools.groupby": "[1, 1, 2]", "itertools.cycle": "[x, y]",
    "itertools.chain.from_iterable": "[[x], [y]]", "chain.from_iterable": "[[x], [y]]",
    "dict.fromkeys": "['a', 'b']", "OrderedDict.fromkeys": "['a', 'b']", "issubclass": "float, float", "contextlib.contextmanager": None,
    "collections.deque": "[x, y]", "collections.defaultdict": "float, [('a', x)]", "collections.OrderedDict": "[('a', x)]",
    "collections.Counter": "'aab'", "operator.methodcaller": "'is_integer'", "operator.setitem": "[x, y], 0, y",
    "operator.delitem": "[x, y], 0", "operator.contains": "[x, y], 0.3", "operator.concat": "[x], [y]", "operator.iconcat": "[x], [y]",
    "operator.countOf": "[x, y], x", "operator.indexOf": "[x, y], y", "operator.imatmul": "s, s", "operator.iand": "n, 3",
    "operator.ior": "n, 3", "operator.ixor": "n, 3", "operator.ilshift": "n, 2", "operator.irshift": "n, 1",
    "range": "n", "dict": "[('a', x)]", "zip": "[x, y], [y, x]", "map": "lambda q: q + 1.0, [x, y]",
    "filter": "lambda q: q > 0.5, [0.2, 0.7]", "iter": "[x, y]", "str": "3", "repr": "3", "format": "3", "super": None,
    "functools.reduce": "lambda p, q: p * q, [x, y]", "functools.partial": "math.atan2, x", "min": "x, y", "max": "x, y", "int": "10 * x",
    "bool": "x", "float": "n", "type": "x", "getattr": "point, 'a'", "hasattr": "point, 'a'", "setattr": "point, 'a', y",
    "isinstance": "x, float", "callable": "math.sin", "next": "iter([x, y])", "len": "[x, y]", "cmath.rect": "x, y",
    "math.dist": "[x, y], [y, 0.1]", "typing.cast": "float, x", "copy.copy": "[x, y]", "copy.deepcopy": "[x, y]",
    "deepalgo.marks.weight": "1.5", "warnings.warn": "'careful'", "any": "[x > 0.5, y > 0.5]", "all": "[x > 0.5, y > 0.5]",
    "complex": "x, y", "pow": "x, 2", "divmod": "x, y", "enumerate": "[x, y]", "dataclasses.replace": "point, a=y",
    "operator.getitem": "[x, y], 1", "operator.matmul": "s, s", "operator.truth": "x", "operator.is_": "x, None",
    "operator.is_not": "x, None", "operator.neg": "x", "operator.pos": "x", "operator.not_": "x > 0.5",
    "warnings.simplefilter": "'ignore'", "warnings.filterwarnings": "'ignore'", "np.seterr": "", "dataclasses.fields": "point",
    "logging.debug": "'m'", "logging.info": "'m'", "logging.warning": "'m'", "logging.error": "'m'", "logging.critical": "'m'",
    "math.hypot": "x, y", "np.where": "b, m, 0.5", "np.select": "[b, m > 0.3], [m, 2 * m]", "np.float64": "x", "np.int64": "10 * x",
    "np.arange": "1, 9", "np.indices": "(2, 3)", "np.full": "(2, 3), x", "np.full_like": "m, x", "np.linspace": "x, y", "np.roll": "m, 1",
    "np.repeat": "m, 2", "np.tile": "m, 2", "np.moveaxis": "m, 0, 1", "np.rollaxis": "m, 1", "np.resize": "m, (3, 3)",
    "np.broadcast_to": "v, (2, 3)", "np.broadcast_arrays": "m, v", "np.expand_dims": "m, 0", "np.atleast_1d": "m", "np.atleast_2d": "v",
    "np.atleast_3d": "m", "np.append": "m, m", "np.pad": "m, 1", "np.split": "v, 3", "np.array_split": "m, 2", "np.hsplit": "m, 3",
    "np.vsplit": "m, 2", "np.dsplit": "m.reshape(1, 2, 3), 3", "np.take": "m, [0, 2]", "np.meshgrid": "v, v + 1.0", "np.result_type": "m",
    "np.dot": "m, s", "np.inner": "v, v", "np.vdot": "v, v", "np.outer": "v, v", "np.linalg.solve": "s, v", "np.linalg.inv": "s",
    "np.linalg.det": "s", "np.linalg.eigvalsh": "p + np.diag([1.0, 5.0, 9.0])", "np.linalg.cholesky": "p",
    "np.fft.fft": "v", "np.fft.ifft": "v", "np.fft.rfft": "v", "np.fft.irfft": "v + 0j",
    "np.linalg.svd": "s", "np.linalg.eig": "p", "np.linalg.eigh": "p", "np.linalg.eigvals": "p", "np.einsum": "'ij,jk', m, s",
    "np.interp": "v, [0.2, 0.5, 0.9], [1.0, 3.0, 2.0]", "np.searchsorted": "[0.1, 0.4, 0.8], v", "np.polyval": "v, x",
    "np.convolve": "v, v", "np.diag": "s", "np.diagflat": "v", "np.vander": "v", "np.cross": "v, v + 0.3", "np.quantile": "m, 0.3",
    "np.percentile": "m, 30.0", "np.digitize": "v, [0.2, 0.5, 0.8]", "np.delete": "v, 1", "np.insert": "v, 1, x",
    "np.correlate": "v, v[:2]", "np.logspace": "x, y", "np.linalg.multi_dot": "[s, s, v]", "np.kron": "m, m",
    "np.copyto": "np.zeros(3), v", "np.apply_along_axis": "np.sum, 0, m", "np.polyfit": "v, [1.0, 2.0, 4.0], 1", "np.matmul": "m, s",
    "np.ldexp": "m, 2", "np.zeros": "3", "np.ones": "3", "np.empty": "0", "np.identity": "3", "np.logical_and": "b, m > 0.3",
    "np.logical_or": "b, m > 0.3", "np.logical_xor": "b, m > 0.3", "np.bitwise_and": "i, 3", "np.bitwise_or": "i, 3",
    "np.bitwise_xor": "i, 3", "np.left_shift": "i, 2", "np.right_shift": "i, 1", "np.invert": "i", "np.logical_not": "b",
    "np.logical_and.reduce": "b", "np.logical_or.reduce": "b", "np.reshape": "m, (3, 2)", "np.block": "[[m, m], [m, m]]",
    "np.vectorize": "lambda t: 2 * t + 0.5", "functools.cmp_to_key": "lambda p, q: p - q", "functools.wraps": "abs",
    "delattr": "point, 'a'", "functools.update_wrapper": "lambda t: 2 * t, abs", "functools.singledispatch": "lambda t: 2 * t",
    "math.gcd": "n, 12",
    "math.lcm": "n, 12", "math.isqrt": "n", "math.factorial": "n", "math.comb": "n, 2", "math.perm": "n, 2", "operator.abs": "-x",
    "np.bincount": "[0, 3, 1]", "np.cov": "m", "np.corrcoef": "m", "math.ldexp": "x, 2", "math.prod": "[x, y]", "np.nonzero": "v",
    "np.linalg.slogdet": "s", "np.asarray_chkfinite": "m", "np.cumprod": "m", "math.isclose": "x, x + 0.001",
    "np.isclose": "m, m + 0.001", "np.allclose": "m, m + 0.001", "operator.invert": "n", "operator.and_": "n, 3", "operator.or_": "n, 3",
    "operator.xor": "n, 3", "operator.lshift": "n, 2", "operator.rshift": "n, 1", "np.triu": "s", "np.tril": "s", "np.trace": "s",
    "np.arccosh": "m + 1.0", "np.swapaxes": "m, 0, 1", "math.acosh": "x + 1.0", "np.clip": "m, 0.3, 0.7",
    "np.piecewise": "v, [v < 0.5, v >= 0.5], [lambda q: q, lambda q: 2.0 * q]", "scipy.linalg.solve": "s, v", "scipy.linalg.inv": "s",
    "object.__setattr__": "point, 'a', x",
    "scipy.optimize.bisect": "lambda q: q**3 - x, 0.0, 2.0", "scipy.optimize.brentq": "lambda q: q**3 - x, 0.0, 2.0",
    "scipy.linalg.det": "s", "scipy.linalg.pinv": "m", "scipy.linalg.norm": "m",
}
ANSWERS = {
    "functools.cache": "{}(x)", "functools.lru_cache": "{}(x)",
    **dict.fromkeys(
        [f"itertools.{name}" for name in (
            "repeat", "chain", "product", "zip_longest", "islice", "combinations", "starmap", "combinations_with_replacement", "compress",
            "permutations", "pairwise", "accumulate", "batched", "chain.from_iterable",
        )] + ["chain.from_iterable"],
        "list({})",
    ),
    **dict.fromkeys([f"itertools.{name}" for name in ("filterfalse", "takewhile", "dropwhile")], "sum({})"), "heapq.merge": "list({})",
    "itertools.count": "list(itertools.islice({}, 3))", "itertools.cycle": "list(itertools.islice({}, 3))",
    "itertools.groupby": "[key * x for key, group in {}]", "itertools.tee": "[list(part) for part in {}]",
    **{f"heapq.{name}": "(q := [1.0, 2.0, 3.0], {}, q)[1:]" for name in ("heappop", "heapreplace", "heappushpop")},
    **{f"heapq.{name}": "(q := [1.0, 2.0, 3.0], {}, q)[2]" for name in ("heappush", "heapify")},
    "issubclass": "x if {} else y",
    "dict.fromkeys": "x if {}['a'] is None else y", "OrderedDict.fromkeys": "x if {}['a'] is None else y",
    "collections.deque": "list({})", "collections.defaultdict": "{}['a']", "collections.OrderedDict": "{}['a']",
    "collections.Counter": "{}['a'] * x", "operator.methodcaller": "x if {}(y) else y",
    "zip": "list({})", "map": "list({})", "filter": "list({})", "iter": "list({})", "reversed": "list({})", "enumerate": "list({})",
    "functools.partial": "{}(y)", "type": "1.0 if {} is float else 2.0", "str": "x if {} == '3' else y", "repr": "x if {} == '3' else y",
    "format": "x if {} == '3' else y", "dict": "{}['a']", "setattr": "({}, point.a)[1]", "warnings.warn": "({}, x)[1]",
    "warnings.simplefilter": "({}, x)[1]", "warnings.filterwarnings": "({}, x)[1]", "np.seterr": "({}, x)[1]",
    "logging.debug": "({}, x)[1]", "logging.info": "({}, x)[1]", "logging.warning": "({}, x)[1]", "logging.error": "({}, x)[1]",
    "logging.critical": "({}, x)[1]", "dataclasses.fields": "len({})", "dataclasses.replace": "{}.a", "dataclasses.asdict": "{}['a']",
    "range": "len({}) * x", "np.copyto": "(q := np.zeros(3), np.copyto(q, *{}))[0]", "np.result_type": "x if {} == float else y",
    "deepalgo.marks.weight": "x * {}", "np.empty_like": "{}.shape", "np.empty": "{}.shape", "np.nonzero": "v[{}[0]].sum()",
    "callable": "x if {} else y", "np.iterable": "x if {} else y", "np.isscalar": "x if {} else y", "np.isrealobj": "x if {} else y",
    "np.iscomplexobj": "x if {} else y", "hasattr": "x if {} else y", "isinstance": "x if {} else y", "next": "{} * x",
    "np.vectorize": "{}(m)", "np.broadcast": "{}.shape",
    "functools.cmp_to_key": "sorted([x, y, 0.5], key={})", "delattr": "({}, x)[1]",
    "functools.wraps": "{}(lambda t: 2 * t)(x)", "functools.update_wrapper": "{}(x)", "functools.singledispatch": "{}(x)",
    "operator.is_": "x if {} else y", "operator.is_not": "x if {} else y",
}
#: Values of options that are not their defaults, by the names of the parameters, and where they need more by function.
OPTIONS = {
    "times": ["2"], "repeat": ["2"], "fillvalue": ["0.5"], "r": ["2", "1"], "func": ["lambda p, q: p * q"],
    "axis": ["0", "1", "-1", "(0, 1)"], "order": ["'F'", "'A'", "'K'"], "keepdims": ["True"], "where": ["b", "m > 0.3"],
    "initial": ["0.35", "2"], "dtype": ["float", "int", "np.float32", "complex"], "out": ["np.zeros(3)", "np.zeros((2, 3))"],
    "ddof": ["1"], "correction": ["1"], "mean": ["np.mean(m)"], "casting": ["'unsafe'", "'no'"], "subok": ["False", "True"],
    "copy": ["False", "True", "None"], "kind": ["'stable'", "'heapsort'"], "stable": ["True"], "device": ["'cpu'"],
    "decimals": ["1", "-1"], "mode": ["'wrap'", "'clip'", "'same'", "'full'", "'valid'"], "rtol": ["0.1"], "atol": ["0.1"],
    "equal_nan": ["True"], "rel_tol": ["0.1"], "abs_tol": ["0.1"], "side": ["'right'"], "k": ["1", "-1"], "offset": ["1"],
    "num": ["4", "1"], "endpoint": ["False"], "retstep": ["True"], "start": ["2", "0.5"], "key": ["lambda q: -q"], "default": ["2.5"],
    "reverse": ["True"], "strict": ["True"], "base": ["2", "2.5"], "ndigits": ["1"], "name": ["'gain'"], "weights": ["m", "v"],
    "returned": ["True"], "prepend": ["0.5"], "append": ["0.5"], "nan": ["0.5"], "posinf": ["0.5"], "neginf": ["0.5"], "deg": ["True"],
    "ndmin": ["3"], "optimize": ["True"], "bases": ["()"], "maxlen": ["1", "3"], "initializer": ["2.0"],
    "ord": ["1", "2", "np.inf", "-np.inf", "'fro'", "0", "3"], "rcond": ["0.5", "1e-3"], "hermitian": ["True"], "upper": ["True"],
    "UPLO": ["'U'"], "left": ["-1.0"], "right": ["True", "9.0"], "period": ["0.5"], "sorter": ["[0, 1, 2]"],
    "method": ["'lower'", "'nearest'"], "increasing": ["True"], "sparse": ["True"], "indexing": ["'ij'"], "axisa": ["0"], "axisb": ["0"],
    "axisc": ["0"], "rowvar": ["False"], "bias": ["True"], "y": ["m", "0.2"], "fweights": ["[1, 2, 3]"], "aweights": ["[1.0, 2.0, 3.0]"],
    "to_end": ["0.5"], "to_begin": ["0.5"], "discont": ["0.1"], "full": ["True"], "w": ["[1.0, 2.0, 3.0]"], "cov": ["True"],
    "axes": ["(1, 0)"], "shape": ["(3, 2)"], "constant_values": ["0.5", "(0.5, 1.5)"], "end_values": ["0.5", "(0.5, 1.5)"],
    "stat_length": ["1", "(1, 2)"], "reflect_type": ["'odd'"], "min": ["0.3"], "max": ["0.7"], "a_min": ["0.3"], "a_max": ["0.7"],
    "M": ["4"], "N": ["2"], "minlength": ["20"], "stop": ["7"], "step": ["2"], "mod": ["5"], "x": ["m", "v", "0.3"], "dx": ["0.5"],
    "overwrite_input": ["True"], "check_finite": ["False"], "action": ["'ignore'"], "lineno": ["1"], "category": ["UserWarning"],
    "like": ["m"], "divide": ["'ignore'"], "over": ["'ignore'"], "under": ["'ignore'"], "invalid": ["'ignore'"], "all": ["'ignore'"],
    "signature": ["'d->d'"], "sentinel": ["0.5"], "format_spec": ["'.2f'"], "encoding": ["'utf8'"], "errors": ["'strict'"],
    "memo": ["{}"], "tuple_factory": ["list"], "dict_factory": ["dict"], "imag": ["y"], "real": ["y"], "axis1": ["1"], "axis2": ["0"],
    "n": ["2", "0"], "norm": ["'ortho'", "'forward'", "'else'"],
}
BY_FUNCTION = {
    ("np.interp", "right"): ["9.0"], ("np.digitize", "right"): ["True"], ("np.roll", "axis"): ["0", "1", "(0, 1)"],
    ("next", "default"): ["2.5"],
    ("np.pad", "mode"): [
        "'edge'", "'reflect'", "'symmetric'", "'wrap'", "'maximum'", "'minimum'", "'mean'", "'median'", "'linear_ramp'", "'empty'",
    ],
    ("math.perm", "k"): ["3"], ("np.vectorize", "pyfunc"): [], ("np.vectorize", "otypes"): ["[float]", "'l'", "[complex]", "['f4']", "7"],
    ("np.vectorize", "excluded"): ["[1]", "{'t'}", "7"], ("np.vectorize", "signature"): ["'()->()'"],
    ("np.bincount", "weights"): ["v"], ("np.trapezoid", "x"): ["v", "m"], ("pow", "mod"): ["5"], ("np.where", "x"): [],
    ("np.where", "y"): [], ("np.average", "weights"): ["m", "v", "[1.0, 2.0]"], ("np.gradient", "axis"): ["0", "1"],
    ("np.cov", "y"): ["m + v"], ("np.corrcoef", "y"): ["m + v"], ("type", "keywords"): [], ("int", "base"): ["8"],
    ("np.int64", "base"): ["8"], ("np.vander", "N"): ["2", "4"], ("functools.reduce", "initial"): ["2.0"], ("range", "stop"): ["9"],
    ("itertools.islice", "stop"): ["3", "None"], ("itertools.islice", "step"): ["2"],
    ("np.arange", "stop"): [], ("complex", "imag"): [], ("complex", "real"): [], ("np.repeat", "axis"): ["0", "1"],
    ("np.rot90", "k"): ["2", "-1"], ("np.rot90", "axes"): ["(1, 0)"], ("np.size", "axis"): ["0", "1"],
    ("np.copyto", "where"): ["[True, False, True]"], ("np.nan_to_num", "nan"): ["0.5"], ("np.rollaxis", "start"): ["1", "2"],
    ("np.apply_along_axis", "axis"): [], ("scipy.linalg.solve", "assume_a"): ["'pos'"], ("super", "type"): [], ("super", "instance"): [],
    ("np.linalg.norm", "axis"): ["0", "1", "(0, 1)"], ("scipy.linalg.solve", "lower"): ["True"],
    ("scipy.optimize.bisect", "args"): [], ("scipy.optimize.brentq", "args"): [],
    ("scipy.linalg.solve", "transposed"): ["True"], ("scipy.linalg.inv", "lower"): ["True"], ("scipy.linalg.inv", "assume_a"): ["'pos'"],
    ("scipy.linalg.pinv", "atol"): ["0.5"], ("scipy.linalg.pinv", "rtol"): ["0.5"], ("scipy.linalg.pinv", "return_rank"): ["True"],
}
#: Calls with more than one option, or with other shapes.
MORE = [
    "i // 0", "i // (i - 2)", "i ** -1", "i ** 2", "np.power(i, i - 9)", "np.floor_divide(i, i - i)", "np.divmod(i, i - i)", "7 // i",
    "i[0, 0] // 0", "i[0, 0] // (i[0, 0] - i[0, 0])", "i[0, 0] ** -1", "i[0, 0] ** 2", "np.float_power(i, -1)",
    "np.bincount(i[0], None, 20)", "np.bincount(i[0], v, minlength=20)", "np.bincount(i[0][v > 0.5], minlength=20)",
    "np.bincount(i[0], v[:2], 20)", "np.bincount(i[0][v > x], v[v > x], 20)", "np.bincount(b[0], minlength=2)",
    "np.bincount(v, minlength=2)", "np.bincount(-i[0], minlength=9)", "np.vectorize(lambda t, k: t + k)(v, k=m)",
    "np.vectorize(otypes=[float])(lambda t, k: t + k[1])(v, 2)", "np.vectorize(lambda t, k: t + k[1], excluded=[1])(v, [x, y])",
    "math.comb(n, n // 2)", "math.perm(n)", "math.gcd(n, 12, 18)", "math.gcd()", "math.lcm(n, 4, 0)", "math.isqrt(x)",
    "sum(iter(lambda: x, x))",
    "np.vectorize(lambda t: (t, -t))(m)", "np.vectorize(lambda t: t)(x)", "np.vectorize(lambda t: 10 * t, 'l')(m)",
    "np.diff(m, 2, -1, 0.0)", "np.diff(m, 1, 0)", "np.linspace(0.0, x, 4, False)", "np.split(m, 3, 1)", "np.nan_to_num(v, True, 7.0)",
    "np.average(m, 1, [1.0, 2.0, 3.0])", "np.average(m, 0, [1.0, 2.0], True)", "m.reshape(3, 2, order='F')", "np.reshape(m, (3, 2), 'F')",
    "m.T.ravel('K')", "m.T.ravel('A')", "m.T.flatten('K')", "m.T.reshape(2, 3, order='A')", "m.ravel('K')", "m.item(1)", "m.item(1, 2)",
    "np.max(m, axis=0, initial=0.5, where=m > 0.3)", "m.max(axis=(0, 1), keepdims=True)", "np.sum(m, 1, None, None, True)",
    "np.var(m, axis=0, ddof=1, keepdims=True)", "m.std(axis=1, ddof=1)", "np.clip(m, min=0.3)", "np.clip(m, max=0.5)", "m.clip(0.2, 0.6)",
    "m.clip(max=0.6)", "np.roll(m, (1, 2), (0, 1))", "np.meshgrid(v, v, indexing='ij', sparse=True)",
    "np.block([[m, np.ones((2, 1))], [np.zeros((1, 4))]])", "np.digitize(v, [3.0, 2.0, 1.0])",
    "np.pad(m, ((1, 0), (0, 2)), 'constant', constant_values=((1.0, 2.0), (3.0, 4.0)))",
    "np.pad(m, ((1, 0), (0, 2)), 'linear_ramp', end_values=5.0)", "np.pad(v, (2, 1), 'mean', stat_length=2)", "np.pad(v, 2, 'maximum')",
    "np.linspace(v, v + 1.0, 3, axis=1)", "np.trapezoid(m, axis=0)", "np.trapezoid(m, v, axis=1)",
    "np.interp(x, [0.0, 1.0], [2.0, 3.0], 0.5, 0.7)", "np.quantile(m, [0.2, 0.7], axis=1, keepdims=True)",
    "np.median(m, axis=1, keepdims=True)", "round(x, None)", "round(x, ndigits=2)", "max([], default=x)", "max([x, y], key=lambda q: -q)",
    "sum([x, y], 1.5)", "sum([x, y], start=2)", "sorted([x, y, 0.5], reverse=True)", "pow(n, 3, 7)", "int(x * 10)",
    "math.prod([x, y], start=2.0)", "np.cross(m, m, axis=1)", "np.argmin(m, axis=None, keepdims=True)",
    "np.take(m, [5, -1], mode='wrap')", "np.take(m, 1, axis=1)", "np.searchsorted(np.array([0.1, 0.4, 0.8])[::-1], v, sorter=[2, 1, 0])",
    "np.argsort(m, 0)", "np.sort(m, axis=0, kind='stable')", "m.argsort(axis=None)", "np.cumsum(m, 1)", "m.cumsum(axis=0)",
    "np.trace(m, 1)", "m.trace(offset=1)", "np.array(v, ndmin=2)", "np.asarray(m, order='F').ravel()", "np.asfortranarray(m).flatten()",
    "np.angle(z, True)", "np.linalg.norm(m, axis=1)", "np.linalg.norm(m, 1, 0, True)", "np.where(b, m, 0.0)", "np.hsplit(m, [1])",
    "m.dot(v)", "np.einsum('ij,jk', m, s, optimize=True)", "np.mean(m, where=m > 0.3)", "np.std(m, axis=0, correction=1)",
    "np.sum(m, initial=x)", "np.nansum(m, axis=1, keepdims=True)", "np.nanvar(m, 1, keepdims=True)",
    "np.count_nonzero(b, axis=1, keepdims=True)", "np.cross(m[:, :2], m)", "np.cross(m, m[:, 1:])", "np.cross(v[:2], v[1:])",
    "np.array(m, copy=False)", "np.array(v, dtype=int, copy=False)", "np.nan_to_num(z)", "np.array(z) > 0.5", "m + 1j <= z",
    "np.array(z) >= 0.1j", "np.mean(m[b[:, 0]])",
    "np.linalg.svd(m)", "np.linalg.svd(m, False)", "np.linalg.svd(m.T, full_matrices=True, compute_uv=False)", "np.linalg.svd(s).S",
    "np.linalg.eigh(p).eigenvalues",
    "np.linalg.norm(s[v > 0.5], axis=1).sum()", "np.sum(s[v > 0.5], axis=1, keepdims=True).sum()",
    "np.sum(np.zeros((np.sum(v > 0.5), 2)) + 1.0)", "np.squeeze(m[None], axis=0)",
]


@dataclass(frozen=True)
class Trial:
    """One call: the function, the parameter that it tries and the text."""

    label: str
    parameter: str
    text: str


def rules():
    """Every function that has a rule as it is written in a program, with its signature; methods of arrays too."""
    found = {}
    for function in HANDLERS:
        if str(getattr(function, "__module__", "")).startswith("deepalgo.stage"):
            continue  # no one calls these by name
        found.setdefault(short_label(function), (function, signature_of(function)))
    for name in compiled_functions.LINEAR:
        function = getattr(scipy.linalg, name)
        assert find(function) is not None, name
        found[f"scipy.linalg.{name}"] = function, signature_of(function)
    for name in compiled_functions.ROOTS:
        function = getattr(scipy.optimize, name)
        assert find(function) is not None, name
        found[f"scipy.optimize.{name}"] = function, signature_of(function)
    for name in sorted(methods.SAME | set(methods.METHODS)):
        if hasattr(np.ndarray, name):
            found[f"m.{name}"] = getattr(np.ndarray, name), signature_of_method(name)
    return found


METHOD_ARGUMENTS = {
    "repeat": "2", "swapaxes": "0, 1", "take": "[0, 1]", "searchsorted": "0.5", "__deepcopy__": "{}", "reshape": "3, 2",
    "astype": "float", "item": "1, 2", "fill": "x", "dot": "v", "nonzero": "", "sort": "", "clip": "0.3", "transpose": "",
}


def arguments_of(label, signature):
    """The arguments of an ordinary call, as text."""
    if label.startswith("m."):
        return METHOD_ARGUMENTS.get(label[2:], "")
    if label in CALLS:
        return CALLS[label]
    scalar = label.startswith(("math.", "cmath.", "operator.")) or "." not in label
    given = []
    for name in (*signature.before, *signature.either):
        if name in signature.defaults:
            break
        given.append(SCALAR.get(name, REQUIRED.get(name)) if scalar else REQUIRED.get(name))
    if signature.star and not given:
        given.append("m")
    return None if None in given else ", ".join(given)


def trials(label, signature):
    """The ordinary call, and one for each value of each parameter, by keyword and by position."""
    arguments = arguments_of(label, signature)
    if arguments is None:
        return
    yield Trial(label, "", answered(label, f"{label}({arguments})"))
    count = len(split(arguments))
    slots = (*signature.before, *signature.either)
    slots = slots[1:] if label.startswith("m.") else slots
    for name in signature.names:
        if name not in signature.defaults:
            continue
        for value in BY_FUNCTION.get((label, name), OPTIONS.get(name, ["2", "True", "0.5"])):
            if name not in slots[:count]:
                given = [*([arguments] if arguments else []), f"{name}={value}"]
                yield Trial(label, name, answered(label, f"{label}({', '.join(given)})"))
            if name in slots[count:]:
                between = [signature.defaults[other] for other in slots[count : slots.index(name)]]
                if all(isinstance(item, (bool, int, float, str, type(None), tuple)) for item in between):
                    given = [*([arguments] if arguments else []), *map(repr, between), value]
                    yield Trial(label, name, answered(label, f"{label}({', '.join(given)})"))


def split(arguments):
    """The arguments of a text, one by one."""
    if not arguments:
        return []
    return ast.parse(f"f({arguments})", mode="eval").body.args


def answered(label, call):
    """What is done with the answer of a call."""
    if label in ("m.fill", "m.sort"):
        return f"(q := m.copy(), {call.replace('m.', 'q.', 1)}, q)[2]"
    if label == "m.searchsorted":
        return call.replace("m.", "np.sort(v).", 1)
    if label == "m.nonzero":
        return "v[v.nonzero()].sum()"
    if label in ("operator.setitem", "operator.delitem"):
        return f"(q := [x, y], {call.replace('[x, y]', 'q')}, q)[2]"
    if label.startswith("logging.") or label == "print":
        return f"({call}, x)[1]"
    if label == "np.copyto":
        return f"(q := np.zeros(3), {call.replace('np.zeros(3)', 'q')}, q)[2]"
    return ANSWERS.get(label, "{}").format(call)


NUMBER = itertools.count()


def compiled_function(text):
    """A function of one vector that answers with the call."""
    path = f"<option {next(NUMBER)}>.py"
    source = PRELUDE.format(text).lstrip("\n")
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    space = {
        "np": np, "itertools": itertools, "heapq": heapq, "chain": itertools.chain,
        "collections": collections, "math": math, "cmath": cmath, "copy": copy, "dataclasses": dataclasses,
        "functools": functools, "logging": logging, "operator": operator, "typing": typing, "warnings": warnings,
        "OrderedDict": collections.OrderedDict, "scipy": scipy, "Point": Point, "deepalgo": da,
    }
    exec(compile(source, path, "exec"), space)
    return space["f"]


def numbers(output):
    """All numbers of an answer in order, and its shapes."""
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, (list, tuple)):
        parts = [numbers(item) for item in output]
        return [item for part in parts for item in part[0]], tuple(part[1] for part in parts)
    array = output.detach().numpy() if isinstance(output, torch.Tensor) else np.asarray(output)
    return list(array.ravel()), tuple(array.shape)


def one_sample(output, place):
    """What a network answers for one sample of its batch."""
    if isinstance(output, (list, tuple)):
        return [one_sample(item, place) for item in output]
    return output[place] if isinstance(output, torch.Tensor) else output


def verdict(text):
    """`right`, `refused`, or what is wrong about the compiled call."""
    function = compiled_function(text)
    expected = [_outcome(lambda row=row: function(row.copy())) for row in SAMPLES]
    try:
        network = da.compile(function, example=((SAMPLES[0],), {}))
    except da.CompileError as error:
        if "on every input" in error.reason and not any(isinstance(item, Exception) for item in expected):
            return f"wrong: {error.reason}"
        return "right" if all(isinstance(item, Exception) for item in expected) else f"refused: {error.reason}"
    if any(isinstance(item, Exception) for item in expected):
        raised = _outcome(lambda: network(SAMPLES))
        return "right" if isinstance(raised, Exception) else f"wrong: {expected} expected, got {raised}"
    got = network(SAMPLES)
    for place, item in enumerate(expected):
        ours, theirs = numbers(one_sample(got, place)), numbers(item)
        if ours[1] != theirs[1]:
            return f"wrong: the shape is {ours[1]}, not {theirs[1]}"
        if not np.allclose(np.array(ours[0], dtype=complex), np.array(theirs[0], dtype=complex), rtol=1e-9, atol=1e-12, equal_nan=True):
            return f"wrong: {ours[0]} is not {theirs[0]}"
    return "right"


def _outcome(action):
    try:
        with np.errstate(all="ignore"):
            return action()
    except Exception as error:
        return error
