#include "cuda_sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kWarps = kSweepThreads / 32;
constexpr int kMinStages = 3;
constexpr int kMaxRounds = 6;                  // maximum columns per block
constexpr int kWideBins = 2;                   // bins per group with wide angle kernels
constexpr int kVeryWide = 8;                   // a bin of at least this half width has its own group
constexpr int kAnglesScored = 3;               // maximum number of angles that a thread scores
constexpr double kCyclesPerInstruction = 4.5;  // for a single warp
constexpr double kIssued = 0.7;                // maximum share of issue slots in use
constexpr double kCyclesPerCopy = 230;         // cycles to copy a source's row, in addition to those for its bytes
constexpr double kBytesPerCycle = 38;          // bandwidth of a multiprocessor; both fitted to an H200
constexpr double kCyclesPerRow = 100;          // cycles per row, in addition to those for its instructions
constexpr int kStaticBytes = 6 * 1024;         // static shared memory of the kernel

int divide_up(int a, int b) { return (a + b - 1) / b; }

/// Properties of a group's columns that follow from their number of angles.
struct Shape {
  int angles = 0, scorers = 0, colliders = 0, streamers = 0, score_parts = 0;
  int tile_floats = 0, gathered_floats = 0, kernel_floats = 0, stage_floats = 0;
  double cost = 0;  // approximate cycles per row
};

std::optional<Shape> shape_of(const Tables& t, const SweepGroup& g, int angles) {
  const int pitch = row_pitch(t), quads = pitch / 4;
  const int reach = g.bins > 0 ? g.half : 0;
  const int rows = std::min(t.ntheta, angles + 2 * reach);
  Shape s;
  s.angles = angles;
  s.streamers = divide_up(g.bins * angles * quads, 32);
  if (g.scored > 0) {
    s.score_parts = divide_up(angles, kAnglesScored);
    s.scorers = divide_up(s.score_parts * quads, 32);
  }
  const int runs = g.bins * divide_up(angles, g.windowed != 0 ? kSweepRun : kSweepTurned);
  s.colliders = std::max(1, divide_up(runs * quads, 32));
  if (1 + s.streamers + s.scorers + s.colliders > kWarps) return std::nullopt;
  s.tile_floats = divide_up(g.bins * angles * (pitch + 4) + 4, 4) * 4;
  // Instructions per warp and row, as compiled for sm_90. The cycles of a row are the larger of two numbers: those in
  // which four schedulers issue all instructions, and the latency-bound cycles of the busiest warp.
  const double stream = 105;
  const double score = g.scored > 0 ? 41.0 * divide_up(angles, s.score_parts) + 90 : 0;
  double collide = 30, sum = s.streamers * stream + s.scorers * score;
  if (g.windowed != 0) {
    if ((divide_up(angles, kSweepRun) * kSweepRun + 2) * pitch + 32 > kSweepSlot) return std::nullopt;
    s.stage_floats = g.sources * kSweepSlot;
    collide = 235;
    sum += s.colliders * collide;
  } else if (g.bins > 0) {
    s.stage_floats = g.sources * sweep_source_floats(rows, pitch);
    s.gathered_floats = g.bins * (angles + 2 * g.half + kSweepTurned - 1) * pitch;
    s.kernel_floats = g.bins * (g.half + 1 + 2 * angles);
    // Warps in addition to one per run speed up the gather.
    s.colliders = std::min(kWarps - 1 - s.streamers - s.scorers, std::max(s.colliders, divide_up(rows * quads, 64)));
    const int lines = divide_up(rows, s.colliders * 32 / quads);
    const double gather = lines * (25 + g.sources * (6.0 + 5.0 * g.bins));
    const double turn = 30 * g.half + 110;
    collide = gather + turn + 60;
    sum += s.colliders * gather + divide_up(runs * quads, 32) * turn;
  } else {
    s.stage_floats = g.sources * sweep_source_floats(rows, pitch);
  }
  s.cost = std::max({sum / (4 * kIssued), kCyclesPerInstruction * std::max({stream, score, collide}),
                     g.sources * (kCyclesPerCopy + 4.0 * rows * pitch / kBytesPerCycle)}) +
           kCyclesPerRow;
  return s;
}

int aligned(int at) { return divide_up(at, 32) * 32; }

/// End of the barriers and the angles in shared memory.
int angles_end(const Tables& t) {
  return divide_up(4 * kSweepStages + t.ntheta * static_cast<int>(sizeof(SweepAngle) / 4), 4) * 4;
}

