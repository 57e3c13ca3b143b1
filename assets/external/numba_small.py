"""Small measured workloads in Numba CUDA, by the kernels of numba_kernels.py. `kernel` is the only style. Speaks the protocol of README.md."""

import numpy as np

from numba_device import clock_of, open_device
from protocol import serve
from small_work import AXPY_A, SCALE, SmallProgram

BLOCK = 256


class Library:
    def __init__(self):
        self.cuda, device, self.device, self.versions = open_device()
        import numba_kernels

        # The simulator's device does not say.
        self.multiprocessors = getattr(device, "MULTIPROCESSOR_COUNT", 1)
        self.kernels = numba_kernels
        self.clock = clock_of(self.cuda)

    def to_device(self, values):
        return self.cuda.to_device(np.ascontiguousarray(values))

    def to_host(self, values):
        return values.copy_to_host()

    def empty(self, shape):
        return self.cuda.device_array(shape, np.float32)

    def free(self):
        pass


def blocks(n, each=BLOCK):
    return (n + each - 1) // each


def elementwise(library, of, problem):
    out, n = library.empty(problem.count("n")), problem.count("n")
    launched = library.kernels.scaled_sum[blocks(n), BLOCK]
    return lambda: launched(of["a"], of["b"], SCALE, out), lambda: [out]


def launch(library, of, problem):
    launched, steps = library.kernels.axpy[blocks(problem.count("n")), BLOCK], problem.count("steps")

    def work():
        for _ in range(steps):
            launched(AXPY_A, of["x"], of["y"])

    return work, lambda: [of["y"]]


def reduction(library, of, problem):
    """A grid that fills the device, then one block."""
    sums, n = library.kernels.sums, problem.count("n")
    count = max(1, min(8 * library.multiprocessors, blocks(n, 4 * BLOCK)))
    parts, total = library.empty(count), library.empty(1)
    first, last = sums[count, BLOCK], sums[1, BLOCK]

    def work():
        first(of["values"], parts)
        last(parts, total)

    return work, lambda: [total]


def host_loop(library, of, problem):
    rows, length, radius = problem.count("rows"), problem.count("length"), problem.count("radius")
    out = library.empty((rows, length))
    launched = library.kernels.convolve[(blocks(length), min(rows, 65535)), (BLOCK, 1)]
    return lambda: launched(of["rows"], of["taps"], radius, out), lambda: [out]


def layer(library, of, problem):
    if problem.words["direction"] != "forward":
        raise ValueError("this style has the forward direction only")
    batch, outputs, tile = problem.count("batch"), problem.count("outputs"), library.kernels.TILE
    bias = library.to_device(np.zeros(outputs, np.float32)) if of["b"] is None else of["b"]
    y = library.empty((batch, outputs))
    launched = library.kernels.forward[(blocks(outputs, tile), blocks(batch, tile)), (tile, tile)]
    return lambda: launched(of["x"], of["w"], bias, y), lambda: [y]


WAYS = {
    "elementwise": {"kernel": elementwise},
    "launch": {"kernel": launch},
    "reduction": {"kernel": reduction},
    "host-loop": {"kernel": host_loop},
    "": {"kernel": layer},
}

if __name__ == "__main__":
    serve(lambda request: SmallProgram(request, Library(), WAYS))
