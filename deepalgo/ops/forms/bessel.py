"""Bessel functions of order 0 and 1.

J and Y are Chebyshev series: in x**2 below 8, and above in (8/x)**2 for amplitude and phase of Hankel's form. The coefficients
were computed with mpmath from the functions themselves, to 50 digits. I and K are torch's.

>>> j0(torch.tensor([1.0], dtype=torch.float64))
tensor([0.7652], dtype=torch.float64)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from deepalgo.ops.forms.smooth import smooth

J0_NEAR = (
    0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977, 0.15806710233209725,
    -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504, 3.246032882100508e-05, -1.7619469077621507e-06,
    7.608163592418782e-08, -2.679253530557673e-09, 7.848696314479465e-11, -1.9438346867370164e-12, 4.125320595634374e-14,
    -7.588508125447546e-16, 1.2218515873961411e-17,
)
J1_NEAR = (
    0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791, 0.022213639654966037,
    -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05, 1.9858774049915165e-06, -9.521984756750436e-08,
    3.687133759097148e-09, -1.178026622695885e-10, 3.160154580348003e-12, -7.221755239651773e-14, 1.4232144003513942e-15,
    -2.4441972916190464e-17, 3.6912682997929334e-19,
)
Y0_NEAR = (
    -0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663, -0.17730201278114358,
    0.04719668959576339, -0.007287962479552079, 0.0007531135932577742, -5.632079141056987e-05, 3.206532537654801e-06,
    -1.44072332740187e-07, 5.248794787330516e-09, -1.5837552541812015e-10, 4.02633081830612e-12, -8.747341203310769e-14,
    1.6434898714919468e-15, -2.6977881152566837e-17, 3.9032584173475982e-19,
)
Y1_NEAR = (
    0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346, -0.028328123944594365,
    0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05, -3.53808001868935e-06, 1.7707804556154404e-07,
    -7.11055004989928e-09, 2.344337905911516e-10, -6.4651518414115946e-12, 1.51429151205002e-13, -3.0511859694473254e-15,
    5.34668038572867e-17, -8.224911372021585e-19,
)
P0_FAR = (
    0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08, 1.6306464635151382e-09,
    -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13, 4.3265957431549404e-14, -5.069034095935236e-15,
    6.748072215733873e-16, -1.0011513723467786e-16, 1.6305919233744186e-17, -2.880866169482871e-18,
)
Q0_FAR = (
    -0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08, -7.27191593686632e-10,
    4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13, -3.336328185322427e-14, 4.255225040245461e-15,
    -6.09993013164005e-16, 9.662128970303257e-17, -1.6686065214378146e-17, 3.1082440486738143e-18, -6.191115787358145e-19,
    1.3091448717220122e-19, -2.9211627152642775e-20,
)
P1_FAR = (
    1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08, -1.8718907491063067e-09,
    8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13, -4.6842237839904895e-14, 5.452674896044717e-15,
    -7.221180842274018e-16, 1.0667689114335412e-16, -1.7312313216116335e-17, 3.0492991197665872e-18,
)
Q1_FAR = (
    0.04677778706953532, -9.62772354915708e-05, 9.138615257955454e-07, -2.0959781384083424e-08, 8.229193327650554e-10,
    -4.686363688176945e-11, 3.5152187949686082e-12, -3.2643156743279e-13, 3.5967765829165294e-14, -4.5612523950772974e-15,
    6.508282957783384e-16, -1.0269147531823243e-16, 1.767635548776479e-17, -3.2834519872981614e-18, 6.524081149589261e-19,
    -1.3765771484849487e-19,
)


@smooth(lambda x, y: -j1(x))
def j0(x: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 0."""
    return _j0(x)


