"""Machine code of a module's text, by LLVM, for the processor that this runs on."""

from __future__ import annotations

import ctypes
import functools
import importlib
import platform
import threading
from typing import Any

from deepalgo.backends.native.text import Unsupported

_lock = threading.Lock()

#: Text of more lines than this is compiled with less effort.
LONG = 6000
#: first, last, inputs, weights, outputs, sums, codes, count, rounds, tape, limit, arrays
NUMBER, POINTER = ctypes.c_int64, ctypes.c_void_p
Function = ctypes.CFUNCTYPE(NUMBER, NUMBER, NUMBER, *[POINTER] * 5, NUMBER, NUMBER, *[POINTER] * 3)


@functools.cache
def _llvm() -> Any:
    """LLVM, made ready for this processor."""
    try:
        llvm = importlib.import_module("llvmlite.binding")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    except (ImportError, OSError, RuntimeError) as error:
        raise Unsupported(f"LLVM is missing here: {error}") from None
    return llvm


@functools.cache
def _processor() -> tuple[Any, str, str]:
    llvm = _llvm()
    return llvm.Target.from_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def fuses() -> bool:
    """Whether the processor multiplies and adds in one step, which vector forms of functions need."""
    if platform.machine().lower() in ("arm64", "aarch64"):
        return True
    return bool(_llvm().get_host_cpu_features().get("fma", False))


class MachineCode:
    """A compiled module, and the function in it; both go together. A module that is `hasty` is compiled soon, and runs more slowly."""

    def __init__(self, text: str, symbols: dict[str, int], name: str = "run", type: Any = Function, hasty: bool = False) -> None:
        llvm = _llvm()
        with _lock:
            for symbol, address in symbols.items():
                llvm.add_symbol(symbol, address)
            target, cpu, features = _processor()
            machine = target.create_target_machine(cpu=cpu, features=features, opt=0 if hasty else 2)  # which goes with the module
            module = _parsed(llvm, text)
            module.triple = machine.triple
            if not hasty:
                options = llvm.create_pipeline_tuning_options(speed_level=0 if text.count("\n") > LONG else 1)
                options.loop_vectorization = options.slp_vectorization = False
                builder = llvm.create_pass_builder(machine, options)
                builder.getModulePassManager().run(module, builder)
            self.engine = llvm.create_mcjit_compiler(module, machine)
            self.engine.finalize_object()
            self.function = type(self.address(name))

    def address(self, name: str) -> int:
        """Where a function of the module is."""
        return int(self.engine.get_function_address(name))


def _parsed(llvm: Any, text: str) -> Any:
    try:
        module = llvm.parse_assembly(text)
        module.verify()
        return module
    except RuntimeError as error:
        raise Unsupported(f"LLVM does not read the code: {error}") from None
