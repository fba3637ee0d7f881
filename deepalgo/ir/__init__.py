"""The centre: `Program`, ways through it, its text, and what it means. Whoever rewrites or checks programs imports modules by name."""

from deepalgo.ir.interpret import Failed, Interpreter, Outcome, interpret
from deepalgo.ir.parse import parse
from deepalgo.ir.program import (
    Block,
    By,
    Check,
    Failure,
    Handler,
    If,
    Input,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Restore,
    Rewind,
    Role,
    Save,
    Sequence,
    Slot,
    Statement,
    Static,
    Tree,
    Try,
    Value,
    Weight,
    While,
)
from deepalgo.ir.scan import ParseError
from deepalgo.ir.walk import answers, blocks, captured, changed, defined, leaves, used, walk
from deepalgo.kinds import Attr, Kind, Type

__all__ = [
    "Attr", "Block", "By", "Check", "Failed", "Failure", "Handler", "If", "Input", "Interpreter", "Kind", "Leaf", "Loop", "Mapping", "Op",
    "Outcome", "ParseError", "Program", "Restore", "Rewind", "Role", "Save", "Sequence", "Slot", "Statement", "Static", "Tree", "Try",
    "Type", "Value", "Weight", "While", "answers", "blocks", "captured", "changed", "defined", "interpret", "leaves", "parse", "used",
    "walk",
]
