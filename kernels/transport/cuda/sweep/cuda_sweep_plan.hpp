#pragma once

#include <optional>
#include <vector>

#include "cuda/device/device_info.hpp"
#include "cuda_sweep.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// Distribution of a step in one pass over the blocks of a device.
struct SweepPlan {
  std::vector<SweepGroup> groups;
  std::vector<SweepColumn> columns;  // ordered by block
  std::vector<int> begin;            // [blocks + 1]
  std::vector<SweepAngle> angles;
  std::vector<float> kernels;
  SweepParameters layout{};  // everything except the pointers
  unsigned threads = 0, shared_bytes = 0;
};

/// Plans a sweep for a grid of one material with path stepping and FP32. Null if rows move by whole cells in x, or if a
/// column of the grid does not fit into a multiprocessor.
std::optional<SweepPlan> plan_sweep(const Tables& tables, const cuda::DeviceInfo& device);

}  // namespace bb::transport