@smooth(lambda x, y: j0(x) - _by_x(j1(x), x))
def j1(x: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 1."""
    return _j1(x)


@smooth(lambda x, y: -_unless_zero(x, y1))
def y0(x: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 0."""
    return _y0(x)


@smooth(lambda x, y: _unless_zero(x, lambda x: y0(x) - y1(x) / x))
def y1(x: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 1."""
    return _y1(x)


@smooth(lambda x, y: i1(x))
def i0(x: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
    value: Tensor = torch.special.modified_bessel_i0(x)
    return value


@smooth(lambda x, y: i0(x) - _by_x(i1(x), x))
def i1(x: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""
    value: Tensor = torch.special.modified_bessel_i1(x)
    return value


@smooth(lambda x, y: i1e(x) - torch.sign(x) * i0e(x))
def i0e(x: Tensor) -> Tensor:
    """`exp(-abs(x)) * i0(x)`."""
    value: Tensor = torch.special.i0e(x)
    return value


@smooth(lambda x, y: i0e(x) - _by_x(i1e(x), x) - torch.sign(x) * i1e(x))
def i1e(x: Tensor) -> Tensor:
    """`exp(-abs(x)) * i1(x)`."""
    value: Tensor = torch.special.i1e(x)
    return value


@smooth(lambda x, y: -_unless_zero(x, k1))
def k0(x: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 0."""
    value: Tensor = torch.special.modified_bessel_k0(x)
    return value


@smooth(lambda x, y: -_unless_zero(x, lambda x: k0(x) + k1(x) / x))
def k1(x: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 1."""
    value: Tensor = torch.special.modified_bessel_k1(x)
    return value


@smooth(lambda x, y: _unless_zero(x, lambda x: k0e(x) - k1e(x)))
def k0e(x: Tensor) -> Tensor:
    """`exp(x) * k0(x)`."""
    value: Tensor = torch.special.scaled_modified_bessel_k0(x)
    return value


@smooth(lambda x, y: _unless_zero(x, lambda x: k1e(x) - k0e(x) - k1e(x) / x))
def k1e(x: Tensor) -> Tensor:
    """`exp(x) * k1(x)`."""
    value: Tensor = torch.special.scaled_modified_bessel_k1(x)
    return value


def _j0(x: Tensor) -> Tensor:
    x = torch.abs(x)
    return torch.where(x <= 8, _near(J0_NEAR, x), _far(P0_FAR, Q0_FAR, x, math.pi / 4, sine=False))


def _j1(x: Tensor) -> Tensor:
    size = torch.abs(x)
    value = torch.where(size <= 8, size * _near(J1_NEAR, size), _far(P1_FAR, Q1_FAR, size, 3 * math.pi / 4, sine=False))
    return torch.where(torch.signbit(x), -value, value)


def _y0(x: Tensor) -> Tensor:
    near = 2 / math.pi * torch.log(x) * _near(J0_NEAR, x) + _near(Y0_NEAR, x)
    return torch.where(x <= 8, near, _far(P0_FAR, Q0_FAR, x, math.pi / 4, sine=True))


def _y1(x: Tensor) -> Tensor:
    near = 2 / math.pi * (torch.log(x) * x * _near(J1_NEAR, x) - 1 / x) + x * _near(Y1_NEAR, x)
    value = torch.where(x <= 8, near, _far(P1_FAR, Q1_FAR, x, 3 * math.pi / 4, sine=True))
    return torch.where(x == 0, -torch.inf, value)


def _near(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    return clenshaw(coefficients, (x * x / 32 - 1).clamp(max=1))


def _far(p: tuple[float, ...], q: tuple[float, ...], x: Tensor, shift: float, *, sine: bool) -> Tensor:
    """Hankel's form: amplitude and phase change slowly with 1/x."""
    ratio = 8 / x.clamp(min=8)
    t = 2 * ratio * ratio - 1
    amplitude, lag, phase = clenshaw(p, t), clenshaw(q, t) * ratio, x - shift
    wave = amplitude * torch.sin(phase) + lag * torch.cos(phase) if sine else amplitude * torch.cos(phase) - lag * torch.sin(phase)
    return wave * torch.sqrt(2 / (math.pi * x))


def clenshaw(coefficients: tuple[float, ...], t: Tensor) -> Tensor:
    """The Chebyshev series at t, from -1 to 1."""
    last, before = torch.zeros_like(t), torch.zeros_like(t)
    for coefficient in reversed(coefficients[1:]):
        last, before = coefficient + 2 * t * last - before, last
    return coefficients[0] + t * last - before


def _by_x(value: Tensor, x: Tensor) -> Tensor:
    """`value / x` for a function that starts as x / 2."""
    return torch.where(x == 0, 0.5, value / torch.where(x == 0, 1, x))


def _unless_zero(x: Tensor, slope: Callable[[Tensor], Tensor]) -> Tensor:
    """A derivative that is infinite at 0, where it counts as 0."""
    return torch.where(x == 0, 0, slope(torch.where(x == 0, 1, x)))
