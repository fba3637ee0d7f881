"""`deepalgo source`: a function as deepalgo has understood it, as plain Python."""

from __future__ import annotations

import deepalgo
from deepalgo.commands.target import Example, Target, load_function, parse_example, told


def source(target: Target, example: Example = "") -> None:
    """Print the compiled function as standalone Python: helpers inlined, configuration gone, neither torch nor deepalgo needed.

    Example: deepalgo source heat.py:loss > loss.py
    """
    with told("source"):
        function, call = load_function(target), parse_example(example)
        text = deepalgo.source(deepalgo.compile(function, example=call))
    print(text)
