#pragma once

#include <napi.h>

namespace bb::binding {

/// createTransport(problem): the JavaScript object over one engine::Run.
Napi::Value create_transport(const Napi::CallbackInfo& info);

/// layTransport(problem, memory?): a promise of the same; `memory`: its plan says what it takes. The grid is laid out on a thread of its own: with thousands of steps that
/// takes a tenth of a second.
Napi::Value lay_transport(const Napi::CallbackInfo& info);

/// variants(): what the registry knows of each transport variant.
Napi::Value transport_variants(const Napi::CallbackInfo& info);

/// rangeTable(energies, stopping, at): stopping power and CSDA range at the energies `at`, from the
/// same interpolation that the engines use.
Napi::Value range_table(const Napi::CallbackInfo& info);

}  // namespace bb::binding
