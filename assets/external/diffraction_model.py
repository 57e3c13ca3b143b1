"""What an image needs besides its pixels, in FP64 and SI units: crystal, orientations, beam and detector, as
kernels/diffraction/model has them, in NumPy."""

import math

import numpy as np

from protocol import Refused

ELECTRON_RADIUS2_M2 = 7.94079248018965e-30
# MOSFLM's laboratory frame: x along the beam, z along the spindle.
BEAM, FAST, SLOW, NORMAL = ((1, 0, 0), (0, 0, 1), (0, -1, 0), (1, 0, 0))
TWOTHETA, POLARISATION, SPINDLE = ((0, 0, -1), (0, 0, 1), (0, 0, 1))
ELLIPSE = 1.1


def rotate(v, axis, angle):
    v, axis = np.asarray(v, float), np.asarray(axis, float)
    c, s = math.cos(angle), math.sin(angle)
    return c * v + s * np.cross(axis, v) + (axis @ v) * (1.0 - c) * axis


def rotate_xyz(v, angles):
    for axis, angle in zip(np.eye(3), angles):
        v = rotate(v, axis, angle)
    return v


def unit(v):
    return v / math.sqrt(v @ v)


class Ran1:
    """Numerical Recipes' ran1, of which mosaic domains are drawn."""

    MODULUS, TABLE = 2147483647, 32

    def __init__(self, seed):
        self.state, self.table = max(1, int(seed)), [0] * self.TABLE
        for j in range(self.TABLE + 7, -1, -1):
            self.advance()
            if j < self.TABLE:
                self.table[j] = self.state
        self.last = self.table[0]

    def advance(self):
        self.state = 16807 * self.state % self.MODULUS

    def __call__(self):
        self.advance()
        slot = self.last // (1 + (self.MODULUS - 1) // self.TABLE)
        self.last, self.table[slot] = self.table[slot], self.state
        return min(float(np.float32((1.0 / self.MODULUS) * self.last)), float(np.float32(1.0 - 1.2e-7)))


def mosaic_domains(spread, count, seed):
    random, out = Ran1(seed), []
    for i in range(count):
        r1, r2, r3 = (2.0 * random() - 1.0 for _ in range(3))
        q = math.sqrt(1.0 - r2 * r2)
        axis = (q * math.sin(math.pi * r1), q * math.cos(math.pi * r1), r2)
        angle = float(np.float32(spread) * np.float32(1.0 - r3 * r3) ** np.float32(1.0 / 3.0))
        turned = np.eye(3) if i == 0 else np.stack([rotate(e, axis, angle) for e in np.eye(3)], axis=1)
        out.append(turned)
    return out


def reciprocal_basis(cell):
    a, b, c = (cell[name] for name in ("a_m", "b_m", "c_m"))
    alpha, beta, gamma = (cell[f"{name}_rad"] for name in ("alpha", "beta", "gamma"))
    ca, cb, cg = math.cos(alpha), math.cos(beta), math.cos(gamma)
    sa, sb, sg = math.sin(alpha), math.sin(beta), math.sin(gamma)
    volume = a * b * c * math.sqrt(1.0 - ca * ca - cb * cb - cg * cg + 2.0 * ca * cb * cg)
    al, bl = b * c * sa / volume, c * a * sb / volume
    cl = a * b * sg / volume
    cas, cbs, cgs = (cb * cg - ca) / (sb * sg), (cg * ca - cb) / (sg * sa), (ca * cb - cg) / (sa * sb)
    sgs = math.sqrt(1.0 - cgs * cgs)
    return [
        np.array([al, 0.0, 0.0]),
        np.array([bl * cgs, bl * sgs, 0.0]),
        np.array([cl * cbs, cl * (cas - cbs * cgs) / sgs, 1.0 / (volume * al * bl * sgs)]),
    ]


def mounted_cell(crystal):
    if "cell" in crystal:
        reciprocal = reciprocal_basis(crystal["cell"])
    else:
        given = crystal["reciprocal"]
        reciprocal = [np.array(given[f"{name}_per_m"]) for name in "abc"]
    a, b, c = (rotate_xyz(v, crystal["misset_rad"]) for v in reciprocal)
    volume = a @ np.cross(b, c)
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / volume


