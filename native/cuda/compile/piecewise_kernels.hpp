#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/device/kernel.hpp"
#include "image_cache.hpp"
#include "kernel_pieces.hpp"
#include "runtime_compiler.hpp"

namespace bb::cuda {

/// Kernels of a workload without a fat binary: NVRTC compiles each piece on demand for this GPU and caches it by
/// content. Several threads may request pieces concurrently.
class PiecewiseKernels final : public OnDemandImages {
 public:
  /// Statistics of the work so far.
  struct Counts {
    int pieces = 0, compiled = 0, from_cache = 0;
    double compile_s = 0;  // sum over the pieces, which several threads compile concurrently
  };

  PiecewiseKernels(std::shared_ptr<Device> device, std::string workload, std::vector<KernelPiece> pieces,
                   ImageCache cache);

  const Module* with_kernel(std::string_view kernel) override;
  const Module* with_tunable(std::string_view name) override;
  void prepare(std::span<const std::string> kernels) override;
  /// Compiles and loads every piece.
  void prepare_all();
  Counts counts() const;

 private:
  struct Slot {
    KernelPiece piece;
    std::mutex mutex;  // one thread compiles while the others wait
    std::unique_ptr<Module> module;
  };

  Slot* find(std::string_view kernel);
  const Module& loaded(Slot& slot);
  CompiledImage compiled(const KernelPiece& piece) const;
  void load(std::span<Slot* const> wanted);
  void count(const CompiledImage& image);

  std::shared_ptr<Device> device_;
  std::string workload_;
  ImageCache cache_;
  std::vector<std::unique_ptr<Slot>> slots_;
  mutable std::mutex counting_;
  Counts counts_;
};

}  // namespace bb::cuda
