#pragma once

#include <napi.h>

#include <cstddef>
#include <map>
#include <string_view>

#include "transport/run/run.hpp"

namespace bb::binding {

/// What readouts need to know of a beam beside what it has left.
struct BeamNumbers {
  explicit BeamNumbers(const transport::Tables& tables);

  double x_variance, extra_straggling_mm, range_mean_mm, end_excess_mm;
};

/// Room for the arrays of results that are read as they come, one after the other. Made anew for each of thousands of
/// beams, half a megabyte apiece, they would keep the collector busier than all readouts. On JavaScript's thread alone.
class Room {
 public:
  Napi::Float64Array array(Napi::Env env, std::string_view name, std::size_t size);

 private:
  std::map<std::string_view, Napi::Reference<Napi::ArrayBuffer>> buffers_;
};

const char* precision_name(transport::Precision precision);

/// A result as JavaScript gets it, less keyframes and spans. `run` says variant and precision. Arrays are in `room`, where
/// there is one, until the next result is.
Napi::Object transport_result(Napi::Env env, const engine::Run& run, const BeamNumbers& beam,
                              const engine::RunResult& result, Room* room = nullptr);

}  // namespace bb::binding
