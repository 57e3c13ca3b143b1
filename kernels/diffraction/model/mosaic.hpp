#pragma once

#include <cstdint>
#include <vector>

#include "vec3.hpp"

namespace bb::diffraction {

/// Rotations of `domains` blocks, at most `spread` rad about axes in all directions; the first is not turned.
/// Equal seeds give equal crystals on every machine.
std::vector<Mat3> mosaic_domains(double spread, int domains, std::int32_t seed);

}  // namespace bb::diffraction
