"""Functions that call one element by element function of NumPy each."""

import numpy as np


def np_abs(v):
    return np.abs(v)


def np_acos(v):
    return np.acos(v)


def np_acosh(v):
    return np.acosh(v)


def np_arcsin(v):
    return np.arcsin(v)


def np_arcsinh(v):
    return np.arcsinh(v)


def np_arctan(v):
    return np.arctan(v)


def np_arctanh(v):
    return np.arctanh(v)


def np_cbrt(v):
    return np.cbrt(v)


def np_ceil(v):
    return np.ceil(v)


def np_conj(v):
    return np.conj(v)


def np_cos(v):
    return np.cos(v)


def np_cosh(v):
    return np.cosh(v)


def np_deg2rad(v):
    return np.deg2rad(v)


def np_degrees(v):
    return np.degrees(v)


def np_exp(v):
    return np.exp(v)


def np_exp2(v):
    return np.exp2(v)


def np_expm1(v):
    return np.expm1(v)


def np_fabs(v):
    return np.fabs(v)


def np_floor(v):
    return np.floor(v)


def np_isfinite(v):
    return np.isfinite(v)


def np_isinf(v):
    return np.isinf(v)


def np_isnan(v):
    return np.isnan(v)


def np_log(v):
    return np.log(v)


def np_log10(v):
    return np.log10(v)


def np_log1p(v):
    return np.log1p(v)


def np_log2(v):
    return np.log2(v)


def np_logical_not(v):
    return np.logical_not(v)


def np_negative(v):
    return np.negative(v)


def np_positive(v):
    return np.positive(v)


def np_rad2deg(v):
    return np.rad2deg(v)


def np_radians(v):
    return np.radians(v)


def np_reciprocal(v):
    return np.reciprocal(v)


def np_rint(v):
    return np.rint(v)


def np_sign(v):
    return np.sign(v)


def np_signbit(v):
    return np.signbit(v)


def np_sin(v):
    return np.sin(v)


def np_sinc(v):
    return np.sinc(v)


def np_sinh(v):
    return np.sinh(v)


def np_sqrt(v):
    return np.sqrt(v)


def np_square(v):
    return np.square(v)


def np_tan(v):
    return np.tan(v)


def np_tanh(v):
    return np.tanh(v)


def np_trunc(v):
    return np.trunc(v)


def np_add(v, w):
    return np.add(v, w)


def np_arctan2(v, w):
    return np.arctan2(v, w)


def np_copysign(v, w):
    return np.copysign(v, w)


def np_divide(v, w):
    return np.divide(v, w)


def np_equal(v, w):
    return np.equal(v, w)


def np_float_power(v, w):
    return np.float_power(v, w)


def np_floor_divide(v, w):
    return np.floor_divide(v, w)


def np_fmax(v, w):
    return np.fmax(v, w)


def np_fmin(v, w):
    return np.fmin(v, w)


def np_fmod(v, w):
    return np.fmod(v, w)


def np_greater(v, w):
    return np.greater(v, w)


def np_greater_equal(v, w):
    return np.greater_equal(v, w)


def np_heaviside(v, w):
    return np.heaviside(v, w)


def np_hypot(v, w):
    return np.hypot(v, w)


def np_less(v, w):
    return np.less(v, w)


def np_less_equal(v, w):
    return np.less_equal(v, w)


def np_logaddexp(v, w):
    return np.logaddexp(v, w)


def np_logical_and(v, w):
    return np.logical_and(v, w)


def np_logical_or(v, w):
    return np.logical_or(v, w)


def np_logical_xor(v, w):
    return np.logical_xor(v, w)


def np_maximum(v, w):
    return np.maximum(v, w)


def np_minimum(v, w):
    return np.minimum(v, w)


def np_mod(v, w):
    return np.mod(v, w)


def np_multiply(v, w):
    return np.multiply(v, w)


def np_not_equal(v, w):
    return np.not_equal(v, w)


def np_pow(v, w):
    return np.pow(v, w)


def np_subtract(v, w):
    return np.subtract(v, w)


def np_exp_number(x):
    return np.exp(x) * 1.5


def np_log_number(x):
    return np.log(x) * 1.5


