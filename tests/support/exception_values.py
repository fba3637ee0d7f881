"""Small functions that look at the exceptions they catch. `test_exceptions_as_values.py` holds networks to them."""

import math


class MyError(Exception):
    def __init__(self, value, code=0):
        super().__init__(value)
        self.value = value
        self.code = code


class Plain(ValueError):
    pass


class Told(Exception):
    def __init__(self, what):
        self.what = what
    def __str__(self):
        return "told " + self.what


class Base(Exception):
    weight = 2.0


class Child(Base):
    weight = 3.0


def isinstance_two(x):
    try:
        y = math.sqrt(x)
        y = 1.0 / y
    except (ValueError, ZeroDivisionError) as e:
        return 10.0 if isinstance(e, ValueError) else 20.0
    return y


def type_is(x):
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        if type(e) is ZeroDivisionError:
            return -1.0
        return -2.0
    return y


def type_name(x):
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        return float(len(type(e).__name__))
    return y


def text(x):
    try:
        y = 1.0 / math.sqrt(x)
    except ArithmeticError as e:
        return float(len(str(e)))
    except ValueError as e:
        return -float(len(str(e)))
    return y


def str_in(x):
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        return 7.0 if 'zero' in str(e) else 8.0
    return y


def str_eq(x):
    try:
        if x < 0:
            raise ValueError("negative")
        if x > 3:
            raise ValueError("large")
        y = 1.0 / x
    except ValueError as e:
        return 1.0 if str(e) == "negative" else 2.0
    except ZeroDivisionError as e:
        return 3.0 if str(e) == "float division by zero" else 4.0
    return y


def args(x):
    try:
        if x < 0:
            raise ValueError("negative", 5.0)
        if x > 3:
            raise ValueError("large", 6.0, 7.0)
    except ValueError as e:
        return e.args[1] + len(e.args)
    return x


def args_data(x):
    try:
        if x < 0:
            raise ValueError(x * 2.0)
        if x > 3:
            raise ValueError(x + 1.0)
    except ValueError as e:
        return e.args[0] * 3.0
    return x


def own_attributes(x):
    try:
        if x < 0:
            raise MyError(x, code=3)
        if x > 3:
            raise MyError(x * 2, code=4)
    except MyError as e:
        return e.code + e.value
    return x


def own_args(x):
    try:
        if x < 0:
            raise MyError(x, code=3)
        if x > 3:
            raise MyError(2.0 * x, 4)
    except MyError as e:
        return e.args[0] + len(e.args)
    return x


def raise_again(x):
    try:
        try:
            y = 1.0 / math.sqrt(x)
        except Exception:
            raise
    except ValueError:
        return 1.0
    except ZeroDivisionError:
        return 2.0
    return y


def raise_again_named(x):
    try:
        try:
            y = 1.0 / math.sqrt(x)
        except Exception as e:
            if isinstance(e, ValueError):
                raise
            y = 5.0
    except ValueError:
        return 1.0
    return y


def raise_other_from(x):
    try:
        try:
            y = 1.0 / math.sqrt(x)
        except Exception as e:
            raise RuntimeError("wrapped") from e
    except RuntimeError as e:
        return 1.0 if isinstance(e.__cause__, ValueError) else 2.0
    return y


def cause_text(x):
    try:
        try:
            y = 1.0 / x
        except ZeroDivisionError as e:
            raise RuntimeError("wrapped: " + str(e)) from e
    except RuntimeError as e:
        return float(len(str(e))) + len(str(e.__cause__)) + len(e.args)
    return y


def stored(x):
    err = None
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        err = e
        y = 0.0
    if err is not None:
        if isinstance(err, ValueError):
            return -1.0
        return -2.0
    return y


def made_not_raised(x):
    err = ValueError("bad") if x < 0 else KeyError("k")
    if x > 5:
        return x
    try:
        raise err
    except ValueError:
        return 1.0
    except KeyError as e:
        return 2.0 if e.args == ("k",) else 3.0



