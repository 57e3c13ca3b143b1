#pragma once

#include "registry.hpp"

// One function per variant file; registry.cpp lists them.
namespace bb::transport {

Variant reference_variant();
Variant scatter_variant();
Variant gather_variant();
Variant fused_variant();
Variant window_variant();
Variant depth_variant();

}  // namespace bb::transport
