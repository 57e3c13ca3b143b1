#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "transport/model/tables.hpp"
#include "transport/run/by_precision.hpp"

// Sizes of ψ[bin][z][angle][x] on the device, its rows padded to whole quads of columns.
namespace bb::transport {

inline int row_pitch(const Tables& t) { return (t.nx + 3) / 4 * 4; }

/// z rows stored: depth stepping holds one plane.
inline int rows_held(const Problem& problem, const Tables& t) {
  return problem.stepping == Stepping::kDepth ? 1 : t.nz;
}

inline double cells_held(const Problem& problem, const Tables& t) {
  return static_cast<double>(t.ne) * t.ntheta * rows_held(problem, t) * row_pitch(t);
}

/// Bytes of the state before and after a pass.
inline double estimate_cuda_rows(const Problem& problem, const Tables& t) {
  return 2.0 * value_bytes(problem) * cells_held(problem, t);
}

/// The least and the largest whole shift over all angles.
struct WholeShifts {
  int least, most;
};

inline WholeShifts whole_shifts(const std::vector<physics::RemapShift>& shifts) {
  const auto [least, most] = std::ranges::minmax(shifts, {}, &physics::RemapShift::whole);
  return {least.whole, most.whole};
}

}  // namespace bb::transport
