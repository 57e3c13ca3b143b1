#include "sliced_solver.hpp"

#include <algorithm>
#include <utility>

#include "transport/model/index.hpp"
#include "transport/run/projection.hpp"

namespace bb::transport {
namespace {

using engine::Crossing;
using engine::Marginals;
using engine::ScopedSpan;
using engine::SpanRecorder;
using engine::StepTotals;

// Share of the beam below which an edge plane of a slice is cut from the window. A run cuts some 10^4 edges. With FP32
// they add up to about 1e-7 of the protons, with FP64 to less than the 1e-12 that parity tests allow. The ledger counts
// these protons as skipped.
template <typename T>
constexpr double kWindowThreshold = sizeof(T) == sizeof(float) ? 1e-11 : 1e-18;

constexpr int kColumnsPerTile = 64;

}  // namespace

template <typename T>
SlicedSolver<T>::SlicedSolver(const Problem& problem, const Tables& tables, int threads, Extent extent)
    : t_(tables),
      typed_(tables),
      ops_(slice_ops<T>()),
      bin_sources_(bin_sources(tables)),
      depth_(problem.stepping == Stepping::kDepth),
      extent_(extent),
      pool_(threads),
      now_(u(tables.ne)),
      next_(u(tables.ne)),
      lanes_(u(pool_.lanes())),
      parts_(u(tables.ne)),
      scores_(tables),
      planes_(kScorePlanes * tables.plane(), 0.0) {
  for (Lane& lane : lanes_) lane.edge.resize(u(t_.nz + t_.ntheta));
  begin(problem);
}

template <typename T>
bool SlicedSolver<T>::restart(const Problem& problem) {
  scores_ = engine::Scores(t_);
  std::ranges::fill(planes_, 0.0);
  // Clear the stores, so that the reported size of the state is that of this beam alone.
  next_store_.clear();
  deferred_store_.clear();
  for (Lane& lane : lanes_) lane.scratch.clear();
  step_ = 0;
  cell_steps_ = state_bytes_ = 0.0;
  begin(problem);
  return true;
}

/// Starts from the beam's entry in the tables.
template <typename T>
void SlicedSolver<T>::begin(const Problem& problem) {
  threshold_ = extent_ == Extent::kWindow ? kWindowThreshold<T> * t_.start.number_in : 0.0;
  std::ranges::copy(scores_.dose(), planes_.begin());
  start(problem);
}

template <typename T>
std::vector<typename SlicedSolver<T>::BinSources> SlicedSolver<T>::bin_sources(const Tables& t) {
  std::vector<BinSources> out(u(t.ne));
  std::vector<unsigned char> feeding(u(t.ne));  // source bins of bin e, over all paths and materials
  for (int e = 0; e < t.ne; ++e) {
    BinSources& feed = out[u(e)];
    std::ranges::fill(feeding, 0);
    for (int path = 0; path < t.paths; ++path) {
      for (int m = 0; m < t.materials; ++m) {
        const std::size_t row = t.path_row(path, m, e);
        feed.half = std::max(feed.half, t.angle_begin[row + 1] - t.angle_begin[row] - 1);
        for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) feeding[u(t.gather_source[u(k)])] = 1;
      }
    }
    for (int from = 0; from < t.ne; ++from) {
      if (feeding[u(from)] != 0) feed.sources.push_back(from);
    }
  }
  return out;
}

template <typename T>
void SlicedSolver<T>::start(const Problem& problem) {
  const int rows = depth_ ? 1 : t_.nz;
  plane_ = depth_ && !problem.filled ? t_.start.z : 0;
  Box content{0, rows, 0, t_.ntheta, 0, t_.nx};
  if (!problem.filled) {
    const Start::Extent extent = t_.start.extent();
    content = {depth_ ? 0 : t_.start.z, depth_ ? 1 : t_.start.z + 1, extent.a0, extent.a1, extent.x0, extent.x1};
  }
  std::size_t size = 0;
  for (int e = 0; e < t_.ne; ++e) {
    const bool used = problem.filled || t_.start.holds(e);
    now_[u(e)].shape(used ? content : Box{});
    size += now_[u(e)].size();
  }
  now_store_.resize(size);
  std::ranges::fill(now_store_.all(), T(0));
  std::size_t offset = 0;
  std::vector<double> columns(u(t_.nx));
  for (int e = 0; e < t_.ne; ++e) {
    Slice<T>& slice = now_[u(e)];
    slice.data = now_store_.data() + offset;
    offset += slice.size();
    if (slice.box.empty()) continue;
    for (int z = slice.box.z0; z < slice.box.z1; ++z) {
      for (int a = slice.box.a0; a < slice.box.a1; ++a) {
        T* row = slice.row(z, a) - slice.xs;
        std::ranges::fill(columns, 0.0);
        if (!problem.filled) t_.start.add(e, a, columns);
        for (int x = slice.box.x0; x < slice.box.x1; ++x) {
          if (problem.filled) {
            const std::size_t index = ((u(e) * u(t_.ntheta) + u(a)) * u(rows) + u(z)) * u(t_.nx) + u(x);
            row[x] = static_cast<T>(filled_value(problem.seed, index));
          } else if (depth_ || z == t_.start.z) {
            row[x] = static_cast<T>(columns[u(x)]);
          }
        }
      }
    }
  }
}

