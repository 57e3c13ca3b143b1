#pragma once

#include <array>
#include <vector>

#include "solver.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::engine {

/// Row of the balance after a step: sums since the start.
struct LedgerRow {
  double in = 0, in_flight = 0, stopped = 0;
  std::array<double, transport::kFaces> escaped{};  // by Face
  double nuclear = 0, skipped = 0, deposited = 0, rel_error = 0;

  double escaped_x() const { return escaped[transport::kXLow] + escaped[transport::kXHigh]; }
  double escaped_z() const { return escaped[transport::kZLow] + escaped[transport::kZHigh]; }
  double escaped_theta() const { return escaped[transport::kThetaLow] + escaped[transport::kThetaHigh]; }
  double escaped_all() const { return escaped_x() + escaped_z() + escaped_theta(); }
};

/// A column of the ledger's table: its name in files and messages, and its value in a row. Energies are in MeV.
struct LedgerColumn {
  const char* name;
  double (*value)(const LedgerRow&);
  bool energy_only = false;  // whether only the table of energies has this column
};

/// Every column, in the order of the table.
inline constexpr LedgerColumn kLedgerColumns[] = {
    {"in", [](const LedgerRow& r) { return r.in; }},
    {"in_flight", [](const LedgerRow& r) { return r.in_flight; }},
    {"stopped", [](const LedgerRow& r) { return r.stopped; }},
    {"escaped_x", [](const LedgerRow& r) { return r.escaped_x(); }},
    {"escaped_z", [](const LedgerRow& r) { return r.escaped_z(); }},
    {"escaped_theta", [](const LedgerRow& r) { return r.escaped_theta(); }},
    {"nuclear", [](const LedgerRow& r) { return r.nuclear; }},
    {"skipped", [](const LedgerRow& r) { return r.skipped; }},
    {"deposited", [](const LedgerRow& r) { return r.deposited; }, true},
    {"rel_error", [](const LedgerRow& r) { return r.rel_error; }},
};

/// The balance of a run: numbers and energies of protons by destination.
class Ledger {
 public:
  explicit Ledger(const transport::Start& start);

  /// Adds one row per step.
  void add(const std::vector<StepTotals>& steps);

  /// Distributes the protons and energy removed by reactions among the destinations of the products, in the last row.
  void close(const transport::Secondaries& secondaries);

  /// Share of the incident number that is still in flight.
  double left() const { return number_.in > 0.0 ? number_.in_flight / number_.in : 0.0; }
  bool done(double stop_weight) const { return number_.in_flight <= stop_weight * number_.in; }
  /// The larger of the relative errors of the two balances, numbers and energies.
  double error() const;
  /// One row per step.
  const std::vector<LedgerRow>& numbers() const { return numbers_; }
  const std::vector<LedgerRow>& energies() const { return energies_; }

 private:
  LedgerRow number_, energy_;
  std::vector<LedgerRow> numbers_, energies_;
};

}  // namespace bb::engine