/// Assigns the shared memory of a column. Returns false if it does not fit into `floats`.
bool lay_out(const Tables& t, const Shape& s, int floats, SweepColumn& column) {
  column.tile_floats = s.tile_floats;
  column.stage_floats = aligned(s.stage_floats);
  column.tiles_at = angles_end(t);
  column.gathered_at = column.tiles_at + kSweepTiles * s.tile_floats;
  column.kernels_at = column.gathered_at + s.gathered_floats;
  column.stages_at = aligned(column.kernels_at + s.kernel_floats);
  column.stages = std::min(kSweepStages, (floats - column.stages_at) / std::max(column.stage_floats, 1));
  return column.stages >= kMinStages;
}

class Grouping {
 public:
  explicit Grouping(const Tables& tables) : t(tables), typed(tables), claimed(u(tables.ne), false) {}

  bool make(std::vector<SweepGroup>& groups, std::vector<float>& kernels) {
    for (int e = 0; e < t.ne; e += groups.back().bins) {
      if (!add_windowed(groups, e) && !add_wide(groups, kernels, e)) return false;
    }
    for (SweepGroup& g : groups) {
      if (g.windowed == 0) claim_unscored(g);
    }
    for (int bin = 0; bin < t.ne; ++bin) {
      if (!claimed[u(bin)]) score_elsewhere(groups, bin);
    }
    return true;
  }

 private:
  bool narrow(int bin) const { return widest_kernel(t, typed, bin) <= 1; }

  double weight_of(int from, int to) const {
    const std::size_t row = t.row(0, 0, to);
    double sum = 0.0;
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      if (t.gather_source[u(k)] == from) sum += static_cast<double>(typed.gather_weight[u(k)]);
    }
    return sum;
  }

  /// Adds a group with as many bins, from `first` on, as one window of sources can feed.
  bool add_windowed(std::vector<SweepGroup>& groups, int first) {
    int lowest = -t.ne, highest = 2 * t.ne, bins = 0;
    for (; bins < kSweepBins && first + bins < t.ne && narrow(first + bins); ++bins) {
      const SourceRange feeds = feeds_of(t, first + bins);
      if (feeds.count == 0) continue;
      const int from = std::max(lowest, feeds.low + feeds.count - kSweepTaps - bins);
      const int to = std::min(highest, feeds.low - bins);
      if (from > to) break;
      lowest = from;
      highest = to;
    }
    if (bins == 0) return false;
    const int low = std::clamp(first, std::max(lowest, -t.ne), std::min(highest, 2 * t.ne));
    SweepGroup g{};
    g.bin = first;
    g.bins = bins;
    g.half = 1;
    g.windowed = 1;
    g.sources = bins + kSweepTaps - 1;
    const int first_scored = low == first - 1 ? 1 : 0;
    g.scored = bins;
    for (int n = 0; n < g.sources; ++n) g.source[n] = std::clamp(low + n, 0, t.ne - 1);
    for (int b = 0; b < bins; ++b) {
      for (int k = 0; k < kSweepTaps; ++k) {
        const int bin = low + b + k;
        g.weight[b][b + k] = bin >= 0 && bin < t.ne ? static_cast<float>(weight_of(bin, first + b)) : 0.0f;
      }
      const std::size_t row = t.row(0, 0, first + b);
      const int begin = t.angle_begin[row];
      g.angle[b][0] = typed.angle_weight[u(begin)];
      g.angle[b][1] = t.angle_begin[row + 1] - begin > 1 ? typed.angle_weight[u(begin) + 1] : 0.0f;
      g.scored_at[b] = first_scored + b;
      const int bin = low + g.scored_at[b];
      if (bin < 0 || bin >= t.ne || claimed[u(bin)]) continue;
      claimed[u(bin)] = true;
      g.counts[b] = 1.0f;
    }
    groups.push_back(g);
    return true;
  }

  bool add_wide(std::vector<SweepGroup>& groups, std::vector<float>& kernels, int first) {
    const int half = widest_kernel(t, typed, first);
    int bins = half >= kVeryWide ? 1 : kWideBins;
    if (first + bins > t.ne || narrow(first + bins - 1)) bins = 1;
    SweepGroup g{};
    g.bin = first;
    g.bins = bins;
    for (int b = 0; b < bins; ++b) {
      g.half = std::max(g.half, widest_kernel(t, typed, first + b));
      const std::size_t row = t.row(0, 0, first + b);
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        const int at = source_index(g, t.gather_source[u(k)]);
        if (at < 0) return false;
        g.weight[b][at] += typed.gather_weight[u(k)];
      }
    }
    g.kernel_at = static_cast<int>(kernels.size());
    for (int b = 0; b < bins; ++b) {
      const std::size_t row = t.row(0, 0, first + b);
      const int begin = t.angle_begin[row], taps = t.angle_begin[row + 1] - begin;
      for (int d = 0; d <= g.half; ++d) kernels.push_back(d < taps ? typed.angle_weight[u(begin + d)] : 0.0f);
    }
    groups.push_back(g);
    return true;
  }

  /// Index of `bin` among the sources of a group, which is extended if needed; -1 if the group is full.
  static int source_index(SweepGroup& g, int bin) {
    const int at = static_cast<int>(std::find(g.source, g.source + g.sources, bin) - g.source);
    if (at < g.sources) return at;
    if (g.sources == kSweepSources) return -1;
    g.source[g.sources] = bin;
    return g.sources++;
  }

  void score_in(SweepGroup& g, int at) {
    g.scored_at[g.scored] = at;
    g.counts[g.scored++] = 1.0f;
    claimed[u(g.source[at])] = true;
  }

  /// Makes a group score the sources that no other group scores, because it reads them anyway.
  void claim_unscored(SweepGroup& g) {
    for (int n = 0; n < g.sources && g.scored < kSweepBins; ++n) {
      if (!claimed[u(g.source[n])]) score_in(g, n);
    }
  }

  void score_elsewhere(std::vector<SweepGroup>& groups, int bin) {
    SweepGroup& last = groups.back();
    if (last.bins == 0 && last.scored < kSweepBins) {
      score_in(last, source_index(last, bin));
      return;
    }
    SweepGroup g{};
    g.bin = bin;
    score_in(g, source_index(g, bin));
    groups.push_back(g);
  }

  const Tables& t;
  const TypedTables<float> typed;
  std::vector<bool> claimed;
};

