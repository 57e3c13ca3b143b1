#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/buffer.hpp"
#include "cuda/device/event.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda/timing/timing.hpp"
#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// Base of every CUDA variant: the device, the loop over bands of rows between which a run can be cancelled, and the
/// clocks. A variant queues kernels that write `T` per pixel to image().
template <typename T>
class CudaImageSolver : public Solver {
 public:
  ~CudaImageSolver() override;
  double render(const Work& work, std::span<double> image) final;
  Shown render_shown(const Work& work, std::span<float> image) final;
  double device_seconds() const final { return device_s_; }
  bool repeat(engine::TaskMode mode, double at_least_s, const std::atomic<bool>& cancel) final;
  std::vector<engine::SetupPart> setup_parts() const final { return parts_; }

 protected:
  explicit CudaImageSolver(const Setup& setup);

  /// Queues the rows first … first + rows - 1. A variant whose bands take long looks at `work` between its launches,
  /// where there is one, and at stopped(). It answers false when it was cancelled: the band does not count then.
  virtual bool queue(cuda::Stream& stream, int first, int rows, const Work* work) = 0;
  /// Rows of a band, about which `cancel` acts; within one that is a single long row, by cancelled().
  virtual int band_rows() const;
  /// Held while kernels of this image are under way, by variants that share memory with others of their kind.
  virtual std::unique_lock<std::mutex> hold() { return {}; }
  /// Kernels that one image launches; a graph of too many is refused.
  virtual double launches() const { return 1.0; }
  /// Whether queue() launches a graph already.
  virtual bool replays() const { return false; }

  /// Does `work` as a named part of the set-up.
  template <typename F>
  void part(const char* name, F&& work) {
    engine::add_part(parts_, name, std::forward<F>(work));
  }
  /// Data that kernels of long rows read; null if rows are short.
  const int* cancelled() const { return flag_ ? flag_->pointer() : nullptr; }
  /// Whether repetitions were cancelled; of what is captured never.
  bool stopped() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  const Setup& setup() const { return setup_; }
  const std::shared_ptr<cuda::Device>& device() const { return opened_.device; }
  cuda::Stream& stream() { return stream_; }
  const cuda::Module& module() const { return opened_.kernels->module; }
  cuda::DeviceBuffer<T>& image() { return image_; }

 private:
  /// Page-locked memory for a part of the image, and the mark behind the copy to it.
  struct Staging;

  void queue_all();
  /// Makes the image on the device, band by band; the rows that are done.
  int make_bands(const Work& work);
  /// The first pixels of the image as FP32, rounded on the device, through page-locked memory. Cores empty one part into
  /// `image` while the next is on its way. Returns the brightest.
  float fetch_shown(std::span<float> image);
  /// Queues a band. Where rows are long waits for it, and ends it when `cancel` is true: false then.
  bool run_band(int first, int rows, const Work* work, const std::atomic<bool>* cancel);
  /// Device time of one image, s. One of several bands waits after each, where it can be cancelled.
  double image_seconds(cuda::L2Flush* flush);

  const Setup& setup_;
  cuda::OpenedDevice opened_;
  std::vector<engine::SetupPart> parts_;
  cuda::Stream stream_;
  cuda::DeviceTimer timer_;
  cuda::DeviceBuffer<T> image_;
  std::optional<cuda::DeviceBuffer<int>> flag_;  // of cancelled()
  std::optional<cuda::Stream> aside_;            // on which it is set while kernels run
  std::optional<cuda::Graph> graph_;
  std::optional<cuda::L2Flush> flush_;
  double device_s_ = 0;
  const std::atomic<bool>* cancel_ = nullptr;  // while it repeats
};

extern template class CudaImageSolver<float>;
extern template class CudaImageSolver<double>;

/// Why so many launches are not captured as a graph, in one sentence; "" when they are.
std::string too_long_a_graph(double launches);

/// Why the CUDA variants cannot run here, in one sentence; "" when they can.
inline std::string cuda_unavailable() { return cuda::unavailable("diffraction"); }

}  // namespace bb::diffraction
