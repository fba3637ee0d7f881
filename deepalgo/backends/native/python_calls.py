"""Machine code as functions of Python: what such code calls of Python, and the object that Python calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

#: What code calls of Python, as LLVM declares it.
CALLED = {
    "PyFloat_AsDouble": "double (ptr)", "PyFloat_FromDouble": "ptr (double)", "PyLong_FromLongLong": "ptr (i64)",
    "PyLong_AsLongLong": "i64 (ptr)", "PyBool_FromLong": "ptr (i64)", "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)", "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)", "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
}
#: Where an object says what its class is: at the end of what all objects have.
CLASS_AT = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
#: The function gets its arguments as an array.
METH_FASTCALL = 0x80


class MethodDefinition(ctypes.Structure):
    """Python's `PyMethodDef`."""

    _fields_ = (("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(("PyCFunction_NewEx", ctypes.pythonapi))


def declarations(names: Iterable[str] = tuple(CALLED)) -> str:
    """The lines that declare functions of Python."""
    return "\n".join(f"declare {CALLED[name].replace(' (', f' @{name}(', 1)}" for name in names)


def addresses(names: Iterable[str] = tuple(CALLED)) -> dict[str, int]:
    """Where they are."""
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in names}


def python_function(name: str, address: int, itself: Any = None) -> tuple[Callable[..., Any], MethodDefinition]:
    """A function of Python at an address, which gets `itself` first; it lives as long as its definition and its code do."""
    definition = MethodDefinition(name.encode(), address, METH_FASTCALL, None)
    return _new(ctypes.addressof(definition), itself, None), definition
