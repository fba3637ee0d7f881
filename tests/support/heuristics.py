"""Heuristics as people write them: the functions under test. `tests/support/cases.py` says on which samples.

Nothing here knows of deepalgo. Formulas name their source where they have one.
"""

import functools
import math
from collections import namedtuple
from math import atan2, cos, pi, radians, sin

TRANSITION = 2300.0


def haaland(reynolds, roughness):
    """Friction factor of a pipe, Haaland (1983), laminar below the transition."""
    if reynolds < TRANSITION:
        return 64.0 / reynolds
    return (-1.8 * math.log10((roughness / 3.7) ** 1.11 + 6.9 / reynolds)) ** -2.0


def colebrook(reynolds, roughness, tolerance=1e-9):
    """Colebrook (1939) by fixed-point iteration."""
    x = 8.0
    while True:
        y = -2.0 * math.log10(roughness / 3.7 + 2.51 * x / reynolds)
        if abs(y - x) < tolerance:
            break
        x = y
    return 1.0 / y**2


def churchill(reynolds, roughness):
    """One formula for all regimes, Churchill (1977): large powers that cancel."""
    a = (2.457 * math.log(1.0 / ((7.0 / reynolds) ** 0.9 + 0.27 * roughness))) ** 16
    b = (37530.0 / reynolds) ** 16
    return 8 * ((8 / reynolds) ** 12 + 1 / (a + b) ** 1.5) ** (1 / 12)


def sphere_drag(reynolds):
    """Drag of a sphere, piecewise, chained comparisons."""
    if reynolds <= 0:
        return 0.0
    elif 0 < reynolds < 0.1:
        return 24 / reynolds
    elif 0.1 <= reynolds < 1000.0:
        return 24 / reynolds * (1 + 0.15 * reynolds**0.687)
    elif not reynolds > 2e5:
        return 0.44
    else:
        return 0.1


LAYERS = (
    (0.0, 288.15, 101325.0, -0.0065),
    (11000.0, 216.65, 22632.06, 0.0),
    (20000.0, 216.65, 5474.889, 0.001),
    (32000.0, 228.65, 868.0187, 0.0028),
)
G0, MOLAR, GAS = 9.80665, 0.0289644, 8.31446


def barometric(height):
    """Pressure in the standard atmosphere: the layer whose base lies below, isothermal or with a lapse rate."""
    base, temperature, pressure, lapse = LAYERS[0]
    for layer in LAYERS:
        if height < layer[0]:
            break
        base, temperature, pressure, lapse = layer
    exponent = G0 * MOLAR / GAS
    if lapse == 0.0:
        return pressure * math.exp(-exponent * (height - base) / temperature)
    return pressure * (1 + lapse * (height - base) / temperature) ** (-exponent / lapse)


def saturation_pressure(celsius):
    """Magnus formula, over water or over ice."""
    a, b = (17.62, 243.12) if celsius >= 0.0 else (22.46, 272.62)
    return 6.112 * math.exp(a * celsius / (b + celsius))


def dew_point(celsius, humidity):
    """Inverse of the Magnus formula; dry air has none."""
    if humidity <= 0:
        raise ValueError(f"humidity {humidity} is not positive")
    gamma = math.log(humidity / 100.0) + 17.62 * celsius / (243.12 + celsius)
    return 243.12 * gamma / (17.62 - gamma)


def wet_bulb(celsius, humidity, pressure=1013.25):
    """Bisection on the psychrometer equation, with helper functions."""
    vapour = humidity / 100 * saturation_pressure(celsius)

    def gap(t):
        return saturation_pressure(t) - 6.62e-4 * pressure * (celsius - t) - vapour

    low, high = -40.0, celsius
    while high - low > 1e-6:
        middle = (low + high) / 2
        if gap(middle) > 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def heat_index(celsius, humidity):
    """Rothfusz regression of the US weather service with its two adjustments."""
    t = celsius * 1.8 + 32.0
    simple = 0.5 * (t + 61.0 + (t - 68.0) * 1.2 + humidity * 0.094)
    if (simple + t) / 2 < 80.0:
        return (simple - 32) / 1.8
    c = (-42.379, 2.04901523, 10.14333127, -0.22475541, -6.83783e-3, -5.481717e-2, 1.22874e-3, 8.5282e-4, -1.99e-6)
    terms = [1, t, humidity, t * humidity, t**2, humidity**2, t**2 * humidity, t * humidity**2, t**2 * humidity**2]
    index = sum(a * b for a, b in zip(c, terms))
    if humidity < 13 and 80 <= t <= 112:
        index -= ((13 - humidity) / 4) * math.sqrt((17 - abs(t - 95)) / 17)
    elif humidity > 85 and 80 <= t <= 87:
        index += (humidity - 85) / 10 * (87 - t) / 5
    return (index - 32) / 1.8


