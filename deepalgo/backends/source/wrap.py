"""Break long expressions at the operator that binds least, in brackets.

>>> print("\\n".join(wrapped("    ", "y = ", "alpha * beta + gamma * delta", "", width=24)))
    y = (
        alpha * beta
        + gamma * delta
    )
>>> print("\\n".join(wrapped("", "return ", '{"a": alpha + beta, "b": gamma}', "", width=24)))
return {
    "a": alpha + beta,
    "b": gamma,
}
"""

from __future__ import annotations

from collections.abc import Iterator

WIDTH = 110
SIGNS = ((" or ", " and "), (" | ", " & "), (" + ", " - "))

ALL = tuple(sign for signs in SIGNS for sign in signs)


def wrapped(indent: str, head: str, text: str, tail: str, width: int = WIDTH) -> Iterator[str]:
    """`head text tail` in one line, or in several where it is too long and can be broken."""
    if len(indent) + len(head) + len(text) + len(tail) <= width:
        yield f"{indent}{head}{text}{tail}"
        return
    inner = indent + "    "
    if head == "return " and text[:1] in "({[" and closes_last(text):
        parts = [part.strip() for part in split(text[1:-1], (",",)) if part.strip()]
        yield f"{indent}{head}{text[0]}{tail}"
        for part in parts:
            key, *rest = split(part.removeprefix(",").strip(), (": ",) if text[0] == "{" else ())
            yield from wrapped(inner, f"{key}: ", rest[0][2:], ",", width) if rest else wrapped(inner, "", key, ",", width)
        yield f"{indent}{text[-1]}{tail}"
        return
    broken = list(_broken(inner, text, width)) if len(split(text, (",",))) == 1 else []
    if not broken:
        yield f"{indent}{head}{text}{tail}"
    elif len(split(text, ALL)) == 1:
        yield f"{indent}{head}{broken[0].strip()}"
        yield from (line[4:] for line in broken[1:-1])
        yield f"{indent}{broken[-1].strip()}{tail}"
    else:
        yield f"{indent}{head}("
        yield from broken
        yield f"{indent}){tail}"


def _broken(indent: str, text: str, width: int) -> Iterator[str]:
    """An expression in several lines, at its sums, or inside of its last bracket; none if it has neither."""
    parts = next((parts for signs in SIGNS if len(parts := split(text, signs)) > 1), [])
    for part in parts:
        yield from _fitted(indent, part.strip(), width)
    if not parts and text.endswith(")"):
        place = _opening(text)
        inside = list(_broken(indent + "    ", text[place + 1 : -1], width)) if len(split(text[place + 1 : -1], (",",))) == 1 else []
        if inside:
            yield f"{indent}{text[: place + 1]}"
            yield from inside
            yield f"{indent})"


def _fitted(indent: str, part: str, width: int) -> Iterator[str]:
    """A part in one line, or broken in turn."""
    broken = list(_broken(indent, part, width)) if len(indent) + len(part) > width and len(split(part, ALL)) == 1 else []
    yield from broken or [f"{indent}{part}"]


def _opening(text: str) -> int:
    """The place of the bracket that the last one closes."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] in ")]}") - (text[place] in "([{")
        if depth == 0:
            return place
    return 0


def closes_last(text: str) -> bool:
    """Whether the first bracket closes at the very end."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return place == len(text) - 1
    return False


def split(text: str, signs: tuple[str, ...]) -> list[str]:
    """The text in front of each of the signs that stands outside of brackets and strings."""
    depth, start, quote, found = 0, 0, "", []
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[place - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0 and place > start and any(text.startswith(sign, place) for sign in signs):
                found.append(text[start:place])
                start = place
    return [*found, text[start:]]


def is_tuple(text: str) -> bool:
    """Whether this is a tuple in brackets.

    >>> is_tuple("(a, b)"), is_tuple("(a + b) * (c, d)"), is_tuple("(a,)")
    (True, False, False)
    """
    return text.startswith("(") and closes_last(text) and len(split(text[1:-1], (",",))) > 1 and not text.endswith(",)")