/// Returns for every group the shape with the fewest columns whose cost is at most `limit`, or a shape with one angle
/// per column. Returns an empty list if the columns of some group do not fit.
std::vector<Shape> shapes_within(const Tables& t, const std::vector<SweepGroup>& groups, int floats, double limit) {
  std::vector<Shape> out;
  for (const SweepGroup& g : groups) {
    std::optional<Shape> best;
    for (int n = 1; n <= t.ntheta && !best; ++n) {
      const std::optional<Shape> s = shape_of(t, g, divide_up(t.ntheta, n));
      SweepColumn column{};
      if (!s || !lay_out(t, *s, floats, column)) continue;
      if (s->cost <= limit || s->angles == 1) best = s;
    }
    if (!best) return {};
    out.push_back(*best);
  }
  return out;
}

int columns_of(const Tables& t, const std::vector<Shape>& shapes) {
  return std::accumulate(shapes.begin(), shapes.end(), 0,
                         [&](int sum, const Shape& s) { return sum + divide_up(t.ntheta, s.angles); });
}

/// Returns the fastest shapes in which every block processes `rounds` columns of about the same cost.
std::vector<Shape> shapes_for(const Tables& t, const std::vector<SweepGroup>& groups, int floats, int columns,
                              double& limit) {
  double low = 0.0, high = 1e9;
  std::vector<Shape> best = shapes_within(t, groups, floats, high);
  if (best.empty() || columns_of(t, best) > columns) return {};
  for (int i = 0; i < 60; ++i) {
    const double middle = i < 30 ? std::sqrt(std::max(low, 1.0) * high) : 0.5 * (low + high);
    std::vector<Shape> shapes = shapes_within(t, groups, floats, middle);
    if (!shapes.empty() && columns_of(t, shapes) <= columns) {
      high = middle;
      best = std::move(shapes);
    } else {
      low = middle;
    }
  }
  limit = high;
  return best;
}

/// Writes flux weights towards higher x or z for `shift`, whose whole part is 0, or -1 for a mirrored angle.
void send_flux(const physics::RemapShift& shift, const std::array<float, physics::kRemapTaps>& c, bool mirrored,
               float (&to)[5]) {
  if (shift.fraction == 0.0 && shift.whole != 0) {  // a shift of exactly one cell: all content of the donor moves
    std::fill(to, to + 5, 0.0f);
    to[2] = 1.0f;
    return;
  }
  for (int m = 0; m < 5; ++m) to[m] = mirrored ? (m == 2 ? 1.0f : 0.0f) - c[u(4 - m)] : c[u(m)];
}