TILT = 23.44


def sun_elevation(day, hour, latitude):
    """Declination and hour angle, good to half a degree."""
    declination = -TILT * cos(radians(360.0 / 365.24 * (day + 10.0)))
    hour_angle = 15.0 * ((hour - 12.0) % 24.0)
    lat, dec, angle = map(radians, (latitude, declination, hour_angle))
    height = sin(lat) * sin(dec) + cos(lat) * cos(dec) * cos(angle)
    return math.degrees(math.asin(max(-1.0, min(1.0, height))))


def equation_of_time(day):
    """Minutes by which a sundial is fast (Spencer 1971)."""
    b = 2 * pi * (day - 1) / 365
    return 229.18 * (7.5e-5 + 0.001868 * cos(b) - 0.032077 * sin(b) - 0.014615 * cos(2 * b) - 0.040849 * sin(2 * b))


def kepler(mean, eccentricity):
    """Eccentric anomaly by Newton's method; `else` of the loop raises."""
    anomaly = mean if eccentricity < 0.8 else pi
    for _ in range(30):
        step = (anomaly - eccentricity * sin(anomaly) - mean) / (1 - eccentricity * cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-12:
            break
    else:
        raise ArithmeticError("no convergence")
    return anomaly


EARTH_RADIUS = 6371.0


def haversine(lat1, lon1, lat2, lon2):
    """Distance on the sphere."""

    def hav(angle):
        return sin(angle / 2) ** 2

    lat1, lon1, lat2, lon2 = (radians(angle) for angle in (lat1, lon1, lat2, lon2))
    a = hav(lat2 - lat1) + cos(lat1) * cos(lat2) * hav(lon2 - lon1)
    return 2 * EARTH_RADIUS * atan2(math.sqrt(a), math.sqrt(1 - a))


def weekday(day, month, year):
    """Zeller's congruence: whole numbers only."""
    q, m, y = int(day), int(month), int(year)
    if m < 3:
        m += 12
        y -= 1
    k, j = y % 100, y // 100
    return (q + 13 * (m + 1) // 5 + k + k // 4 + j // 4 - 2 * j) % 7


def babylonian(a, guess=1.0, tolerance=1e-12):
    """Square root with an early return from the loop and one after it."""
    x = guess
    for _ in range(60):
        following = 0.5 * (x + a / x)
        if abs(following - x) <= tolerance * abs(following):
            return following
        x = following
    return x


def damped_newton(a, x0, w=0.5):
    """The loop of the gradient probe: a damped step until the residual is small."""
    x = x0
    while abs(x * x - a) > 0.5:
        x = x - w * (x * x - a) / (2 * x)
    return x


def newton_with_line_search(a, x):
    """Halve the step until the residual shrinks; loops inside of loops, both on data."""
    residual = lambda z: z**3 - a
    rounds = 0
    while abs(residual(x)) > 1e-9 and rounds < 50:
        step = residual(x) / (3 * x**2)
        length = 1.0
        while abs(residual(x - length * step)) > abs(residual(x)):
            length /= 2
            if length < 1e-6:
                break
        x -= length * step
        rounds += 1
    return x, rounds


def golden_section(centre, width):
    """Minimise a parabola with a cosine on it: a fixed number of rounds, two candidates."""
    ratio = (math.sqrt(5.0) - 1) / 2

    def f(x):
        return (x - centre) ** 2 + 0.1 * cos(3.0 * x)

    a, b = centre - width, centre + 2 * width
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    for _ in range(20):
        if f(c) < f(d):
            b, d = d, c
            c = b - ratio * (b - a)
        else:
            a, c = c, d
            d = a + ratio * (b - a)
    return (a + b) / 2


def secant(p, q):
    """Root of x**3 + p*x + q by the secant rule; stops when the slope vanishes."""
    x0, x1 = -3.0, 3.5
    f0, f1 = x0**3 + p * x0 + q, x1**3 + p * x1 + q
    for _ in range(40):
        if f1 == f0 or abs(f1) < 1e-13:
            break
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, x1**3 + p * x1 + q
    return x1


def lambert_w(y):
    """Halley's method; the start depends on the size."""
    w = math.log(y) if y > math.e else y / math.e
    e = math.exp(w)
    while abs(w * e - y) > 1e-12 * (1 + abs(y)):
        f = w * e - y
        w -= f / (e * (w + 1) - (w + 2) * f / (2 * w + 2))
        e = math.exp(w)
    return w


def quadratic(a, b, c):
    """Both roots, stable; complex ones raise."""
    if a == 0.0:
        raise ZeroDivisionError("not quadratic")
    discriminant = b * b - 4 * a * c
    assert discriminant >= 0, "complex roots"
    q = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))
    return q / a, (c / q if q else 0.0)


