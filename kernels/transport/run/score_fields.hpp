#pragma once

#include <cstddef>

#include "solver.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// What a step leaves behind, as fields [z][x]: dose in MeV, and the planar fluence weighted with 1, θ and θ².
enum ScorePlane { kDose, kCurrent, kCurrentTheta, kCurrentThetaTheta, kScorePlanes };

/// Adds rows `first_z` … `end_z` - 1 of fields [kScorePlanes][z][x] to `dose` [z][x] and to the moments in `crossing`
/// [z][Crossing::kCount].
inline void add_fields(const Tables& t, int first_z, int end_z, const double* fields, double* dose, double* crossing) {
  using engine::Crossing;
  const std::size_t n = t.plane();
  std::size_t i = static_cast<std::size_t>(first_z) * static_cast<std::size_t>(t.nx);
  for (int z = first_z; z < end_z; ++z) {
    double* c = crossing + static_cast<std::size_t>(z) * Crossing::kCount;
    for (int x = 0; x < t.nx; ++x, ++i) {
      const double position = (x + 0.5 - 0.5 * t.nx) * t.dx;
      const double current = fields[kCurrent * n + i];
      const double theta = fields[kCurrentTheta * n + i];
      dose[i] += fields[kDose * n + i];
      c[Crossing::kN] += current;
      c[Crossing::kX] += current * position;
      c[Crossing::kXX] += current * position * position;
      c[Crossing::kTheta] += theta;
      c[Crossing::kThetaTheta] += fields[kCurrentThetaTheta * n + i];
      c[Crossing::kXTheta] += theta * position;
    }
  }
}

}  // namespace bb::transport
