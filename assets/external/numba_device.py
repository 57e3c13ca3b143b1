"""Numba and its device, for every program that is written with it."""

from event_clock import EventClock
from protocol import Refused, library


def clock_of(cuda):
    return EventClock(cuda.synchronize, cuda.event)


def open_device():
    """Numba's CUDA, the device, its name, and the versions. Raises Refused with one readable sentence."""
    numba, cuda = library("Numba", "numba", "numba.cuda")
    if not cuda.is_available():
        raise Refused("missing", "Numba finds no CUDA device")
    device = cuda.current_context().device
    # Numba's simulator, in which these kernels are tested, has a device without a name.
    name = getattr(device, "name", "simulator")
    return cuda, device, name.decode() if isinstance(name, bytes) else str(name), {"numba": numba.__version__}
