#pragma once

// Scalar code that the CPU's blocks and the GPU's threads share lies in a namespace for each set of instructions that
// it is compiled for, because the linker would keep one copy for all. A file that is not *.simd.cpp sees the GPU's.
#ifndef BB_ISA
#define BB_ISA device
#endif
