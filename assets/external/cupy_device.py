"""CuPy and its device, for every program that is written with it."""

import time

from protocol import Refused, library


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


def architecture(cp):
    """90 of compute capability 9.0."""
    return int(cp.cuda.Device().compute_capability)


def open_device():
    """CuPy, the device's name, and the versions. Raises Refused with one readable sentence."""
    cp = library("CuPy", "cupy")
    try:
        name = cp.cuda.runtime.getDeviceProperties(cp.cuda.runtime.getDevice())["name"].decode()
    except cp.cuda.runtime.CUDARuntimeError as error:
        raise Refused("missing", f"CuPy finds no CUDA device: {error}") from error
    return cp, name, {"cupy": cp.__version__, "cuda": str(cp.cuda.runtime.runtimeGetVersion())}
