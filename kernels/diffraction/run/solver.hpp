#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "diffraction/model/setup.hpp"
#include "engine/measuring.hpp"
#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::diffraction {

/// Converts photons to FP32, the format of pages and files. `from` and `to` have the same length. Returns the brightest
/// pixel.
template <typename T>
float round_to(std::span<float> to, std::span<const T> from) {
  float brightest = 0.0f;
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<float>(from[i]);
    brightest = std::max(brightest, to[i]);
  }
  return brightest;
}

/// Inputs of a solver, and its outputs for progress.
struct Work {
  cpu::ThreadPool& pool;
  /// Records one span per band; the step number of a span is the first row of its band.
  engine::SpanRecorder& spans;
  const std::atomic<bool>& cancel;
  /// Receives the finished share of the image, 0 … 1; called only on the thread that called `render`.
  const std::function<void(double)>& progress;
  /// One flag per row of pixels, set when the row is finished, for live display; empty if there is none.
  std::span<std::atomic<std::uint8_t>> row_done = {};
};

/// Progress of an image that is written as FP32 directly, and its brightest pixel.
struct RenderedImage {
  double done = 0;
  float brightest = 0;
};

/// A variant that computes one setup, which must outlive it.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Writes photons per pixel, [slow][fast]. Returns the finished share of the image. After a cancellation it is below
  /// 1, and unfinished pixels are 0.
  virtual double render(const Work& work, std::span<double> image) = 0;
  /// Like `render`, but rounds the photons to FP32; the memory must contain zeros. A GPU writes only this image,
  /// because allocating an FP64 image too would take longer than the kernel.
  virtual RenderedImage render_shown(const Work& work, std::span<float> image);
  /// Device time of the image by the GPU's clock; 0 on the CPU.
  virtual double device_seconds() const { return 0.0; }
  /// Repeats the image for a total of `at_least_s`; device_seconds() then returns the mean by the GPU's clock. A CPU
  /// times its one image. Returns false if it was cancelled, which is checked between launches. Throws
  /// ProblemError('unsupported') if a graph is requested but there are no launches to replay.
  virtual bool repeat(engine::TaskMode mode, double at_least_s, const std::atomic<bool>& cancel);
  virtual std::vector<engine::SetupPart> setup_parts() const { return {}; }
};

/// Renders bands of rows, or parts of long rows. One thread computes each pixel completely, so the image does not
/// depend on the number of threads.
class BandSolver : public Solver {
 public:
  explicit BandSolver(const Setup& setup) : setup_(setup) {}
  double render(const Work& work, std::span<double> image) final;

 protected:
  /// Writes part of a row to `out`. Returns false if it was cancelled, which is checked at least once per source,
  /// because a single pixel may take hours.
  virtual bool pixels(RowPart part, std::span<double> out, const std::atomic<bool>& cancel) const = 0;
  const Setup& setup() const { return setup_; }

 private:
  /// Partition of the image into units of work for one thread: a unit is some rows, or a part of one row.
  struct Bands {
    int rows, width;  // size of a band; the last band may be smaller
    int per_row;      // number of bands per row of pixels
    int count;
  };
  Bands bands() const;

  const Setup& setup_;
};

}  // namespace bb::diffraction
