#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "transport/model/device_tables.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Balance of a step from its row of the device's ledger. The next row has the content in flight after the step.
inline engine::StepTotals step_totals(const double* row, const double* next) {
  engine::StepTotals s;
  s.number = {
      .in_flight = next[kInFlight], .stopped = row[kStopped], .nuclear = row[kNuclear], .skipped = row[kSkipped]};
  s.energy = {.in_flight = next[kEnergyInFlight], .nuclear = row[kEnergyNuclear], .skipped = row[kEnergySkipped]};
  std::copy_n(row + kEscaped, kFaces, s.number.escaped.begin());
  std::copy_n(row + kEnergyEscaped, kFaces, s.energy.escaped.begin());
  s.deposited = row[kDeposited];
  return s;
}

// Sizes of ψ[bin][z][angle][x] on the device. Rows are padded to complete quads of columns.

inline int row_pitch(const Tables& t) { return (t.nx + 3) / 4 * 4; }

/// Number of stored z rows; depth stepping stores one plane.
inline int stored_rows(const Problem& problem, const Tables& t) {
  return problem.stepping == Stepping::kDepth ? 1 : t.nz;
}

inline double stored_cells(const Problem& problem, const Tables& t) {
  return static_cast<double>(t.ne) * t.ntheta * stored_rows(problem, t) * row_pitch(t);
}

/// Bytes of two states, before and after a pass.
inline double estimate_cuda_rows(const Problem& problem, const Tables& t) {
  return 2.0 * value_bytes(problem) * stored_cells(problem, t);
}

/// Minimum and maximum whole shift over all angles.
struct WholeShifts {
  int least, most;
};

inline WholeShifts whole_shifts(const std::vector<physics::RemapShift>& shifts) {
  const auto [least, most] = std::ranges::minmax(shifts, {}, &physics::RemapShift::whole);
  return {least.whole, most.whole};
}

}  // namespace bb::transport
