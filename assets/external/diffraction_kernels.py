"""Diffraction images by kernels of a pixel a thread: what they are given, and the Program about them. Positions, indices
and their multiples in FP64, what is left of a turn in FP32."""

import numpy as np

from diffraction_model import Model
from protocol import Program

SHAPES = ("square", "round", "gauss", "tophat")


class ImageTables:
    """A model's numbers as flat arrays, FP64 but for the structure factors."""

    def __init__(self, model):
        self.model = model
        middle = 0.5 * model.subpixel * (model.fast + model.slow)
        # Centre of the first sub-pixel, and the steps from it.
        self.plate = np.concatenate([model.origin + middle, model.subpixel * model.fast, model.subpixel * model.slow])
        self.rays = np.array([[*direction, 1.0 / wavelength] for direction, wavelength, _, _ in model.sources])
        self.lights = np.array([np.concatenate([d, magnetic, electric]) for d, _, magnetic, electric in model.sources])
        self.edges = np.array([edges.ravel() for edges in model.orientations])
        table = np.full((1, 1, 1), model.default_f) if model.table is None else model.table
        self.factors = np.ascontiguousarray(table, dtype=np.float32).ravel()
        self.box = np.array([*([0, 0, 0] if model.first is None else model.first), *table.shape], dtype=np.int32)


class KernelImage(Program):
    """`library` has `device`, `versions`, `clock`, `to_host`, `free` and `image(model)`, which gives a function that draws
    once, and the image's array."""

    precision = "fp32"

    def __init__(self, request, library):
        super().__init__(request)
        self.library = library
        self.device, self.versions, self.clock = library.device, library.versions, library.clock
        self.draw = self.image = None

    def prepare(self):
        with self.part("crystal, beam and detector"):
            model = Model(self.request["problem"])
        with self.part("tables and kernel"):
            self.draw, self.image = self.library.image(model)
            self.draw()  # compiles, and brings the kernel to the device
            self.clock.start()
            self.clock.stop()
        self.shape = (model.height, model.width)

    def repeat(self, count):
        for _ in range(count):
            self.draw()

    def answer(self):
        return {"image": self.library.to_host(self.image).reshape(self.shape)}

    def close(self):
        self.draw = self.image = None
        self.library.free()
