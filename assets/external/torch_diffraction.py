"""Diffraction images in PyTorch: `eager` and `compile`, with `fp64`, `fp32` or `mixed` after a dash, and further details of
torch_device.py. Speaks the protocol of README.md."""

from diffraction_array import ImageProgram
from protocol import serve
from torch_device import Library


class Images(Library):
    def __init__(self, style):
        super().__init__(style)
        torch = self.torch
        self.xp, self.whole = torch, torch.round
        self.dtypes = {"fp32": torch.float32, "fp64": torch.float64, "index": torch.int64}

    def arange(self, n, dtype):
        return self.torch.arange(n, dtype=dtype, device=self.where)

    def to_device(self, values, dtype):
        return self.torch.as_tensor(values, dtype=dtype, device=self.where)

    def cast(self, values, dtype):
        return values.to(dtype)


def program(request):
    arithmetic = next((word for word in request["style"].split("-") if word in ("fp64", "fp32", "mixed")), "fp64")
    out = ImageProgram(request, Images(request["style"]), arithmetic)
    return out


if __name__ == "__main__":
    serve(program)
