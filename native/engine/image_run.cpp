#include "image_run.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "cpu/host.hpp"

namespace bb::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFrameSeconds = 1.0 / 60.0;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int thread_count(int wanted) {
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return wanted > 0 ? std::min(wanted, 4 * all) : all;
}

diffraction::Setup timed_setup(const diffraction::Problem& problem, double& seconds) {
  const Clock::time_point begun = Clock::now();
  diffraction::Setup setup = diffraction::make_setup(problem);
  seconds = seconds_since(begun);
  return setup;
}

}  // namespace

ImageRun::ImageRun(diffraction::Problem problem)
    : problem_(std::move(problem)),
      setup_(timed_setup(problem_, layout_s_)),
      variant_(&diffraction::choose_variant(problem_.variant, setup_)),
      threads_(thread_count(problem_.threads)),
      spans_(threads_) {
  if (problem_.memory_limit > 0.0 && estimate_bytes() > problem_.memory_limit) {
    const auto megabytes = [](double bytes) { return std::to_string(static_cast<long long>(bytes / 1e6)) + " MB"; };
    throw ProblemError("memory", std::string("solver.variant = ") + variant_->id + ": needs about " +
                                     megabytes(estimate_bytes()) + " for " + std::to_string(setup_.width) + " x " +
                                     std::to_string(setup_.height) + " pixels, the limit is " +
                                     megabytes(problem_.memory_limit));
  }
}

double ImageRun::estimate_bytes() const {
  return sizeof(double) * static_cast<double>(setup_.pixels() + setup_.structure.table().size()) +
         variant_->make(setup_)->scratch_bytes();
}

ImageResult ImageRun::execute(const std::function<void(const ImageProgress&)>& on_progress) {
  const Clock::time_point begun = Clock::now();
  ImageResult result;
  const std::unique_ptr<diffraction::Solver> solver = variant_->make(setup_);
  result.image.assign(setup_.pixels(), 0.0);
  cpu::ThreadPool pool(threads_);
  result.threads = threads_;
  result.isa = cpu::instruction_set_name();
  result.setup_parts.push_back({"geometry and tables", layout_s_});
  result.setup_parts.push_back({"image and threads", seconds_since(begun)});
  result.setup_s = layout_s_ + seconds_since(begun);

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
    report(done, elapsed);
  };
  result.done = solver->render({pool, spans_, cancel_, progress}, result.image);
  result.solve_s = seconds_since(solving);
  result.device_s = solver->device_seconds();
  result.cancelled = result.done < 1.0;
  result.terms = result.done * terms();
  result.scratch_bytes = solver->scratch_bytes();
  report(result.done, result.solve_s);
  return result;
}

}  // namespace bb::engine
