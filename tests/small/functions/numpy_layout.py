"""Functions that call one function of NumPy on whole arrays each, from `linspace` on."""

import numpy as np


def np_linspace(x):
    return np.linspace(0.0, x, 5)


def np_linspace_open(x):
    return np.linspace(0.0, x, 4, endpoint=False)


def np_linspace_positional(x):
    return np.linspace(0.0, x, 4, False)


def np_logspace(x):
    return np.logspace(0.0, 1.0, 3) * x


def np_matmul(s):
    return np.matmul(s, s)


def np_mean(v):
    return np.mean(v)


def np_mean_keepdims(m):
    return m - np.mean(m, axis=1, keepdims=True)


def np_median(v):
    return np.median(v)


def np_median_odd(s):
    return np.median(s, axis=0)


def np_meshgrid(v):
    return np.meshgrid(v[:2], np.array([1.0, 2.0]))[0]


def np_moveaxis(m):
    return np.moveaxis(m, 0, 1)


def np_nanmax(v):
    return np.nanmax(v)


def np_nanmean(v):
    return np.nanmean(v)


def np_nanmin(v):
    return np.nanmin(v)


def np_nanprod(v):
    return np.nanprod(v)


def np_nanstd(v):
    return np.nanstd(v)


def np_nansum(v):
    return np.nansum(v)


def np_nanvar(m):
    return np.nanvar(m, axis=0)


def np_ndim(m):
    return np.ndim(m) * m[0]


def np_nonzero(x):
    return np.nonzero(np.array([0.0, 1.0, 2.0]))[0] * x


def np_ones(x):
    return np.ones((2, 2)) * x


def np_ones_like(v):
    return np.ones_like(v) + v


def np_outer(v, w):
    return np.outer(v, w)


def np_pad(v):
    return np.pad(v, 1)


def np_pad_edge(v):
    return np.pad(v, (1, 2), mode="edge")


def np_pad_constant(v):
    return np.pad(v, 1, constant_values=2.5)


def np_percentile(v):
    return np.percentile(v, 30.0)


def np_permute_dims(m):
    return np.permute_dims(m, (1, 0))


def np_transpose(m):
    return np.transpose(m) * 2.0


def np_polyfit(v):
    return np.polyfit([0.0, 1.0, 2.0, 3.0], v, 1)


def np_prod(m):
    return np.prod(m, axis=1)


def np_ptp(v):
    return np.ptp(v)


def np_quantile(v):
    return np.quantile(v, [0.25, 0.5])


def np_quantile_method(v):
    return np.quantile(v, 0.4, method="lower")


def np_ravel(m):
    return np.ravel(m)


def np_ravel_fortran(m):
    return np.ravel(m, "F")


def np_repeat(v):
    return np.repeat(v, 2)


def np_repeat_axis(m):
    return np.repeat(m, 2, axis=0)


def np_reshape(m):
    return np.reshape(m, (3, 2))


def np_reshape_fortran(m):
    return np.reshape(m, (3, 2), order="F")


def np_resize(v):
    return np.resize(v, (2, 3))


def np_result_type(v):
    return v * (np.result_type(v, 1) == np.float64)


def np_roll(v):
    return np.roll(v, 1)


def np_roll_axis(m):
    return np.roll(m, -1, axis=1)


def np_rollaxis(m):
    return np.rollaxis(m, 1)


def np_rot90(m):
    return np.rot90(m)


def np_seterr(v):
    with np.errstate(divide="ignore"):
        return np.log(np.abs(v))


def np_shape(m):
    return np.shape(m)[1] * m[0, 0]


def np_size(m):
    return np.size(m, 0) * m[0]


def np_sort(v):
    return np.sort(v)


def np_sort_axis(m):
    return np.sort(m, axis=0)


def np_split(v):
    return np.split(v, 2)


def np_split_axis(m):
    return np.split(m, 3, 1)


def np_squeeze(v):
    return np.squeeze(v[None, :])


def np_stack(v, w):
    return np.stack([v, w], axis=1)


def np_std(v):
    return np.std(v)


def np_std_ddof(v):
    return np.std(v, ddof=1)


def np_sum(m):
    return np.sum(m)


def np_sum_axis(m):
    return np.sum(m, 1)


def np_sum_where(v):
    return np.sum(v, where=v > 0.0)


def np_swapaxes(m):
    return np.swapaxes(m, 0, 1)