template <typename T>
int SlicedSolver<T>::advance(int /*max_steps*/, std::vector<StepTotals>& totals, SpanRecorder& spans,
                             const std::atomic<bool>& cancel) {
  if (cancel.load()) return 0;
  StepTotals s;
  step(s, spans);
  ++step_;
  totals.push_back(s);
  return 1;
}

template <typename T>
std::vector<typename SlicedSolver<T>::BinStepPlan> SlicedSolver<T>::plan() const {
  std::vector<BinStepPlan> plans;
  for (int e = 0; e < t_.ne; ++e) {
    const BinSources& feed = bin_sources_[u(e)];
    BinStepPlan p{e, {}, {}, feed.half};
    for (const int source : feed.sources) p.from.include(now_[u(source)].box);
    if (p.from.empty()) continue;
    p.to = p.from;
    p.to.a0 = std::max(0, p.from.a0 - p.half);
    p.to.a1 = std::min(t_.ntheta, p.from.a1 + p.half);
    const auto reach = [&](const std::vector<physics::RemapShift>& shifts, int& lo, int& hi, int limit) {
      int low = shifts[u(p.to.a0)].whole, high = low;
      for (int a = p.to.a0; a < p.to.a1; ++a) {
        low = std::min(low, shifts[u(a)].whole);
        high = std::max(high, shifts[u(a)].whole + (shifts[u(a)].fraction > 0.0 ? 1 : 0));
      }
      lo = std::clamp(lo + low, 0, limit);
      hi = std::clamp(hi + high, 0, limit);
    };
    reach(t_.shift_x, p.to.x0, p.to.x1, t_.nx);
    if (!depth_) reach(t_.shift_z, p.to.z0, p.to.z1, t_.nz);
    plans.push_back(p);
  }
  return plans;
}

template <typename T>
void SlicedSolver<T>::step(StepTotals& totals, SpanRecorder& spans) {
  std::ranges::fill(parts_, BinTotals{});
  const std::uint16_t fused_name = spans.name_id("fused step");
  const std::uint16_t plan_name = spans.name_id("plan");

  std::vector<BinStepPlan> plans;
  {
    const ScopedSpan span(spans, 0, plan_name, step_);
    plans = plan();
    for (Slice<T>& slice : next_) slice.shape({});
    std::size_t size = 0;
    for (const BinStepPlan& p : plans) {
      next_[u(p.bin)].shape(p.to);
      size += next_[u(p.bin)].size();
    }
    next_store_.grow(size);
    std::size_t offset = 0, scratch = 0;
    for (const BinStepPlan& p : plans) {
      next_[u(p.bin)].data = next_store_.data() + offset;
      offset += next_[u(p.bin)].size();
      scratch = std::max(scratch, slice_scratch_size(t_, p.from, p.to));
    }
    double bytes = static_cast<double>(now_store_.size() + next_store_.size() + deferred_store_.size()) * sizeof(T);
    for (Lane& l : lanes_) {
      if (l.scratch.size() < scratch) l.scratch.resize(scratch);
      bytes += static_cast<double>(l.scratch.size()) * sizeof(T);
    }
    state_bytes_ = std::max(state_bytes_, bytes);
  }

  score(spans);
  pool_.run(static_cast<int>(plans.size()), [&](int task, int l) {
    const ScopedSpan span(spans, l, fused_name, step_);
    const BinStepPlan& p = plans[u(task)];
    advance_bin(p, lane(l), parts_[u(p.bin)]);
  });
  now_.swap(next_);
  std::swap(now_store_, next_store_);
  if (depth_ && ++plane_ >= t_.nz) leave_through_back(totals);

  double low = 0.0, high = 0.0;
  for (const BinTotals& part : parts_) {
    totals.number.add(part.totals.number);
    totals.energy.add(part.totals.energy);
    totals.deposited += part.totals.deposited;
    low = std::min(low, part.low);
    high = std::max(high, part.high);
    cell_steps_ += part.cells;
  }
  if (depth_ && plane_ >= t_.nz) totals.number.in_flight = totals.energy.in_flight = 0.0;
  scores_.extremes(low, high);
}