def np_sqrt_number(x):
    return np.sqrt(x) * 1.5


def np_abs_number(x):
    return np.abs(x) * 1.5


def np_sign_number(x):
    return np.sign(x) * 1.5


def np_floor_number(x):
    return np.floor(x) * 1.5


def np_cbrt_number(x):
    return np.cbrt(x) * 1.5


def np_maximum_number(x, y):
    return np.maximum(x, y)


def np_minimum_number(x, y):
    return np.minimum(x, y)


def np_hypot_number(x, y):
    return np.hypot(x, y)


def np_divide_number(x, y):
    return np.divide(x, y)


def np_fmin_number(x, y):
    return np.fmin(x, y)


def np_bitwise_and(v, w):
    return np.bitwise_and(v > 0.0, w > 0.0)


def np_bitwise_or(v, w):
    return np.bitwise_or(v > 0.0, w > 0.0)


def np_bitwise_xor(v, w):
    return np.bitwise_xor(v > 0.0, w > 0.0)


def np_bitwise_invert(v):
    return np.bitwise_invert(v > 0.0)


def np_bitwise_left_shift(x):
    return np.bitwise_left_shift(3, 2 if x > 0.0 else 1)


def np_bitwise_right_shift(x):
    return np.bitwise_right_shift(48, 2 if x > 0.0 else 1)


def np_divmod(v, w):
    return np.divmod(v, w)


def np_angle(x, y):
    return np.angle(complex(x, y))


def np_real(x, y):
    return np.real(np.array([complex(x, y)]))


def np_imag(x, y):
    return np.imag(complex(x, y))


def np_clip(v):
    return np.clip(v, -1.0, 1.5)


def np_clip_one_side(v):
    return np.clip(v, 0.5, None)


def np_round(v):
    return np.round(v, 1)


def np_around(v):
    return np.around(v)


def np_nan_to_num(v):
    return np.nan_to_num(v)


def np_nan_to_num_options(v):
    return np.nan_to_num(v, nan=7.0, posinf=1.0, neginf=-1.0)


def np_where(v, w):
    return np.where(v > w, v, 2.0 * w)


def np_where_number(x):
    return np.where(x > 0.0, x, 0.5)


def np_where_safe_divide(v, w):
    return np.where(w != 0.0, v / np.where(w != 0.0, w, 1.0), 0.0)


def np_select(v):
    return np.select([v < 0.0, v < 1.0], [-v, v * v], 2.0)


def np_interp(x):
    return np.interp(x, [0.0, 1.0, 3.0], [0.5, 2.0, -1.0])


def np_interp_array(v):
    return np.interp(v, [0.0, 1.0, 3.0], [0.5, 2.0, -1.0], left=-9.0, right=9.0)


def np_digitize(v):
    return np.digitize(v, [0.0, 1.0, 2.0])


def np_digitize_right(v):
    return np.digitize(v, [0.0, 1.0, 2.0], right=True)


def np_searchsorted(v):
    return np.searchsorted([0.0, 1.0, 2.0], v)


def np_searchsorted_right(v):
    return np.searchsorted(np.array([0.0, 1.0, 2.0]), v, side="right")


def np_isclose(v, w):
    return np.isclose(v, w)


def np_allclose(v, w):
    return np.allclose(v, w, atol=0.5)


def np_array_equal(v, w):
    return np.array_equal(v, w)


def np_unwrap(v):
    return np.unwrap(v)


def np_polyval(v, x):
    return np.polyval([1.0, -2.0, 0.5], v) + np.polyval(v, x)


def np_double(x):
    return np.double(x) * 2.0


def np_int64(x):
    return np.int64(3 if x > 0.0 else 5) * 2


def np_float64_division(x, y):
    return np.float64(x) / np.float64(y)


def np_logical_and_many(v):
    return np.logical_and(v > 0.0, v < 2.0)


def np_sigmoid(v):
    return 1.0 / (1.0 + np.exp(-v))


def np_softmax(v):
    e = np.exp(v - np.max(v))
    return e / np.sum(e)


def np_relu(v):
    return np.maximum(v, 0.0)


def np_soft_threshold(v):
    return np.sign(v) * np.maximum(np.abs(v) - 0.5, 0.0)
