"""Diffraction images in Numba CUDA, by the kernel of numba_image_kernels.py. `kernel` is the only style. Speaks the protocol
of README.md."""

import numpy as np

from diffraction_kernels import SHAPES, ImageTables, KernelImage
from numba_device import clock_of, open_device
from protocol import Refused, serve


class Library:
    def __init__(self):
        self.cuda, _, self.device, self.versions = open_device()
        self.clock = clock_of(self.cuda)

    def image(self, model):
        from numba_image_kernels import BLOCK, image_kernel

        tables, cuda = ImageTables(model), self.cuda
        names = ("plate", "rays", "lights", "edges", "box", "factors")
        given = [cuda.to_device(np.ascontiguousarray(getattr(tables, name))) for name in names]
        image = cuda.device_array((model.height, model.width), np.float32)
        kernel = image_kernel(model, SHAPES.index(model.shape))
        grid = (-(-model.width // BLOCK[0]), -(-model.height // BLOCK[1]))

        def draw():
            kernel[grid, BLOCK](*given, image)

        return draw, image

    def to_host(self, image):
        return image.copy_to_host()

    def free(self):
        """Numba frees what nobody holds."""


def program(request):
    if request["style"] != "kernel":
        raise Refused("unsupported", f"style {request['style']!r} is not known; allowed: kernel")
    return KernelImage(request, Library())


if __name__ == "__main__":
    serve(program)
