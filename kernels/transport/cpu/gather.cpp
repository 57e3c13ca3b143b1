// The operators of `scatter` in gather form: every cell collects the protons that reach it. No two threads write the
// same cell, so no atomics or clearing are needed. The result does not depend on the number of threads. x is
// contiguous; blocks of rows are short enough for their source cells to stay in the cache.
#include <algorithm>
#include <optional>

#include "build_config.hpp"
#include "cpu/host.hpp"
#include "dense_state.hpp"
#include "gather_ops.hpp"
#include "lane_spans.hpp"
#include "transport/model/index.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/run/projection.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)                                   \
  namespace isa {                                         \
  template <typename T>                                   \
  const GatherOps<T>& ops();                              \
  extern template const GatherOps<float>& ops<float>();   \
  extern template const GatherOps<double>& ops<double>(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

template <typename T>
const GatherOps<T>& gather_ops() {
#define BB_ENTRY(isa) &isa::ops<T>,
  using Choice = const GatherOps<T>& (*)();
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

namespace {

using engine::Crossing;
using engine::StepTotals;

// Cells per row block. An energy gather reads about six bins; six bins of a block fill a quarter of the smallest L2
// cache. Blocks of a narrow grid still have many cells, so that loops are long.
constexpr int kBlockCells = 1024;
constexpr int kColumnsPerTask = 16;  // columns of the reaction grid
constexpr int kAngleGroups = 8;      // groups of angles, for grids with few row blocks

template <typename T>
class Gather final : public engine::Solver {
 public:
  Gather(const Problem& problem, const Tables& tables, int threads)
      : t_(tables), typed_(tables), ops_(gather_ops<T>()), state_(problem, tables), pool_(threads), scores_(tables) {
    if (problem.angles_by_fft) {
      spectra_.emplace(tables, typed_);
      scatter_angles_ = scatter_by_fft<T>();
    }
    block_rows_ = std::clamp((kBlockCells + t_.nx - 1) / t_.nx, 1, state_.rows);
    blocks_ = (state_.rows + block_rows_ - 1) / block_rows_;
    groups_ = std::min(kAngleGroups, t_.ntheta);
    dose_.assign(u(groups_) * t_.plane(), 0.0);
    crossing_.assign(u(groups_) * scores_.crossing().size(), 0.0);
    tracks_.assign(u(groups_) * scores_.tracks().size(), 0.0);
    std::ranges::copy(scores_.dose(), dose_.begin());
  }

  int advance(int, std::vector<StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) override {
    if (cancel.load()) return 0;
    sum_ = {};
    if (t_.reactions.on()) record_reactions(spans);
    pass(spans, "slow down", blocks_ * groups_, [&](const GatherContext<T>& c, int task) {
      const int group = task / blocks_;
      const std::size_t first = state_.depth ? u(state_.plane) : 0;
      return ops_.slow_down(c, block(task % blocks_), first_angle(group), first_angle(group + 1),
                            &dose_[u(group) * t_.plane() + first * u(t_.nx)],
                            &crossing_[u(group) * scores_.crossing().size() + first * Crossing::kCount],
                            tracks_.data() + u(group) * scores_.tracks().size());
    });
    pass(spans, "scatter angles", blocks_ * t_.ne, [&](const GatherContext<T>& c, int task) {
      return scatter_angles_(c, block(task % blocks_), task / blocks_);
    });
    pass(spans, "stream", groups_ * t_.ne, [&](const GatherContext<T>& c, int task) {
      return ops_.stream(c, task / groups_, first_angle(task % groups_), first_angle(task % groups_ + 1));
    });
    StepTotals s;
    s.number = {.in_flight = sum_.number, .stopped = sum_.stopped, .nuclear = sum_.nuclear};
    s.energy = {.in_flight = sum_.energy, .nuclear = sum_.nuclear_energy};
    std::ranges::copy(sum_.lost, s.number.escaped.begin());
    std::ranges::copy(sum_.lost_energy, s.energy.escaped.begin());
    s.deposited = sum_.deposited;
    if (state_.depth && ++state_.plane >= t_.nz) {
      std::swap(s.number.in_flight, s.number.escaped[kZHigh]);
      std::swap(s.energy.in_flight, s.energy.escaped[kZHigh]);
      std::ranges::fill(state_.psi, T(0));
    }
    scores_.extremes(sum_.low, sum_.high);
    totals.push_back(s);
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
    sum_groups(dose_, scores_.dose());
    return scores_.dose();
  }
  std::span<const double> crossing() override {
    sum_groups(crossing_, scores_.crossing());
    return scores_.crossing();
  }
  std::span<const double> reactions() override { return scores_.reactions(); }
  std::span<const double> tracks() override {
    sum_groups(tracks_, scores_.tracks());
    return scores_.tracks();
  }
  double min_over_max() const override { return scores_.min_over_max(); }
  double cell_steps() const override { return static_cast<double>(state_.psi.size()) * step_; }
  double state_bytes() const override { return state_.bytes(); }

 private:
  RowBlock block(int i) const { return {i * block_rows_, std::min(state_.rows, (i + 1) * block_rows_)}; }
  int first_angle(int group) const { return group * t_.ntheta / groups_; }

  /// One task per strip of columns in one plane of the reaction grid, so no two tasks write the same cell.
  void record_reactions(engine::SpanRecorder& spans) {
    const ReactionGrid& grid = t_.reactions;
    const int planes = state_.depth ? 1 : grid.planes;
    const int columns = kColumnsPerTask * grid.cells, strips = (t_.nx + columns - 1) / columns;
    const GatherContext<T> context{&t_, &typed_, &state_, state_.psi.data(), state_.next.data()};
    run_pass(pool_, spans, "record reactions", step_, planes * strips, [&](int task, int) {
      const int plane = task / strips, x = task % strips * columns;
      const RowBlock rows =
          state_.depth ? RowBlock{0, 1} : RowBlock{grid.first_row[u(plane)], grid.first_row[u(plane) + 1]};
      ops_.record(context, rows, x, std::min(t_.nx, x + columns), scores_.reactions().data());
    });
  }

  /// Runs one operator from psi to next, swaps the two, and adds up the totals of its tasks in task order.
  template <typename F>
  void pass(engine::SpanRecorder& spans, const char* name, int tasks, F&& work) {
    const GatherContext<T> context{
        &t_, &typed_, &state_, state_.psi.data(), state_.next.data(), spectra_ ? &*spectra_ : nullptr};
    parts_.assign(u(tasks), {});
    run_pass(pool_, spans, name, step_, tasks, [&](int task, int) { parts_[u(task)] = work(context, task); });
    for (const GatherTotals& part : parts_) {
      sum_.number += part.number;
      sum_.energy += part.energy;
      sum_.deposited += part.deposited;
      sum_.stopped += part.stopped;
      sum_.nuclear += part.nuclear;
      sum_.nuclear_energy += part.nuclear_energy;
      for (int face = 0; face < kFaces; ++face) {
        sum_.lost[face] += part.lost[face];
        sum_.lost_energy[face] += part.lost_energy[face];
      }
      sum_.low = std::min(sum_.low, part.low);
      sum_.high = std::max(sum_.high, part.high);
    }
    state_.psi.swap(state_.next);
  }

  /// Sets `to` to the sum over the groups. `parts` is unchanged, so repeated requests give equal sums.
  void sum_groups(const std::vector<double>& parts, std::vector<double>& to) const {
    std::ranges::fill(to, 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i) to[i % to.size()] += parts[i];
  }

  const Tables& t_;
  TypedTables<T> typed_;
  const GatherOps<T>& ops_;
  GatherPass<T> scatter_angles_ = ops_.scatter_angles;
  std::optional<AngleSpectra<T>> spectra_;
  DenseState<T> state_;
  cpu::ThreadPool pool_;
  engine::Scores scores_;
  int block_rows_, blocks_, groups_;
  std::vector<double> dose_, crossing_, tracks_;  // per angle group; the first includes the entry path
  std::vector<GatherTotals> parts_;
  GatherTotals sum_;
  int step_ = 0;
};

}  // namespace

Variant gather_variant() {
  return {
      .id = "gather",
      .title = "Gather",
      .changes =
          "Each cell gathers from its source cells: no atomics and no clearing, SIMD along x, one pass per operator",
      .builds_on = "scatter",
      .device = "cpu",
      .source = "kernels/transport/cpu/gather.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 24,  // 3 passes × (read, write)
      .flops_per_cell_step = 62,
      .speed_rank = 20,
      .scores_tracks = true,
      .estimate_bytes = estimate_dense,
      .make = make_by_precision<Gather>,
  };
}

}  // namespace bb::transport
