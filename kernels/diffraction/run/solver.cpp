#include "solver.hpp"

#include <algorithm>

namespace bb::diffraction {
namespace {

/// Lattice factors in a band: about a millisecond, so that a cancelled run ends at once.
constexpr double kBandTerms = 65536;

}  // namespace

bool Solver::repeat(engine::TaskMode mode, double, const std::atomic<bool>&) {
  if (mode == engine::TaskMode::kGraph) {
    throw ProblemError("unsupported", "The CPU launches nothing that a graph could replay.");
  }
  return true;
}

double BandSolver::render(const Work& work, std::span<double> image) {
  const double row_terms = setup_.terms_per_pixel() * setup_.width;
  const int band = std::clamp(static_cast<int>(kBandTerms / row_terms), 1, std::max(1, setup_.height / 8));
  const int bands = (setup_.height + band - 1) / band;
  const std::uint16_t name = work.spans.name_id("rows");
  std::atomic<int> done{0};
  work.pool.run(bands, [&](int task, int lane) {
    if (work.cancel.load(std::memory_order_relaxed)) return;
    const int first = task * band, last = std::min(first + band, setup_.height);
    {
      const engine::ScopedSpan span(work.spans, lane, name, first);
      const std::size_t width = static_cast<std::size_t>(setup_.width);
      rows(first, last,
           image.subspan(static_cast<std::size_t>(first) * width, static_cast<std::size_t>(last - first) * width));
    }
    if (!work.row_done.empty()) {
      for (int row = first; row < last; ++row) {
        work.row_done[static_cast<std::size_t>(row)].store(1, std::memory_order_release);
      }
    }
    const int so_far = ++done;
    if (lane == 0) work.progress(static_cast<double>(so_far) / bands);
  });
  return static_cast<double>(done.load()) / bands;
}

}  // namespace bb::diffraction
