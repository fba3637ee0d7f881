"""`itertools` and iterators of items that depend on data, held against Python; items come when they are asked for, and once."""

import itertools
import operator

import pytest

from tests.support.like_python import assert_like_python, refusal


def acc(x, y):
    return list(itertools.accumulate([x, y, 1.0]))


def acc_f(x, y):
    return (list(itertools.accumulate([x, y, 1.0], max)), list(itertools.accumulate([x, y], operator.mul, initial=2.0)))


def acc_lam(x, y):
    return list(itertools.accumulate([x, y, 1.0], lambda a, b: a * 0.5 + b))


def acc_static(x):
    return list(itertools.accumulate([1, 2, 3]))[2] * x


def acc_kw(x):
    return list(itertools.accumulate([x, 1.0], func=operator.sub))


def ch(x, y):
    return (sum(itertools.chain([x, 1.0], (y,))), list(itertools.chain("ab", [1]))[2] * x)


def chf(x, y):
    return list(itertools.chain.from_iterable([[x], [y, 1.0]]))


def comb(x, y):
    return [a * b for a, b in itertools.combinations([x, y, 2.0], 2)]


def combr(x, y):
    return [a * b for a, b in itertools.combinations_with_replacement([x, y], 2)]


def perm(x, y):
    return (sum((a - 2 * b for a, b in itertools.permutations([x, y, 1.0], 2))), len(list(itertools.permutations([x, y]))))


def prod(x, y):
    return ([a * b for a, b in itertools.product([x, y], [1.0, 2.0])], len(list(itertools.product([x, y], repeat=3))))


def comp(x, y):
    return list(itertools.compress([x, y, 3.0], [1, 0, 1]))


def comp_data(x, y):
    return sum(itertools.compress([x, y, 3.0], [x > 0, y > 0, 1]))


def cnt(x):
    return [k * x for k, _ in zip(itertools.count(2, 3), range(3))]


def cnt_right(x):
    return [k * x for _, k in zip(range(3), itertools.count(2))]


def cnt_float(x):
    return [k for k, _ in zip(itertools.count(x, 0.5), range(3))]


def cnt_next(x):
    c = itertools.count(5)
    a = next(c)
    b = next(c)
    return a * x + b


def cnt_arm(x):
    c = itertools.count()
    if x > 0:
        next(c)
    return next(c) + x


def cnt_for(x):
    t = 0.0
    for i in itertools.count():
        if i >= 4:
            break
        t += x * i
    return t


def cnt_for_data(x):
    t = 0.0
    for i in itertools.count(1):
        t += abs(x) + 0.1
        if t > 5.0 or t != t:
            break
    return i + t


def cnt_shared(x):
    c = itertools.count()
    a = [i for i, _ in zip(c, "ab")]
    b = next(c)
    return b + x


def cnt_shared2(x):
    c = itertools.count()
    a = [i for _, i in zip("ab", c)]
    b = next(c)
    return b + x


def cyc(x, y):
    return sum((a * b for a, b in zip([x, y, 2.0], itertools.cycle([1.0, -1.0]))))


def cyc_next(x, y):
    c = itertools.cycle([x, y])
    return (next(c), next(c), next(c))


def cyc_while(x, y):
    c = itertools.cycle([x, y])
    t = 0.0
    n = 0
    while t < 3.0 and n < 5:
        t += abs(next(c))
        n += 1
    return (t, n)


def drop(x, y):
    return sum(itertools.dropwhile(lambda v: v < 1.0, [x, y, 0.5, 2.0]))


def drop_static(x):
    return list(itertools.dropwhile(lambda v: v < 2, [1, 2, 1]))[1] * x


def take_data(x, y):
    return sum(itertools.takewhile(lambda v: v < 1.0, [x, y, 0.5, 2.0]), 0.0)


def take_max(x, y):
    return max(itertools.takewhile(lambda v: v < 1.0, [-5.0, x, y, 0.5, 2.0]))


def take_count(x):
    return [i * x for i in itertools.takewhile(lambda v: v < 4, itertools.count())]


def filt(x, y):
    return (sum(itertools.filterfalse(lambda v: v < 1.0, [x, y, 0.5, 2.0])), sum(itertools.filterfalse(None, [0, 1, 0])) * x)


def group(x, y):
    t = 0.0
    for k, g in itertools.groupby([1, 1, 2], key=lambda v: v * 1):
        t += k * x * len(list(g))
    return t


def group_pairs(x, y):
    return [sum((v for _, v in g), 0.0) for k, g in itertools.groupby([("a", x), ("a", 1.0), ("b", y)], key=lambda p: p[0])]


def group_list(x):
    gs = list(itertools.groupby([1, 1, 2]))
    return len(gs) * x


def isl(x, y):
    return (list(itertools.islice([x, y, 3.0, 4.0], 1, None, 2)), sum(itertools.islice([x, y, 3.0], 2), 0.0))


def isl_iter(x, y):
    it = iter([x, y, 3.0])
    a = list(itertools.islice(it, 2))
    b = list(it)
    return (a, b)


