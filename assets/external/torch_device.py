"""PyTorch and its device, for every program that is written with it."""

from event_clock import EventClock
from protocol import Refused, WallClock, library


def clock_of(torch):
    return EventClock(torch.cuda.synchronize, lambda: torch.cuda.Event(enable_timing=True))


class Library:
    """`style` is a way of running (`eager`, `compile`) with what it runs on or in behind dashes."""

    def __init__(self, style):
        torch = library("PyTorch", "torch")
        way, *more = style.split("-")
        self.torch, self.compiles = torch, way == "compile"
        self.precision = "tf32" if "tf32" in more else "fp32"
        self.versions = {"torch": torch.__version__}
        on_cpu = "cpu" in more
        if not on_cpu and not torch.cuda.is_available():
            raise Refused("missing", "PyTorch finds no CUDA device")
        self.where = torch.device("cpu" if on_cpu else "cuda")
        self.device = "cpu" if on_cpu else torch.cuda.get_device_name()
        self.clock = WallClock() if on_cpu else clock_of(torch)
        self.threads = torch.get_num_threads() if on_cpu else None
        torch.set_grad_enabled(False)
        torch.set_float32_matmul_precision("high" if self.precision == "tf32" else "highest")
        torch.backends.cudnn.allow_tf32 = self.precision == "tf32"

    def compiled(self, function):
        return self.torch.compile(function) if self.compiles else function

    def to_device(self, values):
        return self.torch.from_numpy(values.copy()).to(self.where)

    def to_host(self, values):
        return values.detach().cpu().numpy()

    def free(self):
        if self.where.type == "cuda":
            self.torch.cuda.empty_cache()
