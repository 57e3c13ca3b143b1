"""Proton transport in NumPy: whole-array expressions on one core. Speaks the protocol of README.md."""

import time

import numpy as np

from array_solver import ArraySolver
from protocol import WallClock, serve, solve_repeatedly
from transport_tables import build_tables


def solve(request):
    begun = time.perf_counter()
    tables = build_tables(request["problem"])
    tables_s = time.perf_counter() - begun
    precision = request["problem"]["solver"]["precision"]
    dtype = np.float32 if precision == "fp32" else np.float64
    answer = solve_repeatedly(
        request, tables, lambda: ArraySolver(np, tables, dtype), WallClock(), np.asarray, look_every=1
    )
    return {"device": "cpu", "precision": precision, "tables_s": tables_s, **answer}


if __name__ == "__main__":
    serve(["array"], solve)
