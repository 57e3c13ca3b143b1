"""Numba and its device, for every program that is written with it."""

from event_clock import EventClock
from protocol import Refused


def clock_of(cuda):
    return EventClock(cuda.synchronize, cuda.event)


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
