"""Files of networks, altered and given the right checksum again: each is refused in clear words, or is a network that works.

    python -m tests.altered_files --count 10000 --seed 0

A file that is loaded is called, differentiated, drawn, and written as source in three styles, which is parsed, searched for texts of
the file, and executed. Whatever else happens is a failure, and is printed with the number that makes it again.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import copy
import faulthandler
import functools
import json
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import deepalgo as da
from deepalgo.drawing.draw import figure
from deepalgo.ir import Kind, Type
from deepalgo.ops.table import TABLE, infer
from deepalgo.storage.file import _checksum
from deepalgo.storage.plain import Tensors, decode
from tests.storage.altered_bases import BASES, Base
from tests.support.alter import CHANGES, CODE, MARK, NUMBERS, anything, double_a_key, place, places

#: Seconds of computing that one file may take, and bytes of memory for all of them.
PATIENCE, MEMORY = 300, 12 * 2**30


@dataclass(frozen=True)
class Original:
    """What a file holds before it is altered."""

    base: Base
    data: Any
    tensors: dict[str, torch.Tensor]
    metadata: dict[str, str]


@functools.cache
def originals() -> tuple[Original, ...]:
    """The files of all bases."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for base in BASES:
            path = Path(folder, base.name)
            base.make().save(path)
            with safe_open(path, "pt") as file:
                metadata = dict(file.metadata())
                tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118  # it is no dictionary
            found.append(Original(base, json.loads(metadata["network"]), tensors, metadata))
    return tuple(found)


def alter(number: int, seed: int, path: Path) -> tuple[Base, list[str]]:
    """Write altered file `number` of a seed; return which one it was, and what was done to it."""
    chance = random.Random(f"{seed} {number}")
    original = chance.choice(originals())
    data, tensors = copy.deepcopy(original.data), {name: tensor.clone() for name, tensor in original.tensors.items()}
    done = []
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        name = chance.choice([*CHANGES, *OWN])
        done.append(name)
        with contextlib.suppress(LookupError, TypeError, AttributeError, ValueError, OverflowError):  # what an earlier change took away
            OWN[name](data, tensors, chance) if name in OWN else CHANGES[name](data, chance)
    if chance.random() < 0.6:
        done.append("types put right")
        with contextlib.suppress(LookupError, TypeError, AttributeError, ValueError, OverflowError):
            put_types_right(data["program"], Tensors(tensors))
    text = json.dumps(data)
    if chance.random() < 0.02:
        done.append("a key twice")
        text = double_a_key(text, chance)
    held = Tensors(tensors)
    save_file(tensors, path, original.metadata | {"network": text, "sha256": _checksum(text, held)})
    return original.base, done


def statements(block: Any) -> Iterator[Any]:
    """Every statement of a block and of those inside."""
    for item in block["body"]:
        yield item
        for key in ("then", "else", "body", "while", "try"):
            if isinstance(item.get(key), dict):
                yield from statements(item[key])
        for handler in item.get("handlers", ()):
            yield from statements(handler["block"])


def put_types_right(program: Any, tensors: Tensors) -> None:
    """Declare what follows from the operands, as someone would who wants the program to be believed."""
    rows = {row[0]: row for row in program["values"]}
    for item in statements(program["body"]):
        if "op" not in item or item["op"] == "weight":
            continue
        args = [Type(Kind[rows[number][1]], tuple(rows[number][2])) for number in item["args"]]
        with contextlib.suppress(Exception):
            found = infer(item["op"], args, {key: decode(value, tensors) for key, value in item["attrs"].items()})
            rows[item["result"]][1:3] = [found.kind.name, list(found.shape)]


def _ops(data: Any) -> list[Any]:
    return [item for item in statements(data["program"]["body"]) if "op" in item]


def _other_operation(data: Any, tensors: Any, chance: random.Random) -> None:
    item = chance.choice(_ops(data))
    item["op"] = chance.choice([*TABLE])


def _other_operand(data: Any, tensors: Any, chance: random.Random) -> None:
    item = chance.choice([item for item in _ops(data) if item["args"]])
    item["args"][chance.randrange(len(item["args"]))] = chance.choice(data["program"]["values"])[0]


def _attribute(data: Any, tensors: Any, chance: random.Random) -> None:
    item = chance.choice([item for item in _ops(data) if item["attrs"]])
    holder, key = place(item["attrs"], chance)
    holder[key] = anything(holder[key], chance)


def _path(data: Any, tensors: Any, chance: random.Random) -> None:
    """The path of an input or a change is another text; often no signature contradicts it."""
    holder = chance.choice([data["program"]["inputs"], data["program"]["changes"] or data["program"]["inputs"]])
    row = chance.choice(holder)
    row[0] = anything(row[0], chance) if chance.random() < 0.5 else f"p[{CODE}]"
    if chance.random() < 0.7:
        data["signature"] = None


def _unsigned(data: Any, tensors: Any, chance: random.Random) -> None:
    data["signature"] = None


def _shape(data: Any, tensors: Any, chance: random.Random) -> None:
    row = chance.choice(data["program"]["values"])
    row[2] = chance.choice(
        [[], [1], [2], [3, 3], [0], [2**20], [4096, 4096], [2**40], [1] * 40, [*row[2], 3], [2 * size for size in row[2]]]
    )


def _kind(data: Any, tensors: Any, chance: random.Random) -> None:
    chance.choice(data["program"]["values"])[1] = chance.choice(["BOOL", "INT", "REAL", "COMPLEX"])


def _name(data: Any, tensors: Any, chance: random.Random) -> None:
    row = chance.choice(data["program"]["values"])
    row[3] = anything(row[3] or "x", chance)


