#pragma once

#include <napi.h>

// Steps that the process of a user kernel performs before its run; see electron/host/model/user-kernels.
namespace bb::binding {

/// loadUserLibrary(path): a compiled variant replaces the shipped variant that it derives from until the process ends.
Napi::Value load_user_library(const Napi::CallbackInfo& info);

/// loadUserKernels({workload, name, image}): the same of CUDA kernels, by their names.
Napi::Value load_user_kernels(const Napi::CallbackInfo& info);

/// compileUserKernels({main, root, replaced, text, name, cache, device?, architecture}): {image, log, fromCache}, by
/// NVRTC for the device that runs use, else for `architecture`. Blocks for seconds. Throws an Error with `code`
/// 'invalid' and the compiler's `log` if the text does not compile.
Napi::Value compile_user_kernels(const Napi::CallbackInfo& info);

/// flushOutput(): hands on what is printed and not yet written, whole lines or not.
Napi::Value flush_output(const Napi::CallbackInfo& info);

/// limitMemory(bytes): lets the process take that much more; false where the system has no such limit.
Napi::Value limit_memory(const Napi::CallbackInfo& info);

}  // namespace bb::binding
