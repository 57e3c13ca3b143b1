"""PyTorch and its device, for every program that is written with it."""

import os
import pathlib
import tempfile

from event_clock import EventClock
from protocol import Refused, WallClock, library


def clock_of(torch):
    return EventClock(torch.cuda.synchronize, lambda: torch.cuda.Event(enable_timing=True))


# Words of a style, and the modes of torch.compile that they mean.
MODES = {"overhead": "reduce-overhead", "autotune": "max-autotune"}


def cached_code():
    """The folder of compiled code that `-cached` programs share, in this process and in later ones."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(cache).expanduser() / "braggbench" / "torch-compile"


class Library:
    """`style` is a way of running (`eager`, `compile`) with its details after dashes: `cpu` or `tf32`; of `compile` also
    `overhead` or `autotune`, which are its modes, and `cached`, which loads what an earlier process compiled."""

    def __init__(self, style):
        way, *more = style.split("-")
        self.compiles = way == "compile"
        self.mode = next((MODES[word] for word in more if word in MODES), "default")
        if self.compiles:
            self.keep_code("cached" in more)
        torch = self.torch = library("PyTorch", "torch")
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

    def keep_code(self, cached):
        """PyTorch reads its folder of compiled code when it is imported. Without `cached` it is empty and ends with this
        process, so that nothing is loaded that an earlier process compiled."""
        self.folder = None if cached else tempfile.TemporaryDirectory(prefix="braggbench-torch-")
        folder = cached_code() if cached else pathlib.Path(self.folder.name)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
        os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")

    def compiled(self, function):
        return self.torch.compile(function, mode=self.mode) if self.compiles else function

    def owned(self, values):
        """A copy where the next call writes over `values`: modes that replay CUDA graphs return the same memory each time."""
        return values if self.mode == "default" else values.clone()

    def to_device(self, values):
        return self.torch.from_numpy(values.copy()).to(self.where)

    def to_host(self, values):
        return values.detach().cpu().numpy()

    def free(self):
        if self.where.type == "cuda":
            self.torch.cuda.empty_cache()
