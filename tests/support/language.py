"""Small functions, one for each corner of the language. `test_language.py` holds networks to them."""

import math

T = [0.5, 1.5, 2.5]
D = {"a": 0.25, "b": [1.0, 2.0]}
K = 0.75


def table_in_both_arms(x):
    if x > 0:
        y = T[0] * x
    else:
        y = T[1] * x
    return y + T[2]


def table_in_arm_then_after(x):
    y = x
    if x > 0:
        y = T[0] * x
    return y + T[1]


def dict_in_loop(x):
    n = 0
    while x > 1.0:
        x = x * D["a"]
        n += 1
    return x + D["a"] + D["b"][1]


def aug_order(x):
    items = [x, 2.0]
    def f():
        items[0] = 10.0
        return 1.0
    items[0] += f()
    return items[0]


def aug_name_order(x):
    a = x
    def g():
        nonlocal a
        a = 100.0
        return 1.0
    a += g()
    return a


def comp_scope(x):
    i = 7.0
    def inner():
        return [i * x for i in range(3)]
    vals = [i + x for i in range(4)]
    return sum(vals) + i + sum(inner())


def comp_shadow(x):
    xs = [x for x in (1.0, 2.0)]
    return x + sum(xs)


def lambda_in_comp(x):
    fs = [lambda y, k=k: y * k for k in range(3)]
    return sum(f(x) for f in fs)


def late_binding(x):
    fs = [lambda y: y * k for k in range(3)]
    return sum(f(x) for f in fs)


def loop_var_after(x):
    for i in range(5):
        if x * i > 2.0:
            break
    return i + x


def loop_var_after_static(x):
    for k in [1.0, 2.0, 3.0]:
        x = x + k
    return x * k


def loop_var_after_empty(x):
    k = 9
    for k in []:
        pass
    return x + k


def for_over_dict(x):
    total = 0.0
    table = {"a": 1.0, "b": 2.0}
    for key in table:
        total += table[key] * x
    for key, value in table.items():
        total += value
    return total


def undefined_in_one_arm(x):
    if x > 0:
        y = 1.0
    return y


def union_through_loop(x):
    best = None
    k = 0
    while k < 4:
        value = math.sin(x * (k + 1))
        if value > 0.2 and (best is None or value > best):
            best = value
        k += 1
    return best if best is not None else -9.0


def union_while(x):
    last = None
    while x > 1.0:
        if last is not None:
            x -= last * 0.1
        last = x / 2
        x = x - 0.5
    return x if last is None else x + last


def alias_two_names(x):
    a = [x, 1.0]
    b = a
    if x > 0:
        b[1] = 5.0
    return a[0] + a[1]


def alias_rebound(x):
    a = [x, 1.0]
    b = [2.0, 3.0]
    c = a
    if x > 0:
        c = b
    c[0] = 100.0
    return a[0] + 2 * b[0]


def alias_append(x):
    a = [x]
    b = a
    if x > 0:
        b.append(2.0)
    else:
        b.append(3.0)
    return sum(a)


def alias_in_tuple(x):
    a = [1.0]
    t = (a, x)
    if x > 0:
        t[0][0] = 4.0
    return a[0]


def dict_mutate(x):
    d = {"u": x}
    if x > 0:
        d["v"] = 1.0
    else:
        d["v"] = 2.0
    d["u"] += d["v"]
    return d["u"]


def dict_key_one_arm(x):
    d = {"u": x}
    if x > 0:
        d["v"] = 1.0
    return d.get("v", 7.0) + d["u"]


def while_list(x):
    hist = [x, x / 2]
    while hist[0] > 1.0:
        hist[0], hist[1] = hist[1] * 1.5, hist[0] / 2
    return hist[0] + hist[1]


def list_grow_static_loop(x):
    out = []
    for i in range(4):
        out.append(x * i)
    return sum(out)


def list_grow_tests(x):
    out = [x]
    for i in range(4):
        if out[-1] > 1.0:
            out.append(out[-1] / 2)
        else:
            out.append(out[-1] * 3)
    return out[-1]


class Box:
    scale = 2.0
    def __init__(self, v):
        self.v = v
        self.n = 0
    def add(self, d):
        self.v += d * self.scale
        self.n += 1
        return self
    @property
    def twice(self):
        return self.v * 2
    @staticmethod
    def half(v):
        return v / 2
    @classmethod
    def make(cls, v):
        return cls(v)


def boxes(x):
    b = Box.make(x)
    c = b
    if x > 0:
        c.add(1.0)
    while b.v < 3.0:
        b.add(0.5)
    return b.twice + Box.half(c.v) + c.n


def nested_return_flag(x):
    for i in range(3):
        j = 0
        while j < 3:
            if x * i * j > 1.0:
                return i * 10 + j
            j += 1
        else:
            x += 0.1
    return x


