#pragma once

#include <napi.h>

namespace bb::binding {

/// createTask(problem): an object {plan, prepare, sample, check, cancel, close} over one engine::TaskRun.
Napi::Value create_task(const Napi::CallbackInfo& info);

/// taskVariants(workload?): what the registry knows of each variant of each bench.
Napi::Value task_variants(const Napi::CallbackInfo& info);

}  // namespace bb::binding
