#pragma once

#include "registry.hpp"

// One function per variant file; registry.cpp lists them.
namespace bb::transport {

Variant reference_variant();

}  // namespace bb::transport
