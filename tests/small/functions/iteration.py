"""Functions that call one function of `itertools`, `bisect`, `heapq` or `functools` each."""

import bisect
import functools
import heapq
import itertools
import operator

KNOTS = [0.0, 1.0, 2.0, 3.0]
RATES = [0.1, 0.2, 0.35, 0.5, 0.75]


def accumulate(items):
    return list(itertools.accumulate(items))


def accumulate_function(items):
    return list(itertools.accumulate(items, max))


def accumulate_product(items):
    return list(itertools.accumulate(items, operator.mul, initial=1.0))


def chain(items, x):
    return sum(itertools.chain(items, [x, 2.0]))


def chain_from_iterable(x):
    return list(itertools.chain.from_iterable([[x, 1.0], (2.0 * x,)]))


def combinations(items):
    return sum(a * b for a, b in itertools.combinations(items, 2))


def combinations_with_replacement(x, y):
    return [a * b for a, b in itertools.combinations_with_replacement([x, y], 2)]


def compress(items):
    return list(itertools.compress(items, [1, 0, 1, 0]))


def compress_by_data(items):
    return sum(itertools.compress(items, [item > 0.0 for item in items]))


def count(x):
    return [k * x for k, _ in zip(itertools.count(2, 3), range(3))]


def count_float(x):
    return [k for k, _ in zip(itertools.count(x, 0.5), range(3))]


def cycle(items):
    return sum(a * b for a, b in zip(items, itertools.cycle([1.0, -1.0])))


def dropwhile(items):
    return sum(itertools.dropwhile(lambda t: t < 1.0, items))


def dropwhile_static(x):
    return [k * x for k in itertools.dropwhile(lambda k: k < 2, range(4))]


def filterfalse(items):
    return sum(itertools.filterfalse(lambda t: t > 0.0, items))


def groupby(x):
    return [(k, sum(g) * x) for k, g in itertools.groupby([1, 1, 2, 3, 3], key=lambda k: k % 2)]


def islice(items):
    return list(itertools.islice(items, 1, 4, 2))


def islice_of_count(x):
    return [k * x for k in itertools.islice(itertools.count(), 3)]


def pairwise(items):
    return [b - a for a, b in itertools.pairwise(items)]


def permutations(x, y):
    return max(a - 2.0 * b for a, b in itertools.permutations([x, y, 1.0], 2))


def product(x, y):
    return [a * b for a, b in itertools.product([x, 1.0], (y, 2.0))]


def product_repeat(x):
    return sum(a * x + b for a, b in itertools.product(range(2), repeat=2))


def repeat(x):
    return sum(itertools.repeat(x, 3))


def starmap(x, y):
    return list(itertools.starmap(lambda a, b: a * b, [(x, y), (2.0, x)]))


def starmap_pow(x):
    return list(itertools.starmap(pow, [(x, 2), (x, 3)]))


def takewhile(items):
    return sum(itertools.takewhile(lambda t: t < 2.0, items))


def tee(items):
    first, second = itertools.tee(items)
    return sum(first) * max(second)


def zip_longest(items, x):
    return sum(a * b for a, b in itertools.zip_longest(items, [x, 2.0], fillvalue=0.5))


def bisect_right(x):
    return bisect.bisect_right(KNOTS, x)


def bisect_left(x):
    return bisect.bisect_left(KNOTS, x)


def bisect_plain(x):
    return RATES[bisect.bisect(KNOTS, x)] * x


def bisect_bounds(x):
    return bisect.bisect(KNOTS, x, 1, 3)


def bisect_of_data(items, x):
    return bisect.bisect(sorted(items), x)


def bisect_key(x):
    return bisect.bisect_left([3.0, 2.0, 1.0], -x, key=lambda t: -t)


def bisect_interpolation(x):
    i = min(max(bisect.bisect(KNOTS, x) - 1, 0), 2)
    t = (x - KNOTS[i]) / (KNOTS[i + 1] - KNOTS[i])
    return RATES[i] * (1.0 - t) + RATES[i + 1] * t


def insort(x):
    cells = [0.5, 1.5]
    bisect.insort(cells, x)
    return cells


def insort_left(x):
    cells = [0.5, 1.5]
    bisect.insort_left(cells, x)
    return cells


