"""The centre: `Program`, ways through it, and its text. Whoever rewrites, checks or runs programs imports those modules by name."""

from deepalgo.ir.program import (
    Block,
    By,
    Check,
    Handler,
    If,
    Input,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Role,
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
from deepalgo.ir.walk import answers, blocks, captured, changed, defined, leaves, used, walk
from deepalgo.kinds import Attr, Kind, Type

__all__ = [
    "Attr", "Block", "By", "Check", "Handler", "If", "Input", "Kind", "Leaf", "Loop", "Mapping", "Op", "Program", "Role", "Sequence",
    "Slot", "Statement", "Static", "Tree", "Try", "Type", "Value", "Weight", "While", "answers", "blocks", "captured", "changed",
    "defined", "leaves", "used", "walk",
]
