#pragma once

#include <memory>
#include <string>

#include "cuda_image_solver.hpp"
#include "cuda_tables.hpp"

namespace bb::diffraction {

/// One kernel makes the image. `kernel` is its name; plain setups have a kernel of that name and "_plain".
template <typename I, typename T>
class CudaFused : public CudaImageSolver<T> {
 public:
  CudaFused(const Setup& setup, const char* kernel) : CudaImageSolver<T>(setup) {
    this->part("upload", [&] { tables_.emplace(setup, this->stream()); });
    const std::string name = std::string(kernel) + (tables_->host().plain() ? "_plain" : "");
    this->part("kernel", [&] { kernel_.emplace(this->module(), cuda::intern_name(name)); });
  }

 protected:
  bool queue(cuda::Stream& stream, int first, int rows, const Work*) override {
    // As cuda_kernels.cuh has blocks of pixels.
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
    return static_cast<unsigned>(this->module().tunable("kBlockHeight", 8));  // as device_pixel.hpp has it
  }
  const device::PackedSetup<I, T>& packed() const { return tables_->host(); }
  const char* kernel_name() const { return kernel_->name(); }

 private:
  std::optional<CudaTables<I, T>> tables_;
  std::optional<cuda::Kernel> kernel_;
};

/// A solver of that class, ready to run.
template <typename S, typename... Arguments>
std::unique_ptr<Solver> make_on_device(const Arguments&... arguments) {
  return cuda::on_device([&]() -> std::unique_ptr<Solver> { return std::make_unique<S>(arguments...); });
}

}  // namespace bb::diffraction