/// Scores every slice separately, then adds the scores to the results.
template <typename T>
void SlicedSolver<T>::score(SpanRecorder& spans) {
  const std::uint16_t score_name = spans.name_id("score");
  const std::uint16_t add_name = spans.name_id("add scores");
  const int tracks = t_.tracks.on() ? 1 : 0;
  std::vector<DeferredScores<T>> left;
  std::size_t size = 0;
  for (int e = 0; e < t_.ne; ++e) {
    if (now_[u(e)].box.empty()) continue;
    left.emplace_back(e, now_[u(e)], depth_, plane_);
    size += left.back().size();
  }
  deferred_store_.grow(size);
  T* rows = deferred_store_.data();
  for (DeferredScores<T>& each : left) rows = (each.rows = rows) + each.size();

  pool_.run(static_cast<int>(left.size()), [&](int task, int l) {
    const ScopedSpan span(spans, l, score_name, step_);
    const DeferredScores<T>& to = left[u(task)];
    const SliceScore s = ops_.score[tracks](context(), now_[u(to.bin)], to, scores_.tracks().data());
    StepTotals& sum = parts_[u(to.bin)].totals;
    sum.deposited += s.deposited;
    sum.number.stopped += s.stopped;
    sum.number.nuclear += s.nuclear;
    sum.energy.nuclear += s.nuclear_energy;
  });
  const std::vector<Tile> tiles = score_tiles(left);
  const ScoreFields fields{planes_.data(), scores_.reactions().data(), scores_.tracks().data()};
  pool_.run(static_cast<int>(tiles.size()), [&](int task, int l) {
    const ScopedSpan span(spans, l, add_name, step_);
    ops_.add_deferred[tracks](context(), left.data(), left.size(), tiles[u(task)], fields);
  });
}

/// Tiles that cover all scores of the step. If reactions are recorded, tiles consist of whole planes and columns of
/// their grid.
template <typename T>
std::vector<Tile> SlicedSolver<T>::score_tiles(const std::vector<DeferredScores<T>>& left) const {
  const bool record = t_.reactions.on();
  const int cells = record ? t_.reactions.cells : 1;
  const int columns = (kColumnsPerTile + cells - 1) / cells * cells;
  Tile all{t_.nz, 0, t_.nx, 0};
  for (const DeferredScores<T>& each : left) {
    all.z0 = std::min(all.z0, each.z0);
    all.z1 = std::max(all.z1, each.z1);
    all.x0 = std::min(all.x0, each.xs);
    all.x1 = std::max(all.x1, std::min(each.xs + each.pitch, t_.nx));
  }
  std::vector<Tile> tiles;
  for (int z = all.z0; z < all.z1;) {
    const int next_z = std::min(all.z1, record ? t_.reactions.next_plane(z) : z + 1);
    for (int x = all.x0; x < all.x1;) {
      const int next_x = std::min(all.x1, (x / columns + 1) * columns);
      tiles.push_back({z, next_z, x, next_x});
      x = next_x;
    }
    z = next_z;
  }
  return tiles;
}

template <typename T>
void SlicedSolver<T>::advance_bin(const BinStepPlan& plan, Lane& lane, BinTotals& part) {
  Slice<T>& out = next_[u(plan.bin)];
  const double energy = t_.energy[u(plan.bin)];
  const SliceLoss loss = ops_.advance(context(), plan.bin, now_.data(), plan.from, plan.half, out, lane.scratch.data());
  for (int face = 0; face < kFaces; ++face) part.totals.escape(static_cast<Face>(face), loss[face], energy);
  if (out.box.empty()) return;

  T* column = lane.scratch.data();
  double* planes = lane.edge.data();
  double* angles = planes + out.nz;
  SliceMeasure m = ops_.measure(out, planes, angles, column);
  part.cells += static_cast<double>(out.nz) * out.na * (out.box.x1 - out.box.x0);
  part.low = std::min(part.low, m.low);
  part.high = std::max(part.high, m.high);
  const double cut = trim(out, planes, angles, column);
  m.number -= cut;
  part.totals.number.skipped += cut;
  part.totals.energy.skipped += cut * energy;
  part.totals.number.in_flight += m.number;
  part.totals.energy.in_flight += m.number * energy;
}

