"""Functions with one expression of the language each."""

T = (0.5, 1.5, 2.5)
D = {"a": 0.25, "b": 1.25}


def add(x, y):
    return x + y + 0.5


def subtract(x, y):
    return x - 1.5 * y


def multiply(x, y):
    return x * y * 1.25


def divide(x, y):
    return x / y


def divide_guarded(x, y):
    return x / y if y != 0.0 else 0.0


def floor_divide(x, y):
    return x // y


def floor_divide_literal(x):
    return x // 0.75


def modulo(x, y):
    return x % y


def modulo_literal(x):
    return x % 1.5


def power_whole(x):
    return x ** 2 + x ** 3


def power_negative(x):
    return x ** -2


def power_half(x):
    return x ** 0.5


def power_data(x, y):
    return x ** y


def power_of_literal(x):
    return 2.0 ** x


def power_int_of_int(x):
    return 2 ** int(x > 0.0)


def power_right_to_left(x):
    return x ** 2 ** 3


def matrix_multiply(s, x):
    return (s @ s) * x


def bit_and(x):
    return (6 if x > 0.0 else 5) & 3


def bit_or(x):
    return (4 if x > 0.0 else 8) | 3


def bit_xor(x):
    return (6 if x > 0.0 else 1) ^ 3


def bit_not(x):
    return ~(3 if x > 0.0 else -7)


def bit_shift(x):
    return (1 << 3) + (64 >> (2 if x > 0.0 else 3))


def bool_and_bits(x, y):
    return (x > 0.0) & (y > 0.0)


def bool_arithmetic(x, y):
    return (x > 0.0) + (y > 0.0) * 2


def negate(x):
    return -x


def plus(x):
    return +x


def plus_bool(x):
    return +(x > 0.0)


def negate_bool(x):
    return -(x > 0.0)


def not_comparison(x):
    return not x > 0.5


def not_number(x):
    return not x


def and_values(x, y):
    return x and y


def or_values(x, y):
    return x or y


def and_or_chain(x, y, z):
    return x > 0.0 and y or z


def or_default(x):
    return x or 1.5


def bool_of_or(x):
    b = x > 0 or x
    return 1.0 if isinstance(b, bool) else 2.0 * b


def compare_less(x, y):
    return x < y


def compare_less_equal(x, y):
    return x <= y


def compare_greater(x, y):
    return x > y


def compare_greater_equal(x, y):
    return x >= y


def compare_equal(x, y):
    return x == y


def compare_not_equal(x, y):
    return x != y


def compare_chained(x, y):
    return -1.0 < x < y <= 2.0


def compare_chained_effects(x):
    seen = []
    def note(t):
        seen.append(t)
        return t
    inside = note(0.0) < note(x) < note(2.0)
    return inside, len(seen)


def compare_is_none(x):
    best = None if x > 0.0 else x
    return 0.0 if best is None else best * 2.0


def compare_is_not(x):
    a = [x]
    b = a
    return (a is b) + (a is not list(b))


def compare_in_tuple(x):
    return x in (0.0, 1.0, 2.0)


def compare_not_in(x):
    return x not in [0.0, 0.5]


def compare_in_dict(x):
    return D["a"] * x if "a" in D else x


def compare_in_range(x):
    return 3 in range(int(x > 0.0) + 3)


def compare_in_string(x):
    return x if "b" in "abc" else -x


def compare_identity_first(x):
    return (x,) == (x,)


def compare_lists(x, y):
    return [x, 1.0] == [y, 1.0]


def compare_tuples_order(x, y):
    return (x, 1.0) < (y, 2.0)


def compare_lists_order(x, y):
    return [x, y] >= [y, x]


def compare_dicts(x, y):
    return {"a": x} == {"a": y}


def compare_mixed_kinds(x):
    return (x == int(x)) if abs(x) < 1e9 else False


def compare_none_equal(x):
    return (x == None) + (x != "a")


def conditional(x):
    return x * x if x > 0.0 else -x


def conditional_nested(x):
    return 1.0 if x > 1.0 else 0.5 if x > 0.0 else x


