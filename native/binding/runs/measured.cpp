#include "measured.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "binding/choice.hpp"
#include "binding/convert.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda/trace/activity_trace.hpp"
#include "cuda/trace/event_trace.hpp"

namespace bb::binding {
namespace {

bool flag(const Napi::Object& options, const char* key) {
  return options.Has(key) && options.Get(key).ToBoolean().Value();
}

template <typename Number>
Napi::Value number_or_null(Napi::Env env, const std::optional<Number>& value) {
  return value ? Napi::Value(Napi::Number::New(env, static_cast<double>(*value))) : env.Null();
}

Napi::Value clocks_object(Napi::Env env, const std::optional<cuda::ClockState>& state) {
  if (!state) return env.Null();
  Napi::Object out = Napi::Object::New(env);
  out.Set("sm_MHz", number_or_null(env, state->sm_MHz));
  out.Set("memory_MHz", number_or_null(env, state->memory_MHz));
  out.Set("power_W", number_or_null(env, state->power_W));
  out.Set("powerLimit_W", number_or_null(env, state->power_limit_W));
  out.Set("temperature_C", number_or_null(env, state->temperature_C));
  out.Set("energy_J", number_or_null(env, state->energy_J));
  out.Set("reasons", text_array(env, cuda::reason_names(state->reasons)));
  out.Set("throttled", state->throttled());
  return out;
}

template <typename Array, typename T>
Array column(Napi::Env env, const std::vector<T>& values) {
  Array out = Array::New(env, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.Data()[i] = static_cast<std::remove_pointer_t<decltype(out.Data())>>(values[i]);
  }
  return out;
}

Napi::Value trace_object(Napi::Env env, const std::optional<cuda::SpanTable>& trace) {
  if (!trace) return env.Null();
  Napi::Object out = Napi::Object::New(env);
  out.Set("source", trace->source);
  out.Set("names", text_array(env, trace->names));
  out.Set("dropped", static_cast<double>(trace->dropped));
  out.Set("kind", column<Napi::Uint16Array>(env, trace->kind));
  out.Set("name", column<Napi::Uint32Array>(env, trace->name));
  out.Set("start_ns", to_array(env, trace->start_ns));
  out.Set("end_ns", to_array(env, trace->end_ns));
  out.Set("stream", column<Napi::Uint32Array>(env, trace->stream));
  out.Set("correlation", column<Napi::Uint32Array>(env, trace->correlation));
  out.Set("grid", column<Napi::Uint32Array>(env, trace->grid));
  out.Set("block", column<Napi::Uint32Array>(env, trace->block));
  out.Set("registers", column<Napi::Uint32Array>(env, trace->registers));
  out.Set("static_shared_bytes", column<Napi::Uint32Array>(env, trace->static_shared_bytes));
  out.Set("dynamic_shared_bytes", column<Napi::Uint32Array>(env, trace->dynamic_shared_bytes));
  out.Set("bytes", column<Napi::Float64Array>(env, trace->bytes));
  out.Set("graph", column<Napi::Uint32Array>(env, trace->graph));
  out.Set("graph_node", column<Napi::Float64Array>(env, trace->graph_node));
  return out;
}

}  // namespace

MeasuringOptions read_measuring(const Napi::Object& options) {
  MeasuringOptions out;
  out.run.cold = flag(options, "coldCaches");
  out.run.graph_replay = flag(options, "graphReplay");
  out.run.unwatched = flag(options, "unwatched");
  out.clocks = flag(options, "clocks");
  // Timed runs save no intermediate states, because a lost run is simply repeated.
  if (out.clocks) out.run.keep_every_s = std::numeric_limits<double>::infinity();
  out.trace = flag(options, "trace");
  return out;
}

engine::TaskMode read_task_mode(const Fields& fields) {
  using engine::TaskMode;
  return choice<TaskMode>(fields, "mode",
                          {{"warm", TaskMode::kWarm},
                           {"cold", TaskMode::kCold},
                           {"graph", TaskMode::kGraph},
                           {"cold-graph", TaskMode::kColdGraph}});
}

void DeviceObservation::around(const MeasuringOptions& options, const std::string* selector,
                               std::chrono::steady_clock::time_point origin, const std::function<void()>& work) {
  if (selector == nullptr) {
    if (options.trace) trace_reason_ = "This run is on the CPU; its operators are always recorded.";
    work();
    return;
  }
  std::optional<cuda::ClockMonitor> monitor;
  if (options.clocks) {
    monitor = cuda::ClockMonitor::open(cuda::open_device(*selector)->info().uuid);
    if (monitor) before_ = monitor->read();
  }
  // The trace is destroyed at the end of this scope even if the work throws, because otherwise the next trace could not
  // begin.
  std::unique_ptr<cuda::ActivityTrace> tracing;
  std::unique_ptr<cuda::EventTrace> events;  // replaces `tracing` if CUPTI is missing
  if (options.trace) {
    tracing = cuda::ActivityTrace::start(cuda::GraphDetail::kNodes, origin, trace_reason_);
    if (!tracing) events = cuda::EventTrace::start(origin);
    if (events) trace_reason_ += " The trace uses events: every graph is one span, and launches are slower.";
  }
  work();
  if (monitor) after_ = monitor->read();
  if (tracing) trace_ = tracing->stop();
  if (events) trace_ = events->stop();
}

void DeviceObservation::describe(Napi::Env env, Napi::Object result) const {
  Napi::Object clocks = Napi::Object::New(env);
  clocks.Set("before", clocks_object(env, before_));
  clocks.Set("after", clocks_object(env, after_));
  result.Set("clocks", clocks);
  result.Set("trace", trace_object(env, trace_));
  result.Set("traceReason", trace_reason_.empty() ? env.Null() : Napi::Value(Napi::String::New(env, trace_reason_)));
}

Napi::Object spans_object(Napi::Env env, const engine::SpanRecorder& recorder) {
  std::size_t count = 0;
  double dropped = 0;
  for (const auto& lane : recorder.lanes()) {
    count += lane.spans.size();
    dropped += static_cast<double>(lane.dropped);
  }
  Napi::Uint16Array name = Napi::Uint16Array::New(env, count);
  Napi::Uint16Array thread = Napi::Uint16Array::New(env, count);
  Napi::Uint32Array step = Napi::Uint32Array::New(env, count);
  Napi::Float64Array start = Napi::Float64Array::New(env, count);
  Napi::Float64Array end = Napi::Float64Array::New(env, count);
  std::size_t i = 0;
  for (std::size_t lane = 0; lane < recorder.lanes().size(); ++lane) {
    for (const auto& span : recorder.lanes()[lane].spans) {
      name.Data()[i] = span.name;
      thread.Data()[i] = static_cast<uint16_t>(lane);
      step.Data()[i] = span.step;
      start.Data()[i] = span.start_ns;
      end.Data()[i] = span.end_ns;
      ++i;
    }
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("names", text_array(env, recorder.names()));
  out.Set("threads", static_cast<double>(recorder.lanes().size()));
  out.Set("name", name);
  out.Set("thread", thread);
  out.Set("step", step);
  out.Set("start_ns", start);
  out.Set("end_ns", end);
  out.Set("dropped", dropped);
  return out;
}

}  // namespace bb::binding
