"""Small measured workloads in NumPy: `array` (whole-array expressions) and `loop` (a row at a time, as the published
notes do). Speaks the protocol of README.md."""

import numpy as np

from protocol import WallClock, serve
from small_work import AXPY_A, SCALE, SmallProgram


class Library:
    device, versions = "cpu", {}

    def __init__(self):
        self.clock = WallClock()

    def to_device(self, values):
        return values.copy()

    to_host = staticmethod(np.asarray)

    def free(self):
        pass


def elementwise(_library, of, _problem):
    out = {}

    def work():
        out["sum"] = (of["a"] + of["b"]) * SCALE

    return work, lambda: [out["sum"]]


def launch(_library, of, problem):
    def work():
        for _ in range(problem.count("steps")):
            of["y"] += AXPY_A * of["x"]

    return work, lambda: [of["y"]]


def reduction(_library, of, _problem):
    out = {}

    def work():
        out["sum"] = of["values"].sum()

    return work, lambda: [out["sum"]]


def slices(of, problem):
    """Each row with as many zeros at its ends as the taps reach."""
    radius = problem.count("radius")
    return np.pad(of["rows"], ((0, 0), (radius, radius)))


def convolve_rows(_library, of, problem):
    padded, length, out = slices(of, problem), problem.count("length"), np.empty_like(of["rows"])

    def work():
        out.fill(0)
        for k, tap in enumerate(of["taps"]):
            np.add(out, tap * padded[:, k : k + length], out=out)

    return work, lambda: [out]


def convolve_loop(_library, of, problem):
    padded, out, backwards = slices(of, problem), np.empty_like(of["rows"]), of["taps"][::-1]

    def work():
        for row in range(problem.count("rows")):
            out[row] = np.convolve(padded[row], backwards, mode="valid")

    return work, lambda: [out]


def gemm(_library, of, _problem):
    out = {}

    def work():
        out["c"] = of["a"] @ of["b"]

    return work, lambda: [out["c"]]


def layer(_library, of, problem):
    out = {}

    def forward():
        z = of["x"] @ of["w"].T
        if of["b"] is not None:
            z += of["b"]
        out["all"] = [np.maximum(z, 0, out=z)]

    def backward():
        g = of["dy"] * (of["y"] > 0)
        out["all"] = [g @ of["w"], g.T @ of["x"]] + ([] if of["b"] is None else [g.sum(axis=0)])

    return (forward if problem.words["direction"] == "forward" else backward), lambda: out["all"]


WAYS = {
    "elementwise": {"array": elementwise},
    "launch": {"array": launch},
    "reduction": {"array": reduction},
    "host-loop": {"array": convolve_rows, "loop": convolve_loop},
    "gemm": {"array": gemm},
    "": {"array": layer},
}

if __name__ == "__main__":
    serve(lambda request: SmallProgram(request, Library(), WAYS))
