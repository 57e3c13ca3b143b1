#pragma once

#include <napi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "transport/run/run.hpp"

namespace bb::binding {

/// Facts about a beam that readouts need in addition to its results.
struct BeamNumbers {
  explicit BeamNumbers(const transport::Tables& tables);

  double x_variance, extra_straggling_mm, range_mean_mm, end_excess_mm;
};

/// Columns of the ledger of energies, or of that of numbers, which has fewer.
std::size_t ledger_width(bool energy);
/// [step][column] into `to`, which holds as many.
void write_ledger(const std::vector<engine::LedgerRow>& rows, bool energy, std::span<double> to);
/// [step][Face] what has escaped through each face.
void write_faces(const std::vector<engine::LedgerRow>& rows, std::span<double> to);

const char* precision_name(transport::Precision precision);

/// A result as JavaScript gets it, less keyframes and spans. `run` says variant and precision.
Napi::Object transport_result(Napi::Env env, const engine::Run& run, const BeamNumbers& beam,
                              const engine::RunResult& result);

}  // namespace bb::binding
