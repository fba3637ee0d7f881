"""Functions with one branch or loop each."""

TABLE = [0.5, 1.5, 2.5]


def return_nothing_early(x):
    if x > 0.0:
        return 1.0
    return -1.0


def return_tuple(x, y):
    return x + y, x - y


def return_dict(x):
    return {"value": x, "twice": 2.0 * x}


def return_nested(x):
    return [x, (x * 2.0, {"deep": [x + 1.0]})]


def if_without_else(x):
    y = 0.5
    if x > 1.0:
        y = x * x
    return y


def if_elif_chain(x):
    if x < -1.0:
        return -1.0
    elif x < 0.0:
        return 0.5 * x
    elif x < 1.0:
        return x * x
    else:
        return 2.0 * x - 1.0


def if_nested(x, y):
    if x > 0.0:
        if y > 0.0:
            return x * y
        return x - y
    return y


def if_not_nan(x):
    if x != x:
        return 0.0
    return x


def while_counts(x):
    n = 0
    while x > 1.0 and n < 50:
        x = x / 2.0
        n += 1
    return n, x


def while_else(x):
    n = 0
    while n < 5:
        if x * n > 3.0:
            break
        n += 1
    else:
        n = -1
    return n


def while_continue(x):
    n, total = 0, 0.0
    while n < 6:
        n += 1
        if n % 2:
            continue
        total += x * n
    return total


def while_true_break(x):
    n = 0
    while True:
        x = 0.5 * x - 1.0
        n += 1
        if x < 0.0 or n > 20:
            break
    return x + n


def for_range(x):
    total = 0.0
    for i in range(5):
        total += x * i
    return total


def for_range_step(x):
    total = x
    for i in range(10, 0, -3):
        total = total / i + 0.5
    return total


def for_else(x):
    for t in TABLE:
        if x < t:
            found = t
            break
    else:
        found = 9.0
    return found


def for_continue(items):
    total = 0.0
    for item in items:
        if item < 0.0:
            continue
        total += item
    return total


def for_enumerate(items):
    total = 0.0
    for i, item in enumerate(items, 1):
        total += i * item
    return total


def for_zip(items, x):
    total = 0.0
    for a, b in zip(items, [1.0, x, x * x, 2.0]):
        total += a * b
    return total


def for_tuple_target(x):
    total = 0.0
    for (a, b), c in [((1.0, 2.0), x), ((x, 0.5), 3.0)]:
        total += a * b + c
    return total


def for_reversed(items):
    acc = 0.0
    for item in reversed(items):
        acc = acc * 0.5 + item
    return acc


def for_string(x):
    total = 0.0
    for letter in "abca":
        if letter == "a":
            total += x
    return total


def for_dict_items(x):
    total = 0.0
    for name, value in {"a": 1.0, "b": x}.items():
        total += value if name == "a" else 2.0 * value
    return total


def for_variable_after(x):
    for i in range(4):
        if i * x > 2.0:
            break
    return i


def for_over_set(x):
    total = 0.0
    for k in {1, 2, 3}:
        total += k * x
    return total


def for_modifies_list(items):
    for i in range(len(items)):
        if items[i] < 0.0:
            items[i] = -items[i]
    return items


def break_two_loops(x):
    count = 0
    for i in range(4):
        for j in range(4):
            if i * j > x:
                break
            count += 1
        if count > 9:
            break
    return count


def pass_only(x):
    if x > 0.0:
        pass
    else:
        x = -x
    return x
