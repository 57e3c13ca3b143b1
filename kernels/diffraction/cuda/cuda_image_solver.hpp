#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/buffer.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/device/stream.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda/timing/timing.hpp"
#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// Base of every CUDA variant: the device, the clocks, and the loop over bands of rows, between which a run can be
/// cancelled. A variant queues kernels that write one `T` per pixel to image().
template <typename T>
class CudaImageSolver : public Solver {
 public:
  ~CudaImageSolver() override;
  double render(const Work& work, std::span<double> image) final;
  RenderedImage render_shown(const Work& work, std::span<float> image) final;
  double device_seconds() const final { return device_s_; }
  bool repeat(engine::TaskMode mode, double at_least_s, const std::atomic<bool>& cancel) final;
  std::vector<engine::SetupPart> setup_parts() const final { return parts_; }

 protected:
  explicit CudaImageSolver(const Setup& setup);

  /// Queues the rows first … first + rows - 1. A variant with long bands checks stopped() and, if not null, `work`
  /// between its launches. Returns false if it was cancelled: the band is then incomplete.
  virtual bool queue(cuda::Stream& stream, int first, int rows, const Work* work) = 0;
  /// Number of rows in a band. Cancellation takes effect between bands; a single long row polls cancelled() instead.
  virtual int band_rows() const;
  /// Returns a lock for the time in which kernels of this image run. Needed by variants that share memory with other
  /// solvers of their class.
  virtual std::unique_lock<std::mutex> exclusive_lock() { return {}; }
  /// Number of kernel launches per image; an image with too many of them cannot be captured as a graph.
  virtual double launches() const { return 1.0; }
  /// True if queue() already launches a graph.
  virtual bool queues_graph() const { return false; }

  /// Runs `work` and records its time as a named part of the setup.
  template <typename F>
  void part(const char* name, F&& work) {
    engine::add_part(parts_, name, std::forward<F>(work));
  }
  /// Cancellation flag that kernels of long rows read; null if rows are short.
  const int* cancelled() const { return flag_ ? flag_->pointer() : nullptr; }
  /// True if repetitions were cancelled. Captured launches are never cancelled.
  bool stopped() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  const Setup& setup() const { return setup_; }
  const std::shared_ptr<cuda::Device>& device() const { return opened_.device; }
  cuda::Stream& stream() { return stream_; }
  const cuda::Module& module() const { return opened_.kernels->module; }
  cuda::DeviceBuffer<T>& image() { return image_; }

 private:
  /// Page-locked memory for a part of the image, and the event that follows the copy into it.
  struct Staging;

  void queue_all();
  /// Computes the image on the device, band by band. Returns the number of finished rows.
  int render_bands(const Work& work);
  /// Copies the first pixels of the image, rounded to FP32 on the device, through page-locked memory. CPU cores copy
  /// one buffer to `image` while the device fills the other. Returns the brightest pixel.
  float download_rounded(std::span<float> image);
  /// Queues a band. For long rows, also waits for the band and stops it when `cancel` becomes true. Returns false if
  /// the band was stopped.
  bool run_band(int first, int rows, const Work* work, const std::atomic<bool>* cancel);
  /// Device time of one image, s. An image of several bands waits after each band, so that it can be cancelled.
  double image_seconds(cuda::L2Flush* flush);

  const Setup& setup_;
  cuda::OpenedDevice opened_;
  std::vector<engine::SetupPart> parts_;
  cuda::Stream stream_;
  cuda::DeviceTimer timer_;
  cuda::DeviceBuffer<T> image_;
  std::optional<cuda::DeviceBuffer<int>> flag_;  // returned by cancelled()
  std::optional<cuda::Stream> aside_;            // stream that sets flag_ while kernels run
  std::optional<cuda::Graph> graph_;
  std::optional<cuda::L2Flush> flush_;
  double device_s_ = 0;
  const std::atomic<bool>* cancel_ = nullptr;  // set only while the image is repeated
};

extern template class CudaImageSolver<float>;
extern template class CudaImageSolver<double>;

/// Reason why this number of launches is not captured as a graph, in one sentence; "" if it can be.
std::string graph_refusal(double launches);

/// Reason why the CUDA variants cannot run here, in one sentence; "" if they can.
inline std::string cuda_unavailable() { return cuda::unavailable("diffraction"); }

}  // namespace bb::diffraction
