"""Functions that raise or catch, with one statement each."""

import contextlib
import math


def raise_value_error(x):
    if x < 0.0:
        raise ValueError("negative")
    return 2.0 * x


def raise_with_number(x):
    if not x > 0.0:
        raise ValueError("must be positive")
    return math.log(x)


def raise_class_only(x):
    if x > 100.0:
        raise OverflowError
    return x + 1.0


def raise_from(x):
    try:
        return 1.0 / x
    except ZeroDivisionError as error:
        raise ValueError("no inverse") from error


def assert_plain(x):
    assert x == x
    return x * 2.0


def assert_message(x, y):
    assert y != 0.0, "y is zero"
    return x / y


def try_except(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return -1.0


def try_except_tuple(x, y):
    try:
        return math.log(x) / y
    except (ValueError, ZeroDivisionError):
        return 0.0


def try_several(x, y):
    try:
        return math.exp(x) / y
    except OverflowError:
        return 1.0
    except ZeroDivisionError:
        return 2.0


def try_as(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError as error:
        y = float(len(error.args))
    return y


def try_message(x):
    try:
        if x < 0.0:
            raise ValueError("below")
        return x
    except ValueError as error:
        return float(len(str(error)))


def try_else(x):
    try:
        y = math.log(x)
    except ValueError:
        y = -5.0
    else:
        y += 1.0
    return y


def try_finally(x):
    log = []
    try:
        y = 2.0 * x
    finally:
        log.append(1)
    return y + len(log)


def try_finally_raises(x):
    n = 0.0
    try:
        try:
            n = 1.0 / x
        finally:
            n += 10.0
    except ZeroDivisionError:
        n += 100.0
    return n


def try_bare(x):
    try:
        return math.acos(x)
    except Exception:
        return 7.0


def try_reraise(x):
    try:
        return math.sqrt(x)
    except ValueError:
        if x > -1.0:
            return 0.0
        raise


def try_type_name(x, y):
    try:
        return math.sqrt(x) / y
    except (ValueError, ZeroDivisionError) as error:
        return float(len(type(error).__name__))


def try_isinstance(x, y):
    try:
        return math.sqrt(x) / y
    except Exception as error:
        return 1.0 if isinstance(error, ValueError) else 2.0


def try_own_exception(x):
    class TooLarge(Exception):
        def __init__(self, excess):
            super().__init__(excess)
            self.excess = excess
    try:
        if x > 1.0:
            raise TooLarge(x - 1.0)
        return x
    except TooLarge as error:
        return error.excess * 10.0


def try_key_error(x):
    table = {1: 0.5, 2: 1.5}
    try:
        return table[3] * x
    except KeyError:
        return x


def try_index_error(x):
    cells = [1.0, 2.0]
    try:
        return cells[int(x)]
    except (IndexError, OverflowError, ValueError):
        return -1.0


def try_type_error(x):
    try:
        return len(x)
    except TypeError:
        return x * 2.0


def try_attribute_error(x):
    try:
        return x.nothing
    except AttributeError:
        return x * 2.0


def try_star(x):
    try:
        y = 1.0 / x
    except* ZeroDivisionError:
        y = 0.0
    return y


def return_in_finally(x):
    try:
        return 1.0 / x
    finally:
        if x == 0.0:
            return 9.0


def with_suppress(x):
    y = 0.5
    with contextlib.suppress(ValueError):
        y = math.sqrt(x)
    return y


def with_null(x):
    with contextlib.nullcontext(2.0) as factor:
        y = factor * x
    return y


def with_own(x):
    class Gate:
        def __enter__(self):
            return self
        def __exit__(self, kind, error, trace):
            return kind is ZeroDivisionError
    y = 1.0
    with Gate():
        y = 1.0 / x
    return y


def with_contextmanager(x):
    @contextlib.contextmanager
    def added(log, what):
        log.append(what)
        yield what * 2.0
        log.append(0.0)
    log = []
    with added(log, x) as twice:
        log.append(twice)
    return log


def with_two(x):
    with contextlib.nullcontext(x) as a, contextlib.nullcontext(2.0) as b:
        return a * b


def missing_argument_text(x):
    def scaled(value, by, *, more):
        return value * by + more

    try:
        return scaled(x)
    except TypeError as error:
        return x + len(str(error))


def too_many_arguments_text(x):
    def scaled(value, by=2.0):
        return value * by

    try:
        return scaled(x, 1.0, 3.0)
    except TypeError as error:
        return x + len(str(error))


def unpack_number_text(x):
    try:
        first, second = x
    except TypeError as error:
        return len(str(error)) * 1.0
    return first


def shift_number_text(x):
    try:
        return x << 1
    except TypeError as error:
        return len(str(error)) * 1.0


def power_overflow_args(x):
    try:
        return x**3.0
    except OverflowError as error:
        return len(error.args) * 1.0


def abstract_made(x):
    import abc

    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    try:
        return Shape()
    except TypeError:
        return x


def dict_grows_in_loop(x):
    table = {"a": x}
    try:
        for key in table:
            table[key + "b"] = 1.0
    except RuntimeError as error:
        return x + len(str(error))
    return 0.0


def dict_items_change_in_loop(x):
    table = {"a": x, "b": 1.0}
    total = 0.0
    for key, value in table.items():
        table["b"] = 2.0 * x
        total += value * len(key)
    return total


def several_caught_with_overflow(x):
    import math

    try:
        return math.exp(1e3 * math.log(x))
    except (ValueError, OverflowError) as error:
        return {ValueError: 1.0, OverflowError: 3.0}[type(error)]


class _Late(Exception):
    pass


def private_exception(x):
    if x > 0:
        raise _Late("late")
    return x


def key_error_text(x):
    if x > 0:
        raise KeyError("k")
    return x


def concatenate_number_text(x):
    try:
        return [1.0] + x
    except TypeError as error:
        return len(str(error)) * 1.0


def string_and_number_text(x):
    try:
        return "a" + x
    except TypeError as error:
        return len(str(error)) * 1.0


def store_in_object_text(x):
    class Box:
        pass

    box = Box()
    try:
        box[0] = x
    except TypeError as error:
        return x + len(str(error))
    return x


def delete_from_number_text(x):
    try:
        del x[0]
    except TypeError as error:
        return len(str(error)) * 1.0
    return x


def round_digits_text(x):
    try:
        return round(x, 1.0)
    except TypeError as error:
        return len(str(error)) * 1.0


def free_variable_deleted(x):
    def use():
        return held * 2.0  # noqa: F821  # it is deleted, which is what is tried

    held = x
    del held
    try:
        return use()
    except NameError as error:
        return x + len(str(error))
