#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "slice.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Buffer for values that are written before they are read. Growing neither preserves nor clears the content.
template <typename T>
class ScratchBuffer {
 public:
  T* data() { return values_.get(); }
  std::size_t size() const { return size_; }
  std::span<T> all() { return {data(), size_}; }

  /// Sets the number of values. Their content is then undefined.
  void resize(std::size_t size) {
    if (size > capacity_) {
      values_.reset();  // free the old memory before allocating more
      capacity_ = size * sizeof(T) < kSmallBytes ? kAhead * size : size;
      values_ = std::make_unique_for_overwrite<T[]>(capacity_);
    }
    size_ = size;
  }
  /// Makes the size at least `size`, with room for further growth.
  void grow(std::size_t size) {
    if (size_ < size) resize(size + size / 4);
  }
  /// Sets the size to 0 and retains the memory.
  void clear() { size_ = 0; }

 private:
  /// A small buffer reserves kAhead times its size. Unused addresses cost nothing, but each move to new memory costs
  /// page faults.
  static constexpr std::size_t kAhead = 4, kSmallBytes = std::size_t{64} << 20;

  std::unique_ptr<T[]> values_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Extent of a slice on the grid.
enum class Extent {
  kNonZero,  // box of all cells that are not exactly zero; nothing is cut
  kWindow,   // box that the protons fill; edges below a threshold are cut and counted as skipped
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
    ScratchBuffer<T> scratch;
    std::vector<double> edge;  // sums of a slice by z plane, then by angle
  };
  /// Contribution of one bin to the step's totals. Contributions are stored and added in the order of bins, so the sums
  /// do not depend on which thread computes a bin.
  struct BinTotals {
    engine::StepTotals totals;
    double low = 0, high = 0, cells = 0;
  };
  /// Inputs of a bin's step, and the box that its content may reach.
  struct BinStepPlan {
    int bin;
    Box from, to;
    int half;
  };

  /// Sources of a bin's content, over all materials and angles. They are the same in every step.
  struct BinSources {
    std::vector<int> sources;  // source bins, ascending
    int half = 0;              // half width of the widest angle kernel
  };

  static std::vector<BinSources> bin_sources(const Tables& t);
  void begin(const Problem& problem);
  void start(const Problem& problem);
  void step(engine::StepTotals& totals, engine::SpanRecorder& spans);
  std::vector<BinStepPlan> plan() const;
  void score(engine::SpanRecorder& spans);
  std::vector<Tile> score_tiles(const std::vector<DeferredScores<T>>& left) const;
  void advance_bin(const BinStepPlan& plan, Lane& lane, BinTotals& part);
  double trim(Slice<T>& slice, const double* planes, const double* angles, const T* column);
  void leave_through_back(engine::StepTotals& totals);
  SliceContext<T> context() const { return {&t_, &typed_, depth_, plane_}; }
  Lane& lane(int i) { return lanes_[static_cast<std::size_t>(i)]; }

  const Tables& t_;
  const TablesByBin<T> typed_;
  const SliceOps<T>& ops_;
  const std::vector<BinSources> bin_sources_;  // [ne]
  bool depth_;
  Extent extent_;
  double threshold_;  // edges of a slice with fewer protons are cut
  int plane_ = 0;
  int step_ = 0;
  cpu::ThreadPool pool_;
  std::vector<Slice<T>> now_, next_;  // [ne]
  ScratchBuffer<T> now_store_, next_store_, deferred_store_;
  std::vector<Lane> lanes_;
  std::vector<BinTotals> parts_;  // [ne]
  engine::Scores scores_;         // without the dose, which is the first field of planes_
  std::vector<double> planes_;    // [kScorePlanes][z][x]
  double cell_steps_ = 0, state_bytes_ = 0;
};

extern template class SlicedSolver<float>;
extern template class SlicedSolver<double>;

}  // namespace bb::transport
