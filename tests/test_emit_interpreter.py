"""Runs a program for one sample with Python numbers: the oracle for emitted code."""

import math

from deepalgo.emit.catch import catches
from deepalgo.emit.expression import fill, literal
from deepalgo.ir import Check, If, Loop, Op, Try, While
from deepalgo.ops.table import TABLE
from tests.build import Builder


class Raised(Exception):
    def __init__(self, check):
        self.check = check


def interpret(program, *args, weights=None, limit=10_000):
    """The results of one sample; `Raised` where a check fails."""
    values = {weight.key: weight.value for weight in program.weights} | (weights or {})
    env = dict(zip([item.value for item in program.inputs], args))
    run(program.body, env, values, limit)
    return [env[value] for value in program.body.results]


def run(block, env, weights, limit):
    for statement in block.body:
        match statement:
            case Op():
                env[statement.result] = compute(statement, env, weights)
            case Check(ok=ok):
                if not env[ok]:
                    raise Raised(statement)
            case If(results, condition, then, orelse):
                arm = then if env[condition] else orelse
                run(arm, env, weights, limit)
                env.update(zip(results, [env[value] for value in arm.results]))
            case Loop(results, count, init, body):
                state = [env[value] for value in init]
                for index in range(count):
                    env.update(zip(body.params, [index, *state]))
                    run(body, env, weights, limit)
                    state = [env[value] for value in body.results]
                env.update(zip(results, state))
            case While(results, init, test, body):
                state = [env[value] for value in init]
                for number in range(limit + 1):
                    env.update(zip(test.params, state))
                    run(test, env, weights, limit)
                    if not env[test.results[0]]:
                        break
                    if number == limit:
                        raise Raised(Check(test.results[0], "LoopBound", f"still running after {limit} rounds", (), statement.span))
                    env.update(zip(body.params, state))
                    run(body, env, weights, limit)
                    state = [env[value] for value in body.results]
                env.update(zip(results, state))
            case Try(results, body, handlers):
                try:
                    run(body, env, weights, limit)
                    env.update(zip(results, [env[value] for value in body.results]))
                except Raised as raised:
                    found = [handler.block for handler in handlers if catches(handler.catches, raised.check.error)]
                    if not found:
                        raise
                    run(found[0], env, weights, limit)
                    env.update(zip(results, [env[value] for value in found[0].results]))


def compute(op, env, weights):
    if op.name == "const":
        return op.attr("value")
    if op.name == "weight":
        return weights[op.attr("key")]
    text = fill(TABLE[op.name].python, [literal(env[arg]) for arg in op.args], dict(op.attrs)).text
    try:
        return eval(text, {"math": math, "inf": math.inf, "nan": math.nan})
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan


def test_the_interpreter_runs_loops_branches_and_handlers():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 2.0)

    def body():
        b.check(b.op("gt", x, 0.0), "ValueError", "negative")
        return b.loop(3, [x], lambda i, y: b.op("mul", y, w))

    y, = b.attempt(body, (("ValueError",), lambda: b.op("neg", x)))
    program = b.program(y)
    assert interpret(program, 1.0) == [8.0]
    assert interpret(program, -1.0) == [1.0]
    assert interpret(program, 1.0, weights={"w": 3.0}) == [27.0]
