#pragma once

#include <napi.h>

namespace bb::binding {

/// kernelOccupancy({ images, sources, cache, device, workload, kernels: string[], threads: number[],
/// dynamic_bytes }): a promise of what the driver says of each kernel, in the order asked for:
/// { name, registers, shared_bytes, local_bytes, max_threads, binary_version, blocks }, `blocks` being how many
/// a multiprocessor holds at each of `threads`. Loads the kernels on a thread of its own.
/// Rejects with an Error whose `code` is 'invalid', 'memory', 'unsupported' or 'device'.
Napi::Value kernel_occupancy(const Napi::CallbackInfo& info);

}  // namespace bb::binding