/// Cuts edges with no more protons than the threshold. Returns the protons in them, each counted once although the
/// edges overlap at the corners.
template <typename T>
double SlicedSolver<T>::trim(Slice<T>& slice, const double* planes, const double* angles, const T* column) {
  Box keep = slice.box;
  while (keep.z0 < keep.z1 && planes[keep.z0 - slice.zs] <= threshold_) ++keep.z0;
  while (keep.z1 > keep.z0 && planes[keep.z1 - 1 - slice.zs] <= threshold_) --keep.z1;
  while (keep.a0 < keep.a1 && angles[keep.a0 - slice.as] <= threshold_) ++keep.a0;
  while (keep.a1 > keep.a0 && angles[keep.a1 - 1 - slice.as] <= threshold_) --keep.a1;
  while (keep.x0 < keep.x1 && static_cast<double>(column[keep.x0 - slice.xs]) <= threshold_) ++keep.x0;
  while (keep.x1 > keep.x0 && static_cast<double>(column[keep.x1 - 1 - slice.xs]) <= threshold_) --keep.x1;
  const bool gone = keep.empty();
  double cut = 0.0;
  const Box all = slice.box;
  for (int z = all.z0; z < all.z1; ++z) {
    for (int a = all.a0; a < all.a1; ++a) {
      T* row = slice.row(z, a) - slice.xs;
      const auto clear = [&](int first, int last) {
        for (int x = first; x < last; ++x) cut += static_cast<double>(std::exchange(row[x], T(0)));
      };
      const bool whole = gone || z < keep.z0 || z >= keep.z1 || a < keep.a0 || a >= keep.a1;
      if (whole && all.z1 - all.z0 == 1) {  // the sum is already known
        cut += angles[a - slice.as];
        std::fill_n(slice.row(z, a), slice.pitch, T(0));
      } else if (whole) {
        clear(all.x0, all.x1);
      } else {
        clear(all.x0, keep.x0);
        clear(keep.x1, all.x1);
      }
    }
  }
  slice.box = gone ? Box{} : keep;
  return cut;
}

template <typename T>
void SlicedSolver<T>::leave_through_back(StepTotals& totals) {
  for (int e = 0; e < t_.ne; ++e) {
    Slice<T>& slice = now_[u(e)];
    double number = 0.0;
    for (std::size_t i = 0; i < slice.size(); ++i) number += static_cast<double>(slice.data[i]);
    totals.escape(kZHigh, number, t_.energy[u(e)]);
    slice.shape({});
  }
}

template <typename T>
void SlicedSolver<T>::marginals(Marginals& out) {
  engine::sum_marginals(*this, t_, out);
  out.step = step_;
}

template <typename T>
bool SlicedSolver<T>::visit(engine::RowVisitor& visitor) const {
  for (int e = 0; e < t_.ne; ++e) {
    const Slice<T>& slice = now_[u(e)];
    const Box& box = slice.box;
    if (box.x1 <= box.x0) continue;
    for (int z = box.z0; z < box.z1; ++z) {
      for (int a = box.a0; a < box.a1; ++a) {
        const T* cells = slice.row(z, a) - slice.xs + box.x0;
        visitor.row(e, a, depth_ ? plane_ : z, box.x0, std::span<const T>(cells, u(box.x1 - box.x0)));
      }
    }
  }
  return true;
}

template <typename T>
std::span<const double> SlicedSolver<T>::dose() {
  return std::span(planes_).first(t_.plane());
}

template <typename T>
std::span<const double> SlicedSolver<T>::crossing() {
  std::vector<double>& moments = scores_.crossing();
  std::ranges::fill(moments, 0.0);
  for (int z = 0; z < t_.nz; ++z) add_crossing(t_, z, planes_.data(), &moments[u(z) * Crossing::kCount]);
  return moments;
}

template <typename T>
std::span<const double> SlicedSolver<T>::reactions() {
  return scores_.reactions();
}

template <typename T>
std::span<const double> SlicedSolver<T>::tracks() {
  return scores_.tracks();
}

template class SlicedSolver<float>;
template class SlicedSolver<double>;

}  // namespace bb::transport
