#pragma once

#include <cstddef>

#include "cuda_window.hpp"
#include "transport/model/tables.hpp"
#include "transport/registry.hpp"

// Partition of a block's shared memory by the moving window. Needs no device.
namespace bb::transport {

/// Required capacities.
struct WindowSizes {
  int ne = 0, ntheta = 0, nz = 0;
  int whole_x_min = 0, whole_x_max = 0;
  bool reactions = false;  // are recorded
  bool ways = false;       // protons are counted in units of the beam's way, for the moments of tracks
  int turned = kWindowTurned;
  std::size_t feeds = 0;              // of all bins
  int most_feeds = 0, most_half = 0;  // of one bin
};

/// Those that do not depend on the operators.
WindowSizes window_sizes(const Problem& problem, const Tables& outline);

/// For items as large as fit into `limit` bytes; for the smallest, which need more, where none fit.
template <typename T>
WindowLayout window_layout(const WindowSizes& sizes, std::size_t limit);

/// Rows in z stored for one of many beams on its way of at most `steps` steps: a power of two that no bin of it can
/// outgrow, or all.
int beam_rows(const Problem& problem, const Tables& tables, int steps);

/// Including the further shared memory of the kernels.
SharedNeed window_shared_need(const Problem& problem, const Tables& outline);

extern template WindowLayout window_layout<float>(const WindowSizes&, std::size_t);
extern template WindowLayout window_layout<double>(const WindowSizes&, std::size_t);

}  // namespace bb::transport
