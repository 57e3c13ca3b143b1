"""Braggbench's own kernel sources as one text that any compiler of CUDA C++ takes: its includes are put in place."""

import os
import pathlib
import re

from protocol import Refused

INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


def root():
    """The folder of the kernels' sources: beside the program, or that of its checkout."""
    named = os.environ.get("BRAGGBENCH_KERNELS")
    here = pathlib.Path(__file__).resolve().parent
    for folder in ([pathlib.Path(named) / "source"] if named else []) + [here.parents[1] / "kernels"]:
        if folder.is_dir():
            return folder
    raise Refused("missing", "the sources of Braggbench's kernels are not beside this program")


def source_of(folder, *files):
    """The sources of kernels/<folder>, each include once, in the order in which they are met."""
    kernels, seen = root(), set()

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

    return "".join(text_of((kernels / folder / name).resolve()) for name in files)
