#include "cuda_image_solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <type_traits>

#include "cpu/memory.hpp"
#include "cpu/thread_pool.hpp"
#include "cuda_fused.hpp"
#include "diffraction/run/solver.hpp"

namespace bb::diffraction {
namespace {

template <typename V>
void send(const std::vector<V>& values, cuda::DeviceBuffer<V>& to, cuda::Stream& stream) {
  to = cuda::DeviceBuffer<V>(stream.device(), values.size());
  to.upload(values, stream);
}

}  // namespace

template <typename I, typename T>
CudaTables<I, T>::CudaTables(const Setup& setup, cuda::Stream& stream) : packed_(setup) {
  send(packed_.sources, sources_, stream);
  send(packed_.rays, rays_, stream);
  send(packed_.edges, edges_, stream);
  send(packed_.factors, factors_, stream);
  send(packed_.phis, phis_, stream);
  send(packed_.domains, domains_, stream);
  view_ = packed_.view;
  view_.source = sources_.pointer();
  view_.rays = rays_.pointer();
  view_.edges = edges_.pointer();
  view_.factors.table = factors_.pointer();
  view_.phi = phis_.pointer();
  view_.domain = domains_.pointer();
  stream.synchronize();
}

template class CudaTables<float, float>;
template class CudaTables<double, float>;
template class CudaTables<double, double>;
template class CudaTables<device::DoubleFloat, float>;

namespace {

using engine::TaskMode;

/// Number of lattice factors in a band. A slow device needs tens of milliseconds for them, too short to trigger its
/// watchdog or for a user to notice.
constexpr double kBandTerms = 2e9;
/// Interval at which long kernels check for cancellation, and the host checks for their completion. One pixel of a long
/// row may need hours.
constexpr std::chrono::microseconds kPollInterval{200};
/// Bytes copied per transfer; two buffers of this size are page-locked. Smaller transfers wake the CPU cores so often
/// that waking costs as much as the conversion.
constexpr std::size_t kTransfer_bytes = std::size_t{16} << 20;
constexpr std::size_t kPixelsPerTask = std::size_t{1} << 16;  // pixels that a core converts at a time
constexpr unsigned kRoundThreads = 256;
constexpr const char* kDownloadSpan = "image to the host";
constexpr int kMaxRepetitions = 10'000;
constexpr int kMaxColdRepetitions = 100;

}  // namespace

std::string graph_refusal(double launches) {
  // Maximum number of launches in a captured graph; instantiating one takes about a microsecond per kernel.
  constexpr int kMaxLaunches = 20'000;
  if (launches <= kMaxLaunches) return "";
  return "the image needs " + std::to_string(static_cast<long long>(launches)) +
         " launches (detector.oversample, detector.layers, beam, crystal.mosaic_domains, rotation.steps); a graph can "
         "contain "
         "at most " +
         std::to_string(kMaxLaunches);
}

template <typename T>
struct CudaImageSolver<T>::Staging {
  Staging(const std::shared_ptr<cuda::Device>& device, std::size_t count)
      : pixels(device, count, cuda::Reuse::kYes), there(device) {}

