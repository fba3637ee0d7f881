"""Small functions that leave blocks by exceptions. `test_exits_by_exception.py` holds networks to them."""

import contextlib
import math
from contextlib import closing, contextmanager, nullcontext, suppress


class Swallow:
    def __init__(self):
        self.seen = 0.0
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        self.seen = 0.0 if kind is None else 1.0
        return True


class Select:
    def __init__(self, *kinds):
        self.kinds = kinds
        self.text = ""
        self.left = 0.0
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        self.left += 1.0
        if kind is None:
            return False
        return issubclass(kind, self.kinds)


class Look:
    def __init__(self):
        self.code = 0.0
    def __enter__(self):
        return 2.0
    def __exit__(self, kind, value, trace):
        if isinstance(value, ZeroDivisionError):
            self.code = 1.0
            return True
        if value is not None and trace is not None:
            self.code = 2.0 + len(value.args)
            return True
        return None


class Pass:
    def __init__(self):
        self.n = 0.0
    def __enter__(self):
        self.n += 1.0
        return self
    def __exit__(self, *exc):
        self.n += 10.0


class Closer:
    def __init__(self):
        self.open = 1.0
    def close(self):
        self.open = 0.0


def swallow(x):
    s = Swallow()
    y = 5.0
    with s:
        y = 1.0 / x
    return y + s.seen * 10


def select(x):
    s = Select(ZeroDivisionError)
    y = 5.0
    try:
        with s:
            y = 1.0 / math.sqrt(x)
    except ValueError:
        y = 7.0
    return y + s.left


def look(x):
    k = Look()
    y = 0.0
    with k as two:
        y = two / math.sqrt(x)
    return y + 10 * k.code


def pass_through(x):
    p = Pass()
    try:
        with p as q:
            y = 1.0 / x
    except ZeroDivisionError:
        return p.n
    return y + q.n


def with_suppress(x):
    y = 3.0
    with suppress(ZeroDivisionError, ValueError):
        y = 1.0 / math.sqrt(x)
        y += 1.0
    return y


def suppress_module(x):
    y = 3.0
    with contextlib.suppress(ArithmeticError):
        y = 1.0 / x
    return y


def suppress_return(x):
    with suppress(ZeroDivisionError):
        return 1.0 / x
    return -1.0


def suppress_loop(x):
    total = 0.0
    for i in range(4):
        with suppress(ZeroDivisionError):
            total += 1.0 / (x - i)
    return total


def suppress_accumulate(x):
    total = 0.0
    with suppress(ZeroDivisionError):
        for i in range(4):
            total += 1.0
            total += 1.0 / (x - i)
    return total


def suppress_continue(x):
    total = 0.0
    for i in range(4):
        with suppress(ZeroDivisionError):
            if i == 2:
                continue
            v = 1.0 / (x - i)
            if v > 1.5:
                break
            total += v
        total += 0.25
    return total


def with_nullcontext(x):
    with nullcontext(x) as y:
        return y * 2


def nullcontext_none(x):
    with nullcontext() as y:
        return x + (1.0 if y is None else 0.0)


def with_closing(x):
    c = Closer()
    with closing(c) as d:
        y = x + d.open
    return y + c.open


def closing_raise(x):
    c = Closer()
    y = 0.0
    try:
        with closing(c):
            y = 1.0 / x
    except ZeroDivisionError:
        y = 9.0
    return y + c.open


@contextmanager
def scaled(v):
    yield v * 2.0


@contextmanager
def logged(log):
    log[0] += 1.0
    try:
        yield log
    finally:
        log[1] += 1.0


@contextmanager
def ignoring(log):
    try:
        yield 1.0
    except ZeroDivisionError as e:
        log[0] = len(e.args)
    else:
        log[1] = 5.0


@contextmanager
def translating():
    try:
        yield
    except ZeroDivisionError as e:
        raise ValueError("zero") from e


def cm_plain(x):
    with scaled(x) as y:
        z = y + 1.0
    return z


def cm_finally(x):
    log = [0.0, 0.0]
    y = 0.0
    try:
        with logged(log) as l:
            y = 1.0 / x
    except ZeroDivisionError:
        y = 4.0
    return y + 10 * log[0] + 100 * log[1]


def cm_finally_return(x):
    log = [0.0, 0.0]
    def inner():
        with logged(log):
            if x > 1:
                return x
            return 2 * x
    y = inner()
    return y + 10 * log[0] + 100 * log[1]


