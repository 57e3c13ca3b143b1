#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "diffraction/registry.hpp"
#include "engine/measuring.hpp"
#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::engine {

struct ImageProgress {
  double done = 0;  // share of the image, 0 … 1
  double terms_per_s = 0, eta_s = 0;
};

/// Options for timing an image.
struct ImageTimingOptions {
  TaskMode mode = TaskMode::kWarm;
  double at_least_s = 0;  // duration of the repetitions on a GPU; 0: only the one image is timed
};

struct ImageResult {
  bool cancelled = false;  // during the image or its repetitions
  double done = 0;         // share of the image; the rest is 0
  int threads = 1;
  std::string isa;
  double setup_s = 0, solve_s = 0;
  double device_s = 0;  // of one image by the GPU's clock; 0 on the CPU
  std::vector<SetupPart> setup_parts;
  double terms = 0;  // number of lattice factors computed
  double scratch_bytes = 0;
  /// Photons, [slow][fast]. Empty if a GPU wrote only the FP32 image, or if the run was cancelled before the image
  /// began.
  std::vector<double> image;
  float brightest = 0;  // brightest displayed pixel
};

/// One diffraction image, computed on the calling thread by `execute`; `cancel` may be called from any thread.
class ImageRun {
 public:
  /// Computes sizes and chooses the variant; `execute` allocates the tables. Throws ProblemError, also if the memory
  /// limit is exceeded.
  explicit ImageRun(diffraction::Problem problem);

  const diffraction::Problem& problem() const { return problem_; }
  const diffraction::Outline& outline() const { return outline_; }
  const diffraction::Variant& variant() const { return *variant_; }
  int threads() const { return threads_; }
  double terms() const { return outline_.terms_per_pixel() * static_cast<double>(outline_.pixels()); }
  bool on_gpu() const;
  double estimate_bytes() const;
  const SpanRecorder& spans() const { return spans_; }
  /// Excludes the time since construction from the spans. Call before `execute` if other clocks use the spans' origin.
  void begin() { spans_.close_gap(); }

  /// `on_progress` is called from this thread at most 60 times a second, and once at the end.
  /// With `measuring` a GPU then repeats the image.
  ImageResult execute(const std::function<void(const ImageProgress&)>& on_progress,
                      const ImageTimingOptions& measuring = {});
  void cancel() { cancel_.store(true); }

  /// Sets the FP32 destination of the pixels, [slow][fast]. The run copies finished rows there after each look(), and
  /// all rows at the end. Call before `execute`; the memory must outlive this object.
  void show_in(std::span<float> image) { shown_ = image; }
  /// Requests a copy of the finished rows. Returns the share of rows copied so far, or a negative number if none was
  /// added since the last call. May be called from any thread.
  double look();

 private:
  diffraction::Problem problem_;
  SpanRecorder spans_{1};
  diffraction::Outline outline_;
  const diffraction::Variant* variant_;
  int threads_;
  std::atomic<bool> cancel_{false};
  /// Rows that are finished; `row_shown_` marks those that were copied to `shown_`.
  std::vector<std::atomic<std::uint8_t>> row_done_;
  std::span<float> shown_;
  std::vector<std::uint8_t> row_shown_;
  std::atomic<bool> wanted_{false};
  std::atomic<std::size_t> rows_shown_{0};
  std::size_t rows_seen_ = 0;

  /// Copies rows that were finished since the last call to `shown_`, as FP32.
  void show_rows(std::span<const double> image);
};

}  // namespace bb::engine
