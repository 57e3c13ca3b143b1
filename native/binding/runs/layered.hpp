#pragma once

#include <napi.h>

namespace bb::binding {

/// doseTangents(problem, [{input, layer}, …]): a promise of {depth_dose, x_sigma_mm, dose_by, x_sigma_by, energy_in_MeV,
/// energy_by}, see transport/moments/tangents.hpp.
Napi::Value dose_tangents(const Napi::CallbackInfo& info);

/// volumeDose(problem, {nx, ny, dx_mm, dy_mm}): {done, cancel}, where done is a promise of {dose_MeV, depth_dose_MeV,
/// energy: {in, outside, neutral, left, products, misfit, rel_error}}, see transport/moments/volume.hpp.
Napi::Value volume_dose(const Napi::CallbackInfo& info);

}  // namespace bb::binding
