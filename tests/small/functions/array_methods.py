"""Functions with one method or operator of arrays each."""

import numpy as np


def method_sum(m):
    return m.sum(axis=0)


def method_mean(m):
    return m.mean(1)


def method_max(v):
    return v.max() - v.min()


def method_reshape(m):
    return m.reshape(3, 2)


def method_reshape_fortran(m):
    return m.reshape(3, 2, order="F")


def method_ravel(m):
    return m.ravel()


def method_flatten_fortran(m):
    return m.flatten("F")


def method_transpose(m):
    return m.T @ m


def method_dot(v, w):
    return v.dot(w)


def method_clip(v):
    return v.clip(-0.5, 0.5)


def method_round(v):
    return v.round(1)


def method_cumsum(v):
    return v.cumsum()


def method_argmax(v):
    return v.argmax()


def method_sort(v):
    out = v.copy()
    out.sort()
    return out


def method_fill(v, x):
    out = v.copy()
    out.fill(x)
    return out


def method_tolist(v):
    return v.tolist()


def method_item(v):
    return v.item(1)


def method_astype(v):
    return (v > 0.0).astype(float) * v


def method_astype_int(x):
    return np.array([1.9, -1.9]).astype(int) * x


def method_any(v):
    return (v > 1.0).any()


def method_all(v):
    return (v > -2.0).all()


def method_std(v):
    return v.std()


def method_prod(v):
    return v.prod()


def method_repeat(v):
    return v.repeat(2)


def method_squeeze(v):
    return v[None].squeeze()


def method_take(v):
    return v.take([0, 2])


def method_trace(s):
    return s.trace()


def method_diagonal(s):
    return s.diagonal()


def method_swapaxes(m):
    return m.swapaxes(0, 1)


def method_nonzero(x):
    return np.array([0.0, 3.0]).nonzero()[0][0] * x


def method_shape(m):
    return m.shape[0] * m.ndim * m.size * m[0]


def array_loop(v):
    total = 0.0
    for t in v:
        total += t * t if t > 0.0 else -t
    return total


def array_index_loop(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += (i + 1) * m[i, j]
    return total


def array_write_loop(v):
    out = np.zeros(4)
    for i in range(1, 4):
        out[i] = out[i - 1] * 0.5 + v[i]
    return out


def array_in_place(v):
    out = v * 1.0
    out += 1.0
    out *= v
    out[1] -= 3.0
    return out


def array_view(v):
    out = v.copy()
    tail = out[2:]
    tail[0] = 9.0
    return out


def array_truth(v):
    if (v > 0.0).all():
        return v.sum()
    return v.min()


def array_power(v):
    return v ** 2 + v ** 3.0


def array_integer_power(x):
    return np.array([2, 3]) ** 2 * x


def array_floor_divide(v, w):
    return v // w


def array_modulo(v, w):
    return v % w


def array_divide(v, w):
    return v / w


def array_compare_chain(v):
    return (v > -1.0) & (v < 1.0) | (v == 2.0)


def array_invert(v):
    return ~(v > 0.0)


def array_negative_index(v):
    return v[-1] * v[-2]


def array_matmul(s, x):
    return s @ np.array([x, 1.0, 2.0])


def array_unpack(v):
    a, b, c, d = v
    return a * b + c * d


def array_len(v):
    return len(v) * v[0]


def array_contains(v, x):
    return x in v


def array_boolean_sum(v):
    return (v > 0.0).sum()


def array_max_index(v, w):
    return w[v.argmax()]
