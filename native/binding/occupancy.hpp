#pragma once

#include <napi.h>

namespace bb::binding {

/// kernelOccupancy({ images, sources, cache, device, workload, kernels: string[], threads: number[], dynamic_bytes }): a
/// promise of the driver's figures for each kernel, in the order of the request: { name, registers, shared_bytes,
/// local_bytes, max_threads, binary_version, blocks }. `blocks` is the number of blocks that a multiprocessor holds at
/// each of `threads`. Loads the kernels on a separate thread. Rejects with an Error whose `code` is 'invalid', 'memory',
/// 'unsupported' or 'device'.
Napi::Value kernel_occupancy(const Napi::CallbackInfo& info);

}  // namespace bb::binding