def repr_of_it(x):
    try:
        if x < 0:
            raise ValueError("neg")
        if x > 3:
            raise KeyError("big", 2)
    except Exception as e:
        return float(len(repr(e)))
    return x


def keyerror_str(x):
    d = {"a": 1.0}
    try:
        if x < 0:
            return d["bb"]
        if x > 3:
            return d["ccc"]
    except KeyError as e:
        return float(len(str(e))) + len(e.args[0])
    return x



def helper_many(x):
    def helper(v):
        if v < 0:
            raise ValueError("neg")
        if v == 0:
            raise ValueError("zero")
        return math.log(v - 1.0)
    try:
        y = helper(x) + helper(x * 2)
    except ValueError as e:
        return float(len(str(e)))
    return y


def in_loop(x):
    total = 0.0
    for i in range(5):
        try:
            total += 1.0 / (x - i)
        except ZeroDivisionError as e:
            total += len(str(e))
    return total


def loop_inside(x):
    total = 0.0
    try:
        for i in range(5):
            if x - i == 1.0:
                raise ValueError("one")
            if x - i == -1.0:
                raise KeyError("minus")
            total += x
    except Exception as e:
        return total + (100.0 if isinstance(e, KeyError) else 200.0)
    return total


def while_inside(x):
    n = 0.0
    v = x
    try:
        while n < 6:
            if v > 30.0:
                raise OverflowError("big")
            if v == 0.0:
                raise ZeroDivisionError("zero")
            v = v * 2.0
            n += 1.0
    except ArithmeticError as e:
        return n + len(str(e))
    return v


def class_attr(x):
    try:
        if x < 0:
            raise Base("b")
        if x > 3:
            raise Child("c")
    except Base as e:
        return e.weight * 2.0
    return x


def own_str(x):
    try:
        if x < 0:
            raise Told("one")
        if x > 3:
            raise Told("three")
    except Told as e:
        return float(len(str(e)))
    return x


def fstring(x):
    try:
        if x < 0:
            raise Plain("one")
        if x > 3:
            raise Plain("three")
    except Plain as e:
        m = f"failed: {e}"
        return float(len(m))
    return x


def name_gone(x):
    e = 1.0
    try:
        y = 1.0 / x
    except ZeroDivisionError as e:
        y = 2.0
    try:
        return y + e
    except UnboundLocalError:
        return -5.0


