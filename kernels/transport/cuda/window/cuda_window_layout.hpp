#pragma once

#include <cstddef>

#include "cuda_window.hpp"
#include "transport/model/tables.hpp"
#include "transport/registry.hpp"

// How the moving window cuts a block's shared memory. Needs no device.
namespace bb::transport {

/// What it must hold, in numbers.
struct WindowSizes {
  int ne = 0, ntheta = 0, nz = 0;
  int whole_x_min = 0, whole_x_max = 0;
  bool reactions = false;  // are recorded
  bool ways = false;       // protons are counted in units of the beam's way, for the moments of tracks
  int turned = kWindowTurned;
  int workers = kWindowWorkers;       // of a block; others than these hold no tables
  std::size_t feeds = 0;              // of all bins
  int most_feeds = 0, most_half = 0;  // of one bin

  bool holds_tables() const { return workers == kWindowWorkers; }
};

/// Those that do not depend on the operators.
WindowSizes window_sizes(const Problem& problem, const Tables& outline);

/// For items as large as fit into `limit` bytes; for the smallest, which need more, where none fit.
template <typename T>
WindowLayout window_layout(const WindowSizes& sizes, std::size_t limit);

/// For blocks of kBeamsWorkers: as many beside each other as have room for items that keep their threads busy, at most
/// kBeamsBlocks. `each`: bytes that a block may have, `together`: those of a multiprocessor; `beside`: those that a block
/// has beside the layout's.
template <typename T>
WindowLayout beams_layout(WindowSizes sizes, std::size_t each, std::size_t together, std::size_t beside);

/// Rows in z that are kept of one of many beams on its way of at most `steps` steps: a power of two that no bin of it can
/// outgrow, or all.
int beam_rows(const Problem& problem, const Tables& tables, int steps);

/// With what the kernels have beside it.
SharedNeed window_shared_need(const Problem& problem, const Tables& outline);

extern template WindowLayout window_layout<float>(const WindowSizes&, std::size_t);
extern template WindowLayout window_layout<double>(const WindowSizes&, std::size_t);
extern template WindowLayout beams_layout<float>(WindowSizes, std::size_t, std::size_t, std::size_t);
extern template WindowLayout beams_layout<double>(WindowSizes, std::size_t, std::size_t, std::size_t);

}  // namespace bb::transport
