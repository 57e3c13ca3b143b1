#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bb::diffraction {
namespace {

/// Lattice factors per band. They take about a millisecond, so that a cancelled run ends at once.
constexpr double kBandTerms = 65536;
/// Parts of a row begin at whole blocks of the vectorised kernels.
constexpr int kPartPixels = 64;
constexpr double kMaxBands = 1e8;

}  // namespace

bool Solver::repeat(engine::TaskMode mode, double, const std::atomic<bool>&) {
  if (replays_graph(mode)) {
    throw ProblemError("unsupported", "CPU variants have no launches that a graph could replay.");
  }
  return true;
}

RenderedImage Solver::render_shown(const Work& work, std::span<float> image) {
  std::vector<double> photons(image.size());
  const double done = render(work, photons);
  return {done, round_to<double>(image, photons)};
}

BandSolver::Bands BandSolver::bands() const {
  const double fit = kBandTerms / setup_.terms_per_pixel();  // pixels
  if (fit >= setup_.width) {
    const int rows = std::clamp(static_cast<int>(fit / setup_.width), 1, std::max(1, setup_.height / 8));
    return {rows, setup_.width, 1, (setup_.height + rows - 1) / rows};
  }
  const int whole = static_cast<int>(std::ceil(fit / kPartPixels)) * kPartPixels;
  const int per_row = std::max(1, (setup_.width + whole - 1) / whole);
  // The thread pool counts tasks in an int, so the number of bands is limited.
  if (static_cast<double>(per_row) * setup_.height > kMaxBands) return {1, setup_.width, 1, setup_.height};
  return {1, std::min(whole, setup_.width), per_row, per_row * setup_.height};
}

double BandSolver::render(const Work& work, std::span<double> image) {
  const Bands bands = this->bands();
  const std::uint16_t name = work.spans.name_id("rows");
  const std::size_t width = static_cast<std::size_t>(setup_.width);
  std::atomic<int> done{0};
  std::vector<std::atomic<int>> parts_of(bands.per_row > 1 ? static_cast<std::size_t>(setup_.height) : 0);
  work.pool.run(bands.count, [&](int task, int lane) {
    const int first = task / bands.per_row * bands.rows, last = std::min(first + bands.rows, setup_.height);
    const int fast = task % bands.per_row * bands.width;
    const int count = std::min(bands.width, setup_.width - fast);
    {
      const engine::ScopedSpan span(work.spans, lane, name, first);
      for (int slow = first; slow < last; ++slow) {
        if (work.cancel.load(std::memory_order_relaxed)) return;
        const std::span<double> out = image.subspan(
            static_cast<std::size_t>(slow) * width + static_cast<std::size_t>(fast), static_cast<std::size_t>(count));
        if (!pixels({slow, fast, count}, out, work.cancel)) {
          std::ranges::fill(out, 0.0);
          return;
        }
      }
    }
    for (int row = first; row < last; ++row) {
      const std::size_t at = static_cast<std::size_t>(row);
      const bool whole = parts_of.empty() || ++parts_of[at] == bands.per_row;
      if (whole && !work.row_done.empty()) work.row_done[at].store(1, std::memory_order_release);
    }
    const int so_far = ++done;
    if (lane == 0) work.progress(static_cast<double>(so_far) / bands.count);
  });
  return static_cast<double>(done.load()) / bands.count;
}

}  // namespace bb::diffraction