  cuda::PinnedBuffer<float> pixels;
  cuda::Event there;
};

template <typename T>
CudaImageSolver<T>::CudaImageSolver(const Setup& setup)
    : setup_(setup),
      opened_(cuda::OpenedDevice::open(setup.device, "diffraction")),
      parts_(opened_.parts),
      stream_(opened_.device),
      timer_(opened_.device) {
  cuda::require_memory(*opened_.device, setup.pixels() * sizeof(T), "detector: the image");
  part("image", [&] {
    image_ = cuda::DeviceBuffer<T>(opened_.device, setup.pixels(), cuda::Reuse::kYes);
    if (setup.terms_per_pixel() * setup.width <= kBandTerms) return;
    flag_.emplace(opened_.device, 1);
    aside_.emplace(opened_.device);
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
    std::this_thread::sleep_for(kPollInterval);
  }
  return !told;
}

template <typename T>
int CudaImageSolver<T>::render_bands(const Work& work) {
  const auto held = exclusive_lock();
  const int rows = band_rows();
  const std::uint16_t name = work.spans.name_id("rows on the device");
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
  return first;
}

template <typename T>
double CudaImageSolver<T>::render(const Work& work, std::span<double> image) {
  return cuda::on_device([&] {
    opened_.device->make_current();
    const int rows = render_bands(work);
    const std::size_t done = static_cast<std::size_t>(rows) * static_cast<std::size_t>(setup_.width);
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
    work.spans.record(0, work.spans.name_id(kDownloadSpan), engine::kNoStep, begin_ns, work.spans.now_ns());
    return static_cast<double>(rows) / setup_.height;
  });
}

template <typename T>
RenderedImage CudaImageSolver<T>::render_shown(const Work& work, std::span<float> image) {
  return cuda::on_device([&] {
    opened_.device->make_current();
    const int rows = render_bands(work);
    const std::size_t done = static_cast<std::size_t>(rows) * static_cast<std::size_t>(setup_.width);
    const double begin_ns = work.spans.now_ns();
    const RenderedImage shown{static_cast<double>(rows) / setup_.height, download_rounded(image.first(done))};
    work.spans.record(0, work.spans.name_id(kDownloadSpan), engine::kNoStep, begin_ns, work.spans.now_ns());
    return shown;
  });
}

template <typename T>
float CudaImageSolver<T>::download_rounded(std::span<float> image) {
  constexpr std::size_t kPart = kTransfer_bytes / sizeof(float);
  const std::size_t parts = (image.size() + kPart - 1) / kPart;
  if (parts == 0) return 0.0f;
  cpu::prefer_large_pages(std::as_writable_bytes(image));
  const std::size_t room = std::min(kPart, image.size());
  std::array<Staging, 2> stagings{Staging(opened_.device, room), Staging(opened_.device, room)};
  const auto part_of = [&](std::size_t k) {
    return image.subspan(k * kPart, std::min(kPart, image.size() - k * kPart));
  };
  std::optional<cuda::Kernel> round;
  cuda::DeviceBuffer<float> rounded;
  if constexpr (std::is_same_v<T, double>) {
    round.emplace(module(), "diffraction_round");
    rounded = {opened_.device, room, cuda::Reuse::kYes};
  }
  const auto send = [&](std::size_t k) {
    Staging& to = stagings[k % 2];
    const std::span<float> here = to.pixels.values().first(part_of(k).size());
    if constexpr (std::is_same_v<T, double>) {
      const auto count = static_cast<unsigned>(here.size());
      round->launch(stream_, {.grid = {(count + kRoundThreads - 1) / kRoundThreads}, .block = {kRoundThreads}},
                    image_.pointer() + k * kPart, rounded.pointer(), count);
      rounded.download(here, stream_);
    } else {
      image_.download(here, stream_, k * kPart);
    }
    to.there.record(stream_);
  };
  send(0);
  float brightest = 0.0f;
  for (std::size_t k = 0; k < parts; ++k) {
    if (k + 1 < parts) send(k + 1);
    Staging& from = stagings[k % 2];
    from.there.synchronize(stream_);
    const std::span<float> to = part_of(k);
    std::array<float, (kPart + kPixelsPerTask - 1) / kPixelsPerTask> maxima{};
    cpu::on_all_cores(static_cast<int>((to.size() + kPixelsPerTask - 1) / kPixelsPerTask), [&](int task) {
      const std::size_t first = static_cast<std::size_t>(task) * kPixelsPerTask,
                        count = std::min(kPixelsPerTask, to.size() - first);
      maxima[static_cast<std::size_t>(task)] =
          round_to<float>(to.subspan(first, count), from.pixels.values().subspan(first, count));
    });
    brightest = std::max(brightest, std::ranges::max(maxima));
  }
  return brightest;
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
    opened_.device->make_current();
    const auto held = exclusive_lock();
    if (cancel.load()) return false;
    if (replays_graph(mode) && !graph_ && !queues_graph()) {
      if (const std::string why = graph_refusal(launches()); !why.empty()) throw ProblemError("unsupported", why);
      part("capture", [&] {
        stream_.begin_capture();
        queue_all();
        graph_.emplace(stream_.end_capture());
        graph_->upload(stream_);
        stream_.synchronize();
      });
    }
    struct CancelScope {
      const std::atomic<bool>*& at;
      ~CancelScope() { at = nullptr; }
    };
    cancel_ = &cancel;
    const CancelScope cancel_scope{cancel_};
    const bool replay = graph_ && replays_graph(mode);
    const auto one = [&](cuda::L2Flush* flush) {
      return replay ? timer_.seconds(stream_, flush, [&] { graph_->launch(stream_); }) : image_seconds(flush);
    };
    if (is_cold(mode)) {
      if (!flush_) flush_.emplace(opened_.device);
      double sum = 0.0;
      int count = 0;
      while (count == 0 || (sum < at_least_s && count < kMaxColdRepetitions)) {
        sum += one(&*flush_);
        ++count;
        if (stopped()) return false;
      }
      device_s_ = sum / count;
      return true;
    }
    const double guess = one(nullptr);
    if (stopped()) return false;
    const int count = static_cast<int>(std::clamp(at_least_s / std::max(guess, 1e-7), 1.0, double{kMaxRepetitions}));
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
