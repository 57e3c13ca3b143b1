#pragma once

#include <napi.h>

#include "engine/spans.hpp"

namespace bb::binding {

/// The spans of a run, column by column: {names, threads, name, thread, step, start_ns, end_ns, dropped}.
Napi::Object spans_object(Napi::Env env, const engine::SpanRecorder& recorder);

}  // namespace bb::binding
