// `gather` with the angles convolved by FFT. Every column of angles is transformed, multiplied by the spectrum of its
// material and energy, and transformed back. The work does not depend on the width of the kernel.
#include "transport/run/by_precision.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

std::unique_ptr<engine::Solver> make_by_fft(const Problem& problem, const Tables& tables, int threads) {
  Problem by_fft = problem;
  by_fft.angles_by_fft = true;
  return gather_variant().make(by_fft, tables, threads);
}

}  // namespace

Variant gather_fft_variant() {
  return {
      .id = "gather-fft",
      .title = "Gather, angles by FFT",
      .changes = "Columns of angles are convolved by forward and inverse transforms, two columns per complex number",
      .builds_on = "gather",
      .device = "cpu",
      .source = "kernels/transport/cpu/gather_fft.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},  // with depth stepping the kernel differs by angle
      .bytes_per_cell_step = 24,       // 3 passes × (read, write)
      .flops_per_cell_step = 62,
      .speed_rank = 5,
      .scores_tracks = true,
      .estimate_bytes = estimate_dense,
      .make = make_by_fft,
  };
}

}  // namespace bb::transport
