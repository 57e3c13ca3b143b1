"""Runs a candidate for a user problem. Arrays are shared with the engine, which does the timing and the audits.
kernels/user_problem/python.cpp starts this program and uses the same file descriptors."""

import importlib.util
import mmap
import os
import struct
import sys

# Set before the imports, because libraries read their number of threads when they are loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = sys.argv[3]
# Threads of these libraries sleep as soon as a call ends, because other candidates may be timed then.
os.environ.update(OMP_WAIT_POLICY="passive", GOMP_SPINCOUNT="0", KMP_BLOCKTIME="0", OPENBLAS_THREAD_TIMEOUT="4")

import numpy as np  # noqa: E402

MEMORY, REQUESTS, ANSWERS = 3, 4, 5
LIBRARIES_BYTES = 8 << 30  # address space of an interpreter with its libraries
MAX_MESSAGE = 4000

# NumPy has no bf16, so its bits are passed as uint16. tf32 is stored as fp32.
TYPES = {
    "fp64": np.float64,
    "fp32": np.float32,
    "tf32": np.float32,
    "fp16": np.float16,
    "bf16": np.uint16,
    "int32": np.int32,
    "int8": np.int8,
    "bool": np.bool_,
    "complex64": np.complex64,
    "complex128": np.complex128,
}


def read(count):
    out = b""
    while len(out) < count:
        part = os.read(REQUESTS, count - len(out))
        if not part:
            # The engine has closed the pipe.
            os._exit(0)
        out += part
    return out


def array(line, writable, readable):
    role, _name, kind, offset, *shape = line.split(" ")
    shape = [int(size) for size in shape]
    count = int(np.prod(shape, dtype=np.int64))
    memory = writable if role == "out" else readable
    return np.frombuffer(memory, TYPES[kind], count, int(offset)).reshape(shape)


def limit_memory(most):
    try:
        import resource

        limit = most + LIBRARIES_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, ValueError, OSError):
        # Not supported, or this process already has a lower limit.
        pass


def load(file):
    spec = importlib.util.spec_from_file_location("candidate", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate"] = module
    spec.loader.exec_module(module)
    return module.run


def place_of(error, file):
    """Returns the last line of the candidate's file in the traceback."""
    line, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == file:
            line = at.tb_lineno
        at = at.tb_next
    return os.path.basename(file) + ("" if line is None else f":{line}")


def answer(number):
    os.write(ANSWERS, number)


def fail(message):
    text = message.encode()[:MAX_MESSAGE]
    os.write(ANSWERS, struct.pack("<QI", 0, len(text)) + text)


def main():
    file, size, _threads, most = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    sys.path.pop(0)
    limit_memory(most)
    (length,) = struct.unpack("<I", read(4))
    *lines, axes = read(length).decode().split("\n")
    writable = mmap.mmap(MEMORY, size)
    readable = mmap.mmap(MEMORY, size, prot=mmap.PROT_READ)
    os.close(MEMORY)
    arguments = [array(line, writable, readable) for line in lines] + [int(axis) for axis in axes.split()]
    number = read(8)
    try:
        run = load(file)
        answer(number)
        while True:
            number = read(8)
            found = run(*arguments)
            if found is not None:
                raise TypeError("run returned a value; allowed: None, as results are written to its arrays")
            answer(number)
    except BaseException as error:
        fail(f"{place_of(error, file)}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
