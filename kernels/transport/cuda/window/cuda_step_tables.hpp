#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cuda/device/buffer.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda_step_rows.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/model/step_operators.hpp"

namespace bb::transport {

/// The window's operator tables, made on the device in three kernels: how wide they are, the rows, and the rows as the
/// window reads them. In FP32; see Tables::operators for which problems.
class CudaStepRows {
 public:
  /// Finds how wide the tables are, and waits for it. `kernel` looks one up by its name.
  template <typename Lookup>
  CudaStepRows(const Tables& tables, Lookup&& kernel, cuda::Stream& stream)
      : kernels_{kernel("transport_rows_measure"), kernel("transport_rows_fill"), kernel("transport_rows_spread")} {
    measure(tables, stream);
  }

  const BinLayout& layout() const { return layout_; }
  /// Queues the making, and sets the pointers to what is made; the layout's bins are there already.
  void make(WindowParameters<float>& p, cuda::Stream& stream);
  double flops_per_cell_step(const Tables& tables) const;

  struct Made {
    BinTables<float> tables;
    std::vector<float> deposit, stopped, nuclear, nuclear_escape;  // [paths·materials·ne]
  };
  /// Copies of the tables for comparisons; waits for them.
  Made read(cuda::Stream& stream) const;

 private:
  void measure(const Tables& tables, cuda::Stream& stream);

  std::array<cuda::Kernel, 3> kernels_;
  DeviceStepRows rows_{};
  BinLayout layout_;
  std::vector<int> sizes_;  // [2][paths·materials] taps and pairs
  int reach_down_ = 0, reach_up_ = 0;
  cuda::DeviceBuffer<unsigned char> inputs_, matter_;
  cuda::DeviceBuffer<int> measured_, feed_bin_;
  cuda::DeviceBuffer<float> by_path_, made_;
};

}  // namespace bb::transport
