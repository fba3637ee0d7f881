"""Functions that call one function of NumPy on whole arrays each."""

import numpy as np


def np_all(v):
    return np.all(v > 0.0)


def np_any(m):
    return np.any(m > 1.0, axis=0)


def np_amax(v):
    return np.amax(v)


def np_amin(m):
    return np.amin(m, axis=1)


def np_max(m):
    return np.max(m, axis=0)


def np_max_initial(v):
    return np.max(v, initial=0.5)


def np_min(v):
    return np.min(v)


def np_min_where(v):
    return np.min(v, where=v > 0.0, initial=9.0)


def np_append(v, x):
    return np.append(v, x)


def np_append_axis(m):
    return np.append(m, m, axis=1)


def np_apply_along_axis(m):
    return np.apply_along_axis(lambda r: r.sum() * r[0], 1, m)


def np_arange(x):
    return np.arange(4) * x


def np_arange_step(x):
    return np.arange(0.5, 2.0, 0.5) + x


def np_argmax(v):
    return np.argmax(v)


def np_argmax_axis(m):
    return np.argmax(m, axis=1)


def np_argmin(v):
    return v[np.argmin(v)]


def np_argsort(v):
    return np.argsort(v)


def np_argsort_take(v, w):
    return w[np.argsort(v, kind="stable")]


def np_array(x):
    return np.array([[x, 1.0], [2.0, x * x]])


def np_array_split(v):
    return np.array_split(v, 3)


def np_asanyarray(v):
    return np.asanyarray(v) * 2.0


def np_asarray(items):
    return np.asarray(items) * 2.0


def np_asarray_chkfinite(v):
    return np.asarray_chkfinite(v) + 1.0


def np_ascontiguousarray(m):
    return np.ascontiguousarray(m.T)


def np_asfortranarray(m):
    return np.asfortranarray(m) * 1.5


def np_atleast_1d(x):
    return np.atleast_1d(x) * 2.0


def np_atleast_2d(v):
    return np.atleast_2d(v)


def np_atleast_3d(m):
    return np.atleast_3d(m)


def np_average(v, w):
    return np.average(v, weights=np.abs(w) + 0.1)


def np_average_axis(m):
    return np.average(m, axis=0)


def np_average_positional(m):
    return np.average(m, 1, [1.0, 2.0, 3.0])


def np_block(s):
    return np.block([[s, s], [s, s]])


def np_broadcast(v, x):
    return np.zeros(np.broadcast(v, x).shape) + v * x


def np_broadcast_arrays(v, x):
    return np.broadcast_arrays(v, x)[1] * 2.0


def np_broadcast_to(v):
    return np.broadcast_to(v, (2, 4)) * 1.5


def np_column_stack(v, w):
    return np.column_stack((v, w))


def np_concat(v, w):
    return np.concatenate([v, w])


def np_concat_axis(m):
    return np.concatenate((m, m), axis=1)


def np_convolve(v):
    return np.convolve(v, [0.5, 0.25])


def np_convolve_same(v):
    return np.convolve(v, [0.25, 0.5, 0.25], mode="same")


def np_copy(v):
    out = np.copy(v)
    out[0] = 5.0
    return out + v


def np_copyto(v):
    out = np.zeros(4)
    np.copyto(out, v)
    return out * 2.0


def np_corrcoef(v, w):
    return np.corrcoef(v, w)


def np_correlate(v):
    return np.correlate(v, [1.0, 0.5])


def np_count_nonzero(v):
    return np.count_nonzero(v > 0.0)


def np_cov(v, w):
    return np.cov(v, w)


def np_cross(x, y):
    return np.cross([x, 1.0, 2.0], [y, 0.5, x])


def np_cumprod(v):
    return np.cumprod(v)


def np_cumsum(m):
    return np.cumsum(m, axis=1)


def np_delete(v):
    return np.delete(v, 1)


def np_diag(v):
    return np.diag(v)


