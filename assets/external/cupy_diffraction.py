"""Diffraction images in CuPy's array expressions: `fp64` and `mixed`. Speaks the protocol of README.md."""

from cupy_device import DeviceClock, open_device
from diffraction_array import ImageProgram
from protocol import serve


class Library:
    def __init__(self):
        self.xp, self.device, self.versions = open_device()
        xp = self.xp
        self.clock, self.whole, self.to_host = DeviceClock(xp), xp.rint, xp.asnumpy
        self.dtypes = {"fp32": xp.float32, "fp64": xp.float64, "index": xp.int64}

    def arange(self, n, dtype):
        return self.xp.arange(n, dtype=dtype)

    def to_device(self, values, dtype):
        return self.xp.asarray(values, dtype=dtype)

    def cast(self, values, dtype):
        return values.astype(dtype, copy=False)

    def compiled(self, function):
        return function

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    serve(lambda request: ImageProgram(request, Library(), request["style"]))
