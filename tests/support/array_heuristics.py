"""Heuristics on arrays, objects and exceptions, as people write them; each function is its own oracle in test_arrays.py."""

import calendar
import cmath
import functools
import math
import operator
import warnings
from dataclasses import dataclass

import numpy as np


def views_are_written_through(x):
    a = np.zeros((2, 3))
    a[0] = x
    b = a.reshape(3, 2)
    b[0, 0] = 7.0
    a.T[1, 1] = x[0]
    a.ravel()[-1] = 9.0
    copy = a.flatten()
    copy[0] = 100.0
    part = a[:, ::2]
    part *= 2.0
    return a, b, copy, part


def stores_in_a_loop(x):
    out = np.zeros(5)
    for i in range(5):
        out[i] = x[i % 3] * i
        if out[i] > 2.0:
            out[i] = 2.0
    return out


def masks_and_where(x):
    y = x.copy()
    y[y < 0] = 0.0
    big = y > 1.5
    y[big] = np.sqrt(y[big]) + 1.0
    return np.where(x > 0.0, np.log(np.abs(x) + 1.0), -x), y, y[big].sum()


def index_chosen_by_data(x):
    table = [0.1, 0.5, 2.0, 8.0]
    place = min(int(abs(x[0]) * 2), 3)
    row = np.argmax(x)
    grid = np.outer(x, x)
    grid[row] = -1.0
    return table[place], x[row], grid[row - 1, place % 3], np.interp(x[1], [-1.0, 0.0, 1.0], table[:3])


def two_names_for_one_list(x):
    first = [x[0], x[1]]
    second = first
    if x[2] > 0:
        second[0] = 5.0
        first.append(first[0] + second[1])
    else:
        first[1] = -1.0
        second.append(0.0)
    return first[0] + second[1] * 2 + second[-1]


def linear_algebra(x):
    a = np.array([[4.0 + x[0] ** 2, x[1], 0.0], [x[1], 5.0, x[2]], [0.0, x[2], 6.0]])
    solved = np.linalg.solve(a, x)
    return solved @ a @ solved, np.linalg.det(a), np.linalg.inv(a)[0], np.linalg.norm(x), np.cross(x, solved), np.trace(a)


def reductions(x):
    grid = np.stack([x, x * 2.0, 1.0 - x])
    return grid.sum(axis=0), grid.mean(), grid.max(axis=1), np.cumsum(x), np.sort(x), grid.std(), np.clip(x, -0.5, 0.5), grid.argmin(axis=0)


@dataclass
class Filter:
    gain: float = 0.4
    state: float = 0.0

    def step(self, value):
        if abs(value - self.state) > 1.0:
            self.state = value
        else:
            self.state += self.gain * (value - self.state)
        return self.state


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    @property
    def length(self):
        return math.hypot(self.x, self.y)


def objects(x):
    smooth = Filter()
    for value in x:
        smooth.step(value)
    total = Vector(smooth.state, 1.0) + Vector(x[0], x[1]) * 0.5
    if total.length > 1.5:
        total = total * (1.5 / total.length)
    return total.x, total.length


def handlers(x):
    try:
        a = math.log(x[0])
    except ValueError:
        a = -1.0
    try:
        b = 1.0 / (x[1] if abs(x[1]) > 0.3 else 0.0)
    except ZeroDivisionError:
        b = 0.0
    else:
        b += 10.0
    finally:
        a *= 2.0
    try:
        if x[2] < 0:
            raise KeyError("negative")
        c = math.exp(800.0 * x[2])
    except (KeyError, OverflowError) as error:
        c = 3.0 if isinstance(error, KeyError) else 4.0
    return a, b


def bisect(function, low, high):
    for _ in range(40):
        middle = 0.5 * (low + high)
        if function(low) * function(middle) <= 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def functions_as_arguments(x):
    target = 0.3 * abs(x[0]) + 0.1
    return bisect(lambda t: t**3 + t - target, 0.0, 2.0)