def lambda_plain(x):
    return (lambda t: t * 2.0 + 1.0)(x)


def lambda_default(x):
    return (lambda t, k=1.5: t * k)(x)


def lambda_in_dict(x):
    return {"half": lambda t: t / 2.0, "twice": lambda t: t * 2.0}["half"](x)


def lambda_closure(x, y):
    f = lambda t: t * y
    return f(x) + f(2.0)


def walrus(x):
    return (y := x * 2.0) + y * y


def walrus_in_test(x):
    if (y := x - 1.5) > 0.0:
        return y
    return -y


def walrus_in_while(x):
    n = 0
    while (x := x * 0.5) > 1.0 and n < 40:
        n += 1
    return n + x


def walrus_in_comprehension(items):
    last = 0.0
    out = [last := last * 0.5 + item for item in items]
    return out, last


def tuple_display(x):
    return (x, 2.0 * x, 1.5)


def tuple_of_one(x):
    return (x,)


def list_display(x):
    return [x, [x * 2.0, 0.5]]


def set_display(x):
    return len({1, 2, 2, 3}) * x


def dict_display(x):
    return {"a": x, "b": x * x}


def dict_display_order(x):
    log = []
    def note(name, value):
        log.append(value)
        return name
    table = {note("a", 1.0): note("p", 2.0), note("b", 3.0): note("q", x)}
    return log, len(table)


def starred_list(items, x):
    return [x, *items, 0.5]


def starred_tuple(x, y):
    return (*(x, y), *[1.0])


def starred_call(x, y):
    return max(*[x, y], 0.5)


def starred_dict(x):
    return {**D, "c": x, **{"a": 2.0 * x}}


def starred_keywords(x):
    def line(t, slope=1.0, offset=0.0):
        return slope * t + offset
    return line(x, **{"slope": 2.0, "offset": x})


def star_subscript(x):
    table = {(1, 2): x}
    rest = (1, 2)
    return table[*rest]


def list_comprehension(x):
    return [x * k for k in range(4)]


def list_comprehension_nested(x):
    return [i * x + j for i in range(2) for j in range(3)]


def list_comprehension_if(x):
    return [x + k for k in range(6) if k % 2]


def list_comprehension_of_lists(x):
    return [[x * i * j for j in range(2)] for i in range(2)]


def list_comprehension_filter_sum(items):
    return sum([item for item in items if item > 0.0])


def list_comprehension_unpack(x):
    return [a * b for a, b in zip(T, (x, 2.0, x))]


def set_comprehension(x):
    return sum({k % 3 for k in range(10)}) * x


def dict_comprehension(x):
    return {k: x * k for k in range(3)}


def dict_comprehension_swap(x):
    return {value: key for key, value in {"p": 1, "q": 2}.items()}[2] == "q" and x


def generator_sum(x):
    return sum(x * k for k in range(5))


def generator_max(items):
    return max(item * item for item in items)


def generator_any(items):
    return any(item > 1.0 for item in items)


def generator_all(items):
    return all(item > -1.0 for item in items)


def generator_next(items):
    return next((item for item in items if item > 1.0), -1.0)


def generator_list(items):
    return list(item + 1.0 for item in items)


def generator_in_consumes(x):
    g = (k for k in (1, 2, 3, 4))
    found = 2 in g
    return found, sum(g) * x


def generator_lazy(x):
    k = 1.0
    g = (k * t for t in (x, 2.0))
    k = 3.0
    return sum(g)


def yield_plain(x):
    def parts(t):
        yield t
        yield t * t
        yield 1.5
    return sum(parts(x))


def yield_in_loop(x):
    def halves(t):
        for _ in range(4):
            t = t / 2.0
            yield t
    return list(halves(x))


def yield_by_data(x):
    def down(t):
        while t > 1.0:
            yield t
            t = t / 3.0
    total = 0.0
    for n, t in enumerate(down(x)):
        if n > 10:
            break
        total += t
    return total


