#include "ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bb::engine {
namespace {

LedgerRow balanced(LedgerRow row) {
  const double accounted = row.in_flight + row.stopped + row.escaped_all() + row.nuclear + row.skipped + row.deposited;
  row.rel_error = row.in > 0.0 ? std::abs(accounted - row.in) / row.in : 0.0;
  return row;
}

/// Adds a step's changes to the sums so far.
LedgerRow next_row(const LedgerRow& last, const StepTotals::Side& side, double deposited) {
  LedgerRow row = last;
  row.in_flight = side.in_flight;
  row.stopped += side.stopped;
  for (std::size_t face = 0; face < row.escaped.size(); ++face) row.escaped[face] += side.escaped[face];
  row.nuclear += side.nuclear;
  row.skipped += side.skipped;
  row.deposited += deposited;
  return balanced(row);
}

}  // namespace

Ledger::Ledger(const transport::Start& start)
    : number_{.in = start.number_in, .escaped = start.missed},
      energy_{.in = start.energy_in, .escaped = start.missed_energy, .deposited = start.entry_deposit} {
  number_.in_flight = number_.in - number_.escaped_all();
  energy_.in_flight = energy_.in - energy_.escaped_all() - energy_.deposited;
}

void Ledger::add(const std::vector<StepTotals>& steps) {
  for (const StepTotals& step : steps) {
    number_ = next_row(number_, step.number, 0.0);
    energy_ = next_row(energy_, step.energy, step.deposited);
    numbers_.push_back(number_);
    energies_.push_back(energy_);
  }
}

void Ledger::close(const transport::Secondaries& s) {
  if (energies_.empty()) return;
  energy_.deposited += s.deposited();
  for (std::size_t face = 0; face < energy_.escaped.size(); ++face) energy_.escaped[face] += s.escaped[face];
  energy_.nuclear = s.neutral;
  energies_.back() = energy_ = balanced(energy_);
}

double Ledger::error() const { return std::max(number_.rel_error, energy_.rel_error); }

}  // namespace bb::engine