def axis_points(span, points):
    """Places of a grid of the beam, and their part in the ellipse."""
    step = span / (points - 1) if points > 1 else 0.0
    places = [step * i - 0.5 * span if points > 1 else 0.0 for i in range(points)]
    half = 0.25 * step * step if points % 2 == 0 else 0.0
    squares = [(at * at - half) / (span * span) if points > 1 and span != 0.0 else 0.0 for at in places]
    return list(zip(places, squares))


def sources(beam):
    """(direction, wavelength, magnetic, electric) of each."""
    vertical = unit(np.cross(BEAM, POLARISATION).astype(float))
    colours = [at for at, _ in axis_points(beam["dispersion"], beam["dispersion_steps"])]
    out = []
    for h, h2 in axis_points(beam["divergence_h_rad"], beam["divergence_h_steps"]):
        for v, v2 in axis_points(beam["divergence_v_rad"], beam["divergence_v_steps"]):
            if 4.0 * (h2 + v2) > ELLIPSE:
                continue
            direction = rotate(rotate(BEAM, POLARISATION, v), vertical, h)
            magnetic = unit(np.cross(POLARISATION, direction))
            electric = unit(np.cross(direction, magnetic))
            out += [(direction, beam["wavelength_m"] * (1.0 + colour), magnetic, electric) for colour in colours]
    return out


class Model:
    """Refuses what the programs do not draw."""

    def __init__(self, problem):
        crystal, plate, factors = problem["crystal"], problem["detector"], problem["structure_factors"]
        if problem["water_m"] > 0.0:
            raise Refused("unsupported", "water_m: this program draws no background of water")
        if plate["thickness_m"] > 0.0 and plate["attenuation_depth_m"] > 0.0:
            raise Refused("unsupported", "detector.thickness: this program draws on a thin detector")
        if factors["lookup"] != "nearest" and len(factors["reflections"]) > 0:
            raise Refused("unsupported", "structure_factors.lookup: this program takes the nearest reflection")
        self.width, self.height = plate["width"], plate["height"]
        self.oversample, self.each = plate["oversample"], plate["corrections"] == "subpixel"
        self.cells = [max(1.0, n) for n in crystal["cells"]]
        self.shape = crystal["shape"]
        self.pixel, self.subpixel = plate["pixel_m"], plate["pixel_m"] / self.oversample

        def turned(v):
            return rotate(rotate_xyz(np.array(v, float), plate["rotation_rad"]), TWOTHETA, plate["twotheta_rad"])

        self.fast, self.slow, self.normal = turned(FAST), turned(SLOW), turned(NORMAL)
        fast, slow = plate["beam_y_m"] + 0.5 * self.pixel, plate["beam_x_m"] + 0.5 * self.pixel
        self.origin = plate["distance_m"] * np.array(BEAM, float) - fast * self.fast - slow * self.slow
        self.close = float(self.origin @ self.normal)
        self.kahn = problem["beam"]["polarisation"]
        self.sources = sources(problem["beam"])
        cell, rotation = mounted_cell(crystal), problem["rotation"]
        domains = mosaic_domains(crystal["mosaic_spread_rad"], crystal["mosaic_domains"], crystal["mosaic_seed"])
        self.orientations = []
        for i in range(rotation["steps"]):
            phi = rotation["phi0_rad"] + rotation["oscillation_rad"] / rotation["steps"] * i
            about = np.stack([rotate(edge, SPINDLE, phi) for edge in cell])
            self.orientations += [about @ domain.T for domain in domains]
        steps = self.oversample**2 * len(self.sources) * len(self.orientations)
        self.scale = ELECTRON_RADIUS2_M2 * problem["beam"]["fluence_m2"] / steps
        self.default_f, self.table, self.first = factors["default"], None, None
        if len(factors["reflections"]) > 0:
            listed = np.array(factors["reflections"]).reshape(-1, 4)
            indices = listed[:, :3].astype(np.int64)
            self.first = indices.min(axis=0)
            self.table = np.full(indices.max(axis=0) - self.first + 1, float(self.default_f))
            self.table[tuple((indices - self.first).T)] = listed[:, 3]
