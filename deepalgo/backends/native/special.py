"""Special functions natively: the compiled entry points that SciPy offers to C.

>>> find("erf_that_is_none") is None
True
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
from typing import Any

from deepalgo.ops.table import TABLE

#: A call of SciPy's with nothing but operands, in their order.
CALL = re.compile(r"scipy\.special\.(\w+)\((\{0\}(?:, \{1\})?(?:, \{2\})?)\)")
#: What SciPy calls a function that has another name there.
OTHER_NAMES = {"digamma": "psi"}


@functools.cache
def find(name: str) -> int | None:
    """The address of the function of an operation, which takes its operands and a zero; None if there is none."""
    row = TABLE.get(name)
    call = CALL.fullmatch(row.python) if row is not None else None
    if call is None:
        return None
    try:
        held: dict[str, Any] = importlib.import_module("scipy.special.cython_special").__pyx_capi__
    except ImportError:
        return None
    wanted = f"double ({'double, ' * call[2].count('{')}int __pyx_skip_dispatch)"
    title = OTHER_NAMES.get(call[1], call[1])
    names = (key for key in held if re.sub(r"^__pyx_fuse_\d+", "", key) == title)
    return next((_address(held[key], wanted) for key in names if _signature(held[key]) == wanted), None)


def _signature(capsule: Any) -> str:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return (name(capsule) or b"").decode()


def _address(capsule: Any, signature: str) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, signature.encode()))
