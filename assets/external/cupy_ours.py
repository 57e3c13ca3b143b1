"""The same steps by Braggbench's own kernels of `cuda-gather`, compiled and launched by CuPy: what CuPy itself costs."""

import cupy as cp
import numpy as np

from array_solver import ArraySolver
from cupy_device import architecture
from device_structs import POINTER, filled, layout_checks, struct
from our_kernels import COMPILED, constant_checks, constants_of, source_of

GATHER = "cuda/dense/cuda_gather"
SHAPES = ("kGatherThreads", "kScoreWarps", "kGatherAngles", "kGatherAngleRows", "kGatherStreamBins")
LEDGER_COLUMNS = 24
FACES = 6
# As LedgerColumn of device_tables.hpp counts them: numbers first, then energies.
IN_FLIGHT, STOPPED, ESCAPED = 0, 1, 2
NUCLEAR, SKIPPED, ENERGY_IN_FLIGHT, ENERGY_ESCAPED = ESCAPED + FACES, ESCAPED + FACES + 1, 10, 11
ENERGY_NUCLEAR = ENERGY_ESCAPED + FACES
X_FACES, Z_FACES, THETA_FACES = (0, 1), (2, 3), (4, 5)

INTEGERS = ("ne", "ntheta", "nz", "nx", "materials", "classes", "depth", "angle_half_max", "reach_down", "reach_up")
TABLES = ("path_of", "gather_begin", "gather_source", "gather_weight", "deposit", "stopped", "nuclear", "nuclear_escape")
TABLES += ("angle_begin", "angle_weight", "whole_x", "whole_z", "flux_x", "flux_z", "plane_weight", "theta", "energy")
TABLES += ("map", "mixed")
DEVICE_TABLES = struct(
    *((name, np.int32) for name in INTEGERS),
    *(("dx", np.float64), ("dz", np.float64)),
    *((name, POINTER) for name in TABLES),
)
REACTIONS = struct(
    *((name, POINTER) for name in ("number", "bin", "upper", "plane_of")),
    *((name, np.int32) for name in ("cells", "bins", "columns")),
)
FIELDS = ("dose", "current", "current_theta", "current_theta_theta")
SCORES = struct(
    *((name, POINTER) for name in (*FIELDS, "ledger", "extremes")),
    ("reactions", REACTIONS),
)
STEP = struct(
    *(("tables", DEVICE_TABLES), ("scores", SCORES), ("from", POINTER), ("to", POINTER)),
    *((name, np.int32) for name in ("step", "rows", "plane", "first_bin", "bins")),
    ("stop_number", np.float64),
)


def source(real):
    """The kernels, and lines that hold their structures and columns to those above."""
    of = "bb::transport::"
    columns = {"kInFlight": IN_FLIGHT, "kStopped": STOPPED, "kEscaped": ESCAPED, "kNuclear": NUCLEAR}
    columns |= {"kSkipped": SKIPPED, "kEnergyInFlight": ENERGY_IN_FLIGHT, "kEnergyEscaped": ENERGY_ESCAPED}
    columns |= {"kEnergyNuclear": ENERGY_NUCLEAR, "kLedgerColumns": LEDGER_COLUMNS}
    columns |= {"kXLow": X_FACES[0], "kZLow": Z_FACES[0], "kThetaLow": THETA_FACES[0], "kFaces": FACES}
    counted = "".join(f'static_assert({of}{name} == {at}, "{name}");\n' for name, at in columns.items())
    structs = ((f"{of}DeviceTables<{real}>", DEVICE_TABLES), (f"{of}DeviceReactions", REACTIONS))
    structs += ((f"{of}DeviceScores", SCORES), (f"{of}DeviceStep<{real}>", STEP))
    constants = constant_checks(of, SHAPES, shape_constants())
    return source_of("transport", GATHER + ".cu") + counted + constants + layout_checks(structs)


def shape_constants():
    return constants_of("transport", GATHER + ".hpp", SHAPES, architecture(cp))


def pointer(array):
    return array.data.ptr


