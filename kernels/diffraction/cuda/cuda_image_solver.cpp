#include "cuda_image_solver.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <type_traits>

namespace bb::diffraction {
namespace {

using engine::TaskMode;

/// Lattice factors in a band: tens of milliseconds on a slow device, below what its watchdog and a person notice.
constexpr double kBandTerms = 2e9;
/// A single pixel of a long row may take hours: its kernels look whether somebody cancelled, and the host whether they
/// are done, so often.
constexpr std::chrono::microseconds kLook{200};
constexpr int kMostRepetitions = 10'000;
constexpr int kMostCold = 100;

}  // namespace

std::string too_long_a_graph(double launches) {
  // To make one ready takes about a microsecond a kernel.
  constexpr int kMost = 20'000;
  if (launches <= kMost) return "";
  return "the image takes " + std::to_string(static_cast<long long>(launches)) +
         " launches (detector.oversample, detector.layers, beam, crystal.mosaic_domains, rotation.steps); a graph of "
         "at most " +
         std::to_string(kMost) + " is captured";
}

template <typename T>
CudaImageSolver<T>::CudaImageSolver(const Setup& setup)
    : setup_(setup),
      session_(cuda::Session::open(setup.device, "diffraction")),
      parts_(session_.parts),
      stream_(session_.device),
      timer_(session_.device) {
  cuda::require_memory(*session_.device, setup.pixels() * sizeof(T), "detector: the image");
  part("image", [&] {
    image_ = cuda::DeviceBuffer<T>(session_.device, setup.pixels());
    if (setup.terms_per_pixel() * setup.width <= kBandTerms) return;
    flag_.emplace(session_.device, 1);
    aside_.emplace(session_.device);
    flag_->fill_bytes(0, stream_);
    stream_.synchronize();
  });
}

template <typename T>
CudaImageSolver<T>::~CudaImageSolver() = default;

template <typename T>
int CudaImageSolver<T>::band_rows() const {
  const double fit = kBandTerms / (setup_.terms_per_pixel() * setup_.width);
  return static_cast<int>(std::clamp(fit, 1.0, static_cast<double>(setup_.height)));
}

template <typename T>
void CudaImageSolver<T>::queue_all() {
  const int rows = band_rows();
  for (int first = 0; first < setup_.height && !stopped(); first += rows) {
    queue(stream_, first, std::min(rows, setup_.height - first), nullptr);
  }
}

template <typename T>
bool CudaImageSolver<T>::run_band(int first, int rows, const Work* work, const std::atomic<bool>* cancel) {
  if (!queue(stream_, first, rows, work)) return false;
  if (!flag_ || cancel == nullptr) return true;
  bool told = false;
  while (!stream_.idle()) {
    if (!told && cancel->load()) {
      const int one = 1;
      flag_->upload({&one, 1}, *aside_);
      aside_->synchronize();
      told = true;
    }
    std::this_thread::sleep_for(kLook);
  }
  return !told;
}

template <typename T>
double CudaImageSolver<T>::render(const Work& work, std::span<double> image) {
  return cuda::on_device([&] {
    session_.device->make_current();
    const auto held = hold();
    const int rows = band_rows();
    const std::uint16_t name = work.spans.name_id("rows on the device");
    const std::uint16_t copy = work.spans.name_id("image to the host");
    int first = 0;
    device_s_ = 0.0;
    while (first < setup_.height && !work.cancel.load()) {
      const int count = std::min(rows, setup_.height - first);
      const double begin_ns = work.spans.now_ns();
      bool whole = true;
      device_s_ += timer_.seconds(stream_, nullptr, [&] { whole = run_band(first, count, &work, &work.cancel); });
      if (!whole) break;
      work.spans.record(0, name, static_cast<std::uint32_t>(first), begin_ns, work.spans.now_ns());
      first += count;
      work.progress(static_cast<double>(first) / setup_.height);
    }
    const std::size_t done = static_cast<std::size_t>(first) * static_cast<std::size_t>(setup_.width);
    const double begin_ns = work.spans.now_ns();
    if constexpr (std::is_same_v<T, double>) {
      image_.download(image.first(done), stream_);
      stream_.synchronize();
    } else {
      const auto pixels = std::make_unique_for_overwrite<T[]>(done);
      image_.download({pixels.get(), done}, stream_);
      stream_.synchronize();
      std::copy_n(pixels.get(), done, image.begin());
    }
    work.spans.record(0, copy, engine::kNoStep, begin_ns, work.spans.now_ns());
    return static_cast<double>(first) / setup_.height;
  });
}

template <typename T>
double CudaImageSolver<T>::image_seconds(cuda::L2Flush* flush) {
  const int rows = band_rows();
  if (rows >= setup_.height && !flag_) return timer_.seconds(stream_, flush, [&] { queue_all(); });
  double sum = 0.0;
  for (int first = 0; first < setup_.height && !stopped(); first += rows) {
    const int count = std::min(rows, setup_.height - first);
    sum += timer_.seconds(stream_, first == 0 ? flush : nullptr, [&] { run_band(first, count, nullptr, cancel_); });
  }
  return sum;
}

template <typename T>
bool CudaImageSolver<T>::repeat(TaskMode mode, double at_least_s, const std::atomic<bool>& cancel) {
  return cuda::on_device([&] {
    session_.device->make_current();
    const auto held = hold();
    if (cancel.load()) return false;
    if (mode == TaskMode::kGraph && !graph_ && !replays()) {
      if (const std::string why = too_long_a_graph(launches()); !why.empty()) throw ProblemError("unsupported", why);
      part("capture", [&] {
        stream_.begin_capture();
        queue_all();
        graph_.emplace(stream_.end_capture());
        graph_->upload(stream_);
        stream_.synchronize();
      });
    }
    struct Looking {
      const std::atomic<bool>*& at;
      ~Looking() { at = nullptr; }
    };
    cancel_ = &cancel;
    const Looking looking{cancel_};
    const bool replay = graph_ && mode == TaskMode::kGraph;
    const auto one = [&](cuda::L2Flush* flush) {
      return replay ? timer_.seconds(stream_, flush, [&] { graph_->launch(stream_); }) : image_seconds(flush);
    };
    if (mode == TaskMode::kCold) {
      if (!flush_) flush_.emplace(session_.device);
      double sum = 0.0;
      int count = 0;
      while (count == 0 || (sum < at_least_s && count < kMostCold)) {
        sum += one(&*flush_);
        ++count;
        if (stopped()) return false;
      }
      device_s_ = sum / count;
      return true;
    }
    const double guess = one(nullptr);
    if (stopped()) return false;
    const int count = static_cast<int>(std::clamp(at_least_s / std::max(guess, 1e-7), 1.0, double{kMostRepetitions}));
    const double all = count == 1 ? one(nullptr) : timer_.seconds(stream_, nullptr, [&] {
      for (int i = 0; i < count && !stopped(); ++i) {
        if (replay) {
          graph_->launch(stream_);
        } else {
          queue_all();
        }
      }
    });
    if (stopped()) return false;
    device_s_ = all / count;
    return true;
  });
}

template class CudaImageSolver<float>;
template class CudaImageSolver<double>;

}  // namespace bb::diffraction
