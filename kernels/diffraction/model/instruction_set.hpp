#pragma once

// The CPU's blocks and the GPU's threads share scalar code. It lies in a namespace for each set of instructions that it
// is compiled for: the linker would keep one copy for all. A file that is not *.simd.cpp sees the GPU's.
#ifndef BB_ISA
#define BB_ISA device
#endif
