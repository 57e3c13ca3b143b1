"""Braggbench's own kernel sources as one text that any compiler of CUDA C++ takes: its includes are put in place, those of
the standard library too, of which a compiler at run time has none."""

import os
import pathlib
import re

from protocol import Refused

INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
STANDARD_INCLUDE = re.compile(r"^#include <(\w+)>$", re.MULTILINE)
STANDARD_HEADERS = "cuda/compile/standard_headers.hpp"
HEADER_TEXT = re.compile(r'\{"(\w+)",\s*(?:R"\((.*?)\)"|"((?:[^"\\]|\\.)*)")\}', re.DOTALL)
# As the engine itself compiles them: native/cuda/compile/runtime_compiler.cpp.
COMPILED = ("--std=c++20", "--fmad=true", "--device-as-default-execution-space")


def root():
    """The folder of the kernels' sources: beside the program, or that of its checkout."""
    named = os.environ.get("BRAGGBENCH_KERNELS")
    here = pathlib.Path(__file__).resolve().parent
    for folder in ([pathlib.Path(named) / "source"] if named else []) + [here.parents[1] / "kernels"]:
        if folder.is_dir():
            return folder
    raise Refused("missing", "the sources of Braggbench's kernels are not beside this program")


def standard_headers():
    """By name, what the engine gives a compiler at run time instead of the standard library."""
    named = os.environ.get("BRAGGBENCH_KERNELS")
    here = pathlib.Path(__file__).resolve().parent
    for folder in ([pathlib.Path(named) / "include"] if named else []) + [here.parents[1] / "native"]:
        if (folder / STANDARD_HEADERS).is_file():
            found = HEADER_TEXT.findall((folder / STANDARD_HEADERS).read_text())
            return {
                name: (raw or plain.replace("\\n", "\n")).replace("#pragma once", "") for name, raw, plain in found
            }
    raise Refused("missing", f"{STANDARD_HEADERS} of Braggbench is not beside this program")


def constants_of(folder, file, names, architecture):
    """Tunable constants of a header of kernels/<folder>; what is compiled says by `constant_checks` that they hold."""
    text = (root() / folder / file).read_text()
    found = {name: int(value) for name, value in re.findall(r"BB_TUNABLE\(int, (\w+), (\d+)\)", text)}
    for name, usual, since_90 in re.findall(r"BB_TUNABLE_90\(int, (\w+), (\d+), (\d+)\)", text):
        found[name] = int(since_90 if architecture >= 90 else usual)
    missing = [name for name in names if name not in found]
    if missing:
        raise Refused("unsupported", f"kernels/{folder}/{file} has no constant {', '.join(missing)}")
    return [found[name] for name in names]


def constant_checks(namespace, names, values):
    """C++ that compiles only where constants have these values."""
    return "".join(f'static_assert({namespace}{n} == {v}, "{n}");\n' for n, v in zip(names, values))


def source_of(folder, *files):
    """The sources of kernels/<folder>, each include once, in the order in which they are met."""
    kernels, standard, seen = root(), standard_headers(), set()

    def text_of(path):
        if path in seen:
            return ""
        seen.add(path)

        def included(match):
            for place in (path.parent, kernels / folder, kernels):
                found = (place / match.group(1)).resolve()
                if found.is_file():
                    return text_of(found)
            return match.group(0)

        return INCLUDE.sub(included, path.read_text().replace("#pragma once", ""))

    def standard_text(match):
        name = match.group(1)
        if name in seen:
            return ""
        seen.add(name)
        if name not in standard:
            return match.group(0)
        return f"#ifdef __CUDACC_RTC__\n{standard[name]}\n#else\n{match.group(0)}\n#endif"

    whole = "".join(text_of((kernels / folder / name).resolve()) for name in files)
    return STANDARD_INCLUDE.sub(standard_text, whole)
