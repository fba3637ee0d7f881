"""Seeded functions of loops in loops, with `break`, `continue`, `else`, flags and guards, some of which depend on no data."""

import random
import textwrap


def function(name, seed):
    """The text of one function of two floats. Its numbers are multiples of 1/4, so that no rounding decides anything."""
    body = Writer(random.Random(seed)).body()
    return f"def {name}(x, y):\n" + textwrap.indent("\n".join(body), "    ") + "\n\n\n"


class Writer:
    """Writes statements; every `while` counts its rounds in a variable of its own, so that it ends."""

    def __init__(self, rng):
        self.rng = rng
        self.counters = 0

    def body(self):
        start = ["used = 0", "total = 0.0", "seen = False", f"level = {self.number()}"]
        return [*start, *self.unrolled(), *(self.statement(2, False) if self.rng.random() < 0.5 else []), "return total + used, level"]

    def number(self):
        return self.rng.randint(-8, 12) / 4

    def operand(self):
        return self.rng.choice(["x", "y", "x - y", "total", "level", f"{self.number()}"])

    def condition(self):
        rng = self.rng
        order, counts = rng.choice(["<", ">", "<=", ">="]), rng.choice(["<", ">=", "=="])
        plain = [f"{self.operand()} {order} {self.operand()}", f"used {counts} {rng.randint(0, 3)}", "seen", "not seen"]
        first = rng.choice(plain)
        kind = rng.random()
        if kind < 0.2:
            return f"{first} and {rng.choice(plain)}"
        return f"{first} or {rng.choice(plain)}" if kind < 0.3 else first

    def change(self):
        step = f"{self.operand()} * 0.5"
        return self.rng.choice([
            "used += 1", "seen = True", "seen = not seen", f"total += {self.operand()}", f"level = {self.operand()}",
            f"total = total + 1.0 if {self.condition()} else total", f"used = used + {self.rng.randint(1, 2)}", f"level = min({step}, 4.0)",
            "total += sum([x for _ in range(2)])", f"seen = {self.condition()}",
        ])

    def statement(self, depth, inside):
        kind = self.rng.random()
        if depth > 0 and kind < 0.35:
            return self.loop(depth)
        if depth > 0 and kind < 0.75:
            return self.choice(depth, inside)
        return [self.change()]

    def leave(self, inside):
        ways = ["break", "continue"] if inside else []
        return self.rng.choice([*ways, *ways, "return total, level * 2"])

    def choice(self, depth, inside):
        rng = self.rng
        if rng.random() < 0.3:
            return [f"if {self.condition()}: {self.leave(inside) if rng.random() < 0.6 else self.change()}"]
        then = [self.leave(inside)] if rng.random() < 0.4 else self.block(depth - 1, inside)
        lines = [f"if {self.condition()}:", *indented(then)]
        if rng.random() < 0.3:
            lines += [f"elif {self.condition()}:", *indented(self.block(depth - 1, inside))]
        if rng.random() < 0.4:
            lines += ["else:", *indented(self.block(depth - 1, inside))]
        return lines

    def block(self, depth, inside):
        return [line for _ in range(self.rng.randint(1, 2)) for line in self.statement(depth, inside)]

    def unrolled(self):
        """A loop over a list around a loop whose guard depends on no data at first, and on data once a flag has changed."""
        rng = self.rng
        flag = rng.choice([f"if {self.condition()}: used += 1", f"seen = {self.condition()}", f"if {self.condition()}: seen = not seen"])
        inside = [line for _ in range(rng.randint(1, 2)) for line in self.loop(2)]
        return [f"for w in {rng.choice(['[x, x, y, y]', '(x, y, 0.5)', '[y, x]'])}:", *indented(["total += w", *inside, flag])]

    def loop(self, depth):
        rng = self.rng
        self.counters += 1
        counter = f"n{self.counters}"
        body = [line for _ in range(rng.randint(1, 3)) for line in self.statement(depth - 1, True)]
        rounds = rng.randint(1, 4)
        if rng.random() < 0.4:
            guard = rng.choice([f"{counter} > used", "seen", f"{counter} == 2 and not seen", f"used + {counter} > 3"])
            body = [f"if {guard}: break", *body]
        match rng.randint(0, 4):
            case 0:
                lines = [f"for {counter} in range({rounds}):", *indented(body)]
            case 1:
                items = rng.choice(["[x, y, x]", "(x, 1.0)", "[0.5, 1.5, 2.5]"])
                lines = [f"for {counter} in {items}:", *indented([f"total += {counter}", *body])]
            case 2:
                lines = [f"{counter} = 0", f"while {counter} < {rounds}:", *indented([f"{counter} += 1", *body])]
            case 3:
                lines = [f"{counter} = 0", "while True:", *indented([f"{counter} += 1", f"if {counter} > {rounds}:", "    break", *body])]
            case _:
                lines = [f"{counter} = 0", f"while {counter} < {rounds} and ({self.condition()}):", *indented([f"{counter} += 1", *body])]
        return [*lines, "else:", *indented([self.change()])] if rng.random() < 0.25 else lines


def indented(lines):
    return ["    " + line for line in lines]