class OurSolver(ArraySolver):
    """State, tables and sums are CuPy's arrays; a step is the five launches that `cuda-gather` makes."""

    def __init__(self, xp, tables, dtype, problem, steps_max):
        self.problem, self.steps_max, self.steps = problem, steps_max, 0
        super().__init__(xp, tables, dtype)
        real, suffix = ("float", "f32") if dtype == np.float32 else ("double", "f64")
        module = cp.RawModule(code=source(real), options=COMPILED)
        names = ("gather_score", "gather_slow_down", "gather_scatter_angles", "gather_stream_x", "gather_stream_z")
        self.kernels = [module.get_function(f"{name}_{suffix}") for name in names]
        self.shapes = self.launches()
        nz, nx = tables.map.shape
        self.fields = cp.zeros((len(FIELDS), nz, nx))
        self.dose = self.fields[0]
        self.ledger, self.extremes = cp.zeros((steps_max, LEDGER_COLUMNS)), cp.zeros(2, cp.float32)
        scores = {name: pointer(field) for name, field in zip(FIELDS, self.fields)}
        scores = filled(SCORES, **scores, ledger=pointer(self.ledger), extremes=pointer(self.extremes))
        whole = {"tables": self.device_tables(), "scores": scores, "rows": nz, "bins": tables.shape[0]}
        # Steps that are asked for after the last one find that the run is over, and change nothing.
        self.context = filled(STEP, **whole, stop_number=problem["solver"]["stop_weight"] * tables.number_in)

    def prepare_energy(self, _ne):
        """Tables are the kernels' own."""

    def prepare_angle(self):
        """As above."""

    def prepare_streaming(self):
        """As above."""

    def over_cells(self, values, _dtype=None):
        return np.zeros((1, 1))

    def device_tables(self):
        t, spec = self.tables, self.problem["grid"]
        ne, ntheta, nz, nx = t.shape
        materials, half = len(t.half), t.half.ravel()
        kernels = t.angle.reshape(len(half), -1)
        weights = np.concatenate([row[: taps + 1] for row, taps in zip(kernels, half)])
        lost = {name: (getattr(t, name), self.dtype) for name in ("deposit", "stopped", "nuclear", "nuclear_escape")}
        arrays = {
            **{"path_of": (np.zeros(1), np.int32), "gather_begin": (t.begin, np.int32), **lost},
            **{"gather_source": (t.source, np.int32), "gather_weight": (t.weight, self.dtype)},
            **{"angle_begin": (np.concatenate([[0], np.cumsum(half + 1)]), np.int32)},
            **{"angle_weight": (weights, self.dtype), "theta": (t.theta, self.dtype), "energy": (t.energy, np.float64)},
            **{"whole_x": (t.whole_x, np.int32), "whole_z": (t.whole_z, np.int32)},
            **{"flux_x": (t.flux_x, self.dtype), "flux_z": (t.flux_z, self.dtype)},
            "plane_weight": (self.problem["solver"]["step_mm"] * np.cos(t.theta) / spec["dz_mm"], self.dtype),
            **{"map": (t.map, np.uint8), "mixed": ((t.map != t.map[:, :1]).any(axis=1), np.uint8)},
        }
        self.arrays = {name: cp.asarray(np.ascontiguousarray(v, dtype)) for name, (v, dtype) in arrays.items()}
        sizes = {"ne": ne, "ntheta": ntheta, "nz": nz, "nx": nx, "materials": materials, "classes": 1}
        sizes |= {"angle_half_max": int(half.max()), "dx": spec["dx_mm"], "dz": spec["dz_mm"]}
        return filled(DEVICE_TABLES, **sizes, **{name: pointer(array) for name, array in self.arrays.items()})

    def launches(self):
        """(grid, block) of each kernel, as cuda_gather_passes.hpp has them."""
        ne, ntheta, nz, nx = self.tables.shape
        threads, warps, angles, rows, bins = shape_constants()
        cells = nz * nx

        def blocks(work, each):
            return -(-work // each)

        stream = ((blocks(cells, threads), ntheta, blocks(ne, bins)), (threads, 1, 1))
        return [
            ((blocks(nx, 32), nz, 1), (32, warps, 1)),
            ((blocks(cells, threads), blocks(ntheta, angles), ne), (threads, 1, 1)),
            ((blocks(cells, 32), blocks(ntheta, rows), ne), (32, rows, 1)),
            *(stream, stream),
        ]

    def step(self):
        s = self.context
        s["step"] = self.steps
        for n, (kernel, (grid, block)) in enumerate(zip(self.kernels, self.shapes)):
            s["from"], s["to"] = pointer(self.psi), pointer(self.next)
            kernel(grid, block, (s,))
            if n > 0:  # the first reads only
                self.swap()
        self.steps += 1

    def protons(self):
        """As the ledger's last row leaves it: what its step began with, less what that lost. None where it is over."""
        if self.steps == 0:
            return super().protons()
        row = cp.asnumpy(self.ledger[self.steps - 1])
        return row[IN_FLIGHT] - row[STOPPED] - row[NUCLEAR] - row[SKIPPED] - row[ESCAPED : ESCAPED + FACES].sum()

    def taken(self, _asked):
        return int((self.ledger[: self.steps, IN_FLIGHT] > 0).sum())

    @property
    def losses(self):
        rows = cp.asnumpy(self.ledger).sum(axis=0)

        def escaped(faces):
            return tuple(sum(rows[first + face] for face in faces) for first in (ESCAPED, ENERGY_ESCAPED))

        return {
            **{"stopped": (rows[STOPPED], 0.0), "nuclear": (rows[NUCLEAR], rows[ENERGY_NUCLEAR])},
            **{"escaped_theta": escaped(THETA_FACES), "escaped_x": escaped(X_FACES), "escaped_z": escaped(Z_FACES)},
        }

    @losses.setter
    def losses(self, value):
        """ArraySolver starts with none; ours are on the device."""
