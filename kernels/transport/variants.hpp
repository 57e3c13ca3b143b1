#pragma once

#include "registry.hpp"

// One function per variant file; registry.cpp lists them.
namespace bb::transport {

Variant reference_variant();
Variant scatter_variant();
Variant gather_variant();
Variant gather_fft_variant();
Variant fused_variant();
Variant window_variant();
Variant depth_variant();
Variant moments_variant();

Variant cuda_slice_launches_variant();
Variant cuda_scatter_variant();
Variant cuda_warp_reduced_variant();
Variant cuda_gather_variant();
Variant cuda_uncoalesced_variant();
Variant cuda_gather_fft_variant();
Variant cuda_gather_tensor_variant();
Variant cuda_tiled_variant();
Variant cuda_fused_variant();
Variant cuda_graph_variant();
Variant cuda_persistent_variant();
Variant cuda_window_variant();
Variant cuda_depth_variant();
Variant cuda_moments_variant();

}  // namespace bb::transport
