"""Proton transport in CuPy, in three styles: `array` (expressions), `elementwise` (ElementwiseKernel and
ReductionKernel) and `raw` (RawKernel). Speaks the protocol of README.md."""

import time

import numpy as np

from protocol import LOOK_EVERY, Refused, serve, solve_repeatedly
from transport_tables import build_tables

STYLES = ["array", "elementwise", "raw"]


class DeviceClock:
    """Events on the stream for the device, and the host's clock up to the end of the work."""

    def __init__(self, cp):
        self.begin, self.end = cp.cuda.Event(), cp.cuda.Event()
        self.elapsed = cp.cuda.get_elapsed_time

    def start(self):
        self.end.record()
        self.end.synchronize()
        self.begun = time.perf_counter()
        self.begin.record()

    def stop(self):
        self.end.record()
        self.end.synchronize()
        return self.elapsed(self.begin, self.end) * 1e-3, time.perf_counter() - self.begun


def open_device():
    """CuPy and the device's name. Raises Refused with one readable sentence."""
    try:
        import cupy as cp
    except ImportError as error:
        raise Refused("missing", f"CuPy is not installed for this Python: {error}") from error
    try:
        return cp, cp.cuda.runtime.getDeviceProperties(cp.cuda.runtime.getDevice())["name"].decode()
    except cp.cuda.runtime.CUDARuntimeError as error:
        raise Refused("missing", f"CuPy finds no CUDA device: {error}") from error


def solver_of(style):
    if style == "array":
        from array_solver import ArraySolver

        return ArraySolver
    if style == "elementwise":
        from cupy_elementwise import ElementwiseSolver

        return ElementwiseSolver
    from cupy_raw import RawSolver

    return RawSolver


def solve(request):
    cp, device = open_device()
    begun = time.perf_counter()
    tables = build_tables(request["problem"])
    tables_s = time.perf_counter() - begun
    precision = request["problem"]["solver"]["precision"]
    dtype = np.float32 if precision == "fp32" else np.float64
    solver = solver_of(request["style"])
    try:
        answer = solve_repeatedly(
            request, tables, lambda: solver(cp, tables, dtype), DeviceClock(cp), cp.asnumpy, LOOK_EVERY
        )
    except cp.cuda.memory.OutOfMemoryError as error:
        raise MemoryError(str(error)) from error
    versions = {"cupy": cp.__version__, "cuda": str(cp.cuda.runtime.runtimeGetVersion())}
    return {"device": device, "precision": precision, "tables_s": tables_s, "versions": versions, **answer}


if __name__ == "__main__":
    serve(STYLES, solve)
