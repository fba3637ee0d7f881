"""A program as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from deepalgo.ir.program import Block, Check, If, Loop, Op, Program, Statement, Try, Value, Weight, While
from deepalgo.kinds import Attr


def write(program: Program) -> str:
    """The whole program, a statement a line."""
    head = ", ".join(f"{item.path}: {item.value.type}" for item in program.inputs)
    lines = [f"{program.name}({head})"]
    lines += [f"  weight {weight.key} = {_brief(weight.value)}{_note(weight)}" for weight in program.weights]
    lines += _print_block(program.body, "  ", "return")
    return "\n".join(lines)


def _print_block(block: Block, indent: str, ending: str) -> list[str]:
    lines = [line for statement in block.body for line in _print_statement(statement, indent)]
    return [*lines, f"{indent}{ending} {_list(block.results)}".rstrip()]


def _print_statement(statement: Statement, indent: str) -> list[str]:
    inner = indent + "  "
    match statement:
        case Op(result, name, args, attrs):
            extra = " ".join(f"{key}={_brief(value)}" for key, value in attrs if key != "site")
            return [indent + " ".join(filter(None, (f"{result} = {name}", _list(args, " "), extra)))]
        case Check(ok, error, message):
            return [f"{indent}check {ok} else {error}({message!r})"]
        case If(results, condition, then, orelse):
            return [f"{indent}{_binding(results)}if {condition}", *_print_block(then, inner, "yield"),
                    f"{indent}else", *_print_block(orelse, inner, "yield")]
        case Loop(results, count, init, body):
            return [f"{indent}{_binding(results)}loop {count} rounds ({_list(body.params)}) from ({_list(init)})",
                    *_print_block(body, inner, "next")]
        case While(results, init, test, body, bound):
            limit = f" at most {bound} rounds" if bound is not None else ""
            return [f"{indent}{_binding(results)}while ({_list(test.params)}) from ({_list(init)}){limit}",
                    *_print_block(test, inner, "test"), f"{indent}do ({_list(body.params)})", *_print_block(body, inner, "next")]
        case Try(results, body, handlers):
            lines = [f"{indent}{_binding(results)}try", *_print_block(body, inner, "yield")]
            for handler in handlers:
                lines += [f"{indent}except {', '.join(handler.catches)}", *_print_block(handler.block, inner, "yield")]
            return lines
        case _:
            assert_never(statement)


def _binding(results: tuple[Value, ...]) -> str:
    return f"{_list(results)} = " if results else ""


def _list(values: Iterable[Value], separator: str = ", ") -> str:
    return separator.join(map(str, values))


def _brief(value: Attr) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _note(weight: Weight) -> str:
    place = f", {weight.span.place}" if weight.span is not None else ""
    return f"  ({weight.role}{place}{', frozen' if weight.frozen else ''})"