def insort_right(x, y):
    cells = [1.0]
    bisect.insort_right(cells, x)
    bisect.insort_right(cells, y)
    return cells


def heapify(items):
    heapq.heapify(items)
    return items[0]


def heappush(x, y):
    heap = [1.0]
    heapq.heappush(heap, x)
    heapq.heappush(heap, y)
    return heap


def heappop(items):
    heapq.heapify(items)
    return heapq.heappop(items) + 2.0 * heapq.heappop(items)


def heap_drains(x, y):
    heap = []
    for t in (x, y, 0.5):
        heapq.heappush(heap, t)
    total = 0.0
    while heap:
        total = total * 0.5 + heapq.heappop(heap)
    return total


def heappushpop(items, x):
    heapq.heapify(items)
    return heapq.heappushpop(items, x)


def heapreplace(items, x):
    heapq.heapify(items)
    return heapq.heapreplace(items, x), items[0]


def heap_of_pairs(x, y):
    heap = [(x, 1), (y, 2)]
    heapq.heapify(heap)
    cost, place = heapq.heappop(heap)
    return cost * place


def merge(x, y):
    return list(heapq.merge([x, x + 1.0], [y, y + 2.0]))


def nlargest(items):
    return heapq.nlargest(2, items)


def nlargest_key(items):
    return heapq.nlargest(1, items, key=lambda t: -t)


def nsmallest(items):
    return heapq.nsmallest(2, items)


def cache(x):
    @functools.cache
    def steps(n):
        return 1 if n < 2 else steps(n - 1) + steps(n - 2)
    return steps(8) * x


def cache_of_data(x):
    @functools.cache
    def square(t):
        return t * t
    return square(x) + square(x)


def cached_property(x):
    class Disc:
        def __init__(self, r):
            self.r = r
        @functools.cached_property
        def area(self):
            return 3.0 * self.r * self.r
    disc = Disc(x)
    return disc.area + disc.area


def cmp_to_key(items):
    return sorted(items, key=functools.cmp_to_key(lambda a, b: (a < b) - (a > b)))


def lru_cache(x):
    @functools.lru_cache(maxsize=None)
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)
    return power(4)


def partial(x):
    return functools.partial(pow, x)(3) + functools.partial(max, 0.5)(x)


def partial_keywords(x):
    def line(t, slope, offset=0.0):
        return slope * t + offset
    return functools.partial(line, slope=2.0, offset=x)(x)


def partialmethod(x):
    class Gate:
        def scale(self, k, t):
            return k * t
        twice = functools.partialmethod(scale, 2.0)
    return Gate().twice(x)


def reduce(items):
    return functools.reduce(lambda a, b: a * 0.5 + b, items)


def reduce_initial(items):
    return functools.reduce(operator.add, items, 10.0)


def reduce_max(items):
    return functools.reduce(max, items)


def singledispatch(x):
    @functools.singledispatch
    def size(value):
        return 0.0
    @size.register
    def _(value: list):
        return float(len(value))
    return size([x, 1.0]) * x


def total_ordering(x, y):
    @functools.total_ordering
    class Cost:
        def __init__(self, t):
            self.t = t
        def __eq__(self, other):
            return self.t == other.t
        def __lt__(self, other):
            return self.t < other.t
    return Cost(x) >= Cost(y)


def wraps(x):
    def logged(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) + 0.5
        return inner
    @logged
    def twice(t):
        return 2.0 * t
    return twice(x) * len(twice.__name__)


def update_wrapper(x):
    def inner(t):
        return t * 2.0
    return functools.update_wrapper(inner, abs)(x)


def cmp_to_key_of_sizes(items):
    return sorted(items, key=functools.cmp_to_key(lambda a, b: -1 if abs(a) < abs(b) else 1 if abs(a) > abs(b) else 0))


def singledispatch_of_data(x):
    @functools.singledispatch
    def size(value, k=2.0):
        return value * k

    @size.register(bool)
    def _(value, k=3.0):
        return 7.0 * k

    @size.register(int)
    def _(value, k=4.0):
        return value * k

    return size(x) + size(True) + size(3) + size(x > 0.0, k=0.5)


def iter_sentinel_loop(x):
    k, total = 0, 0.0

    def step():
        nonlocal k
        k += 1
        return k

    for i in iter(step, 4):
        total += i * x
    return total
