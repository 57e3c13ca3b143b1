"""The protocol of rivals: a line of JSON on standard input asks, a line of JSON on standard output answers.
README.md beside this file describes every field."""

import contextlib
import hashlib
import importlib
import json
import os
import platform
import sys
import time

import numpy as np

PROTOCOL = 2
LOOK_EVERY = 8  # steps between two looks at what is in flight, where looking waits for the device
MOST_REPETITIONS = 20_000
STEEPEST = 100.0  # a first repetition misleads: by this much at most is the next batch longer


class Refused(Exception):
    """What this program cannot do; `code` is 'missing', 'unsupported' or 'memory'."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def library(name, *modules):
    """The modules of a library. Raises Refused with one readable sentence, whatever its import comes to."""
    try:
        found = [importlib.import_module(module) for module in modules]
    except ImportError as error:
        raise Refused("missing", f"{name} is not installed for this Python: {error}") from error
    except Exception as error:
        raise Refused("missing", f"{name} does not start in this Python: {error}") from error
    return found[0] if len(found) == 1 else found


class WallClock:
    """Times with the host's clock; a program on a device brings its own clock."""

    def start(self):
        self.begun = time.perf_counter()

    def stop(self):
        """Device seconds (None: there is no device) and wall seconds."""
        return None, time.perf_counter() - self.begun


class Program:
    """One contestant on one problem; programs derive from it."""

    device = "cpu"
    precision = "fp32"

    def __init__(self, request):
        self.request = request
        self.clock = WallClock()
        self.versions = {}
        self.parts = {}

    @contextlib.contextmanager
    def part(self, name):
        """A named part of the set-up."""
        begun = time.perf_counter()
        yield
        self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - begun

    def prepare(self):
        """Builds the state that `repeat` works on, anew, and waits until it is there."""

    def repeat(self, count):
        """Does the work so often; the clock waits for it."""
        raise NotImplementedError

    def answer(self):
        """By name, FP64 arrays on the host."""
        raise NotImplementedError

    def facts(self):
        """Further fields of the answer: `steps`, `cell_steps`, `ledger`, `note`."""
        return {}

    def close(self):
        """Frees its memory."""


def digest(arrays):
    out = hashlib.blake2b(digest_size=8)
    for values in arrays.values():
        out.update(np.ascontiguousarray(values).tobytes())
    return out.hexdigest()


def host_arrays(program):
    return {name: np.asarray(values, dtype=np.float64) for name, values in program.answer().items()}


class Conversation:
    """What is asked of one program, in any order after `open`."""

    def __init__(self, make):
        self.make = make
        self.program = None
        self.repetitions = 0

    def open(self, asked):
        if asked.get("protocol") != PROTOCOL:
            raise Refused("unsupported", f"the request is of protocol {asked.get('protocol')}; this one knows {PROTOCOL}")
        self.program = program = self.make(asked)
        versions = {"python": platform.python_version(), "numpy": np.__version__, **program.versions}
        return {
            "protocol": PROTOCOL,
            "device": program.device,
            "precision": program.precision,
            "versions": versions,
        }

    def prepare(self, _asked):
        program = self.program
        program.close()
        program.parts = {}
        begun = time.perf_counter()
        program.prepare()
        return {"setup_s": time.perf_counter() - begun, "parts": program.parts}

    def timed(self, count):
        clock = self.program.clock
        clock.start()
        self.program.repeat(count)
        return clock.stop()

    def sample(self, asked):
        """As many repetitions as take `at_least_s`; the first sample finds how many."""
        if self.repetitions == 0:
            self.timed(1)  # compiles
            count, least = 1, asked["at_least_s"]
            while True:
                device_s, host_s = self.timed(count)
                seconds = host_s if device_s is None else device_s
                if seconds >= least or count >= MOST_REPETITIONS:
                    break
                wanted = 1.2 * count * least / seconds if seconds > 0 else STEEPEST * count
                count = int(min(MOST_REPETITIONS, max(2 * count, min(wanted, STEEPEST * count))))
            self.repetitions = count
        device_s, host_s = self.timed(self.repetitions)
        count = self.repetitions
        return {
            "repetitions": count,
            "device_s": None if device_s is None else device_s / count,
            "host_s": host_s / count,
        }

    def run(self, _asked):
        """From the problem to its answer in this process's memory."""
        program = self.program
        program.close()
        program.parts = {}
        begun = time.perf_counter()
        program.prepare()
        setup_s = time.perf_counter() - begun
        device_s, host_s = self.timed(1)
        arrays = host_arrays(program)
        wall_s = time.perf_counter() - begun
        return {
            "setup_s": setup_s,
            "parts": program.parts,
            "device_s": device_s,
            "host_s": host_s,
            "wall_s": wall_s,
            "hash": digest(arrays),
        }

    def answer(self, asked):
        """What the last run left; of a prepared state, of one repetition from it."""
        program = self.program
        if asked["fresh"]:
            program.close()
            program.prepare()
            self.timed(1)
        arrays = host_arrays(program)
        np.savez(asked["file"], **arrays)
        return {"arrays": list(arrays), "hash": digest(arrays), **program.facts()}


@contextlib.contextmanager
def own_output():
    """The protocol's end of the pipe; whatever else writes to standard output writes to standard error."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        yield out
    finally:
        out.close()


def refusal(error):
    if isinstance(error, Refused):
        return error.code, str(error)
    if isinstance(error, MemoryError) or type(error).__name__ in ("OutOfMemoryError", "CudaAPIError"):
        return "memory", str(error)
    return "unsupported", str(error)


def serve(make):
    """Answers until its input ends. `make(request)` gives the Program; it raises Refused."""
    with own_output() as out:
        conversation = Conversation(make)
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                answer = getattr(conversation, asked["do"])(asked)
            except (Refused, ValueError, MemoryError, RuntimeError, ImportError) as error:
                code, message = refusal(error)
                answer = {"error": {"code": code, "message": message.strip().split("\n")[0]}}
            out.write(json.dumps(answer) + "\n")
            out.flush()