def _rounds(data: Any, tensors: Any, chance: random.Random) -> None:
    loops = [(item, key) for item in statements(data["program"]["body"]) for key in ("loop", "bound") if key in item]
    holder, key = chance.choice([*loops, (data["options"], "max_rounds")])
    holder[key] = chance.choice([*NUMBERS, None])


def _signature(data: Any, tensors: Any, chance: random.Random) -> None:
    holder, key = chance.choice(places(data["signature"]))
    holder[key] = anything(holder[key], chance)


def _message(data: Any, tensors: Any, chance: random.Random) -> None:
    item = chance.choice([item for item in statements(data["program"]["body"]) if "check" in item])
    key = chance.choice(["message", "message", "error"])
    item[key] = anything(item[key], chance)
    if chance.random() < 0.5:
        item["operands"] = [row[0] for row in data["program"]["values"][:1]]


def _output(data: Any, tensors: Any, chance: random.Random) -> None:
    holder, key = chance.choice(places(data["program"]["output"]))
    holder[key] = anything(holder[key], chance)


def _weight(data: Any, tensors: Any, chance: random.Random) -> None:
    holder, key = chance.choice(places(data["program"]["weights"]))
    holder[key] = anything(holder[key], chance)


def _tensor(data: Any, tensors: Any, chance: random.Random) -> None:
    name = chance.choice([*tensors])
    held = tensors[name]
    match chance.randrange(7):
        case 0:
            del tensors[name]
        case 1:
            tensors[name] = held.to(chance.choice([torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.uint8]))
        case 2:
            tensors[name] = torch.zeros(chance.choice([(), (0,), (1,), (2, 2), (3000,)]), dtype=held.dtype)
        case 3:
            tensors[name] = torch.full_like(held, chance.choice([float("nan"), float("inf"), 1e300, -1e300, 0.0]))
        case 4:
            tensors[chance.choice(["weights.x", "table 0", "table 1", CODE])] = tensors.pop(name)
        case 5:
            tensors[chance.choice(["weights.x", "table 9", CODE])] = held.clone()
        case _:
            tensors[name] = held * chance.choice([-1, 2, 1e10])


OWN = {
    "operation": _other_operation,
    "operand": _other_operand,
    "attribute": _attribute,
    "path": _path,
    "unsigned": _unsigned,
    "shape": _shape,
    "kind": _kind,
    "name": _name,
    "rounds": _rounds,
    "signature": _signature,
    "output": _output,
    "message": _message,
    "weight": _weight,
    "tensor": _tensor,
}


class Failure(AssertionError):
    """Neither a clear error nor a network that works."""


def outcome(base: Base, path: Path) -> str:
    """What becomes of a file."""
    try:
        network = da.load(path)
    except da.FileError as error:
        return "refused when it is loaded" if "Nothing of it was run" in str(error) else f"refused with {error}"
    finally:
        _check_nothing_ran()
    repr(network.weights), str(network.program)
    texts = {style: _source(network, style) for style in ("python", "numpy", "numbers")}
    _draw(network)
    found = _call(network, base)
    if isinstance(found, Exception):
        kind = (
            "its heuristic raises an error on the sample" if isinstance(found, da.HeuristicError) else "its call is refused in clear words"
        )
    else:
        kind = "works: answers, gradients, source"
    for text in texts.values():
        if text is not None:
            exec(compile(text, "<source>", "exec"), {})  # defines the function, and runs nothing else
    _check_nothing_ran()
    return kind


def _check_nothing_ran() -> None:
    if hasattr(builtins, MARK):
        delattr(builtins, MARK)
        raise Failure("text of the file was run")


def _source(network: Any, style: str) -> str | None:
    try:
        text = da.source(network, style=style)
    except da.DeepalgoError:
        return None
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id in ("__import__", MARK):
            raise Failure(f"the source has text of the file as code:\n{text}")
    return text


def _draw(network: Any) -> None:
    with contextlib.suppress(da.DeepalgoError):
        picture = figure(network)
        if picture is not None:
            ElementTree.fromstring(picture)


def _call(network: Any, base: Base) -> Any:
    """The answer of a call with gradients, or the clear error."""
    args, kwargs = base.call()
    try:
        answer = network(*args, **kwargs)
        tensors = [item for item in _leaves(answer) if isinstance(item, torch.Tensor) and item.requires_grad]
        if tensors:
            sum(item.abs().sum() for item in tensors).backward()
    except da.DeepalgoError as error:
        return error
    return answer


def _leaves(answer: Any) -> Iterator[Any]:
    if isinstance(answer, dict):
        answer = answer.values()
    elif hasattr(answer, "__dict__") and not isinstance(answer, torch.Tensor):
        answer = vars(answer).values()
    elif not isinstance(answer, (list, tuple)):
        yield answer
        return
    for item in answer:
        yield from _leaves(item)


def guarded(number: int, seed: int, path: Path) -> tuple[str, str]:
    """The outcome of one file, or "failed" and the reason."""
    base, done = alter(number, seed, path)
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return outcome(base, path), ""
    except Exception:  # noqa: BLE001  # everything else is a failure
        return "failed", f"{number} {base.name} {', '.join(done)}\n{traceback.format_exc(limit=-6)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(*_: object) -> None:
    raise Failure(f"not done after {PATIENCE} seconds of computing")


def main() -> None:
    """Alter files and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file, where several processes share the work")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of files that failed")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    torch.set_num_threads(1)
    np.seterr(all="ignore")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in options.only or range(options.first, options.first + options.count):
            kind, reason = guarded(number, options.seed, Path(folder, "altered.safetensors"))
            counts[kind] += 1
            if reason:
                print(reason, flush=True)
    for kind, count in counts.most_common():
        print(f"{count:6}  {kind}")
    sys.exit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