def isl_count(x):
    return [v * x for v in itertools.islice(itertools.count(1), 3)]


def isl_cycle(x, y):
    return list(itertools.islice(itertools.cycle([x, y]), 5))


def pw(x, y):
    return [b - a for a, b in itertools.pairwise([x, y, 1.0])]


def rep(x, y):
    return (list(itertools.repeat(x, 3)), [a * b for a, b in zip([x, y], itertools.repeat(2.0))],
            list(map(pow, [x, y], itertools.repeat(2))))


def star(x, y):
    return list(itertools.starmap(lambda a, b: a * b, [(x, 1.0), (y, 2.0)]))


def star_pow(x, y):
    return list(itertools.starmap(pow, [(x, 2), (y, 3)]))


def tee_(x, y):
    a, b = itertools.tee([x, y])
    next(b)
    return (list(a), list(b))


def tee_pair(x, y):
    a, b = itertools.tee([x, y, 2.0])
    next(b, None)
    return [q - p for p, q in zip(a, b)]


def zl(x, y):
    return [a + b for a, b in itertools.zip_longest([x, y, 1.0], [1.0], fillvalue=0.5)]


def zl_none(x, y):
    return sum((a for a, b in itertools.zip_longest([x, y], [1.0]) if b is None), 0.0)


def nzip(x, y):
    z = zip([x, y], [1.0, 2.0])
    a = next(z)
    b = list(z)
    return (a[0], b[0][0], len(b))


def nenum(x, y):
    z = enumerate([x, y])
    next(z)
    i, v = next(z)
    return (i, v, next(z, -1.0))


def nrev(x, y):
    z = reversed([x, y])
    a = next(z)
    return (a, sum(z, 0.0))


def map_never(x):
    l = [0.0]
    m = map(l.append, [1, x, 3])
    return len(l) + x


def map_next(x):
    l = [0.0]
    m = map(l.append, [1, x, 3])
    next(m)
    return len(l) + x


def map_inter(x):
    l = [0.0]

    def f(v):
        l.append(v)
        return len(l)
    t = 0.0
    for v in map(f, [1.0, x]):
        t = t * 10 + v + len(l)
    return t


def map_err(x, y):
    m = map(lambda v: 1 / v, [x, y])
    return next(m)


def map_err_all(x, y):
    return sum(map(lambda v: 1 / v, [x, y]), 0.0)


def gen_err_any(x, y):
    return any((1 / v > 0.5 for v in [x, y]))


def gen_err_next(x, y):
    return next((1 / v for v in [x, y]))


def gen_append(x):
    l = [0.0]
    g = (l.append(i) for i in [1, x])
    a = len(l)
    list(g)
    return a + 10 * len(l) + l[2]


def gen_append_any(x):
    l = [0.0]
    any((l.append(i) for i in [1, x]))
    return len(l) + x


def bool_map(x):
    return 1.0 if map(abs, []) else x


def is_list(x):
    return isinstance(iter([x]), list) + x


def chain_arm(x, y):
    it = itertools.chain([x], [y, 2.0])
    a = next(it) if x > 0 else 0.0
    return a


def sort_chain(x, y):
    return sorted(itertools.chain([2.0, 0.5], [1.0]))[0] + x


def dict_zip_longest(x):
    return dict(itertools.zip_longest("ab", [x], fillvalue=2.0))["b"] + x


def nested_product(x, y):
    t = 0.0
    for i, j in itertools.product(range(2), range(3)):
        t += i * x - j * y
    return t


def perm_min(x, y):
    return min((abs(a - x) + abs(b - y) for a, b in itertools.permutations([0.0, 1.0])))


def a_length_of_an_iterator(x):
    try:
        return len(zip([x], [x], strict=True))
    except TypeError:
        return 7.0


def items_that_fail_and_nobody_asks_for(x):
    map(lambda v: 1 / v, [x])
    return x


CASES = [item for item in list(vars().values()) if getattr(item, "__module__", None) == __name__]


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_items_are_those_of_python(function):
    assert_like_python(function)


def test_what_depends_on_the_order_of_asking_is_refused():
    def groups_of_data(x, y):
        return len(list(itertools.groupby([x, y])))

    def a_slice_that_waits(x):
        run = iter([x, 2.0, 3.0])
        first = itertools.islice(run, 2)
        return sum(run) + sum(first)

    def found_in_an_iterator(x):
        run = iter([1, 2, 3])
        return (2 in run) + len(list(run)) + x

    def without_end(x):
        return sum(itertools.count(x))

    def changes_handed_on(x):
        items = [0.0]
        run = itertools.chain(map(items.append, [x]))
        return len(items) + len(list(run))

    for function, reason in (
        (groups_of_data, "how many groups there are depends on data"),
        (a_slice_that_waits, "this goes on with an iterator while a slice of it is in use"),
        (found_in_an_iterator, "this goes on with an iterator that was run over before"),
        (without_end, "this runs over an iterator that never ends"),
        (changes_handed_on, "an iterator that changes something when it is run over is handed on"),
    ):
        assert refusal(function) == reason
