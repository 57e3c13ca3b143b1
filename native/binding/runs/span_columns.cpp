#include "span_columns.hpp"

#include <cstddef>
#include <cstdint>

#include "binding/convert.hpp"

namespace bb::binding {

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
