#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "slice.hpp"
#include "store.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Part of the grid in a slice.
enum class Extent {
  kNonZero,  // the box that holds every cell that is not exactly zero: nothing is cut
  kWindow,   // the box that its protons fill; edges below a threshold are cut and counted as skipped
};

/// A state of energy slices, advanced by the fused step: one task per bin that protons can reach.
/// With depth stepping the slices are the phase space of one plane.
template <typename T>
class SlicedSolver final : public engine::Solver {
 public:
  SlicedSolver(const Problem& problem, const Tables& tables, int threads, Extent extent);

  int advance(int max_steps, std::vector<engine::StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) override;
  void marginals(engine::Marginals& out) override;
  bool visit(engine::RowVisitor& visitor) const override;
  std::span<const double> dose() override;
  std::span<const double> crossing() override;
  std::span<const double> reactions() override;
  std::span<const double> tracks() override;
  bool restart(const Problem& problem) override;
  double min_over_max() const override { return scores_.min_over_max(); }
  double cell_steps() const override { return cell_steps_; }
  double state_bytes() const override { return state_bytes_; }

 private:
  struct Lane {
    Store<T> scratch;
    std::vector<double> edge;  // sums of one slice over z planes and over angles
  };
  /// Contribution of one bin to the step's totals. Stored by bin and added in that order: the sums do not depend on the
  /// thread of each bin.
  struct Part {
    engine::StepTotals totals;
    double low = 0, high = 0, cells = 0;
  };
  /// Inputs of a bin's step, and the reach of its content.
  struct Plan {
    int bin;
    Box from, to;
    int half;
  };

  /// Sources of a bin's content, over all materials and angles; the same in every step.
  struct Feed {
    std::vector<int> sources;  // bins, ascending
    int half = 0;              // of the widest angle kernel
  };

  static std::vector<Feed> feeds(const Tables& t);
  void begin(const Problem& problem);
  void start(const Problem& problem);
  void step(engine::StepTotals& totals, engine::SpanRecorder& spans);
  std::vector<Plan> plan() const;
  void score(engine::SpanRecorder& spans);
  std::vector<Tile> score_tiles(const std::vector<Left<T>>& left) const;
  void advance_bin(const Plan& plan, Lane& lane, Part& part);
  double trim(Slice<T>& slice, const double* planes, const double* angles, const T* column);
  void leave_through_back(engine::StepTotals& totals);
  SliceContext<T> context() const { return {&t_, &typed_, depth_, plane_}; }
  Lane& lane(int i) { return lanes_[static_cast<std::size_t>(i)]; }

  const Tables& t_;
  const TablesByBin<T> typed_;
  const SliceOps<T>& ops_;
  const std::vector<Feed> feeds_;  // [ne]
  bool depth_;
  Extent extent_;
  double threshold_;  // protons: an edge of a slice with fewer is cut
  int plane_ = 0;
  int step_ = 0;
  cpu::ThreadPool pool_;
  std::vector<Slice<T>> now_, next_;  // [ne]
  Store<T> now_store_, next_store_, left_store_;
  std::vector<Lane> lanes_;
  std::vector<Part> parts_;     // [ne]
  engine::Scores scores_;       // but for the dose, which is the first of planes_
  std::vector<double> planes_;  // [kScorePlanes][z][x]
  double cell_steps_ = 0, state_bytes_ = 0;
};

extern template class SlicedSolver<float>;
extern template class SlicedSolver<double>;

}  // namespace bb::transport
