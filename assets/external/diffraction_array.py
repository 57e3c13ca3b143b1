"""Diffraction images as whole-array expressions, for any library with NumPy's functions: all pixels at once, one
orientation after the other. `fp64`; `fp32` throughout, which loses the turns of large indices; `mixed`: indices in FP64,
sines of what is left of them in FP32."""

import math

from protocol import Program

SPHERE = 0.723601254558268
GAUSS_WIDTH2 = 0.63
TOPHAT_RADIUS2 = 0.3969


def dot(v, at):
    return v[0] * at[0] + v[1] * at[1] + v[2] * at[2]


def row_of_cells(xp, whole, h, n, sines):
    """N cells in a row; whole turns come off before the product with π."""
    fraction = h - whole(h)
    turns = n * fraction
    below = xp.sin(math.pi * sines(fraction))
    above = xp.sin(math.pi * sines(turns - whole(turns)))
    zero = below == 0
    return xp.where(zero, xp.full_like(below, n), above / xp.where(zero, xp.ones_like(below), below))


def envelope(xp, shape, cells, rho2, sines):
    number = cells[0] * cells[1] * cells[2]
    if shape == "gauss":
        return number * xp.exp(sines(rho2) * (-1.0 / GAUSS_WIDTH2))
    if shape == "tophat":
        inside = sines(rho2) < TOPHAT_RADIUS2
        return xp.where(inside, xp.full_like(sines(rho2), number), xp.zeros_like(sines(rho2)))
    x = math.pi * xp.sqrt(sines(rho2))
    y = x * x
    small = y < 0.01
    series = 1.0 - y / 10.0 * (1.0 - y / 28.0 * (1.0 - y / 54.0 * (1.0 - y / 88.0)))
    away = xp.where(small, xp.ones_like(x), x)
    return number * SPHERE * xp.where(small, series, 3.0 * (xp.sin(away) / away - xp.cos(away)) / (away * away))


class ImageProgram(Program):
    """`library` has `xp`, `whole` (to the nearest), `to_device(values, dtype)`, `to_host`, `arange(n)`, `compiled`,
    `owned`, and dtypes by name in `dtypes`."""

    def __init__(self, request, library, arithmetic):
        super().__init__(request)
        self.library, self.arithmetic = library, arithmetic
        self.device, self.versions, self.clock = library.device, library.versions, library.clock
        self.precision = "fp32" if arithmetic == "mixed" else arithmetic
        self.positions = None
        self.crystal = library.compiled(self.intensity)

    def prepare(self):
        from diffraction_model import Model

        with self.part("crystal, beam and detector"):
            self.model = model = Model(self.request["problem"])
        library = self.library
        self.long = library.dtypes["fp32" if self.arithmetic == "fp32" else "fp64"]
        self.short = library.dtypes["fp64" if self.arithmetic == "fp64" else "fp32"]
        with self.part("positions"):
            fast = (library.arange(model.width * model.oversample, self.long) + 0.5) * model.subpixel
            slow = (library.arange(model.height * model.oversample, self.long) + 0.5) * model.subpixel
            # [slow][sub-pixel][fast][sub-pixel]
            fast = fast.reshape(1, 1, model.width, model.oversample)
            slow = slow.reshape(model.height, model.oversample, 1, 1)
            at = [
                fast * float(model.fast[i]) + slow * float(model.slow[i]) + float(model.origin[i]) for i in range(3)
            ]
            self.path = library.xp.sqrt(dot(at, at))
            self.direction = [one / self.path for one in at]
            edges = [edge.ravel() for edge in model.orientations]
            self.edges = [library.to_device(one, self.long) for one in edges]
            self.beams = [
                library.to_device([*direction, 1.0 / wavelength], self.long)
                for direction, wavelength, _, _ in model.sources
            ]
            self.table = None if model.table is None else library.to_device(model.table, self.short)
            self.clock.start()
            self.clock.stop()

    def sines(self, values):
        return self.library.cast(values, self.short)

    def intensity(self, x, y, z, beam, edges):
        """F² of one orientation in one beam, of every sub-pixel."""
        xp, whole, model = self.library.xp, self.library.whole, self.model
        q = [(x - beam[0]) * beam[3], (y - beam[1]) * beam[3], (z - beam[2]) * beam[3]]
        hkl = [dot(edges[3 * i : 3 * i + 3], q) for i in range(3)]
        if model.shape == "square":
            f = 1.0
            for h, n in zip(hkl, model.cells):
                f = f * (1.0 if n == 1 else row_of_cells(xp, whole, h, n, self.sines))
        else:
            rests = [n * (h - whole(h)) for h, n in zip(hkl, model.cells)]
            f = envelope(xp, model.shape, model.cells, dot(rests, rests), self.sines)
        f = f * self.structure(hkl)
        return f * f

    def structure(self, hkl):
        if self.table is None:
            return float(self.model.default_f)
        xp, library = self.library.xp, self.library
        inside, places = None, []
        for h, first, count in zip(hkl, self.model.first, self.model.table.shape):
            place = library.cast(xp.ceil(h - 0.5), library.dtypes["index"]) - int(first)
            here = (place >= 0) & (place < count)
            inside = here if inside is None else inside & here
            places.append(xp.clip(place, 0, int(count) - 1))
        found = self.table[places[0], places[1], places[2]]
        return xp.where(inside, found, xp.full_like(found, float(self.model.default_f)))

    def correction(self, source, direction, path):
        """Polarisation and solid angle."""
        xp, model = self.library.xp, self.model
        incident, _, magnetic, electric = ([float(v) for v in one] if hasattr(one, "__len__") else one for one in source)
        cos2 = dot(incident, direction) ** 2
        polar = 1.0 + cos2
        if model.kahn != 0.0:
            b2, e2 = dot(magnetic, direction) ** 2, dot(electric, direction) ** 2
            across = b2 + e2
            none = across == 0
            turn = (e2 - b2) / xp.where(none, xp.ones_like(across), across)
            polar = polar - model.kahn * turn * (1.0 - cos2)
        return 0.5 * polar * (model.pixel**2 * model.close / (path * path * path))

    def repeat(self, count):
        for _ in range(count):
            self.image = self.draw()

    def draw(self):
        model, total = self.model, None
        x, y, z = self.direction
        for source, beam in zip(model.sources, self.beams):
            scattered = None
            for edges in self.edges:
                one = self.crystal(x, y, z, beam, edges)
                scattered = self.library.owned(one) if scattered is None else scattered + one
            if model.each:
                scattered = scattered * self.correction(source, self.direction, self.path)
            total = scattered if total is None else total + scattered
        if model.oversample > 1:
            total = total.sum(axis=(1, 3))
        total = total.reshape(model.height, model.width) * model.scale
        if model.each:
            return total
        first = [one[:, 0, :, 0] for one in self.direction]
        return total * self.correction(model.sources[0], first, self.path[:, 0, :, 0])

    def answer(self):
        return {"image": self.library.to_host(self.image)}

    def close(self):
        self.path = self.direction = self.edges = self.beams = self.table = self.image = None
        self.library.free()
