"""Functions that call one function of `math` or `cmath` each."""

import cmath
import math


def math_acos(x):
    return math.acos(x)


def math_acosh(x):
    return math.acosh(x)


def math_asin(x):
    return math.asin(x)


def math_asinh(x):
    return math.asinh(x)


def math_atan(x):
    return math.atan(x)


def math_atanh(x):
    return math.atanh(x)


def math_cbrt(x):
    return math.cbrt(x)


def math_ceil(x):
    return math.ceil(x)


def math_cos(x):
    return math.cos(x)


def math_cosh(x):
    return math.cosh(x)


def math_degrees(x):
    return math.degrees(x)


def math_erf(x):
    return math.erf(x)


def math_erfc(x):
    return math.erfc(x)


def math_exp(x):
    return math.exp(x)


def math_exp2(x):
    return math.exp2(x)


def math_expm1(x):
    return math.expm1(x)


def math_fabs(x):
    return math.fabs(x)


def math_floor(x):
    return math.floor(x)


def math_gamma(x):
    return math.gamma(x)


def math_isfinite(x):
    return math.isfinite(x)


def math_isinf(x):
    return math.isinf(x)


def math_isnan(x):
    return math.isnan(x)


def math_lgamma(x):
    return math.lgamma(x)


def math_log(x):
    return math.log(x)


def math_log10(x):
    return math.log10(x)


def math_log1p(x):
    return math.log1p(x)


def math_log2(x):
    return math.log2(x)


def math_radians(x):
    return math.radians(x)


def math_sin(x):
    return math.sin(x)


def math_sinh(x):
    return math.sinh(x)


def math_sqrt(x):
    return math.sqrt(x)


def math_tan(x):
    return math.tan(x)


def math_tanh(x):
    return math.tanh(x)


def math_trunc(x):
    return math.trunc(x)


def math_acos_clamped(x):
    return math.acos(max(-0.9, min(0.9, x)))


def math_asin_clamped(x):
    return math.asin(max(-0.9, min(0.9, x)))


def math_atanh_clamped(x):
    return math.atanh(max(-0.9, min(0.9, x)))


def math_acosh_clamped(x):
    return math.acosh(1.0 + abs(x))


def math_atan2(x, y):
    return math.atan2(x, y)


def math_copysign(x, y):
    return math.copysign(x, y)


def math_fmod(x, y):
    return math.fmod(x, y)


def math_pow(x, y):
    return math.pow(x, y)


def math_remainder(x, y):
    return math.remainder(x, y)


def math_hypot(x, y):
    return math.hypot(x, y)


def math_dist(x, y):
    return math.dist([x, 1.0], (y, 2.0))


def math_nextafter(x, y):
    return math.nextafter(x, y)


def math_hypot_three(x, y, z):
    return math.hypot(x, y, z)


def math_hypot_one(x):
    return math.hypot(x)


def math_log_base(x):
    return math.log(x, 2.5)


def math_log_base_of_data(x, y):
    return math.log(x, y)


def math_log_guarded(x):
    return math.log(x) if x > 0.0 else -9.0


def math_sqrt_guarded(x):
    return math.sqrt(x) if x > 0.0 else 0.0


def math_comb(x):
    return math.comb(6, 2) * x


def math_comb_of_data(x):
    return math.comb(int(abs(x)) % 9 + 2, 2) if abs(x) < 1e6 else 1


def math_perm(x):
    return math.perm(5, 2) * x


def math_factorial(x):
    return math.factorial(5) * x


def math_factorial_of_data(x):
    return math.factorial(int(abs(x)) % 6) if abs(x) < 1e6 else 1


def math_frexp(x):
    return math.frexp(x)


def math_ldexp(x):
    return math.ldexp(x, 3)


def math_ldexp_of_data(x):
    return math.ldexp(1.5, int(x) % 8) if abs(x) < 1e6 else 0.0


def math_modf(x):
    return math.modf(x)


def math_fsum(items):
    return math.fsum(items)


def math_fsum_cancels(x):
    return math.fsum([x, 1e16, -1e16])


def math_fsum_generator(x):
    return math.fsum(0.1 * x for _ in range(10))


def math_prod(items):
    return math.prod(items)


def math_prod_start(items):
    return math.prod(items, start=0.5)


def math_gcd(x):
    return math.gcd(12, 18) * x


def math_gcd_of_data(x):
    return math.gcd(int(x) if abs(x) < 1e6 else 8, 12)


def math_lcm(x):
    return math.lcm(4, 6) * x


def math_isqrt(x):
    return math.isqrt(17) * x


def math_isqrt_of_data(x):
    return math.isqrt(int(abs(x) * 10.0)) if abs(x) < 1e6 else 0


def math_isclose(x, y):
    return math.isclose(x, y)


def math_isclose_options(x, y):
    return math.isclose(x, y, rel_tol=0.1, abs_tol=0.25)


def math_ulp(x):
    return math.ulp(2.0) * x


def math_ulp_of_data(x):
    return math.ulp(x)


def math_constants(x):
    return math.pi * x + math.e + math.tau


def math_inf_constant(x):
    return min(x, math.inf) if x < math.inf else -1.0


def math_nan_constant(x):
    return x if x > 0.0 else math.nan


def math_floor_branch(x):
    return math.floor(x) if abs(x) < 1e9 else 0


def math_sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


def math_softplus(x):
    return math.log1p(math.exp(-abs(x))) + max(x, 0.0)


def cmath_sqrt(x):
    return cmath.sqrt(x)


def cmath_sqrt_below_cut(x):
    return cmath.sqrt(complex(x, -0.0))


def cmath_exp(x, y):
    return cmath.exp(complex(x, y))


def cmath_phase(x, y):
    return cmath.phase(complex(x, y))


def cmath_polar(x, y):
    return cmath.polar(complex(x, y))


def cmath_rect(x, y):
    return cmath.rect(abs(x), y)


def cmath_log(x, y):
    return cmath.log(complex(x, y))


def cmath_sin(x, y):
    return cmath.sin(complex(x, y))


def math_comb_of_two(x):
    return math.comb(int(abs(x)) % 9 + 2, int(abs(x)) % 4) if abs(x) < 1e6 else 1


def math_comb_negative(x):
    return math.comb(int(x), 2) if abs(x) < 1e6 else 1


def math_factorial_large(x):
    return math.factorial(int(abs(x)) + 18) if abs(x) < 100.0 else 1


def math_lcm_of_data(x):
    return math.lcm(int(x * 10.0) if abs(x) < 1e6 else 8, 12)


def math_isqrt_negative(x):
    return math.isqrt(int(x * 10.0)) if abs(x) < 1e6 else 0


def math_perm_of_data(x):
    return math.perm(int(abs(x)) % 9 + 2, 2) if abs(x) < 1e6 else 1
