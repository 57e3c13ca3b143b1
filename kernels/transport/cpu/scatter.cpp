// Energy, angle and streaming as three passes over the whole grid. In each pass, every non-empty cell adds its protons
// atomically to their target cells, in an output that was cleared before. The earlier CuPy kernels had the same
// structure: one work item per cell, no ordering between them. (Streaming scatters along x, then along z, because each
// remap limits its own flux.)
#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "cpu/thread_pool.hpp"
#include "dense_state.hpp"
#include "lane_spans.hpp"
#include "transport/model/index.hpp"
#include "transport/model/typed_tables.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/run/projection.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

using engine::Crossing;
using engine::StepTotals;

constexpr int kCellsPerTask = 16384;

template <typename T>
void atomic_add(T& to, T value) {
#if defined(__cpp_lib_atomic_ref)
  std::atomic_ref<T>(to).fetch_add(value, std::memory_order_relaxed);
#else
  T seen = __atomic_load_n(&to, __ATOMIC_RELAXED);
  T wanted = seen + value;
  while (!__atomic_compare_exchange(&to, &seen, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    wanted = seen + value;
  }
#endif
}

/// Scores of one thread.
struct alignas(64) Lane {
  StepTotals totals;
  double low = 0.0, high = 0.0;
  std::vector<double> dose, crossing, reactions, tracks;
};

template <typename T>
class Scatter final : public engine::Solver {
 public:
  Scatter(const Problem& problem, const Tables& tables, int threads)
      : t_(tables),
        typed_(tables),
        taps_(taps_by_source(tables)),
        state_(problem, tables),
        pool_(threads),
        scores_(tables) {
    lanes_.resize(u(pool_.lanes()));
    for (Lane& lane : lanes_) {
      lane.dose.assign(t_.plane(), 0.0);
      lane.crossing.assign(scores_.crossing().size(), 0.0);
      lane.reactions.assign(scores_.reactions().size(), 0.0);
      lane.tracks.assign(scores_.tracks().size(), 0.0);
    }
    lanes_.front().dose = scores_.dose();  // the dose of the entry path
    rows_ = t_.ne * t_.ntheta * state_.rows;
    rows_per_task_ = std::max(1, kCellsPerTask / t_.nx);
  }

  int advance(int, std::vector<StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) override {
    if (cancel.load()) return 0;
    for (Lane& lane : lanes_) {
      lane.totals = {};
      lane.low = lane.high = 0.0;
    }
    pass(spans, "slow down", [&](Lane& l, const Row& r, std::size_t i) { slow_down(l, r, i); });
    pass(spans, "scatter angles", [&](Lane& l, const Row& r, std::size_t i) { scatter_angles(l, r, i); });
    pass(spans, "stream x", [&](Lane& l, const Row& r, std::size_t i) { stream_x(l, r, i); });
    if (state_.depth) {
      ++state_.plane;
    } else {
      pass(spans, "stream z", [&](Lane& l, const Row& r, std::size_t i) { stream_z(l, r, i); });
    }
    count(spans);
    StepTotals sum;
    double low = 0.0, high = 0.0;
    for (const Lane& lane : lanes_) {
      sum.number.add(lane.totals.number);
      sum.energy.add(lane.totals.energy);
      sum.deposited += lane.totals.deposited;
      low = std::min(low, lane.low);
      high = std::max(high, lane.high);
    }
    scores_.extremes(low, high);
    totals.push_back(sum);
    ++step_;
    return 1;
  }

  void marginals(engine::Marginals& out) override {
    engine::sum_marginals(*this, t_, out);
    out.step = step_;
  }
  bool visit(engine::RowVisitor& visitor) const override {
    state_.visit(visitor);
    return true;
  }
  std::span<const double> dose() override {
    collect(scores_.dose(), &Lane::dose);
    return scores_.dose();
  }
  std::span<const double> crossing() override {
    collect(scores_.crossing(), &Lane::crossing);
    return scores_.crossing();
  }
  std::span<const double> reactions() override {
    collect(scores_.reactions(), &Lane::reactions);
    return scores_.reactions();
  }
  std::span<const double> tracks() override {
    collect(scores_.tracks(), &Lane::tracks);
    return scores_.tracks();
  }
  double min_over_max() const override { return scores_.min_over_max(); }
  double cell_steps() const override { return static_cast<double>(state_.psi.size()) * step_; }
  double state_bytes() const override { return state_.bytes(); }

 private:
  /// A row of cells by its indices e, a and z, and the position of its first cell.
  struct Row {
    int e, a, z;  // z in the state
    std::size_t begin;
    const std::uint8_t* materials;
  };

  /// Sets `to` to the sum over the lanes, which remain unchanged.
  void collect(std::vector<double>& to, std::vector<double> Lane::* part) const {
    std::ranges::fill(to, 0.0);
    for (const Lane& lane : lanes_) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += (lane.*part)[i];
    }
  }

  template <typename F>
  void each_row(engine::SpanRecorder& spans, const char* name, F&& f) {
    run_pass(pool_, spans, name, step_, (rows_ + rows_per_task_ - 1) / rows_per_task_, [&](int task, int lane) {
      const int end = std::min(rows_, (task + 1) * rows_per_task_);
      for (int r = task * rows_per_task_; r < end; ++r) {
        const int z = r % state_.rows;
        const int a = r / state_.rows % t_.ntheta;
        f(lanes_[u(lane)], Row{r / state_.rows / t_.ntheta, a, z, u(r) * u(t_.nx),
                               &t_.map[u(std::min(state_.map_row(z), t_.nz - 1)) * u(t_.nx)]});
      }
    });
  }

  /// Clears the output, then calls `f` for every cell that is not empty.
  template <typename F>
  void pass(engine::SpanRecorder& spans, const char* name, F&& f) {
    each_row(spans, "clear", [&](Lane&, const Row& r) { std::fill_n(&state_.next[r.begin], t_.nx, T(0)); });
    each_row(spans, name, [&](Lane& lane, const Row& r) {
      for (std::size_t i = r.begin; i < r.begin + u(t_.nx); ++i) {
        if (state_.psi[i] != T(0)) f(lane, r, i);
      }
    });
    state_.psi.swap(state_.next);
  }

  void slow_down(Lane& lane, const Row& r, std::size_t i) {
    const T p = state_.psi[i];
    const std::size_t x = i - r.begin;
    const std::size_t row = t_.row(state_.step_class(r.a), r.materials[x], r.e);
    const std::size_t slice = u(t_.ntheta) * u(state_.rows) * u(t_.nx);
    for (std::size_t k = taps_.begin[row]; k < taps_.begin[row + 1]; ++k) {
      const std::size_t to = i - u(r.e) * slice + u(taps_.destination[k]) * slice;
      atomic_add(state_.next[to], p * typed_.gather_weight[taps_.tap[k]]);
    }

    const double q = p;
    const int z = state_.map_row(r.z);
    const double deposit = q * typed_.deposit[row];
    lane.low = std::min(lane.low, q);
    lane.high = std::max(lane.high, q);
    lane.dose[u(z) * u(t_.nx) + x] += deposit;
    lane.totals.deposited += deposit;
    lane.totals.number.stopped += q * typed_.stopped[row];
    lane.totals.number.nuclear += q * typed_.nuclear[row];
    lane.totals.energy.nuclear += q * typed_.nuclear_escape[row];
    if (t_.reactions.on()) {
      t_.reactions.add(lane.reactions.data(), r.e, z, static_cast<int>(x), q * typed_.nuclear[row]);
    }
    if (t_.tracks.on()) {
      t_.tracks.add(lane.tracks.data(), r.e, r.a, r.materials[x], z, static_cast<int>(x), u(t_.nx), q);
    }
    const double crossed = q * t_.plane_weight[u(r.a)];
    const double position = (static_cast<double>(x) + 0.5 - 0.5 * t_.nx) * t_.dx;
    const double theta = t_.theta[u(r.a)];
    double* c = &lane.crossing[u(z) * Crossing::kCount];
    c[Crossing::kN] += crossed;
    c[Crossing::kX] += crossed * position;
    c[Crossing::kXX] += crossed * position * position;
    c[Crossing::kTheta] += crossed * theta;
    c[Crossing::kThetaTheta] += crossed * theta * theta;
    c[Crossing::kXTheta] += crossed * position * theta;
  }

  void scatter_angles(Lane& lane, const Row& r, std::size_t i) {
    const T p = state_.psi[i];
    const std::size_t row = t_.row(state_.step_class(r.a), r.materials[i - r.begin], r.e);
    const T* w = &typed_.angle_weight[u(t_.angle_begin[row])];
    const int half = t_.angle_begin[row + 1] - t_.angle_begin[row] - 1;
    const auto stride = static_cast<std::ptrdiff_t>(state_.rows) * t_.nx;
    for (int k = -half; k <= half; ++k) {
      const T part = p * w[std::abs(k)];
      if (r.a + k < 0 || r.a + k >= t_.ntheta) {
        lane.totals.escape(r.a + k < 0 ? kThetaLow : kThetaHigh, part, t_.energy[u(r.e)]);
      } else {
        atomic_add(*(&state_.next[i] + k * stride), part);
      }
    }
  }

  /// Remaps cell `at` of a row of `n` cells, `stride` apart, with content `psi[i]`. Calls lost(face, protons) for
  /// protons that leave the row through face `low` or the opposite face. Cells beyond the ends in x are read as in
  /// remap_neighbour.
  template <typename F>
  void remap(std::size_t i, int at, int n, std::ptrdiff_t stride, const physics::RemapShift& shift, const T* c,
             Face low, F&& lost) {
    const T* p = &state_.psi[i];
    const auto neighbour = [&](int m) {
      const int cell = low == kXLow ? physics::remap_neighbour(at + m, n, shift.whole) : at + m;
      return cell < 0 || cell >= n ? T(0) : p[(cell - at) * stride];
    };
    const T moved = physics::remap_flux(neighbour(-2), neighbour(-1), *p, neighbour(1), neighbour(2), c);
    const auto put = [&](int m, T part) {
      if (at + m < 0 || at + m >= n) {
        lost(at + m < 0 ? low : static_cast<Face>(low + 1), part);
      } else {
        atomic_add(*(&state_.next[i] + m * stride), part);
      }
    };
    put(shift.whole, *p - moved);
    put(shift.whole + 1, moved);
  }

  void stream_x(Lane& lane, const Row& r, std::size_t i) {
    remap(i, static_cast<int>(i - r.begin), t_.nx, 1, t_.shift_x[u(r.a)], typed_.flux_x[u(r.a)].data(), kXLow,
          [&](Face face, T protons) { lane.totals.escape(face, protons, t_.energy[u(r.e)]); });
  }

  void stream_z(Lane& lane, const Row& r, std::size_t i) {
    remap(i, r.z, t_.nz, t_.nx, t_.shift_z[u(r.a)], typed_.flux_z[u(r.a)].data(), kZLow,
          [&](Face face, T protons) { lane.totals.escape(face, protons, t_.energy[u(r.e)]); });
  }

  /// Counts the content in flight. Content beyond the last plane of depth stepping has left the grid.
  void count(engine::SpanRecorder& spans) {
    const bool left = state_.depth && state_.plane >= t_.nz;
    each_row(spans, "count", [&](Lane& lane, const Row& r) {
      double sum = 0.0;
      for (std::size_t i = r.begin; i < r.begin + u(t_.nx); ++i) sum += state_.psi[i];
      if (left) {
        lane.totals.escape(kZHigh, sum, t_.energy[u(r.e)]);
        std::fill_n(&state_.psi[r.begin], t_.nx, T(0));
      } else {
        lane.totals.number.in_flight += sum;
        lane.totals.energy.in_flight += sum * t_.energy[u(r.e)];
      }
    });
  }

  const Tables& t_;
  TypedTables<T> typed_;
  SourceTaps taps_;
  DenseState<T> state_;
  cpu::ThreadPool pool_;
  engine::Scores scores_;
  std::vector<Lane> lanes_;
  int rows_ = 0;
  int rows_per_task_ = 1;
  int step_ = 0;
};

}  // namespace

Variant scatter_variant() {
  return {
      .id = "scatter",
      .title = "Scatter",
      .changes = "Each non-empty cell adds atomically to its target cells, in cleared outputs; one pass per operator",
      .builds_on = "reference",
      .device = "cpu",
      .source = "kernels/transport/cpu/scatter.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 68,  // 4 passes × (read, clear, read and write the target), one more read for the count
      .flops_per_cell_step = 62,
      .speed_rank = 10,
      .scores_tracks = true,
      .estimate_bytes = estimate_dense,
      .make = make_by_precision<Scatter>,
  };
}

}  // namespace bb::transport