def while_else(x):
    n = 0
    while n < 5:
        if x > 3.0:
            break
        x *= 1.3
        n += 1
    else:
        return -x
    return x + n


def continue_while(x):
    n = 0
    total = 0.0
    while n < 6:
        n += 1
        if n % 2 == 0 or x * n > 4.0:
            continue
        total += x / n
    return total


def walrus(x):
    while (y := x / 2) > 1.0:
        x = y
    return x + y


def chained_walrus(x):
    if (a := x * 2) > 1.0 and (b := a + 1) < 5.0:
        return a + b
    return a


def try_else_finally(x):
    n = 0
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 5.0
    finally:
        n = 1
    return y + n


def try_in_loop(x):
    total = 0.0
    for k in range(-2, 3):
        try:
            total += 1.0 / (x - k)
        except ZeroDivisionError:
            continue
    return total


def int_float_merge(x):
    k = 0
    if x > 0:
        k = 2.5
    return k * 2


def int_float_isinstance(x):
    k = 0
    if x > 0:
        k = 2.5
    return 1.0 if isinstance(k, int) else 2.0


def bool_arith(x):
    return (x > 0) + (x > 1) * 2 + True


def bool_index(x):
    return (1.5, 2.5)[x > 0]


def int_index(x):
    t = (1.5, 2.5, 3.5, 4.5)
    return t[int(x) % 4]


def neg_index(x):
    return T[-1 - int(abs(x)) % 3]


def int_division(x):
    n = int(x)
    return n / 2 + n // 2 + n % 3 - (-n) // 2


def minmax_mixed(x):
    return max(x, 1), min(x, 0, 2.5), max(0, x), min([x, 3, -1])


def sum_gen(x):
    return sum(x * w for w in (0.1, 0.2, 0.3))


def any_all(x):
    return 1.0 if any(x > k for k in range(3)) and all(x < k for k in (5.0, 6.0)) else 0.0


def star_unpack(x):
    a, *b, c = x, 1.0, 2.0, x * 2
    return a + sum(b) * c


def swap(x):
    a, b = x, 1.0
    if a > b:
        a, b = b, a
    return a - 2 * b


def default_mutable(x, acc=[]):
    return x + len(acc)


def kw(x, **opts):
    return x * opts.get("scale", 2.0)


def deep(n, x):
    return x if n == 0 else deep(n - 1, x * 1.5 - 1)


def recursion(x):
    return deep(5, x)


def string_choice(x):
    mode = "fast" if x > 0 else "slow"
    if mode == "fast":
        return 1.0 * x
    return 2.0 * x


def func_choice(x):
    f = math.sin if x > 0 else math.cos
    return f(x)


def tuple_choice(x):
    t = (x, 1.0) if x > 0 else (2.0, x)
    return t[0] - t[1]


def list_choice(x):
    t = [x, 1.0] if x > 0 else [2.0, x]
    t[0] += 1
    return t[0] - t[1]


def none_attr(x):
    best, arg = None, None
    for i, w in enumerate((0.5, 1.5, 2.5)):
        v = abs(x - w)
        if best is None or v < best:
            best, arg = v, i
    return best, arg


def del_name(x):
    y = x * 2
    z = y + 1
    del y
    return z


def inf_start(x):
    best = float("inf")
    for w in (0.5, 1.5):
        best = min(best, abs(x - w))
    return best


def inf_start_if(x):
    best = math.inf
    for w in (0.5, 1.5):
        d = (x - w) ** 2
        if d < best:
            best = d
    return best


def nested_functions(x):
    def outer(y):
        z = y * 2
        def inner(w):
            return w + z + x
        return inner(y) + inner(z)
    return outer(x)


def counter_closure(x):
    n = 0
    def bump():
        nonlocal n
        n += 1
        return n
    if x > 0:
        bump()
    bump()
    return x + n


def pow_cases(x):
    return x**2, x**-1, 2**x, abs(x)**0.5, (-2.0)**2, x**0, 2.0**int(x)


def neg_zero(x):
    z = -0.0 * abs(x)
    return math.copysign(1.0, z), math.atan2(z, -1.0)


def compare_chain_calls(x):
    calls = []
    def f(v):
        calls.append(v)
        return v
    ok = 0.0 < f(x) < 2.0
    return (1.0 if ok else 0.0) + len(calls)


def cond_call_effect(x):
    log = []
    def f(v):
        log.append(v)
        return v
    y = f(1.0) if x > 0 else 2.0
    return y + x


def not_operand(x):
    return 1 if not x else 2


def ternary_nested(x):
    return 1.0 if x > 2 else 2.0 if x > 1 else 3.0 if x > 0 else 4.0


def while_true_return(x):
    while True:
        x = x / 2
        if x < 0.3:
            return x
        if x > 100:
            return -x


def range_on_data(x):
    total = 0
    for i in range(int(abs(x))):
        total += i * x
    return total