def yield_from(x):
    def inner(t):
        yield t
        yield t + 1.0
    def outer(t):
        yield from inner(t)
        yield from [2.0, t]
    return list(outer(x))


def yield_send(x):
    def running():
        total = 0.0
        while True:
            total += yield total
    g = running()
    next(g)
    g.send(x)
    return g.send(2.0)


def yield_return_value(x):
    def inner():
        yield 1.0
        return 5.0
    def outer():
        got = yield from inner()
        yield got * x
    return list(outer())


def yield_closes(x):
    def numbers():
        yield x
        yield 2.0
    a, b = numbers()
    return a * b


def fstring_length(x):
    return x * len(f"{'ab':>5}")


def fstring_static(x):
    name = f"{'b'!s}"
    return D[name] * x


def fstring_message(x):
    if x < 0.0:
        raise ValueError(f"{x!r} is below zero")
    return x


def fstring_format_number(x):
    if x > 1e3:
        raise ValueError(f"got {x:.3f}, at most {1e3:g}")
    return x + 1.0


def constant_int(x):
    return x + 3


def constant_big_int(x):
    return x * 10 ** 12


def constant_true(x):
    return x + True


def constant_complex(x):
    return abs(x + 2j) ** 2


def constant_string(x):
    return {"k": x}["k"]


def constant_ellipsis(v):
    return v[..., 0]


def constant_none(x):
    return x if None is None else 0.0


def constant_hex(x):
    return x * 0x10 + 1_000.5


def attribute_of_float(x):
    return x.real + x.imag


def attribute_method(x):
    return x.is_integer()


def attribute_chain(x):
    class A:
        class B:
            c = 1.5
    return A.B.c * x


def subscript_tuple(x):
    return T[1] * x


def subscript_negative(items):
    return items[-1] - items[0]


def subscript_data(x):
    return T[int(x) % 3] if abs(x) < 1e9 else 0.0


def subscript_bool(x):
    return (1.5, 2.5)[x > 0.0]


def subscript_dict_data(x):
    return {True: 1.5 * x, False: 0.5}[x > 0.0]


def subscript_nested(x):
    return [[x, 1.0], [2.0, x * x]][1][1]


def slice_list(items):
    return items[1:3]


def slice_step(items):
    return items[::2]


def slice_reverse(items):
    return items[::-1]


def slice_negative(items):
    return items[-3:-1]


def slice_object(items):
    return items[slice(None, 2)]


def slice_array(m):
    return m[:, 1:]


def slice_array_step(m):
    return m[::-1, ::2]


def slice_new_axis(v):
    return v[:, None] * v[None, :]


def slice_mask(v):
    return v[v > 0.0].sum()


def slice_fancy(v):
    return v[[0, 2, 2]]


def slice_assign_array(v, x):
    out = v.copy()
    out[1:3] = x
    return out


def slice_assign_mask(v):
    out = v.copy()
    out[out < 0.0] = 0.0
    return out


def call_keyword(x):
    return round(number=x, ndigits=2)


def call_nested(x):
    return abs(min(x, max(-x, 0.5)))


def call_method_of_result(x):
    return [x, 3.0, 1.0].copy().pop()


def complex_arithmetic(x, y):
    z = complex(x, y)
    w = z * z + 1.0
    return w.real, w.imag


def complex_divide(x, y):
    z = complex(x, 1.0) / complex(y, -2.0)
    return z.real, z.imag


def complex_power(x, y):
    return complex(x, y) ** 2


def complex_conjugate(x, y):
    return complex(x, y).conjugate() * 2.0


def int_arithmetic(x):
    n = int(x) if abs(x) < 1e6 else 7
    return n * n - n // 2 + n % 3


def int_true_divide(x):
    n = round(x) if abs(x) < 1e6 else 3
    return n / 4


def int_power(x):
    n = int(x) if abs(x) < 100.0 else 2
    return n ** 2


def int_negative_power(x):
    n = 2 if x > 0.0 else 4
    return n ** -1


def int_mixed_compare(x):
    n = int(x) if abs(x) < 1e6 else 3
    return n < x, n == x
