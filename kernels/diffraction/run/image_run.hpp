#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "diffraction/registry.hpp"
#include "engine/setup_part.hpp"
#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::engine {

struct ImageProgress {
  double done = 0;  // share of the image, 0 … 1
  double terms_per_s = 0, eta_s = 0;
};

/// Options for timing an image.
struct ImageMeasuring {
  TaskMode mode = TaskMode::kWarm;
  double at_least_s = 0;  // of repetitions on a GPU; 0: its one image is timed
};

struct ImageResult {
  bool cancelled = false;  // in the image, or in its repetitions
  double done = 0;         // share of the image; the rest is 0
  int threads = 1;
  std::string isa;
  double setup_s = 0, solve_s = 0;
  double device_s = 0;  // of one image by the GPU's clock; 0 on the CPU
  std::vector<SetupPart> setup_parts;
  double terms = 0;  // lattice factors computed
  double scratch_bytes = 0;
  /// Photons, [slow][fast]; empty where only FP32 is shown: by a device, or cancelled before it was begun.
  std::vector<double> image;
  float brightest = 0;  // pixel of what was shown
};

/// One diffraction image, made on the calling thread by `execute`; `cancel` may be called from any other.
class ImageRun {
 public:
  /// Counts what there is to lay out and chooses the variant; `execute` lays it out. Throws ProblemError, for what takes
  /// more than the memory limit too.
  explicit ImageRun(diffraction::Problem problem);

  const diffraction::Problem& problem() const { return problem_; }
  const diffraction::Outline& outline() const { return outline_; }
  const diffraction::Variant& variant() const { return *variant_; }
  int threads() const { return threads_; }
  double terms() const { return outline_.terms_per_pixel() * static_cast<double>(outline_.pixels()); }
  bool on_gpu() const;
  double estimate_bytes() const;
  const SpanRecorder& spans() const { return spans_; }
  /// Work begins now, whenever the run was laid out; called before `execute` by who sets further clocks by the spans'.
  void begin() { spans_.close_gap(); }

  /// `on_progress` is called from this thread at most 60 times a second, and once at the end.
  /// With `measuring` a GPU makes the image again and again afterwards.
  ImageResult execute(const std::function<void(const ImageProgress&)>& on_progress,
                      const ImageMeasuring& measuring = {});
  void cancel() { cancel_.store(true); }

  /// Destination of the pixels as FP32, [slow][fast]: finished rows at each request, all of them at the end. It is set
  /// before `execute` and must outlive it: a request copies nothing.
  void show_in(std::span<float> image) { shown_ = image; }
  /// From any thread: asks for the rows that are done, and returns the share of those that are there. Below 0 where none
  /// came since the last call.
  double look();

 private:
  diffraction::Problem problem_;
  SpanRecorder spans_{1};
  diffraction::Outline outline_;
  const diffraction::Variant* variant_;
  int threads_;
  std::atomic<bool> cancel_{false};
  /// Which rows of the image in the making are done, and which of them are shown.
  std::vector<std::atomic<std::uint8_t>> row_done_;
  std::span<float> shown_;
  std::vector<std::uint8_t> row_shown_;
  std::atomic<bool> wanted_{false};
  std::atomic<std::size_t> rows_shown_{0};
  std::size_t rows_seen_ = 0;

  /// Rows that are done and not shown yet, as FP32.
  void show_rows(std::span<const double> image);
};

}  // namespace bb::engine
