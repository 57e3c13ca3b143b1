"""Proton transport in NumPy: `array` (whole-array expressions on one core), and `loop`, which scatters as the published
notes do, one FFT a slice in a triple loop. Speaks the protocol of README.md."""

import numpy as np

from array_solver import ArraySolver
from loop_solver import LoopSolver
from protocol import Refused, serve
from transport_program import TransportProgram

SOLVERS = {"array": ArraySolver, "loop": LoopSolver}


def program(request):
    solver = SOLVERS.get(request["style"])
    if solver is None:
        raise Refused("unsupported", f"style {request['style']!r} is not known; allowed: {', '.join(SOLVERS)}")
    return TransportProgram(request, lambda tables, dtype: solver(np, tables, dtype))


if __name__ == "__main__":
    serve(program)