def np_take(v):
    return np.take(v, [3, 0])


def np_tile(v):
    return np.tile(v, 2)


def np_tile_two(v):
    return np.tile(v, (2, 1))


def np_trace(s):
    return np.trace(s)


def np_trapezoid(v):
    return np.trapezoid(v, dx=0.5)


def np_trapezoid_x(v):
    return np.trapezoid(v, [0.0, 1.0, 1.5, 3.0])


def np_tri(x):
    return np.tri(3) * x


def np_tril(s):
    return np.tril(s)


def np_triu(s):
    return np.triu(s, 1)


def np_vander(v):
    return np.vander(v, 3)


def np_var(v):
    return np.var(v)


def np_var_axis(m):
    return np.var(m, axis=1, ddof=1)


def np_vdot(v, w):
    return np.vdot(v, w)


def np_vstack(v, w):
    return np.vstack((v, w))


def np_zeros(x):
    out = np.zeros((2, 2))
    out[0, 1] = x
    return out


def np_zeros_like(v):
    out = np.zeros_like(v)
    out[v > 0.0] = 1.5
    return out


def np_add_reduce(v):
    return np.add.reduce(v)


def np_maximum_accumulate(v):
    return np.maximum.accumulate(v)


def np_multiply_outer(v, w):
    return np.multiply.outer(v, w)


def np_histogram(v):
    return np.histogram(v, bins=[-3.0, 0.0, 1.0, 3.0])[0]


def np_bincount(v):
    return np.bincount([0, 1, 1, 2], weights=v)


def np_bincount_of_data(v):
    return np.bincount(np.searchsorted([-1.0, 0.0, 1.0], v), minlength=4)


def np_bincount_weights_of_data(v, w):
    return np.bincount(np.searchsorted([-1.0, 1.0], v), weights=w * w, minlength=3)


def np_bincount_of_masked(v, w):
    return np.bincount(np.searchsorted([-1.0, 1.0], v)[w > 0.0], minlength=3)


def np_vectorize(v):
    return np.vectorize(lambda t: t * t if t > 0.0 else -t)(v)


def np_vectorize_decorator(v):
    @np.vectorize
    def halved(t, k=0.5):
        return t * k if t > 0.0 else t

    return halved(v, k=0.25) + halved(v)


def np_vectorize_otypes(v, x):
    return np.vectorize(lambda t: 1 if t > x else t, otypes=[float])(v)


def np_vectorize_first_is_whole(v):
    return np.vectorize(lambda t, k: 1 if k == 0 else t)(v, np.arange(4))


def np_vectorize_raises(v):
    return np.vectorize(lambda t: 1.0 / t)(v)


def np_vectorize_excluded(v):
    return np.vectorize(lambda t, k: t * k[0] + k[1], excluded={1})(v, [0.5, 1.5])


def np_vectorize_two(v):
    low, high = np.vectorize(lambda t: (min(t, 0.0), max(t, 0.0)))(v)
    return high - 2.0 * low


def np_vectorize_number(x):
    return np.vectorize(lambda t: 0.5 * t)(x).shape, np.vectorize(lambda t: 0.5 * t)(x) + 1.0


def np_vectorize_counts_calls(v):
    calls = 0

    def count(t):
        nonlocal calls
        calls += 1
        return t * calls

    return np.vectorize(count)(v), calls


def np_piecewise(v):
    return np.piecewise(v, [v < 0.0, v >= 0.0], [lambda t: -t, lambda t: 2.0 * t])


def np_poly1d(x):
    return np.poly1d([1.0, -2.0, 0.5])(x)


def np_gradient(v):
    return np.gradient(v)


def np_cummax_loop(v):
    best = v[0]
    for t in v[1:]:
        if t > best:
            best = t
    return best


def np_hsplit(m):
    return np.hsplit(m, 3)


def np_vsplit(m):
    return np.vsplit(m, 2)


def np_dsplit(m):
    return np.dsplit(m[None, :, :], 3)[0]


def np_broadcast(m, x):
    return np.broadcast(m, np.ones((2, 1))).shape[1] * x


def np_moveaxis_is_a_view(m):
    held = m.copy()
    turned = np.moveaxis(held, 0, 1)
    turned[0] += 5.0
    held[1] = 0.5
    return held, turned


def np_swapaxes_is_a_view(m):
    held = m.copy()
    held.swapaxes(0, 1)[0] = 7.0
    return held, np.rollaxis(held, 1)
