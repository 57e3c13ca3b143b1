#pragma once

#include <napi.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "binding/convert.hpp"
#include "cuda/timing/clocks.hpp"
#include "cuda/trace/span_table.hpp"
#include "engine/measuring.hpp"
#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::binding {

/// Options for timing and observing a run.
struct MeasuringOptions {
  engine::TimingOptions run;
  bool clocks = false;  // read the device's clocks before and after
  bool trace = false;   // record device work and driver calls; slows launches
};

/// Reads {coldCaches?, graphReplay?, unwatched?, clocks?, trace?}; missing fields are false.
MeasuringOptions read_measuring(const Napi::Object& options);

/// Reads "warm", "cold", "graph" or "cold-graph" at `mode`. Throws ProblemError('invalid').
engine::TaskMode read_task_mode(const Fields& fields);

/// Observes clocks and activity of the device during a run. Used by the run's thread first, then by the main thread.
class DeviceObservation {
 public:
  /// Runs `work` under observation. `selector` names the GPU of the run; it is null on the CPU, where nothing is
  /// observed. If the work throws, recording stops and no record remains.
  void around(const MeasuringOptions& options, const std::string* selector,
              std::chrono::steady_clock::time_point origin, const std::function<void()>& work);
  /// Adds `clocks`, `trace` and `traceReason` to a result.
  void describe(Napi::Env env, Napi::Object result) const;

 private:
  std::optional<cuda::ClockState> before_, after_;
  std::optional<cuda::SpanTable> trace_;
  std::string trace_reason_;
};

/// The spans of a run, column by column: {names, threads, name, thread, step, start_ns, end_ns, dropped}.
Napi::Object spans_object(Napi::Env env, const engine::SpanRecorder& recorder);

}  // namespace bb::binding
