"""Functions that call one builtin each."""

import math


def builtin_abs(x):
    return abs(x) + abs(-2)


def builtin_abs_complex(x, y):
    return abs(complex(x, y))


def builtin_all(items):
    return all(items)


def builtin_all_tests(x, y):
    return all([x > 0.0, y > 0.0, True])


def builtin_any(items):
    return any(items)


def builtin_any_tests(x, y):
    return any((x > 1.0, y > 1.0))


def builtin_ascii(x):
    return len(ascii("é")) * x


def builtin_bin(x):
    return len(bin(10)) * x


def builtin_bool(x):
    return bool(x)


def builtin_bool_list(x):
    return bool([x]) + bool([])


def builtin_bytearray(x):
    return bytearray(b"ab")[0] * x


def builtin_bytes(x):
    return bytes([1, 2])[1] * x


def builtin_callable(x):
    return callable(math.sin) * x


def builtin_chr(x):
    return len(chr(97)) * x


def builtin_classmethod(x):
    class Unit:
        scale = 1.5
        @classmethod
        def times(cls, t):
            return cls.scale * t
    return Unit.times(x)


def builtin_complex(x, y):
    return complex(x, y)


def builtin_complex_one(x):
    return complex(x) * 1j


def builtin_delattr(x):
    class Box:
        pass
    box = Box()
    box.a = x
    delattr(box, "a")
    return x if not hasattr(box, "a") else 0.0


def builtin_dict(x):
    return dict(a=x, b=2.0)


def builtin_dict_pairs(x):
    return dict([("a", x), ("b", 2.0 * x)])


def builtin_dict_zip(items):
    return dict(zip("abcd", items))


def builtin_dir(x):
    return x if "append" in dir([]) else 0.0


def builtin_divmod(x, y):
    return divmod(x, y)


def builtin_divmod_int(x):
    return divmod(int(x) if abs(x) < 1e6 else 17, 5)


def builtin_enumerate(items):
    return [i * item for i, item in enumerate(items)]


def builtin_enumerate_start(items):
    return sum(i * item for i, item in enumerate(items, start=2))


def builtin_eval(x):
    return eval("1 + 1") * x


def builtin_filter(items):
    return sum(filter(lambda t: t > 0.0, items))


def builtin_filter_none(items):
    return sum(filter(None, items))


def builtin_float(x):
    return float(int(x > 0.0)) + float("2.5") * x


def builtin_float_text(x):
    return x if x < float("inf") else 0.0


def builtin_format(x):
    return len(format("a", ">4")) * x


def builtin_frozenset(x):
    return len(frozenset([1, 2, 2])) * x


def builtin_getattr(x):
    return getattr(math, "sqrt")(abs(x)) + getattr(x, "nothing", 1.5)


def builtin_globals(x):
    return x if "math" in globals() else 0.0


def builtin_hasattr(x):
    return hasattr(x, "real") + hasattr(x, "shape")


def builtin_hash(x):
    return x if hash("a") == hash("a") else 0.0


def builtin_hash_of_data(x):
    return hash(x) == hash(x)


def builtin_hex(x):
    return len(hex(255)) * x


def builtin_id(x):
    return x if id(math) == id(math) else 0.0


def builtin_int(x):
    return int(x)


def builtin_int_clamped(x):
    return int(min(max(x, -9.0), 9.0)) * 2


def builtin_int_text(x):
    return int("12") * x + int("ff", 16)


def builtin_int_guarded(x):
    return int(x) if abs(x) < 1e6 else 0


def builtin_isinstance(x):
    return isinstance(x, float) + isinstance(x, (int, str))


def builtin_isinstance_branch(x):
    y = 1 if x > 0.0 else x
    return y * 2.0


def builtin_issubclass(x):
    return issubclass(bool, int) * x


def builtin_iter(items):
    it = iter(items)
    return next(it) - next(it)


def builtin_iter_sentinel(items):
    left = list(items)
    return len(list(iter(left.pop, left[0])))


def builtin_len(items):
    return len(items) * items[0]


def builtin_len_range(x):
    return len(range(int(abs(x)) % 7)) if abs(x) < 1e6 else 0


def builtin_list(x):
    return list((x, 2.0)) + list(range(2))


def builtin_list_text(x):
    return len(list("abc")) * x


def builtin_locals(x):
    return x if "x" in locals() else 0.0


def builtin_map(items):
    return list(map(lambda t: t * t, items))


def builtin_map_two(items, x):
    return sum(map(lambda a, b: a * b, items, [1.0, x, 2.0]))


def builtin_map_function(items):
    return list(map(abs, items))


def builtin_max(x, y):
    return max(x, y)


def builtin_max_many(x, y, z):
    return max(x, y, z, 0.5)


def builtin_max_list(items):
    return max(items)


def builtin_max_key(items):
    return max(items, key=lambda t: -t * t)


def builtin_max_default(x):
    return max([t for t in () if t], default=x)


def builtin_max_mixed(x):
    return max(1, x)


def builtin_memoryview(x):
    return memoryview(b"ab")[1] * x


def builtin_min(x, y):
    return min(x, y)


def builtin_min_list(items):
    return min(items)


def builtin_min_key(items):
    return min(items, key=abs)


def builtin_min_index(items):
    return min(range(len(items)), key=lambda i: items[i])