def agm(a, b):
    """Arithmetic-geometric mean: `while True` with a break in the middle."""
    while True:
        a, b = (a + b) / 2, math.sqrt(a * b)
        if abs(a - b) < 1e-13 * a:
            break
    return a


def simpson(f, a, b, n):
    """A helper that takes a function."""
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += (4 if i % 2 else 2) * f(a + i * h)
    return total * h / 3


def bell_area(mean, spread):
    """Integrate a lambda that closes over the arguments."""
    return simpson(lambda x: math.exp(-((x - mean) / spread) ** 2 / 2), -2.0, 2.0, 16) / math.sqrt(2 * pi)


def runge_kutta(y, rate, capacity=10.0):
    """Logistic growth, four stages a step."""

    def slope(y):
        return rate * y * (1 - y / capacity)

    h = 0.25
    for _ in range(12):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def adaptive_simpson(a, b, depth=4):
    """Recursion of static depth that data may end earlier."""
    f = lambda x: 1.0 / (1.0 + 25.0 * x * x)
    m = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    if depth == 0:
        return whole
    l, r = (a + m) / 2, (m + b) / 2
    halves = (b - a) / 12 * (f(a) + 4 * f(l) + 2 * f(m) + 4 * f(r) + f(b))
    if abs(halves - whole) < 1e-4:
        return halves
    return adaptive_simpson(a, m, depth - 1) + adaptive_simpson(m, b, depth - 1)


def collatz(start):
    """Rounds until one; the loop runs on whole numbers."""
    n, steps = int(start), 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
        if steps >= 200:
            return -1
    return steps


def gcd(x, y):
    """Euclid; a whole number as the condition."""
    a, b = abs(int(x)), abs(int(y))
    while b:
        a, b = b, a % b
    return a


def digit_sum(x):
    """divmod in a loop."""
    n, total = abs(int(x)), 0
    while n > 0:
        n, digit = divmod(n, 10)
        total += digit
    return total


def least_factor(x):
    """`for` with `else`: the first divisor among a few, or the number itself."""
    n = int(x)
    for candidate in (2, 3, 5, 7, 11):
        if n % candidate == 0:
            found = candidate
            break
    else:
        found = n
    return found


def signs(x, y):
    """Division and remainder with Python's signs, for floats and for whole numbers."""
    quotient, remainder = divmod(x, y)
    i, j = int(x), math.ceil(y)
    return quotient, remainder, x // y, x % y, -x % y, i // j if j else 0, i % j if j else 0, math.fmod(x, y)


def rounded(x):
    """All the ways to round."""
    whole = int(x) + round(x) + math.floor(x) - math.ceil(x) + math.trunc(x)
    return whole, round(x, 2), float(round(x * 20)) / 20, x - int(x), whole / 3


BRACKETS = [11000.0, 44725.0, 95375.0, 182100.0]
RATES = [0.10, 0.12, 0.22, 0.24, 0.32]


def income_tax(income):
    """Progressive brackets, an early return from the loop."""
    tax, lower = 0.0, 0.0
    for upper, rate in zip(BRACKETS, RATES):
        if income <= upper:
            return tax + (income - lower) * rate
        tax += (upper - lower) * rate
        lower = upper
    return tax + (income - lower) * RATES[-1]


def months_to_pay(debt, rate, payment):
    """How long a loan lasts; interest that eats the payment raises."""
    monthly = rate / 12
    if payment <= debt * monthly:
        raise ValueError("the payment does not cover the interest")
    months, paid = 0, 0.0
    while debt > 0:
        debt += debt * monthly
        part = min(payment, debt)
        debt -= part
        paid += part
        months += 1
    return {"months": months, "paid": paid}


def pid_step(error, integral, last):
    """One step of a PID controller with anti-windup; returns a tuple."""
    kp, ki, kd = 1.2, 0.4, 0.05
    limit = 5.0
    candidate = integral + error * 0.1
    output = kp * error + ki * candidate + kd * (error - last) / 0.1
    if output > limit:
        output = limit
        if error > 0:
            candidate = integral
    elif output < -limit:
        output = -limit
        if error < 0:
            candidate = integral
    return output, candidate


Reading = namedtuple("Reading", "value quality")


class Filter:
    """A small class: its attributes are configuration, its methods are the heuristic."""

    gain = 0.25

    def __init__(self, limit):
        self.limit = limit

    def clamp(self, value):
        return max(-self.limit, min(self.limit, value))

    def update(self, state, measurement):
        innovation = self.clamp(measurement - state)
        quality = 1.0 if abs(innovation) < self.limit else 0.5
        return Reading(state + self.gain * innovation, quality)


