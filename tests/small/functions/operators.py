"""Functions that call one function of `operator` or `copy` each."""

import copy
import operator


def operator_add(x, y):
    return operator.add(x, y)


def operator_sub(x, y):
    return operator.sub(x, 2.0 * y)


def operator_mul(x, y):
    return operator.mul(x, y)


def operator_truediv(x, y):
    return operator.truediv(x, y)


def operator_floordiv(x, y):
    return operator.floordiv(x, y)


def operator_mod(x, y):
    return operator.mod(x, y)


def operator_pow(x):
    return operator.pow(x, 3)


def operator_neg(x):
    return operator.neg(x)


def operator_pos(x):
    return operator.pos(x)


def operator_abs(x):
    return operator.abs(x)


def operator_lt(x, y):
    return operator.lt(x, y)


def operator_le(x, y):
    return operator.le(x, y)


def operator_eq(x, y):
    return operator.eq(x, y)


def operator_ne(x, y):
    return operator.ne(x, y)


def operator_ge(x, y):
    return operator.ge(x, y)


def operator_gt(x, y):
    return operator.gt(x, y)


def operator_not(x):
    return operator.not_(x)


def operator_truth(x):
    return operator.truth(x)


def operator_getitem(items):
    return operator.getitem(items, 1)


def operator_itemgetter(items):
    return operator.itemgetter(0, 2)(items)


def operator_attrgetter(x):
    return operator.attrgetter("real")(x)


def operator_methodcaller(items):
    return operator.methodcaller("copy")(items)


def operator_setitem(x):
    cells = [1.0, 2.0]
    operator.setitem(cells, 0, x)
    return cells


def operator_contains(items, x):
    return operator.contains(items, x)


def operator_index_of(x):
    return operator.indexOf([1.0, 2.0], 2.0) * x


def operator_matmul(s):
    return operator.matmul(s, s)


def operator_iadd(x):
    return operator.iadd([x], [1.0])


def copy_copy(x):
    rows = [[x], 1.0]
    other = copy.copy(rows)
    other[0][0] = 5.0
    other[1] = 2.0
    return rows


def copy_deepcopy(x):
    rows = [[x], 1.0]
    other = copy.deepcopy(rows)
    other[0][0] = 5.0
    return rows
