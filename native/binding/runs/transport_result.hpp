#pragma once

#include <napi.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/run/run.hpp"

namespace bb::binding {

/// Properties of a beam that readouts need in addition to its results.
struct BeamNumbers {
  explicit BeamNumbers(const transport::Tables& tables);

  double x_variance, extra_straggling_mm, range_mean_mm, end_excess_mm;
};

/// Number of columns in the ledger of energies, or in that of particle numbers, which has fewer.
std::size_t ledger_width(bool energy);
/// Writes [step][column] to `to`, which must have the same size.
void write_ledger(const std::vector<engine::LedgerRow>& rows, bool energy, std::span<double> to);
/// Writes the escape through each face as [step][Face].
void write_faces(const std::vector<engine::LedgerRow>& rows, std::span<double> to);

struct NamedValue {
  const char* name;
  double value;
};
/// Energy that reactions removed, in MeV, by destination, and the time for following the products, in s. Zeros if
/// reactions were not followed.
std::array<NamedValue, 6> secondaries_values(const engine::RunResult& result);

const char* precision_name(transport::Precision precision);

/// Makes a result for JavaScript, without keyframes and spans. `run` provides variant and precision.
Napi::Object transport_result(Napi::Env env, const engine::Run& run, const BeamNumbers& beam,
                              const engine::RunResult& result);

}  // namespace bb::binding
