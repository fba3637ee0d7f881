"""`correct`: a small network of chosen signals is added to a signal; it answers zero at birth.

>>> import deepalgo as da
>>> def drag(speed):
...     force = 0.3 * speed * speed
...     return force
>>> net = correct(da.compile(drag), "force", hidden=4)
>>> net(2.0).item()
1.2
>>> sorted(net.weights)[1:]
['force_in', 'force_in_bias', 'force_out', 'force_out_bias']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import torch

from deepalgo.compiler import takes_network
from deepalgo.errors import TensorizeError
from deepalgo.ir import Kind, Type, Value
from deepalgo.network import Network
from deepalgo.tensorize.find import find_signal, named_signals
from deepalgo.tensorize.grow import Grower
from deepalgo.tensorize.structures import finite, noise
from deepalgo.tensorize.suggestion import Suggestion


@takes_network
def correct(
    network: Network, signal: str, context: Iterable[str] | None = None, hidden: int = 8, *, line: int | None = None, relative: bool = False
) -> Network:
    """Add `out @ tanh(in @ context + bias) + bias` to a signal, with `out` and its bias zero at birth.

    `context` names inputs and variables that can be seen where the signal is computed; by default all inputs and the signal
    itself. They enter as `asinh` of their values, so that large ones do not drown the others; what is not finite enters as zero.
    With `relative=True` the correction is a share of the signal.
    """
    if hidden < 1:
        raise TensorizeError(f"hidden must be a positive whole number, not {hidden!r}")
    values = find_signal(network.program, signal, line)
    names = None if context is None else list(context)
    if names is not None and not names:
        raise TensorizeError("a correction needs a context: name at least one input or variable")
    return _Correction(network, signal, values, names, hidden, relative).grow()


class _Correction(Grower):
    """Writes the small network behind every definition of the signal."""

    def __init__(self, network: Network, signal: str, values: list[Value], names: list[str] | None, hidden: int, relative: bool) -> None:
        super().__init__(network)
        self.signal, self.names, self.hidden, self.relative = signal, names, hidden, relative
        self.shape = values[0].type.shape
        if len(self.shape) > 1:
            what = f"`{signal}` is {values[0].type}: only numbers and vectors are corrected"
            raise TensorizeError(f"{what}; for an array there is widen(net, {signal!r}, ...)")
        self.keys: dict[str, str] = {}
        self.after = dict.fromkeys(values, self._corrected)

    def _corrected(self, value: Value) -> Value:
        (here,) = self.see((value,))
        context = self._context(here)
        size = context.type.shape[0]
        if not self.keys:
            self._make(size)
        weights = {part: self.use(key) for part, key in self.keys.items()}
        inner = self.total(self.matrix_product(weights["in"], context), weights["in_bias"])
        change = self.total(self.matrix_product(weights["out"], self.add("tanh", inner)), weights["out_bias"])
        if not self.shape:
            change = self.sliced(change, (0,))
        if self.relative:
            change = self.product(finite(self, here), change)
        self.total(here, change)
        return self.name_last(self.signal)

    def _make(self, size: int) -> None:
        outputs = self.shape[0] if self.shape else 1
        first = noise((self.hidden, size), self.signal) / math.sqrt(size)
        shift = noise((self.hidden,), f"{self.signal} shift")
        last = torch.zeros(outputs, self.hidden)
        for part, tensor in {"in": first, "in_bias": shift, "out": last, "out_bias": last[:, 0]}.items():
            self.keys[part] = self.make_weight(f"{self.signal}_{part}", tensor)

    def _context(self, here: Value) -> Value:
        """The context as one vector."""
        if self.names is None:
            known = [item.value for item in self.network.program.inputs if item.value.type.kind == Kind.REAL]
            found = [*self.see(tuple(known)), *([] if here in known else [here])]
        else:
            found = [here if name == self.signal else self.visible(name, "the correction") for name in self.names]
        parts = []
        for value in found:
            if value.type.kind == Kind.COMPLEX:
                raise TensorizeError(f"`{value.name}` is complex and cannot be a context: name a real signal")
            real = self.fit(value, Type(Kind.REAL))
            flat = self.reshaped(real, (math.prod(value.type.shape),))
            parts.append(self.add("asinh", finite(self, flat)))
        return parts[0] if len(parts) == 1 else self.concatenated(*parts)


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Numbers and vectors to which something learned could be added."""
    for value, span in named_signals(network.program):
        if len(value.type.shape) <= 1:
            yield Suggestion(f"correct(net, {value.name!r})", f"`{value.name}` can have a learned correction", span)
