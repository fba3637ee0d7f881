"""Which numbers of the source are weights, what they are called and where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from deepalgo.ir import Attr, Role, Weight
from deepalgo.ir.standing import WHOLE_EXPONENT
from deepalgo.origins import Holder, Kind, Origin, Origins
from deepalgo.spans import Span
from deepalgo.stage.state.standings import Standings


@dataclass(slots=True)
class WeightTable:
    """The weights found so far, by name; a place in the source is one weight however often it is read."""

    found: dict[str, Weight] = field(default_factory=dict)
    places: dict[Any, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    holders: dict[Any, list[Holder]] = field(default_factory=dict)
    remembering: dict[str, None] = field(default_factory=dict)  # functions that keep answers of earlier calls
    standings: Standings = field(default_factory=Standings)

    def at(self, place: Any, name: str, value: Attr, shape: tuple[int, ...], span: Span | None) -> str:
        """The name of the weight at a place, made on first sight."""
        key = self.places.get(place)
        if key is not None and self.found[key].value != value and repr(self.found[key].value) != repr(value):
            place = ("another", repr(value), place)  # one text, and another number each time that it ran
            key = self.places.get(place)
        if key is None:
            key = self._unique(name)
            self.places[place] = key
            self.found[key] = Weight(key, value, shape, Role.COEFFICIENT, "", span)
        return key

    def _unique(self, name: str) -> str:
        if name not in self.found:
            return name
        number = 2
        while f"{name}_{number}" in self.found:
            number += 1
        return f"{name}_{number}"

    def copy(self) -> WeightTable:
        """The table as it is, for a trial that may be undone."""
        return WeightTable(dict(self.found), dict(self.places), dict(self.reasons), self.holders, self.remembering, self.standings)

    def hold(self, place: Any, kind: Kind, owner: Any, name: str | int = "", reader: Any = None, path: tuple[Any, ...] = ()) -> None:
        """Note who holds the numbers of a place; several may. `reader` is the function that asks."""
        self.standings.read(place, reader)
        known = self.holders.setdefault(place, [])
        if not any(item.owner is owner and item.name == name and item.path == path for item in known):
            known.append(Holder(kind, owner, name, path))

    def origins(self) -> Origins:
        """Where the weights come from."""
        return Origins({key: self._origin(place) for place, key in self.places.items()}, tuple(self.remembering))

    def _origin(self, place: Any) -> Origin:
        path: list[Any] = []
        while isinstance(place[0], tuple):  # an item of a container
            place, key = place
            path.insert(0, key)
        return Origin(tuple(self.holders.get(place, ())), tuple(path))

    def freeze(self, key: str, why: str) -> None:
        """A static decision was taken on this weight's value. That it is an exponent, which data may free, is the weakest reason."""
        if self.reasons.get(key, WHOLE_EXPONENT) == WHOLE_EXPONENT:
            self.reasons[key] = why

    def finished(self, roles: dict[str, Role]) -> tuple[Weight, ...]:
        """The weights in the order in which they were met, with their roles."""
        places = {key: place for place, key in self.places.items()}
        return tuple(
            replace(weight, role=roles.get(key, Role.COEFFICIENT), frozen=self.reasons.get(key, ""),
                    standing=self.standings.of(key, places[key], weight.span))
            for key, weight in self.found.items()
        )