def builtin_min_tuples(x, y):
    return min((x, 1.0), (y, 2.0))


def builtin_next_default(x):
    return next(iter([]), x)


def builtin_object(x):
    mark = object()
    best = mark if x > 0.0 else x
    return 5.0 if best is mark else -1.0


def builtin_oct(x):
    return len(oct(8)) * x


def builtin_ord(x):
    return ord("a") * x


def builtin_pow(x):
    return pow(x, 3)


def builtin_pow_two(x, y):
    return pow(x, y)


def builtin_pow_three(x):
    return pow(3, 4, 5) * x


def builtin_print(x):
    print("value")
    return x * 2.0


def builtin_property(x):
    class Cell:
        def __init__(self, t):
            self._t = t
        def _read(self):
            return self._t + 1.0
        value = property(_read)
    return Cell(x).value


def builtin_range(x):
    return sum(range(2, 11, 3)) * x


def builtin_range_len(x):
    return len(range(0, 10, 4)) * x


def builtin_repr(x):
    return len(repr("ab")) * x


def builtin_repr_of_data(x):
    return len(repr(x)) > 0


def builtin_reversed(items):
    return list(reversed(items))


def builtin_round(x):
    return round(x)


def builtin_round_digits(x):
    return round(x, 2)


def builtin_round_negative_digits(x):
    return round(x * 100.0, -1)


def builtin_round_half(x):
    return round(x + 0.5)


def builtin_round_int(x):
    return round(int(x) if abs(x) < 1e6 else 5, 1)


def builtin_set(x):
    return len(set([1, 1, 2])) * x


def builtin_set_of_data(items):
    return len(set(items))


def builtin_setattr(x):
    class Box:
        pass
    box = Box()
    setattr(box, "value", x)
    return box.value


def builtin_slice(items):
    return items[slice(1, None, 2)]


def builtin_sorted(items):
    return sorted(items)


def builtin_sorted_reverse(items):
    return sorted(items, reverse=True)


def builtin_sorted_key(items):
    return sorted(items, key=lambda t: abs(t))


def builtin_sorted_pairs(x, y, z):
    return sorted([(x, 1.0), (y, 2.0), (z, 3.0)])


def builtin_sorted_indices(items):
    return sorted(range(len(items)), key=lambda i: items[i])


def builtin_sorted_median(items):
    ranked = sorted(items)
    return 0.5 * (ranked[1] + ranked[2])


def builtin_staticmethod(x):
    class Tool:
        @staticmethod
        def twice(t):
            return 2.0 * t
    return Tool.twice(x)


def builtin_str(x):
    return len(str(12)) * x


def builtin_str_of_data(x):
    if x < 0.0:
        raise ValueError(str(x))
    return x


def builtin_sum(items):
    return sum(items)


def builtin_sum_start(items):
    return sum(items, 10.0)


def builtin_sum_start_keyword(items):
    return sum(items, start=0.5)


def builtin_sum_negative_zero(x):
    return sum([-0.0, x])


def builtin_sum_ints(x):
    return sum([1, 2, int(x > 0.0)])


def builtin_sum_large(x):
    return sum([1e16, x, -1e16])


def builtin_sum_mixed(x):
    return sum([1, x, 2, True])


def builtin_sum_lists(x):
    return sum([[x], [2.0]], [])


def builtin_sum_of_tests(items):
    return sum(item > 0.0 for item in items)


def builtin_sum_complex(x, y):
    return sum([complex(x, y), 1.0])


def builtin_super(x):
    class A:
        def __init__(self, t):
            self.t = t
    class B(A):
        def __init__(self, t):
            super().__init__(t * 2.0)
    return B(x).t


def builtin_tuple(items):
    return tuple(items)


def builtin_tuple_sum(x):
    return sum(tuple([x, 1.5]))


def builtin_type(x):
    return 1.0 if type(x) is float else 2.0


def builtin_type_name(x):
    return len(type(x).__name__)


def builtin_type_call(x):
    return type(x)(3)


def builtin_vars(x):
    class Box:
        pass
    box = Box()
    box.a = x
    return vars(box)["a"]


def builtin_zip(items):
    return [a * b for a, b in zip(items, items[1:])]


def builtin_zip_strict(items, x):
    return sum(a * b for a, b in zip(items, [1.0, 2.0, x, 4.0], strict=True))


def builtin_zip_star(x, y):
    first, second = zip(*[(x, 1.0), (y, 2.0)])
    return sum(first) - sum(second)


def builtin_int_bit_length(x):
    return (5 if x > 0.0 else 300).bit_length()


def builtin_float_is_integer(x):
    return x.is_integer()


def builtin_float_hex(x):
    return float.fromhex("0x1.8p1") * x


def builtin_float_as_ratio(x):
    return (0.75).as_integer_ratio()[1] * x


def builtin_float_conjugate(x):
    return x.conjugate()


def builtin_input(x):
    return x if x > 0.0 else float(input())


def builtin_open(x):
    with open("/dev/null") as file:  # noqa: PTH123  # it is the builtin that is tried
        return len(file.read()) + x


def builtin_exec(x):
    exec("y = 1")
    return x


def builtin_compile(x):
    return eval(compile("2", "text", "eval")) * x


def builtin_not_implemented(x):
    class A:
        def __eq__(self, other):
            return NotImplemented
    return (A() == 3) + x
