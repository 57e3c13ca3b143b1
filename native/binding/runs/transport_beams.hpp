#pragma once

#include <napi.h>

namespace bb::binding {

/// layBeams(problem, devices?): a promise of an object over one engine::Beams, whose beams are the problem's spots and
/// which GPUs by their selectors share: {plan, start(onBeam),
/// startInBlocks(onBeam, reach_mm), cancel()}.
Napi::Value lay_beams(const Napi::CallbackInfo& info);

}  // namespace bb::binding
