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
/// Reason why the recurrence rejects a problem on any device; "" if it may run.
std::string chebyshev_refuses(const Outline& outline);

Variant cuda_unfused_variant();
Variant cuda_unfused_graph_variant();
Variant cuda_unfused_fp32_variant();
Variant cuda_fp64_variant();
Variant cuda_naive_variant();
Variant cuda_delta_variant();
Variant cuda_fast_math_variant();
Variant cuda_double_float_variant();
Variant cuda_in_loop_variant();
Variant cuda_mixed_variant();
Variant cuda_fixed_point_variant();
Variant cuda_constant_variant();
Variant cuda_shared_variant();
Variant cuda_warp_variant();
Variant cuda_chebyshev_variant();

}  // namespace bb::diffraction
