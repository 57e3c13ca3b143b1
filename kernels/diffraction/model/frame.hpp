#pragma once

#include "vec3.hpp"

// MOSFLM's laboratory frame: x along the beam, z along the spindle.
namespace bb::diffraction::frame {

inline constexpr Vec3 kBeam{1, 0, 0};
inline constexpr Vec3 kFast{0, 0, 1};
inline constexpr Vec3 kSlow{0, -1, 0};
inline constexpr Vec3 kNormal{1, 0, 0};
inline constexpr Vec3 kTwotheta{0, 0, -1};
inline constexpr Vec3 kPolarisation{0, 0, 1};
inline constexpr Vec3 kSpindle{0, 0, 1};

}  // namespace bb::diffraction::frame
