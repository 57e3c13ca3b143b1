#pragma once

#include <algorithm>

#include "transport/model/device_tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Balance of a step, from its row of a device's ledger and the row with the content in flight after it.
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

}  // namespace bb::transport
