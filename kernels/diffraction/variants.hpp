#pragma once

#include "registry.hpp"

// One function per variant file; registry.cpp lists them.
namespace bb::diffraction {

Variant reference_variant();
Variant fp64_variant();
Variant in_loop_variant();
Variant unfused_variant();
Variant naive_variant();
Variant delta_variant();
Variant mixed_variant();
Variant chebyshev_variant();
Variant double_float_variant();

}  // namespace bb::diffraction
