"""Diffraction images in CuPy: array expressions in `fp64` and `mixed`; `elementwise` (ElementwiseKernel), `raw` (RawKernel)
and `ours` (Braggbench's own kernel in a RawModule: what CuPy itself costs). Speaks the protocol of README.md."""

from cupy_device import DeviceClock, open_device
from diffraction_array import ImageProgram
from diffraction_kernels import KernelImage
from protocol import Refused, serve

ARITHMETICS, KERNELS = ("fp64", "mixed"), ("elementwise", "raw", "ours")


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

    def owned(self, values):
        return values

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()


class KernelLibrary(Library):
    def __init__(self, style):
        super().__init__()
        if style == "ours":
            from cupy_image_ours import ours as image
        elif style == "raw":
            from cupy_image_kernels import raw as image
        else:
            from cupy_image_kernels import elementwise as image
        self.image = image


def program(request):
    style = request["style"]
    if style in KERNELS:
        return KernelImage(request, KernelLibrary(style))
    if style not in ARITHMETICS:
        allowed = ", ".join((*ARITHMETICS, *KERNELS))
        raise Refused("unsupported", f"style {style!r} is not known; allowed: {allowed}")
    return ImageProgram(request, Library(), style)


if __name__ == "__main__":
    serve(program)
