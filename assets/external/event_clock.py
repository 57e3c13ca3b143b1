"""The clock of libraries whose events know the milliseconds between them: Numba and PyTorch."""

import time


class EventClock:
    """Events on the stream for the device, and the host's clock up to the end of the work."""

    def __init__(self, synchronize, event):
        self.synchronize = synchronize
        self.begin, self.end = event(), event()

    def start(self):
        self.synchronize()
        self.begun = time.perf_counter()
        self.begin.record()

    def stop(self):
        self.end.record()
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1e-3, time.perf_counter() - self.begun