def complex_roots(x):
    b, c = x[0], 1.0 + x[1] ** 2
    root = cmath.sqrt(b * b - 4.0 * c)
    first = (-b + root) / 2.0
    return abs(first), first.real, (first * first.conjugate()).real


def descend(value, rounds=0):
    if value < 0.5:
        return value + rounds
    return descend(value * 0.6, rounds + 1)


def product_down(value):
    return 1.0 if value < 1.0 else value * product_down(value - 1.0)


def recursion_that_data_ends(x):
    return descend(abs(x[0]) * 20.0 + 0.1), product_down(abs(x[1]) * 3.0)


def arguments_changed_in_place(x, values):
    x /= np.linalg.norm(x)
    if values[0] > 0:
        values[1] = x[0]
    return x.sum()


def warnings_as_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.arcsin(x[0] * 2.0) + 1.0
        except RuntimeWarning:
            return 9.0


def no_number_on_some_path(x):
    if x[0] > 5.0:
        return None
    return x[0] * 2.0


def numbers_of_numpy(x):
    small = np.float64(round(x[0])) * np.float64("0.5")
    with np.errstate(divide="ignore"):
        return np.minimum(1.0 / small, 7.0), np.float64(float(x[1]) + 3.0) ** 0.5


def arrays_in_containers(x):
    x, rows, table = x.copy(), [], {}
    rows.append(x)
    rows.append(x.reshape(3, 1))
    rows.insert(0, x[1:])
    rows.extend([x * 2.0, np.zeros(3)])
    table.setdefault("same", x)
    table.update(turned=x[::-1])
    x[1] = 9.0 * x[0]
    rows[4][2] = x[2]
    return rows[0][0], rows[1][1], rows[2][1, 0], rows[3][1], rows[4], table["same"][1] + table["turned"][1]


def text_of_numpy(x):
    np.fill_diagonal(grid := np.outer(x, x), x[0])
    powers = np.linalg.matrix_power(grid, 2)
    return np.r_[x[0], x], np.c_[x, x * 2.0], np.gradient(x), powers, np.tensordot(x, x, axes=1), np.fix(x), np.polyder(x)


def leap_years(x):
    return sum(x[0] if calendar.isleap(int(1900 + 50 * abs(x[1])) + year) else x[2] for year in range(5))


def statistics_of_numpy(x):
    grid = np.outer(x, x) + np.arange(9.0).reshape(3, 3)
    return (
        np.quantile(x, 0.3), np.percentile(grid, [20, 75.0], axis=0), np.percentile(x, 100), np.cov(x, x**2),
        np.cov(grid, rowvar=False, bias=True), np.corrcoef(x, np.sin(x)),
        np.digitize(x, [-1.0, 0.5, 1.5]), np.digitize(x, [1.5, 0.5, -1.0], right=True),
    )


def products_of_numpy(x):
    grid = np.outer(x, x) + np.eye(3)
    return (
        np.einsum("ij,jk->ik", grid, grid), np.einsum("ij...,j...->i...", grid, x), np.einsum("a...,a...", x, x),
        np.einsum("ij,kj,k", grid, grid, x), np.einsum("...i,...i->...", grid, x),
        np.cross(grid, x), np.cross(grid, grid.T, axis=0), np.kron(x, x[:2]), np.kron(grid, grid[:2]),
        np.einsum("ij->j", np.arange(9).reshape(3, 3)) * x, np.correlate(x, x[:2]),
        np.correlate(x[:2], x, mode="full"), np.linalg.multi_dot([grid, grid, x]), np.linalg.cholesky(grid),
        np.linalg.eigvalsh(grid + np.diag([1.0, 5.0, 9.0])),
    )


