"""Numba and its device, for every program that is written with it."""

import time

from protocol import Refused


class EventClock:
    """Events on the stream for the device, and the host's clock up to the end of the work."""

    def __init__(self, cuda):
        self.cuda = cuda
        self.begin, self.end = cuda.event(), cuda.event()

    def start(self):
        self.cuda.synchronize()
        self.begun = time.perf_counter()
        self.begin.record()

    def stop(self):
        self.end.record()
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1e-3, time.perf_counter() - self.begun


def open_device():
    """Numba's CUDA, the device, its name, and the versions. Raises Refused with one readable sentence."""
    try:
        import numba
        from numba import cuda
    except ImportError as error:
        raise Refused("missing", f"Numba is not installed for this Python: {error}") from error
    if not cuda.is_available():
        raise Refused("missing", "Numba finds no CUDA device")
    device = cuda.current_context().device
    # Numba's simulator, in which these kernels are tested, has a device without a name.
    name = getattr(device, "name", "simulator")
    return cuda, device, name.decode() if isinstance(name, bytes) else str(name), {"numba": numba.__version__}
