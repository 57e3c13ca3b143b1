#pragma once

#include <napi.h>

namespace bb::binding {

/// fermiEyges(problem): {sigma_x_mm, theta_rms_rad} at the middle of every cell of depth from the
/// beam's entrance on, until it stops. Throws `unsupported` for a beam that is not along z.
Napi::Value fermi_eyges(const Napi::CallbackInfo& info);

}  // namespace bb::binding
