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
    Statement,
    Static,
    Tree,
    Try,
    Value,
    Weight,
    While,
)
from deepalgo.ir.walk import blocks, captured, defined, leaves, used, walk
from deepalgo.kinds import Attr, Kind, Type

__all__ = [
    "Attr", "Block", "By", "Check", "Handler", "If", "Input", "Kind", "Leaf", "Loop", "Mapping", "Op", "Program", "Role", "Sequence",
    "Statement", "Static", "Tree", "Try", "Type", "Value", "Weight", "While", "blocks", "captured", "defined", "leaves", "used", "walk",
]
