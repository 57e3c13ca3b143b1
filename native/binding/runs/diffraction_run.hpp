#pragma once

#include <napi.h>

namespace bb::binding {

/// createDiffraction(problem): an object {plan, start, cancel} over one engine::ImageRun.
Napi::Value create_diffraction(const Napi::CallbackInfo& info);

/// diffractionVariants(): what the registry knows of each variant of the workload.
Napi::Value diffraction_variants(const Napi::CallbackInfo& info);

}  // namespace bb::binding