def range_step(x):
    t = 0.0
    for i in range(10, 0, -3):
        t = t * x + i
    return t


def for_target_tuple(x):
    t = 0.0
    for (a, b), c in [((1, 2), 3), ((4, 5), 6)]:
        t += a * x + b - c
    return t


def zip_signals(x, y):
    return sum(a * b for a, b in zip([x, y, x], (1.0, 2.0, 3.0)))


def global_shadow(x):
    K = x
    return K


def use_K(x):
    return K * x + K


def fstring(x):
    name = f"{3}"
    return x * int(name)


def type_name(x):
    return 1.0 if type(x) is float else 0.0


def int_ops(x):
    n = int(x)
    return (n & 3) | 1, n ^ 5, ~n, n << 2, n >> 1


def complex_abs(x):
    z = complex(x, 1.0)
    return abs(z * z)


def mod_neg(x):
    return x % 3, x % -3, -x % 3.5, x // -2


def isclose(x):
    return 1.0 if math.isclose(x, 1.0, rel_tol=0.5) else 0.0


def loop_type_change(x):
    k = 1
    for _ in range(3):
        k = k * x
    return k


def while_type_change(x):
    k = 1
    n = 0
    while n < 3 and k < 50:
        k = k * x
        n += 1
    return k


def global_in_arm_only(x):
    if x > 0:
        return use_K(x)
    return K


def comp_walrus(x):
    vals = [last := x * k for k in range(3)]
    return last + sum(vals)


def comp_own_iter(x):
    xs = [x, 2.0]
    xs = [xs for xs in xs]
    return xs[0] - xs[1]


def comp_nested(x):
    return sum(a * b * x for a in range(3) for b in range(a) if a > 1)


def comp_nested_fn(x):
    def g(i):
        return [i * j + x for j in range(2)]
    rows = [g(i) for i in range(2)]
    return rows[1][1] + rows[0][1]


def dict_comp(x):
    d = {k: k * x for k in (1.0, 2.0)}
    return d[2.0]


def alias_made_in_arm(x):
    if x > 0:
        a = [x]
        b = a
    else:
        a = [1.0]
        b = a
    b[0] = 5.0
    return a[0]


def alias_loop_swap(x):
    a, b = [x, 1.0], [2.0, 3.0]
    c = a
    n = 0
    while n < x:
        a[0] += 1.0
        a, b = b, a
        n += 1
    return a[0] + 10 * b[0] + 100 * c[0]


def alias_nested(x):
    a = [x]
    d = {"k": a}
    if x > 0:
        d = {"k": [7.0]}
    d["k"][0] = 3.0
    return a[0]


def return_either(x):
    a = [x, 1.0]
    b = [2.0, x]
    if x > 0:
        return a
    return b


def alias_helper(x):
    def pick(p, q):
        return p if x > 0 else q
    a, b = [1.0], [2.0]
    pick(a, b)[0] = 9.0
    return a[0] - b[0]


def alias_object(x):
    p, q = Box(1.0), Box(2.0)
    r = p if x > 0 else q
    r.add(5.0)
    return p.v - 3 * q.v


def list_or_new(x):
    xs = [x, 1.0]
    if x > 0:
        xs = [v * 2 for v in xs]
    total = 0.0
    for v in xs:
        total += v
    xs[0] = 4.0
    return total + xs[0]


def is_test(x):
    a, b = [1.0], [2.0]
    c = a if x > 0 else b
    return 1.0 if c is a else 2.0


def iterate_either(x):
    a, b = [x, 1.0], [2.0, 3.0]
    c = a if x > 0 else b
    total = 0.0
    for v in c:
        total += v * 2
    return total + sum(c) + max(c) + len(c)


def none_or_lists(x):
    a, b = (x, 1.0), (2.0, x)
    if x > 1:
        return a
    if x > -1:
        return b
    return None


def nested_either(x):
    a, b = {"k": [x, 1.0]}, {"k": [2.0, 3.0]}
    if x > 0:
        return a
    return b


def alias_store_then_read(x):
    a, b = [x, 1.0], [2.0, 3.0]
    c = a if x > 0 else b
    c[0] = 100.0
    c[1] += a[0]
    return a[0], a[1], b[0], b[1], c[0]


def best_so_far(x):
    best = [9.0, 9.0]
    for k in range(4):
        cur = [abs(x - k), float(k)]
        if cur[0] < best[0]:
            best = cur
    return best[1]


def best_while(x):
    best, n = [9.0, 9.0], 0
    while n < 6 and x > -4.0:
        cur = [abs(x - n), n * 1.0]
        if cur[0] < best[0]:
            best = cur
        n += 1
    return best[1] + best[0]


def last_round_after_the_loop(x):
    for k in range(3):
        y = x * k
        if x > 1.0:
            z = y
    return y + k if x < 1.0 else z - k