def cm_swallow(x):
    log = [0.0, 0.0]
    y = 1.0
    with ignoring(log) as one:
        y = one / x
    return y + log[0] * 10 + log[1] * 100


def cm_translate(x):
    try:
        with translating():
            y = 1.0 / x
    except ValueError as e:
        return 5.0 if isinstance(e.__cause__, ZeroDivisionError) else 6.0
    return y


def cm_appends(x):
    items = []
    @contextmanager
    def note():
        items.append(x)
        yield
        items.append(2.0)
    with note():
        items.append(1.0)
    return sum(items) + len(items)


def return_in_finally(x):
    try:
        return 1.0 / x
    finally:
        return 2.0


def return_in_finally_some(x):
    try:
        y = math.sqrt(x)
    finally:
        if x < 0:
            return -1.0
    return y


def finally_state(x):
    n = 0.0
    try:
        try:
            y = 1.0 / x
        finally:
            n = 5.0
    except ZeroDivisionError:
        return n
    return n + y


def finally_reads(x):
    out = [0.0]
    def g():
        try:
            if x > 0:
                y = 1.0
                return x
            y = 2.0
            return -x
        finally:
            out[0] = y
    z = g()
    return z + out[0]


def finally_break(x):
    total = 0.0
    for i in range(4):
        try:
            total += 1.0 / (x - i)
        finally:
            if i == 2:
                break
    return total


def finally_break_swallow(x):
    total = 0.0
    for i in range(4):
        try:
            total += 1.0 / (x - i)
        finally:
            break
    return total


def finally_continue(x):
    total = 0.0
    for i in range(4):
        try:
            total += 1.0 / (x - i)
        finally:
            continue
    return total


def finally_raise(x):
    try:
        try:
            y = 1.0 / x
        finally:
            if x < 1:
                raise ValueError("final")
    except ValueError:
        return 1.0
    except ZeroDivisionError:
        return 2.0
    return y


def else_finally(x):
    log = 0.0
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        log += 1.0
        y = 0.0
    else:
        log += 10.0
    finally:
        log += 100.0
    return y + log


def else_raises(x):
    try:
        try:
            y = x + 1.0
        except ZeroDivisionError:
            return -1.0
        else:
            y = 1.0 / x
    except ZeroDivisionError:
        return -2.0
    return y


def two_managers(x):
    a, b = Pass(), Swallow()
    y = 0.5
    with a, b:
        y = 1.0 / x
    return y + a.n + b.seen


def two_managers_order(x):
    a, b = Swallow(), Pass()
    y = 0.5
    with a, b:
        y = 1.0 / x
    return y + 100 * a.seen + b.n


def early_return_with(x):
    p = Pass()
    def g():
        with p:
            if x > 1:
                return x * 2
            y = x + 1
        return y
    z = g()
    return z + p.n


def with_in_loop(x):
    p = Pass()
    total = 0.0
    for i in range(3):
        with p:
            if x > i:
                continue
            if x < -2:
                break
            total += x
    return total + p.n


def nested_reraise(x):
    trace = 0.0
    try:
        try:
            try:
                y = 1.0 / math.sqrt(x)
            except ValueError:
                trace += 1.0
                raise
            finally:
                trace += 10.0
        except ArithmeticError:
            trace += 100.0
            y = 0.0
    except ValueError:
        trace += 1000.0
        y = 0.0
    return y + trace


def exit_raises(x):
    class_ = Pass()
    try:
        with suppress(KeyError):
            if x > 1:
                raise KeyError("a")
            if x < -1:
                raise IndexError("b")
            class_.n = 3.0
    except IndexError:
        return -1.0
    return class_.n



def handler_returns_finally(x):
    state = [0.0]
    def g():
        try:
            return 1.0 / x
        except ZeroDivisionError:
            return -1.0
        finally:
            state[0] += 2.0
    return g() + state[0]


def loop_accumulate_handler(x):
    total = 0.0
    try:
        for v in (1.0, 2.0, 3.0):
            total += v
            total += 1.0 / (x - v)
    except ZeroDivisionError:
        total = -total
    return total


def while_accumulate_handler(x):
    total = 0.0
    v = x
    try:
        while total < 20.0:
            total += 4.0
            v = v - 1.0
            total += 1.0 / v
    except ZeroDivisionError:
        return -total
    return total


def finally_with_loop(x):
    n = 0.0
    for i in range(3):
        try:
            if x > i:
                continue
            n += x
        finally:
            n += 0.5
    return n
