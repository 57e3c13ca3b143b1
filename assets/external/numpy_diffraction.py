"""Diffraction images in NumPy, on one core: `fp64` and `mixed`. Speaks the protocol of README.md."""

import numpy as np

from diffraction_array import ImageProgram
from protocol import WallClock, serve


class Library:
    device, versions, xp = "cpu", {}, np
    whole = staticmethod(np.rint)
    dtypes = {"fp32": np.float32, "fp64": np.float64, "index": np.int64}

    def __init__(self):
        self.clock = WallClock()

    def arange(self, n, dtype):
        return np.arange(n, dtype=dtype)

    def to_device(self, values, dtype):
        return np.array(values, dtype=dtype)

    def cast(self, values, dtype):
        return values.astype(dtype, copy=False)

    to_host = staticmethod(np.asarray)

    def compiled(self, function):
        return function

    def owned(self, values):
        return values

    def free(self):
        pass


if __name__ == "__main__":
    serve(lambda request: ImageProgram(request, Library(), request["style"]))
