"""Structures of Braggbench's kernels as NumPy has them. Each is checked against the kernels' own by lines of C++ that are
compiled with them, so that a change of theirs is an error and never a wrong number."""

import numpy as np

POINTER = np.uint64


def struct(*fields):
    """(name, type), laid out as C++ lays them out."""
    return np.dtype(list(fields), align=True)


def layout_checks(structs):
    """C++ that compiles only where structures have exactly these members, in this order and of these sizes; `structs` as
    (C++ name, dtype). A compiler at run time knows no offsets; they follow from all that."""
    lines = []
    for at, (name, dtype) in enumerate(structs):
        places = ", ".join(f"m{n}" for n in range(len(dtype.names)))
        named = ", ".join(f".{field} = {{}}" for field in dtype.names)
        lines += [
            f"using BbChecked{at} = {name};",
            f'static_assert(sizeof(BbChecked{at}) == {dtype.itemsize}, "size of {name}");',
            f"using BbOrdered{at} = decltype(BbChecked{at}{{{named}}});",
            f"[[maybe_unused]] __device__ inline void bb_counted{at}(BbChecked{at}& s) {{",
            f"  [[maybe_unused]] auto& [{places}] = s;",
            *(f'  static_assert(sizeof(s.{field}) == {dtype[field].itemsize}, "{name}, {field}");' for field in dtype.names),
            "}",
        ]
    return "\n".join(lines) + "\n"


def filled(dtype, **values):
    """One structure of these values, as CuPy hands it to a kernel by value; what is not named is 0."""
    out = np.zeros(1, dtype)
    for name, value in values.items():
        out[name] = value
    return out