def else_clause(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError as e:
        z = len(str(e)) * 1.0
    else:
        z = y
    return z


def return_error(x):
    if x < 0:
        return ValueError("negative")
    return math.sqrt(x)


def validate(x):
    def validate(v):
        if v < 0:
            return ValueError("negative")
        return None
    err = validate(x)
    if err:
        return -1.0
    return x


def validate2(x):
    def validate(v):
        if v < 0:
            return ValueError("negative")
        if v > 3:
            return TypeError("large")
        return None
    err = validate(x)
    if isinstance(err, TypeError):
        return -1.0
    if err is not None:
        return -2.0
    return x


def assert_clause(x):
    try:
        assert x > 0, "must be positive"
        assert x < 3
    except AssertionError as e:
        return float(len(e.args)) + len(str(e))
    return x


def dispatch_dict(x):
    table = {ValueError: 1.0, ZeroDivisionError: 2.0}
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        return table[type(e)]
    return y


def table_name(x):
    table = {"ValueError": 1.0, "ZeroDivisionError": 2.0}
    try:
        y = 1.0 / math.sqrt(x)
    except Exception as e:
        return table.get(type(e).__name__, 9.0)
    return y


def nested_handlers(x):
    try:
        try:
            y = 1.0 / math.sqrt(x)
        except ValueError as e:
            raise KeyError(str(e))
        except ZeroDivisionError as e:
            raise IndexError(str(e))
    except LookupError as e:
        return 1.0 if isinstance(e, KeyError) else 2.0
    return y


def error_in_handler(x):
    try:
        try:
            y = 1.0 / x
        except ZeroDivisionError as e:
            y = math.sqrt(x - 1.0)
    except ValueError as e:
        return 4.0 if "domain" in str(e) else 5.0
    return y



def two_divisions(x):
    try:
        y = 1.0 / x
        z = 1.0 % (x - 1.0)
        w = 1.0 // (x + 1.0)
    except ZeroDivisionError as e:
        return float(len(str(e)))
    return y + z + w


def pow(x):
    try:
        return (x * 1.0) ** -1.0
    except ZeroDivisionError as e:
        return float(len(str(e)))


def int_division(x):
    n = int(x) if -100 < x < 100 else 5
    try:
        return 10 // n + 10 % (n - 1) + 10 / (n - 2)
    except ZeroDivisionError as e:
        return float(len(str(e)))


def unpack(x):
    try:
        if x > 0:
            a, b = (x, 1.0, 2.0)
        else:
            a, b = (x,)
        return a
    except ValueError as e:
        return float(len(str(e)))


def attr_error(x):
    try:
        if x > 0:
            return x.foo
        return [1.0].bar
    except AttributeError as e:
        return float(len(str(e)))


def float_str(x):
    try:
        if x > 0:
            return float("abc")
        return int("12z") * 1.0
    except ValueError as e:
        return float(len(str(e)))


def bare_except(x):
    try:
        y = 1.0 / math.sqrt(x)
    except:  # noqa: E722 - what a bare `except` takes is the point
        y = 3.0
    return y


def reraise_new_same(x):
    try:
        try:
            if x < 0:
                raise MyError(x, code=1)
            y = 1.0 / x
        except MyError as e:
            e2 = MyError(e.value * 2, code=e.code + 1)
            raise e2
    except MyError as e:
        return e.value + e.code
    except ZeroDivisionError:
        return 0.0
    return y


def data_text(x):
    try:
        if x < 0:
            raise ValueError(f"bad {x}")
        y = 1.0 / x
    except Exception as e:
        return 1.0 if isinstance(e, ValueError) else 2.0
    return y



def retry(x):
    tries = 0
    y = x
    last = None
    while tries < 4:
        try:
            z = math.sqrt(y)
            break
        except ValueError as e:
            last = e
            y += 1.0
            tries += 1
    else:
        return -100.0
    return z + tries + (0.5 if last is not None else 0.0)


def errors_list(x):
    errors = []
    for f in (lambda v: 1.0 / v, lambda v: 2.0 / v):
        try:
            f(x)
            errors.append(None)
        except ZeroDivisionError as e:
            errors.append(e)
    return float(sum(1 for e in errors if e is not None))


def group(x):
    error = None
    try:
        y = math.log(x)
    except ValueError as exc:
        error = exc
    if error is None:
        return y
    return -float(len(error.args))


def raise_later(x):
    err = None
    if x < 0:
        err = ValueError("neg")
    elif x > 3:
        err = TypeError("big")
    try:
        if err is not None:
            raise err
    except (ValueError, TypeError) as e:
        return float(len(str(e)))
    return x


def index_text(x):
    items = [1.0, 2.0]
    try:
        return items[int(min(max(x, -9.0), 9.0))]
    except IndexError as e:
        return -1.0 if str(e) == "list index out of range" else -2.0
    except ValueError as e:
        return -3.0 if "NaN" in str(e) else -4.0


def writes_before_it_raises(x):
    seen = 0.0
    try:
        if x < 0:
            seen = 3.0
            raise ValueError("negative")
    except ValueError:
        return seen
    return x


def writes_in_a_handler_that_raises(x):
    seen = 0.0
    try:
        try:
            y = 1.0 / x
        except ZeroDivisionError:
            seen = 3.0
            raise
    except ZeroDivisionError:
        return seen
    return y
