#pragma once

#include <napi.h>

namespace bb::binding {

/// buildInfo(): how this binary was made: version, compiler, build type, instruction sets compiled in.
Napi::Value build_info(const Napi::CallbackInfo& info);

/// machine(): the CPU that runs it: name, cores, instruction set in use, memory, last-level cache.
Napi::Value machine(const Napi::CallbackInfo& info);

/// memoryReadRate(): bytes per second that all cores read from memory.
Napi::Value memory_read_rate(const Napi::CallbackInfo& info);

}  // namespace bb::binding
