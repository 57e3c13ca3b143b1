#include "image_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "cpu/host.hpp"
#include "cpu/memory.hpp"
#include "cpu/stopwatch.hpp"
#include "diffraction/user_kernel.hpp"
#include "engine/measuring.hpp"
#include "solver.hpp"
#include "variant.hpp"

namespace bb::engine {
namespace {

using cpu::Clock;
using cpu::seconds_since;

/// Makes the setup and records each stage as a span of the calling thread, until the next stage begins.
diffraction::Setup timed_setup(const diffraction::Problem& problem, SpanRecorder& spans,
                               const std::atomic<bool>& cancel, double& seconds) {
  const Clock::time_point begun = Clock::now();
  const char* stage = nullptr;
  double since = 0.0;
  const auto begins = [&](const char* next) {
    const double now = spans.now_ns();
    if (stage != nullptr) spans.record(0, spans.name_id(stage), kNoStep, since, now);
    stage = next;
    since = now;
  };
  diffraction::Setup setup = diffraction::make_setup(problem, begins, cancel);
  begins(nullptr);
  seconds = seconds_since(begun);
  return setup;
}

}  // namespace

ImageRun::ImageRun(diffraction::Problem problem)
    : problem_(std::move(problem)),
      outline_(diffraction::outline_of(problem_)),
      variant_(&diffraction::choose_variant(problem_.variant, outline_)),
      threads_(on_gpu() ? 1 : cpu::thread_count(problem_.threads)),
      row_done_(static_cast<std::size_t>(outline_.height)),
      row_shown_(static_cast<std::size_t>(outline_.height)) {
  spans_.widen(threads_);
  if (problem_.memory_limit > 0.0 && estimate_bytes() > problem_.memory_limit) {
    throw ProblemError("memory", std::string("solver.variant = ") + variant_->id + ": needs about " +
                                     cpu::bytes_text(estimate_bytes()) + " for " + std::to_string(outline_.width) +
                                     " x " + std::to_string(outline_.height) + " pixels, the limit is " +
                                     cpu::bytes_text(problem_.memory_limit));
  }
}

bool ImageRun::on_gpu() const { return bb::on_gpu(*variant_); }

double ImageRun::estimate_bytes() const { return outline_.bytes() + variant_->scratch_bytes(outline_); }

ImageResult ImageRun::execute(const std::function<void(const ImageProgress&)>& on_progress,
                              const ImageTimingOptions& measuring) {
  const Clock::time_point begun = Clock::now();
  ImageResult result;
  double layout_s = 0.0;
  const diffraction::Setup setup = timed_setup(problem_, spans_, cancel_, layout_s);
  const double preparing_ns = spans_.now_ns();
  const auto make = cpu::factory_of(*variant_, "diffraction", "", diffraction::kUserKernelLayout);
  if (cancel_.load()) {  // the setup may be incomplete
    if (shown_.empty()) result.image.assign(outline_.pixels(), 0.0);
    result.cancelled = true;
    result.threads = threads_;
    result.isa = cpu::instruction_set_name();
    result.setup_parts.push_back({"geometry and tables", layout_s});
    result.setup_s = seconds_since(begun);
    return result;
  }
  const std::unique_ptr<diffraction::Solver> solver = make(setup);
  // The page does not display a GPU's image before it is finished, so no FP64 copy is needed next to the FP32 image.
  const bool only_shown = on_gpu() && !shown_.empty();
  if (!only_shown) {
    result.image.reserve(outline_.pixels());
    cpu::prefer_large_pages({reinterpret_cast<std::byte*>(result.image.data()), outline_.pixels() * sizeof(double)});
    result.image.assign(outline_.pixels(), 0.0);
  }
  cpu::ThreadPool pool(threads_);
  spans_.record(0, spans_.name_id("image and threads"), kNoStep, preparing_ns, spans_.now_ns());
  result.threads = threads_;
  result.isa = cpu::instruction_set_name();
  result.setup_parts.push_back({"geometry and tables", layout_s});
  const std::vector<SetupPart> parts = solver->setup_parts();
  double known = 0.0;
  for (const SetupPart& part : parts) known += part.seconds;
  result.setup_parts.push_back({"image and threads", seconds_since(begun) - layout_s - known});
  result.setup_s = seconds_since(begun);
  if (is_cold(measuring.mode) && !on_gpu()) cpu::empty_caches();

  const Clock::time_point solving = Clock::now();
  double last_report = 0.0;
  const auto report = [&](double done, double elapsed) {
    if (!on_progress) return;
    const double rate = elapsed > 0.0 ? done * terms() / elapsed : 0.0;
    on_progress({done, rate, done > 0.0 ? elapsed / done * (1.0 - done) : 0.0});
  };
  const std::function<void(double)> progress = [&](double done) {
    const double elapsed = seconds_since(solving);
    if (elapsed - last_report < kFrameSeconds) return;
    last_report = elapsed;
    if (!only_shown && wanted_.exchange(false)) show_rows(result.image);
    report(done, elapsed);
  };
  const diffraction::Work work{pool, spans_, cancel_, progress, row_done_};
  if (only_shown) {
    const diffraction::RenderedImage shown = solver->render_shown(work, shown_);
    result.done = shown.done;
    result.brightest = shown.brightest;
  } else {
    result.done = solver->render(work, result.image);
  }
  result.solve_s = seconds_since(solving);
  const bool repeats = measuring.at_least_s > 0.0 && result.done == 1.0;
  const bool whole = !repeats || solver->repeat(measuring.mode, measuring.at_least_s, cancel_);
  for (const SetupPart& part : solver->setup_parts()) {
    result.setup_parts.push_back(part);
    result.setup_s += part.seconds;
  }
  result.setup_s -= known;  // avoids counting the earlier parts twice
  result.device_s = solver->device_seconds();
  result.cancelled = result.done < 1.0 || !whole;
  result.terms = result.done * terms();
  result.scratch_bytes = variant_->scratch_bytes(outline_);
  if (!only_shown && !shown_.empty()) {
    result.brightest = diffraction::round_to<double>(shown_, result.image);
    std::size_t shown = 0;
    for (const auto& flag : row_done_) shown += flag.load(std::memory_order_relaxed);
    rows_shown_.store(shown, std::memory_order_release);
  }
  report(result.done, result.solve_s);
  return result;
}

void ImageRun::show_rows(std::span<const double> image) {
  if (shown_.empty()) return;
  const std::size_t width = static_cast<std::size_t>(outline_.width);
  std::size_t shown = 0;
  for (std::size_t row = 0; row < row_done_.size(); ++row) {
    shown += row_shown_[row];
    if (row_shown_[row] != 0 || row_done_[row].load(std::memory_order_acquire) == 0) continue;
    std::ranges::transform(image.subspan(row * width, width), shown_.begin() + static_cast<std::ptrdiff_t>(row * width),
                           [](double photons) { return static_cast<float>(photons); });
    row_shown_[row] = 1;
    ++shown;
  }
  rows_shown_.store(shown, std::memory_order_release);
}

double ImageRun::look() {
  wanted_.store(true);
  const std::size_t shown = rows_shown_.load(std::memory_order_acquire);
  if (shown == rows_seen_) return -1.0;
  rows_seen_ = shown;
  return static_cast<double>(shown) / static_cast<double>(row_done_.size());
}

}  // namespace bb::engine
