#pragma once

#include <napi.h>

// Reductions of fields for display, computed on libuv threads; the JavaScript thread only passes arrays. The arrays
// must not be written to or transferred until the promise settles.
namespace bb::binding {

/// reduceField(values, {strideAcross, strideDown, across, down, statistic, scale, extent}, per?): a promise of
/// {values, min, max, minPositive}; the latter three mean nothing without `extent`. `per`: {divisor, factor}.
Napi::Value reduce_field(const Napi::CallbackInfo& info);

/// axisProfile(dose, geometry, per?): {start_mm, step_mm, values}, at once.
Napi::Value axis_profile(const Napi::CallbackInfo& info);

/// The same as a promise.
Napi::Value axis_profile_later(const Napi::CallbackInfo& info);

}  // namespace bb::binding
