#pragma once

#include <cstddef>

#include "solver.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// Score fields [z][x] of a step: dose in MeV, and planar fluence weighted by 1, θ and θ².
enum ScorePlane { kDose, kCurrent, kCurrentTheta, kCurrentThetaTheta, kScorePlanes };

/// Adds the crossing moments of row `z` of fields [kScorePlanes][z][x] to `moments` [Crossing::kCount].
inline void add_crossing(const Tables& t, int z, const double* fields, double* moments) {
  using engine::Crossing;
  const std::size_t n = t.plane();
  std::size_t i = static_cast<std::size_t>(z) * static_cast<std::size_t>(t.nx);
  for (int x = 0; x < t.nx; ++x, ++i) {
    const double position = (x + 0.5 - 0.5 * t.nx) * t.dx;
    const double current = fields[kCurrent * n + i];
    const double theta = fields[kCurrentTheta * n + i];
    moments[Crossing::kN] += current;
    moments[Crossing::kX] += current * position;
    moments[Crossing::kXX] += current * position * position;
    moments[Crossing::kTheta] += theta;
    moments[Crossing::kThetaTheta] += fields[kCurrentThetaTheta * n + i];
    moments[Crossing::kXTheta] += theta * position;
  }
}

/// Adds rows `first_z` … `end_z` - 1 of fields [kScorePlanes][z][x] to `dose` [z][x] and their moments to `crossing`
/// [z][Crossing::kCount].
inline void add_fields(const Tables& t, int first_z, int end_z, const double* fields, double* dose, double* crossing) {
  const std::size_t row = static_cast<std::size_t>(t.nx);
  for (int z = first_z; z < end_z; ++z) {
    const std::size_t first = static_cast<std::size_t>(z) * row;
    for (std::size_t i = first; i < first + row; ++i) dose[i] += fields[kDose * t.plane() + i];
    add_crossing(t, z, fields, crossing + static_cast<std::size_t>(z) * engine::Crossing::kCount);
  }
}

}  // namespace bb::transport
