"""Functions with one assignment or deletion each."""


def assign_name(x):
    y = 2.0 * x
    return y


def assign_chain(x):
    a = b = 1.5 * x
    return a + b


def assign_tuple(x, y):
    a, b = y, x
    return a - 2.0 * b


def assign_nested(x, y):
    (a, b), c = (x, y), 0.5
    return a * b + c


def assign_starred(x, y):
    first, *rest = [x, y, 2.0]
    return first + sum(rest)


def assign_starred_middle(x, y, z):
    a, *b, c = (x, y, z, 1.0)
    return a * len(b) + c


def assign_subscript(x):
    cells = [0.0, 0.0, 0.0]
    cells[1] = x * 3.0
    return cells


def assign_slice(x):
    cells = [1.0, 2.0, 3.0, 4.0]
    cells[1:3] = [x, x * x]
    return cells


def assign_slice_other_length(x):
    cells = [1.0, 2.0, 3.0]
    cells[:1] = [x, x, 0.5]
    return cells


def assign_attribute(x):
    class Box:
        pass
    box = Box()
    box.value = x
    box.value = box.value + 1.5
    return box.value


def assign_annotated(x):
    y: float = 0.5 * x
    z: float
    z = y + 1.0
    return z


def swap_in_branch(x, y):
    if x > y:
        x, y = y, x
    return y - 0.5 * x


def swap_items(x, y):
    pair = [x, y]
    if pair[0] > pair[1]:
        pair[0], pair[1] = pair[1], pair[0]
    return pair


def aug_add(x):
    x += 1.5
    return x


def aug_subtract(x, y):
    x -= 0.5 * y
    return x


def aug_multiply(x, y):
    x *= y
    return x


def aug_divide(x, y):
    x /= y
    return x


def aug_floor_divide(x, y):
    x //= y
    return x


def aug_modulo(x, y):
    x %= y
    return x


def aug_power(x):
    x **= 3
    return x


def aug_power_of_data(x, y):
    x = abs(x) + 0.5
    x **= y
    return x


def aug_and(x):
    n = int(x > 0.0) * 6
    n &= 3
    return n


def aug_or(x):
    n = 4
    if x > 1.0:
        n |= 3
    return n


def aug_xor(x):
    n = 5
    n ^= int(x > 0.0)
    return n


def aug_left_shift(x):
    n = 1
    n <<= 2 if x > 0.0 else 3
    return n


def aug_right_shift(x):
    n = 40
    n >>= 1 if x < 1.0 else 2
    return n


def aug_item(x):
    cells = [x, 2.0]
    cells[0] += 3.5
    cells[-1] *= x
    return cells


def aug_dict_item(x):
    counts = {"low": 0.0, "high": 0.0}
    counts["high" if True else "low"] += x
    return counts


def aug_list(x):
    cells = [x]
    cells += [2.0 * x, 1.0]
    return cells


def aug_list_times(x):
    cells = [x, 1.5]
    cells *= 2
    return cells


def aug_set(x):
    seen = {1, 2}
    seen |= {3}
    return len(seen) + x


def aug_string(x):
    word = "a"
    word += "bc"
    return len(word) * x


def delete_name(x):
    y = x * 2.0
    x = y + 1.0
    del y
    return x


def delete_then_read(x):
    y = x
    if x > 0.0:
        del y
    return y


def delete_item(x):
    cells = [x, 5.0, x * 2.0]
    del cells[1]
    return cells


def delete_slice(x):
    cells = [1.0, 2.0, x, 4.0]
    del cells[:2]
    return cells


def delete_key(x):
    table = {"a": x, "b": 2.0}
    del table["b"]
    return table


def delete_attribute(x):
    class Box:
        value = 1.5
    box = Box()
    box.value = x
    del box.value
    return box.value * x


class Held:
    k = 0.25


def delete_attribute_over_the_class(x):
    held = Held()
    held.k = x
    del held.k
    return held.k * x


def delete_attribute_on_a_path(x):
    held = Held()
    held.a = x
    if x > 0.0:
        del held.a
    return 0.5 if hasattr(held, "a") else x


def delete_attribute_read(x):
    held = Held()
    held.a = x
    if x > 0.0:
        del held.a
    return held.a


def delete_attribute_caught(x):
    held = Held()
    held.a = x
    delattr(held, "a")
    try:
        return held.a
    except AttributeError:
        return -x
