#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "diffraction/model/row_part.hpp"
#include "diffraction/model/setup.hpp"
#include "engine/setup_part.hpp"
#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::diffraction {

/// Inputs of a solver, and its sinks for progress.
struct Work {
  cpu::ThreadPool& pool;
  /// The step of a span is its first row, of what is about rows.
  engine::SpanRecorder& spans;
  const std::atomic<bool>& cancel;
  /// The share done, 0 … 1; called on the thread that called `render` only.
  const std::function<void(double)>& progress;
  /// One flag per row of pixels, set when the row is done, for those who look on; empty: nobody does.
  std::span<std::atomic<std::uint8_t>> row_done = {};
};

/// Progress of an image that is written as FP32 at once, and its brightest pixel.
struct Shown {
  double done = 0;
  float brightest = 0;
};

/// One variant at work on one setup, which outlives it.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Photons per pixel, [slow][fast]. Returns the share of the image that is done: below 1 when cancelled, the
  /// rest is 0 then.
  virtual double render(const Work& work, std::span<double> image) = 0;
  /// The same rounded to FP32, into memory that holds 0. A device fills only that: a further image in FP64 is twice as
  /// much fresh memory, which needs more time than the kernel.
  virtual Shown render_shown(const Work& work, std::span<float> image);
  /// Time of the image by the GPU's clock; 0 on the CPU.
  virtual double device_seconds() const { return 0.0; }
  /// Makes the image again and again, for `at_least_s` together; the mean by the GPU's clock is what
  /// device_seconds() gives from then on. A CPU times its one image. False when it was cancelled, about which it looks
  /// between launches. Throws ProblemError('unsupported') where nothing is launched that a graph could replay.
  virtual bool repeat(engine::TaskMode mode, double at_least_s, const std::atomic<bool>& cancel);
  virtual std::vector<engine::SetupPart> setup_parts() const { return {}; }
};

/// Renders bands of rows, or parts of long ones, each by one thread; every pixel is the work of one thread from first to
/// last, so the image does not depend on how many there are.
class BandSolver : public Solver {
 public:
  explicit BandSolver(const Setup& setup) : setup_(setup) {}
  double render(const Work& work, std::span<double> image) final;

 protected:
  /// Part of a row into `out`. False when it was cancelled, about which it looks at least once for each source: a single
  /// pixel may take hours.
  virtual bool pixels(RowPart part, std::span<double> out, const std::atomic<bool>& cancel) const = 0;
  const Setup& setup() const { return setup_; }

 private:
  /// Unit of work of one thread: some rows, or a part of one.
  struct Bands {
    int rows, width;  // of each; the last may have less
    int per_row;      // bands side by side
    int count;
  };
  Bands bands() const;

  const Setup& setup_;
};

}  // namespace bb::diffraction
