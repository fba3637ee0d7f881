"""The row of a choice whose guard can learn: hard forward, soft backward, or a blend of both ways.

`soft_choice(taken, other, condition, margin, width, softness)` is `taken`, the result of the way that a sample takes. Its gradient by
`margin`, which is positive where the condition holds, is that of a smooth step of that width from the one way to the other. With
a positive softness the value itself is blended. In source it is what was taken.
"""

from __future__ import annotations

from deepalgo.ops.row import Row

ROWS = (
    Row("soft_choice", lambda args, attrs: args[0], "ops.soft_choice({0}, {1}, {2}, {3}, {4}, {5}, '{key}')", "{0}", "{0}", False),
)
