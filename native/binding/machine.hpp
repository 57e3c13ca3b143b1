#pragma once

#include <napi.h>

namespace bb::binding {

/// buildInfo(): how this binary was made: version, compiler, build type, instruction sets compiled in.
Napi::Value build_info(const Napi::CallbackInfo& info);

/// machine(): the CPU that runs it: name, cores, instruction set in use, memory.
Napi::Value machine(const Napi::CallbackInfo& info);

}  // namespace bb::binding
