"""CuPy on the host, as far as programs of assets/external use it for kernels: arrays are NumPy's, and CUDA C++ is compiled
by the compiler of C++ and run by cuda_on_host.hpp. For tests where there is no GPU; times mean nothing."""

import ctypes
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import types

import numpy as np
from numpy import float32, float64, int32, int64, rint, uint32, uint64  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ("-O1", "-std=c++20", "-fPIC", "-shared", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-but-set-variable")
NAMESPACES = "namespace bb::transport {}\nnamespace bb::diffraction::device {}\n"
USED = "using namespace bb::transport;\nusing namespace bb::diffraction::device;\n"
__version__ = "on-host"


class ndarray(np.ndarray):
    """What lies on the device."""

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)


def _on_device(values):
    return np.ascontiguousarray(values).view(ndarray)


def asarray(values, dtype=None):
    return _on_device(np.array(values, dtype=dtype, order="C"))


def asnumpy(values):
    return np.array(values)


def zeros(shape, dtype=float64):
    return _on_device(np.zeros(shape, dtype))


def empty(shape, dtype=float64):
    return _on_device(np.full(shape, np.nan if np.dtype(dtype).kind == "f" else 1, dtype))


def empty_like(values):
    return empty(values.shape, values.dtype)


def arange(n, dtype=None):
    return _on_device(np.arange(n, dtype=dtype))


def get_default_memory_pool():
    return types.SimpleNamespace(free_all_blocks=lambda: None)


def _gcc(arguments):
    out = subprocess.run(["g++", *FLAGS, f"-I{HERE}", *arguments], capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    return out.stdout


def _library(code):
    """What g++ makes of a text, with a launcher for each kernel in it, whatever macro wrote that."""
    folder = pathlib.Path(os.environ["CUPY_ON_HOST"])
    key = hashlib.sha256(code.encode()).hexdigest()[:16]
    source, binary = folder / f"{key}.cpp", folder / f"{key}.so"
    if not binary.exists():
        text = f'#include "cuda_on_host.hpp"\n{NAMESPACES}{code}\n{USED}'
        source.write_text(text)
        kernels = re.findall(r'extern "C"\s+void\s+(\w+)\(', _gcc(["-E", source]))
        launchers = (
            f'extern "C" void launch_{name}(void** a, const unsigned* g, const unsigned* b) {{\n'
            f"  on_host::launch({name}, a, g, b);\n}}\n"
            for name in kernels
        )
        source.write_text(text + "".join(launchers))
        _gcc(["-o", binary, source])
    return ctypes.CDLL(str(binary))


def _argument(value):
    """The bytes that a kernel gets for one argument: a pointer, a number, or a structure by value."""
    if isinstance(value, ndarray):
        return np.array([value.ctypes.data], np.uint64)
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, np.generic):
        return np.array([value])
    raise TypeError(f"unsupported type {type(value)}")


def _launch(function, grid, block, args):
    grid, block = (np.array((*shape, 1, 1)[:3], np.uint32) for shape in (grid, block))
    held = [_argument(value) for value in args]
    pointers = (ctypes.c_void_p * len(held))(*(one.ctypes.data for one in held))
    function(pointers, ctypes.c_void_p(grid.ctypes.data), ctypes.c_void_p(block.ctypes.data))


class RawModule:
    def __init__(self, code, options=()):
        defined = (o[2:].replace("=", " ", 1) for o in options if o.startswith("-D"))
        self.library = _library("".join(f"#define {one}\n" for one in defined) + code)

    def get_function(self, name):
        function = getattr(self.library, f"launch_{name}")
        return lambda grid, block, args: _launch(function, grid, block, args)


def RawKernel(code, name, options=()):
    return RawModule(code, options).get_function(name)


_C_TYPES = {"float32": "float", "float64": "double", "int32": "int", "uint8": "unsigned char"}


class ElementwiseKernel:
    """Of raw arrays and numbers; the last parameter is what is made, one number for each `i`. T is the type of arrays
    that say so."""

    def __init__(self, inputs, output, operation, name, preamble=""):
        self.parameters, self.made = [one.split() for one in inputs.split(",")], output.split()
        self.operation, self.name, self.preamble = operation, name, preamble

    def _function(self, general):
        def c_type(kind):
            return _C_TYPES[general if kind == "T" else kind]

        declared = ", ".join(
            f"const {c_type(kind[-2])}{'*' if kind[0] == 'raw' else ''} {kind[-1]}" for kind in self.parameters
        )
        made = c_type(self.made[0])
        body = f"  for (int i = 0; i < elements; ++i) {{\n    {made}& {self.made[1]} = made_[i];\n{self.operation}\n  }}"
        head = f'extern "C" void {self.name}({declared}, {made}* made_, int elements)'
        code = f"{self.preamble}\nusing T = {_C_TYPES[general]};\n{head} {{\n{body}\n}}\n"
        return getattr(_library(code), f"launch_{self.name}")

    def __call__(self, *args, size=None):
        given, out = (args, None) if size is not None else (args[:-1], args[-1])
        kinds = [kind for *_, kind, _ in self.parameters]
        general = next((str(value.dtype) for value, kind in zip(given, kinds) if kind == "T"), "float32")
        if out is None:
            out = empty(size, self.made[0])
        typed = [
            value if parameter[0] == "raw" else np.dtype(general if kind == "T" else kind).type(value)
            for value, kind, parameter in zip(given, kinds, self.parameters)
        ]
        _launch(self._function(general), (1,), (1,), (*typed, out, int32(out.size)))
        return out


class ReductionKernel:
    """Sums; what is summed is an expression of C that is one of Python too."""

    def __init__(self, inputs, _output, mapped, reduced, *_):
        if reduced != "a + b":
            raise NotImplementedError(reduced)
        self.names, self.mapped = [one.split()[-1] for one in inputs.split(",")], mapped

    def __call__(self, *args, axis=None):
        return eval(self.mapped, dict(zip(self.names, args))).sum(axis=axis, dtype=float64)


class Event:
    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass


cuda = types.SimpleNamespace(
    Device=lambda: types.SimpleNamespace(compute_capability="0"),
    Event=Event,
    get_elapsed_time=lambda begin, end: max(1e-6, 1e3 * (end.at - begin.at)),
    runtime=types.SimpleNamespace(
        CUDARuntimeError=RuntimeError,
        getDevice=lambda: 0,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda _: {"name": b"the host", "multiProcessorCount": 1},
        runtimeGetVersion=lambda: 0,
    ),
)
