"""Programs as machine code, by LLVM: samples are lanes of vectors, up to 32 at a time."""

from deepalgo.backends.native.call import Call
from deepalgo.backends.native.engine import Engine, Gradient, engine_of
from deepalgo.backends.native.kernel import Kernel, KernelOutcome, compile_kernel
from deepalgo.backends.native.mathematics import Mathematics
from deepalgo.backends.native.text import Unsupported

__all__ = ["Call", "Engine", "Gradient", "Kernel", "KernelOutcome", "Mathematics", "Unsupported", "compile_kernel", "engine_of"]
