"""PyTorch on the host, as far as programs of assets/external use it: tensors are NumPy's arrays. `compile` runs the function
itself; its modes that replay CUDA graphs write every result to the memory of the first, as PyTorch does. For tests without
PyTorch and without a GPU; times mean nothing."""

import os
import time
import types

import numpy as np
from numpy import ceil, clip, cos, exp, float32, float64, int64, round, sin, sqrt, where  # noqa: A004, F401

__version__ = "on-host"
# PyTorch reads it once, when it is imported.
cache_folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
modes = []


class Tensor(np.ndarray):
    def view(self, *shape):
        if not all(isinstance(n, int) for n in shape):
            return super().view(*shape)
        if not self.flags.c_contiguous:
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        return self.reshape(shape)

    def transpose(self, *axes):
        return self.swapaxes(*axes) if len(axes) == 2 and self.ndim > 2 else super().transpose(*axes)

    def sum(self, dim=None, axis=None, **more):
        return super().sum(axis=axis if dim is None else dim, **more)

    def contiguous(self):
        return np.ascontiguousarray(self).view(Tensor)

    def clone(self):
        return self.copy()

    def add_(self, other, alpha=1):
        self += self.dtype.type(alpha) * other
        return self

    def to(self, where):
        return self if isinstance(where, types.SimpleNamespace) else self.astype(where)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.asarray(self)


def device(name):
    return types.SimpleNamespace(type=name)


def from_numpy(values):
    return values.view(Tensor)


def as_tensor(values, dtype, device):
    return np.array(values, dtype=dtype).view(Tensor)


def arange(n, dtype, device):
    return np.arange(n, dtype=dtype).view(Tensor)


def full_like(values, value):
    return np.full_like(values, value)


ones_like, zeros_like = np.ones_like, np.zeros_like


def relu(values):
    return np.maximum(values, 0)


def _linear(x, w, b):
    return x @ w.T if b is None else x @ w.T + b


def compile(function, mode="default"):
    modes.append(mode)
    if mode == "default":
        return function
    memory = []

    def replayed(*of):
        result = np.asarray(function(*of)).view(Tensor)
        if not memory:
            memory.append(result.copy())
        memory[0][...] = result
        return memory[0]

    return replayed


def set_grad_enabled(_on):
    pass


def set_float32_matmul_precision(_name):
    pass


def get_num_threads():
    return 1


class _Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3


nn = types.SimpleNamespace(functional=types.SimpleNamespace(linear=_linear))
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(allow_tf32=False))
cuda = types.SimpleNamespace(
    is_available=lambda: True,
    get_device_name=lambda: "host",
    synchronize=lambda: None,
    empty_cache=lambda: None,
    Event=_Event,
)
