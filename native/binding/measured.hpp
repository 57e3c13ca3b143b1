#pragma once

#include <napi.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cuda/timing/clocks.hpp"
#include "cuda/trace/activity_trace.hpp"
#include "cuda/trace/event_trace.hpp"
#include "engine/solver.hpp"

namespace bb::binding {

/// How a run is timed and watched.
struct MeasuringOptions {
  engine::Measuring run;
  bool clocks = false;  // read the device's clocks before and after
  bool trace = false;   // record device work and driver calls; slows launches
};

/// Of {coldCaches?, graphReplay?, clocks?, trace?}; what is missing is false.
MeasuringOptions read_measuring(const Napi::Object& options);

/// What was seen of the device around a run: its clocks, and what it did. Used by the run's thread, then by
/// the main one.
class DeviceObservation {
 public:
  /// `selector` names the device of a run on the GPU; null on the CPU, where nothing is observed.
  void begin(const MeasuringOptions& options, const std::string* selector,
             std::chrono::steady_clock::time_point origin);
  void end();
  /// Adds `clocks`, `trace` and `traceReason` to a result.
  void describe(Napi::Env env, Napi::Object result) const;

 private:
  std::optional<cuda::ClockMonitor> monitor_;
  std::optional<cuda::ClockState> before_, after_;
  std::unique_ptr<cuda::ActivityTrace> tracing_;
  std::unique_ptr<cuda::EventTrace> events_;  // where CUPTI is missing
  std::optional<cuda::SpanTable> trace_;
  std::string trace_reason_;
};

}  // namespace bb::binding