update_filter = Filter(2.0).update


def make_damper(stiffness, steps=6):
    """A function that makes the heuristic."""

    def damper(position, velocity):
        for _ in range(steps):
            velocity -= 0.1 * (stiffness * position + 0.3 * velocity)
            position += 0.1 * velocity
        return position

    return damper


damper = make_damper(4.0)

relu6 = lambda x: min(max(x, 0.0), 6.0)


def power_law(height, speed, exponent):
    """Wind at another height."""
    return speed * (height / 10.0) ** exponent


wind_at_height = functools.partial(power_law, exponent=0.143)


def clamped(low, high):
    """A decorator with arguments."""

    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return min(high, max(low, function(*args, **kwargs)))

        return inner

    return decorate


@clamped(0.0, 1.0)
def comfort(celsius, humidity):
    """How comfortable a room is; decorated."""
    return 1.0 - abs(celsius - 21.5) / 8.0 - (0.2 if not 30 <= humidity <= 60 else 0.0)


def horner(x, *coefficients):
    """Star arguments, accumulated in a loop."""
    total = 0.0
    for number, coefficient in enumerate(reversed(coefficients)):
        total = total * x + coefficient * (1 + number)
    return total


def lift_force(speed, *, density=1.225, area, shape="wing"):
    """Keyword-only arguments, defaults, a dict of configuration."""
    coefficient = {"wing": 1.1, "plate": 0.6}[shape]
    return 0.5 * density * speed**2 * area * coefficient


def fallback(x, y):
    """`and` and `or` give back operands."""
    first = x or y or 1.0
    second = x and y
    third = (x > 0 and y) or 0.5
    return first, second, third, not x


def best_candidate(x, y, z):
    """None until something is found."""
    best = None
    for candidate in (x, y, z, x - y):
        if candidate < 0:
            continue
        if best is None or candidate < best:
            best = candidate
    return -1.0 if best is None else math.sqrt(best)


def settle_or_give_up(x):
    """break, continue and else in one fixed-point iteration."""
    skipped = 0
    for i in range(12):
        if i % 3 == 2:
            skipped += 1
            continue
        following = cos(x) * 0.9
        if abs(following - x) < 0.05:
            x = following
            break
        x = following
    else:
        return -x, skipped
    return x, skipped


def first_lattice_point(x, y):
    """An early return out of nested loops."""
    for i in range(1, 6):
        for j in range(1, 6):
            if i * x + j * y > 7.0:
                return i + j / 10
            if i * x - j * y > 4.0:
                break
    return 0.0


def sorted_middle(a, b, c, d):
    """Swaps in a list: bubble sort."""
    items = [a, b, c, d]
    for last in range(3, 0, -1):
        for i in range(last):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
    return (items[1] + items[2]) / 2


def cordic(angle):
    """Sine and cosine by shifts: a table made by a comprehension, a sign from data."""
    angles = [math.atan(2.0**-i) for i in range(16)]
    x, y = 0.6072529350088813, 0.0
    for i, step in enumerate(angles):
        sign = 1 if angle >= 0 else -1
        x, y = x - sign * y * 2**-i, y + sign * x * 2**-i
        angle -= sign * step
    return x, y


def guarded(x, y):
    """try and except, each with a fallback."""
    try:
        ratio = x / y
    except ZeroDivisionError:
        ratio = 0.0
    try:
        value = math.log(ratio)
    except ValueError:
        value = -1.0
    return ratio + value


def escape_time(re, im):
    """Rounds until a point of the plane escapes; the smooth count."""
    x = y = 0.0
    n = 0
    while x * x + y * y <= 16.0 and n < 30:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    if n == 30:
        return 30.0
    return n + 1 - math.log(math.log(math.hypot(x, y)) / math.log(2.0)) / math.log(2.0)


def error_function(x):
    """Abramowitz and Stegun 7.1.26, a table and a sign."""
    table = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
    t = 1 / (1 + 0.3275911 * abs(x))
    total = 0.0
    for a in table[::-1]:
        total = (total + a) * t
    value = 1 - total * math.exp(-x * x)
    return value if x >= 0 else -value


def centroid(points, scale=1.0):
    """A list of tuples as the argument."""
    (x0, y0), *others = points
    for x, y in others:
        x0 += x
        y0 += y
    return {"x": scale * x0 / len(points), "y": scale * y0 / len(points), "count": len(points)}


def wrap_angle(theta):
    """An angle in [-pi, pi)."""
    return (theta + pi) % (2 * pi) - pi


def surcharge(load):
    """An arm that hands on a number from before it, which is read behind the branch, too."""
    price = 1.5
    price += 0.25 if load > 1.0 else price
    return price * load
