"""Numba and its device, for every program that is written with it."""

import numpy as np
from event_clock import EventClock
from protocol import Refused, library


# Numba looks these up as it is imported. NumPy removed them: https://numpy.org/doc/stable/release (2.4 and 2.5).
RENAMED = {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}


def restore_numpy_names():
    """Gives NumPy the earlier names that the installed Numba still imports; the functions are the same."""
    for earlier, today in RENAMED.items():
        if not hasattr(np, earlier) and hasattr(np, today):
            setattr(np, earlier, getattr(np, today))


def clock_of(cuda):
    return EventClock(cuda.synchronize, cuda.event)


def open_device():
    """Numba's CUDA, the device, its name, and the versions. Raises Refused with one readable sentence."""
    restore_numpy_names()
    numba, cuda = library("Numba", "numba", "numba.cuda")
    if not cuda.is_available():
        raise Refused("missing", "Numba finds no CUDA device")
    device = cuda.current_context().device
    # Numba's simulator, in which these kernels are tested, has a device without a name.
    name = getattr(device, "name", "simulator")
    return cuda, device, name.decode() if isinstance(name, bytes) else str(name), {"numba": numba.__version__}
