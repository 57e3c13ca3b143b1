#pragma once

#include <memory>
#include <string>

#include "cuda/device/buffer.hpp"
#include "cuda_image_solver.hpp"
#include "packed_setup.hpp"

namespace bb::diffraction {

/// Setup that is packed for a kernel and uploaded to the device.
template <typename I, typename T>
class CudaTables {
 public:
  CudaTables(const Setup& setup, cuda::Stream& stream);

  const device::DeviceSetup<I, T>& view() const { return view_; }
  const device::PackedSetup<I, T>& host() const { return packed_; }

 private:
  device::PackedSetup<I, T> packed_;
  cuda::DeviceBuffer<Source> sources_;
  cuda::DeviceBuffer<device::Ray<I>> rays_;
  cuda::DeviceBuffer<device::Edges<I>> edges_;
  cuda::DeviceBuffer<T> factors_;
  cuda::DeviceBuffer<double> phis_;
  cuda::DeviceBuffer<Mat3> domains_;
  device::DeviceSetup<I, T> view_;
};

extern template class CudaTables<float, float>;
extern template class CudaTables<double, float>;
extern template class CudaTables<double, double>;
extern template class CudaTables<device::DoubleFloat, float>;

/// Solver whose image comes from one kernel. `kernel` is its name; plain setups use the kernel of that name with
/// "_plain" appended.
template <typename I, typename T>
class CudaFusedImageSolver : public CudaImageSolver<T> {
 public:
  CudaFusedImageSolver(const Setup& setup, const char* kernel) : CudaImageSolver<T>(setup) {
    this->part("upload", [&] { tables_.emplace(setup, this->stream()); });
    const std::string name = std::string(kernel) + (tables_->host().is_plain() ? "_plain" : "");
    this->part("kernel", [&] { kernel_.emplace(this->module(), cuda::intern_name(name)); });
  }

 protected:
  bool queue(cuda::Stream& stream, int first, int rows, const Work*) override {
    // Blocks have the shape that cuda_kernels.cuh expects.
    const unsigned wide = static_cast<unsigned>(this->setup().width), high = static_cast<unsigned>(rows);
    launch(stream, {(wide + 31) / 32, (high + block_height() - 1) / block_height(), 1}, first, rows);
    return true;
  }
  void launch(cuda::Stream& stream, cuda::Extent3 grid, int first, int rows) {
    device::DeviceSetup<I, T> setup = tables_->view();
    setup.cancelled = this->cancelled();
    kernel_->launch(stream, {.grid = grid, .block = {32, block_height(), 1}}, setup, first, rows,
                    this->image().pointer());
  }
  unsigned block_height() const {
    return static_cast<unsigned>(this->module().tunable("kBlockHeight", 8));  // default as in device_pixel.hpp
  }
  const device::PackedSetup<I, T>& packed() const { return tables_->host(); }
  const char* kernel_name() const { return kernel_->name(); }

 private:
  std::optional<CudaTables<I, T>> tables_;
  std::optional<cuda::Kernel> kernel_;
};

/// Makes a solver of class `S`, ready to run.
template <typename S, typename... Arguments>
std::unique_ptr<Solver> make_on_device(const Arguments&... arguments) {
  return cuda::on_device([&]() -> std::unique_ptr<Solver> { return std::make_unique<S>(arguments...); });
}

}  // namespace bb::diffraction