def pieces_of_numpy(x):
    held = x.copy()
    np.copyto(held, 7.0, where=x > 0.5)
    return (
        np.delete(x, 1), np.delete(x, [0, -1]), np.delete(np.outer(x, x), slice(0, 2), axis=1), np.insert(x, 1, x[2]), np.ediff1d(x), held,
        np.unwrap(9.0 * x), np.logspace(x[0], x[1], 4), np.apply_along_axis(lambda row: row / row.sum(), 1, np.outer(x, x) + 9.0),
        np.interp(x, [0.0, 1.0], [1.0, 3.0], left=-1.0, right=x[0]), np.interp(x, [0.2, 0.9, 1.4], [1.0, 3.0, 0.0], period=1.5),
        np.polyfit(np.arange(3.0), x, 1), np.polyfit([0.0, 1.0, 3.0, 4.0], np.append(x, 1.0), 2, w=[1.0, 2.0, 1.0, 3.0]),
    )


def results_put_where_a_mask_says(x):
    root = np.sqrt(x, out=np.ones(3), where=x > 0.0)
    share = np.divide(x, x - x[0], out=np.zeros_like(x), where=x != x[0])
    return root, share, np.log(x - 0.5, np.full(3, -9.0), where=x > 0.5)


def options_of_numpy(x):
    total, half = np.empty_like(x), np.zeros(2)
    np.add(x, 3.0, out=total)
    total.cumprod(axis=0, out=total)
    np.mean(np.outer(x, x)[:, :2], axis=0, out=half)
    joined = np.zeros(6)
    np.concatenate([x, x], out=joined)
    np.clip(joined, -0.5, 0.5, joined)
    with np.errstate(divide="ignore"):
        edge = np.triu(np.outer(x, 1.0 / (x - x[0])), 1)[0]
    return (
        total, half, joined, np.sum(x, dtype=int), np.cumsum(x > 0.5, dtype=float), np.mean(x, 0, np.float64), np.std(x, 0, None, None, 1),
        np.nanprod(x), np.full(2, 5.0 * x[0], dtype=int), np.sort(np.outer(x, x), axis=None), np.zeros_like(x, shape=(2,)) + x[0], edge,
    )


def truths_that_are_one(x):
    first, second, third = bool(x[0] > 0.5), np.sin(x[1]) > 0.5, bool(x[2] > 0.0)
    return (
        x[0] if first is True else 2.0 * x[0], x[1] if second is True else 3.0 * x[1], x[0] if first is not False else 4.0 * x[0],
        x[2] if first is third else 5.0 * x[2], x[2] if x[0] is None else 6.0 * x[2], x[1] if second is (x[1] > 0.0) else 7.0 * x[1],
    )


def slices_of_lists(x):
    items = [0.0, x[0], 2.0 * x[1]]
    items[1:] /= np.float64(3.0)
    items[:1] = np.array([x[2], 3.0])
    items[2:] = (item * x[0] for item in [1.0, 2.0])
    return items[0], items[1], items[2], items[3], len(items)


def orders_of_numpy(x):
    grid, square = np.outer(x, x), np.empty(3)
    grid[1, 2] = np.nan
    np.square(x, out=square)
    return (
        np.maximum.accumulate(x), np.fmin.accumulate(grid, axis=1), np.median(np.outer(x, x) + x, axis=0), np.nanstd(grid, axis=0, ddof=1),
        np.nanvar(x), np.signbit(x), np.int64(3.0 * x[0]), square, np.asfortranarray(grid)[0],
    )


def operators_as_functions(x):
    table = {"<": operator.lt, "+": operator.add, "-": operator.neg}
    rows = sorted([(x[0], 1.0), (0.5, x[1])], key=operator.itemgetter(0))
    return (
        functools.reduce(operator.mul, [x[0], 2.0, x[1]]), operator.truediv(x[0], x[1] + 3.0), operator.mod(x[2], 0.3),
        table["+"](x, 1.0),
        2.0 if table["<"](x[0], 0.5) else x[1], table["-"](x[2]), operator.matmul(x, x), rows[0][1],
        sum(map(operator.mul, x, [3.0, x[0], 1.0])),
        x[0] if operator.is_(bool(x[0] > 0.5), True) else x[1], x[0] if operator.not_(x[1] > 0.5) else x[2], operator.getitem(x, 1),
    )
