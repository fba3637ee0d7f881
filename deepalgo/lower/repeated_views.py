"""Find views that are read several times: the front end reads a slice anew at each use, as its array may have changed.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(a: real[4])
...   %head = take %a key=(('slice', None, 2, None),)
...   %head.2 = take %a key=(('slice', None, 2, None),)
...   %sum = add %head %head.2
...   return %sum
... ''')
>>> sorted(map(str, repeated_views(program.body.body)))
['%head.2', '%head.4']
"""

from __future__ import annotations

from collections.abc import Iterable

from deepalgo.ir import Op, Value
from deepalgo.ops.table import TABLE


def repeated_views(ops: Iterable[Op]) -> set[Value]:
    """Named views that are read more than once, each time by an operation of its own."""
    found: dict[object, list[Value]] = {}
    for op in ops:
        if (row := TABLE[op.name]).views and row.rearranges and op.result.name:
            found.setdefault((op.result.name, op.name, op.attrs), []).append(op.result)
    return {value for values in found.values() if len(values) > 1 for value in values}
