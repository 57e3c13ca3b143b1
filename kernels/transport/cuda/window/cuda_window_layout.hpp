#pragma once

#include <cstddef>

#include "cuda_window.hpp"
#include "transport/model/tables.hpp"
#include "transport/registry.hpp"

// Layout of a block's shared memory in the moving window. Needs no device.
namespace bb::transport {

/// Required capacities.
struct WindowSizes {
  int ne = 0, ntheta = 0, nz = 0;
  int whole_x_min = 0, whole_x_max = 0;
  bool reactions = false;  // whether reactions are recorded
  bool ways = false;       // whether protons are weighted by path length, for the moments of tracks
  int turned = kWindowTurned;
  std::size_t feeds = 0;              // over all bins
  int most_feeds = 0, most_half = 0;  // maximum per bin
};

/// The sizes that do not depend on the operators.
WindowSizes window_sizes(const Problem& problem, const Tables& outline);

/// Layout for items as large as fit into `limit` bytes. If none fit, the layout for the smallest items.
template <typename T>
WindowLayout window_layout(const WindowSizes& sizes, std::size_t limit);

/// Number of z rows to store for one of several beams, with at most `steps` steps: a power of two that is not below the
/// rows occupied by any bin, or all rows.
int beam_rows(const Problem& problem, const Tables& tables, int steps);

/// Includes shared memory outside the layout.
SharedNeed window_shared_need(const Problem& problem, const Tables& outline);

extern template WindowLayout window_layout<float>(const WindowSizes&, std::size_t);
extern template WindowLayout window_layout<double>(const WindowSizes&, std::size_t);

}  // namespace bb::transport