bool send_angles(const Tables& t, SweepPlan& plan) {
  const TypedTables<float> typed(t);
  for (int a = 0; a < t.ntheta; ++a) {
    SweepAngle angle{};
    const physics::RemapShift& x = t.shift_x[u(a)];
    const physics::RemapShift& z = t.shift_z[u(a)];
    const bool back = x.whole == -1;
    if (!(back || x.whole == 0 || (x.whole == 1 && x.fraction == 0.0))) return false;
    angle.mirrored = back ? 1 : 0;
    if (back && plan.layout.turning != a) return false;  // angles are in ascending order
    if (back) plan.layout.turning = a + 1;
    send_flux(x, typed.flux_x[u(a)], back, angle.x);
    const bool exact = z.fraction == 0.0 && z.whole != 0;
    angle.whole_z = exact ? z.whole - 1 : z.whole;
    send_flux(z, typed.flux_z[u(a)], false, angle.z);
    angle.plane = static_cast<float>(t.plane_weight[u(a)]);
    angle.plane_theta = static_cast<float>(t.plane_weight[u(a)] * t.theta[u(a)]);
    angle.plane_theta_theta = static_cast<float>(t.plane_weight[u(a)] * t.theta[u(a)] * t.theta[u(a)]);
    if (angle.whole_z < 0 || angle.whole_z > physics::kRemapReach) return false;
    plan.angles.push_back(angle);
  }
  return true;
}

}  // namespace

std::optional<SweepPlan> plan_sweep(const Tables& t, const cuda::DeviceInfo& device) {
  SweepPlan plan;
  if (t.materials != 1 || t.classes != 1 || device.architecture() < 80) return std::nullopt;
  if (t.ntheta <= kSweepRun) return std::nullopt;  // otherwise one thread would count losses at both ends of the angles
  if (!send_angles(t, plan) || !Grouping(t).make(plan.groups, plan.kernels)) return std::nullopt;

  const int floats = (device.shared_per_block_optin_bytes - kStaticBytes) / 4;
  const int blocks = device.multiprocessors;
  std::vector<Shape> shapes;
  double soonest = INFINITY;
  for (int rounds = 1; rounds <= kMaxRounds; ++rounds) {
    double limit = INFINITY;
    std::vector<Shape> tried = shapes_for(t, plan.groups, floats, rounds * blocks, limit);
    if (tried.empty() || limit * rounds >= soonest) continue;
    soonest = limit * rounds;
    shapes = std::move(tried);
  }
  if (shapes.empty()) return std::nullopt;

  // Columns are assigned in order of falling cost, each to the block with the least work so far.
  struct ColumnCost {
    SweepColumn column;
    double cost;
  };
  std::vector<ColumnCost> columns;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Shape& s = shapes[g];
    const int chunks = divide_up(t.ntheta, s.angles);
    for (int n = 0; n < chunks; ++n) {
      const int a = t.ntheta * n / chunks, end = t.ntheta * (n + 1) / chunks;
      const std::optional<Shape> own = shape_of(t, plan.groups[g], end - a);
      if (!own) return std::nullopt;
      SweepColumn column{};
      column.group = static_cast<int>(g);
      column.a0 = a;
      column.a1 = end;
      column.scorers = own->scorers;
      column.colliders = own->colliders;
      column.streamers = own->streamers;
      column.score_parts = own->score_parts;
      if (!lay_out(t, *own, floats, column)) return std::nullopt;
      columns.push_back({column, own->cost});
    }
  }
  std::ranges::stable_sort(columns, [](const ColumnCost& a, const ColumnCost& b) { return a.cost > b.cost; });
  const std::size_t used = std::min(u(blocks), columns.size());
  std::vector<std::vector<SweepColumn>> of_block(used);
  std::vector<double> load(used, 0.0);
  for (const ColumnCost& c : columns) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    of_block[least].push_back(c.column);
    load[least] += c.cost;
  }
  plan.begin.push_back(0);
  for (const auto& some : of_block) {
    plan.columns.insert(plan.columns.end(), some.begin(), some.end());
    plan.begin.push_back(static_cast<int>(plan.columns.size()));
  }

  for (const SweepColumn& c : plan.columns) {
    plan.threads = std::max(plan.threads, static_cast<unsigned>(32 * (1 + c.scorers + c.colliders + c.streamers)));
    plan.shared_bytes =
        std::max(plan.shared_bytes, static_cast<unsigned>(4 * (c.stages_at + c.stages * c.stage_floats)));
  }
  return plan;
}

}  // namespace bb::transport