def np_diag_of_matrix(s):
    return np.diag(s, 1)


def np_diagflat(v):
    return np.diagflat(v)


def np_diagonal(s):
    return np.diagonal(s)


def np_diff(v):
    return np.diff(v)


def np_diff_twice(v):
    return np.diff(v, n=2)


def np_diff_positional(m):
    return np.diff(m, 1, 0)


def np_dot(v, w):
    return np.dot(v, w)


def np_dot_matrix(s):
    return np.dot(s, s[0])


def np_dstack(v, w):
    return np.dstack((v, w))


def np_ediff1d(v):
    return np.ediff1d(v)


def np_einsum(s):
    return np.einsum("ij,jk->ik", s, s)


def np_einsum_trace(s):
    return np.einsum("ii", s)


def np_empty(x):
    out = np.empty(3)
    out[:] = x
    return out


def np_empty_like(v):
    out = np.empty_like(v)
    for i in range(4):
        out[i] = v[i] * i
    return out


def np_expand_dims(v):
    return np.expand_dims(v, 0)


def np_eye(x):
    return np.eye(3) * x


def np_flip(m):
    return np.flip(m, axis=1)


def np_fliplr(m):
    return np.fliplr(m)


def np_flipud(m):
    return np.flipud(m)


def np_full(x):
    return np.full((2, 2), x)


def np_full_like(v, x):
    return np.full_like(v, x) + v


def np_hstack(v, w):
    return np.hstack([v, w])


def np_identity(x):
    return np.identity(2) * x


def np_indices(x):
    return np.indices((2, 2))[0] * x


def np_inner(v, w):
    return np.inner(v, w)


def np_insert(v, x):
    return np.insert(v, 1, x)


def np_iscomplexobj(v):
    return np.iscomplexobj(v) + v[0]


def np_isrealobj(v):
    return np.isrealobj(v) * v[0]


def np_isscalar(x):
    return np.isscalar(x) * x


def np_iterable(v):
    return np.iterable(v) * v[0]


def np_kron(v):
    return np.kron(v[:2], np.array([1.0, 2.0]))


def np_cholesky(x):
    return np.linalg.cholesky(np.array([[4.0 + x * x, 1.0], [1.0, 2.0]]))


def np_det(s):
    return np.linalg.det(s)


def np_eigvalsh(s):
    return np.linalg.eigvalsh(s + s.T)


def np_eigh(s):
    return np.linalg.eigh(s + s.T)[0]


def np_eig(x):
    values, vectors = np.linalg.eig(np.array([[2.0, x / (1.0 + abs(x))], [0.5, -3.0]]))
    return values, np.abs(vectors)


def np_eigvals(x):
    return np.linalg.eigvals(np.array([[4.0, 1.0], [2.0, x / (1.0 + abs(x))]]))


def np_svd(m):
    return np.linalg.svd(m, compute_uv=False)


def np_svd_vectors(m):
    u, s, vh = np.linalg.svd(m, full_matrices=False)
    return u[:, 0] * vh[0, 0], s


def np_inv(s):
    return np.linalg.inv(s)


def np_multi_dot(s):
    return np.linalg.multi_dot([s, s, s])


def np_norm(v):
    return np.linalg.norm(v)


def np_norm_order(v):
    return np.linalg.norm(v, 1) + np.linalg.norm(v, ord=np.inf)


def np_norm_axis(m):
    return np.linalg.norm(m, axis=1)


def np_norm_frobenius(m):
    return np.linalg.norm(m, "fro")


def np_pinv(m):
    return np.linalg.pinv(m)


def np_solve(s):
    return np.linalg.solve(s, np.array([1.0, 2.0, 3.0]))


def np_slogdet(s):
    return np.linalg.slogdet(s + 5.0 * np.eye(3))[1]


def np_slogdet_sign(s):
    sign, size = np.linalg.slogdet(s)
    return sign * size, np.linalg.slogdet(1e150 * s).sign
