#pragma once

#include <napi.h>

#include "transport/run/run.hpp"

namespace bb::binding {

/// What readouts need to know of a beam beside what it has left.
struct BeamNumbers {
  explicit BeamNumbers(const transport::Tables& tables);

  double x_variance, extra_straggling_mm, range_mean_mm, end_excess_mm;
};

const char* precision_name(transport::Precision precision);

/// A result as JavaScript gets it, less keyframes and spans. `run` says variant and precision.
Napi::Object transport_result(Napi::Env env, const engine::Run& run, const BeamNumbers& beam,
                              const engine::RunResult& result);

}  // namespace bb::binding
