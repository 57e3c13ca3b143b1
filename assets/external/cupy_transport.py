"""Proton transport in CuPy, in five styles: `array` (expressions), `elementwise` (ElementwiseKernel and
ReductionKernel), `raw` (RawKernel), `ours` (Braggbench's own kernels in a RawModule: what CuPy itself costs) and `loop`
(the published notes' FFT a slice). Speaks the protocol of README.md."""

from functools import partial

from cupy_device import DeviceClock, open_device
from protocol import LOOK_EVERY, Refused, serve
from transport_program import TransportProgram

STYLES = ("array", "elementwise", "raw", "ours", "loop")


def solver_of(request):
    style = request["style"]
    if style == "array":
        from array_solver import ArraySolver

        return ArraySolver
    if style == "loop":
        from loop_solver import LoopSolver

        return LoopSolver
    if style == "elementwise":
        from cupy_elementwise import ElementwiseSolver

        return ElementwiseSolver
    if style == "ours":
        from cupy_ours import OurSolver

        return partial(OurSolver, problem=request["problem"], steps_max=request["steps_max"])
    from cupy_raw import RawSolver

    return RawSolver


def program(request):
    if request["style"] not in STYLES:
        raise Refused("unsupported", f"style {request['style']!r} is not known; allowed: {', '.join(STYLES)}")
    cp, device, versions = open_device()
    solver = solver_of(request)
    out = TransportProgram(request, lambda tables, dtype: solver(cp, tables, dtype), cp.asnumpy, LOOK_EVERY)
    out.device, out.versions, out.clock = device, versions, DeviceClock(cp)
    return out


if __name__ == "__main__":
    serve(program)
