#include "cuda_window_layout.hpp"

#include <algorithm>
#include <limits>

#include "transport/cuda/cuda_rows.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kMaxQuads = 16;            // maximum quads of columns per item; more columns need a second tile
constexpr int kMaxAngles = 96;           // maximum angles per item
constexpr int kMaxSharedWeights = 8192;  // maximum angle-kernel weights of an item in shared memory
constexpr int kMaxSharedFeeds = 4096;
constexpr int kViewBytes = 48;    // bytes per WindowSource
constexpr int kMaxStatic = 2048;  // maximum shared memory outside the layout; see kStatic in cuda_window_beams.cpp

/// Assigns offsets in a block's shared memory.
class OffsetAllocator {
 public:
  int take(std::size_t count, std::size_t each) {
    const std::size_t at = bytes_;
    bytes_ = (at + count * each + 15) / 16 * 16;
    return static_cast<int>(at);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

template <typename T>
WindowLayout lay_out(const WindowSizes& of, int angles, int quads, int weights, bool feeds) {
  constexpr std::size_t kQuad = 4 * sizeof(T);
  // Number of quads on either side of an item's columns that its tile needs; see Collide::choose_tile.
  const int left = (std::max(0, of.whole_x_max + 3) + 3) / 4;
  const int right = std::max(0, 3 - (of.whole_x_min + 7 + 3) / 4);
  const std::size_t columns = u(left + quads + right + (of.whole_x_min < -7 ? -of.whole_x_min / 4 : 0)) | 1;
  const std::size_t made = u((angles + of.turned - 1) / of.turned * of.turned);
  OffsetAllocator memory;
  WindowLayout l{};
  l.boxes = memory.take(u(of.ne), 16);
  l.bins = memory.take(u(of.ne), sizeof(WindowBin));
  l.feeds = memory.take(feeds ? of.feeds : 0, sizeof(int));
  l.plans = memory.take(u(of.ne), 16);
  l.begins = memory.take(3 * u(of.ne + 1), sizeof(int));
  l.angles = memory.take(u(of.ntheta), sizeof(WindowAngle<T>));
  l.rows = memory.take(u(of.nz), sizeof(short));
  l.views = memory.take(2 * u(of.most_feeds + 1), kViewBytes);
  static_assert(sizeof(WindowSource<T>) <= kViewBytes);
  l.most_views = of.most_feeds + 1;
  l.sums = memory.take(kWindowWorkers / 32 * kWindowTallies, sizeof(double));
  l.partial = memory.take(u(4 + (of.ways ? 1 : 0) + (of.reactions ? 1 : 0)) * kWindowWorkers, sizeof(double));
  l.own = memory.take(u(angles) * u(quads), kQuad);
  l.tile = memory.take((u(angles) + 2 * u(of.most_half) + u(of.turned) - 1) * columns, kQuad);
  l.turned = memory.take(made * columns, kQuad);
  l.deposits = memory.take(u(angles), sizeof(T));
  l.weights = memory.take(u(weights), sizeof(T));
  l.bytes = static_cast<int>(std::min<std::size_t>(memory.bytes(), std::numeric_limits<int>::max()));
  l.feeds_held = feeds ? 1 : 0;
  l.most_angles = angles;
  l.most_quads = quads;
  l.most_weights = weights;
  return l;
}

/// Bytes needed for the smallest items.
double smallest(const Problem& problem, const WindowSizes& sizes) {
  return problem.precision == Precision::kFp32 ? window_layout<float>(sizes, 0).bytes
                                               : window_layout<double>(sizes, 0).bytes;
}

}  // namespace

WindowSizes window_sizes(const Problem& problem, const Tables& t) {
  const WholeShifts in_x = whole_shifts(t.shift_x);
  return {.ne = t.ne,
          .ntheta = t.ntheta,
          .nz = t.nz,
          .whole_x_min = in_x.least,
          .whole_x_max = in_x.most,
          .reactions = t.reactions.on(),
          .ways = problem.track_scores && problem.stepping == Stepping::kDepth};
}

template <typename T>
WindowLayout window_layout(const WindowSizes& sizes, std::size_t limit) {
  WindowLayout smallest{};
  for (const bool feeds : {true, false}) {
    if (feeds && sizes.feeds > kMaxSharedFeeds) continue;
    for (const int weights : {kMaxSharedWeights, 0}) {
      for (int quads = kMaxQuads; quads >= 1; quads /= 2) {
        for (int angles = std::min(kMaxAngles, sizes.ntheta);; angles = (angles + 1) / 2) {
          smallest = lay_out<T>(sizes, angles, quads, weights, feeds);
          if (static_cast<std::size_t>(smallest.bytes) <= limit) return smallest;
          if (angles <= 8) break;
        }
      }
    }
  }
  return smallest;
}

int beam_rows(const Problem& problem, const Tables& t, int steps) {
  constexpr double kTails = 32;  // rows at both ends, over which the remap spreads content above the threshold
  const int all = stored_rows(problem, t);
  const auto cells = [](const physics::RemapShift& shift) { return shift.whole + shift.fraction; };
  const auto [least, most] = std::ranges::minmax(t.shift_z, {}, cells);
  const double deep = (cells(most) - cells(least)) * steps + kTails;  // at the last step, when it is largest
  int rows = 32;
  while (rows < deep && rows < all) rows *= 2;
  return std::min(rows, all);
}

SharedNeed window_shared_need(const Problem& problem, const Tables& outline) {
  WindowSizes sizes = window_sizes(problem, outline);
  SharedNeed need{.least = smallest(problem, sizes)};
  sizes.most_feeds = outline.most.feeds;
  sizes.most_half = outline.most.half;
  need.most = smallest(problem, sizes) + kMaxStatic;
  return need;
}

template WindowLayout window_layout<float>(const WindowSizes&, std::size_t);
template WindowLayout window_layout<double>(const WindowSizes&, std::size_t);

}  // namespace bb::transport
