// Host side of `cuda-gather-fft`: `cuda-gather` with the angles convolved by cuFFT, in batches of energies.
#include <algorithm>
#include <memory>
#include <span>

#include "cuda/library/cufft.hpp"
#include "cuda_gather_passes.hpp"
#include "physics/row_fft.hpp"
#include "transport/model/index.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

/// Must match FftPart in cuda_by_fft.cu.
struct FftPart {
  int first, bins, length;
};

/// Memory per batch for the columns and their frequencies, in bytes. It suffices to fill a GPU and is small compared
/// with a state.
constexpr double kFftPartBytes = 256e6;
constexpr unsigned kColumnThreads = 256;

int transform_length(const Tables& t) {
  return static_cast<int>(physics::device::fft_length(u(t.ntheta), u(t.angle_half_max)));
}
/// Bytes of the columns of one energy: input, output and frequencies.
double column_bytes(const Tables& t) {
  return 16.0 * (transform_length(t) + 2) * static_cast<double>(t.nz) * static_cast<double>(t.nx);
}
int bins_in_a_part(const Tables& t) { return std::clamp(static_cast<int>(kFftPartBytes / column_bytes(t)), 1, t.ne); }

class CudaFftSolver final : public CudaGatherPasses<float> {
 public:
  using CudaGatherPasses<float>::CudaGatherPasses;

 protected:
  double state_bytes_needed() const override {
    return CudaGatherPasses<float>::state_bytes_needed() + bins_in_a_part(tables()) * column_bytes(tables());
  }

  void look_up_kernels() override {
    score_.emplace(score_pass());
    operators_ = operator_passes(tables().ne, kGatherKernels);
    gather_.emplace(kernel("fft_gather_columns"));
    times_.emplace(kernel("fft_times_spectrum"));
    mend_.emplace(kernel("fft_mend_columns"));
    spread_.emplace(kernel("fft_spread_columns"));
    length_ = transform_length(tables());
    bins_ = bins_in_a_part(tables());
    const std::size_t wide = u(bins_) * u(field_cells());
    columns_ = cuda::DeviceBuffer<float>(device(), u(length_) * wide);
    values_ = cuda::DeviceBuffer<float>(device(), 2 * u(length_ / 2 + 1) * wide);
    plan_ = std::make_unique<cuda::CufftColumns>(device(), length_, static_cast<int>(wide));
    std::vector<float> spectra;
    const physics::device::RowFft<float> fft(u(length_));
    const std::vector<std::int32_t>& begin = tables().angle_begin;
    for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
      const std::vector<float> one = fft.half_spectrum(
          std::span<const float>(typed().angle_weight).subspan(u(begin[row]), u(begin[row + 1] - begin[row])));
      spectra.insert(spectra.end(), one.begin(), one.end());
    }
    spectra_ = cuda::DeviceBuffer<float>(device(), spectra.size());
    spectra_.upload(std::span<const float>(spectra), stream());
    stream().synchronize();
  }

  void launch_operators(int step) override {
    score_->kernel.launch(stream(), score_->shape, context(step));
    for (std::size_t k = 0; k < operators_.size(); ++k) {
      if (k == 1) {  // the angle operator
        scatter(step);
      } else {
        operators_[k].kernel.launch(stream(), operators_[k].shape, context(step));
      }
      flip();
    }
  }

 private:
  void scatter(int step) {
    const int ne = tables().ne;
    for (int first = 0; first < ne; first += bins_) {
      // A plan has a fixed number of columns, so the last batch begins earlier and computes some energies twice.
      const FftPart part{std::min(first, ne - bins_), bins_, length_};
      const int fresh = first - part.first;
      const auto shape = [&](int rows) {
        return cuda::LaunchShape{
            .grid = {blocks(field_cells(), kColumnThreads), static_cast<unsigned>(rows), static_cast<unsigned>(bins_)},
            .block = {kColumnThreads}};
      };
      gather_->launch(stream(), shape(length_), context(step), part, columns_.pointer());
      plan_->forward(stream(), columns_.pointer(), values_.pointer());
      times_->launch(stream(), shape(length_ / 2 + 1), context(step), part,
                     static_cast<const float*>(spectra_.pointer()), values_.pointer());
      plan_->backward(stream(), values_.pointer(), columns_.pointer());
      mend_->launch(
          stream(),
          {.grid = {blocks(field_cells(), kColumnThreads), static_cast<unsigned>(bins_)}, .block = {kColumnThreads}},
          context(step), part, columns_.pointer());
      spread_->launch(stream(), shape(tables().ntheta), context(step), part, fresh,
                      static_cast<const float*>(columns_.pointer()));
    }
  }

  std::optional<Pass> score_;
  std::vector<Pass> operators_;
  std::optional<cuda::Kernel> gather_, times_, mend_, spread_;
  int length_ = 0, bins_ = 0;
  cuda::DeviceBuffer<float> columns_, values_, spectra_;
  std::unique_ptr<cuda::CufftColumns> plan_;
};

std::string fft_unavailable() {
  if (const std::string why = cuda_unavailable(); !why.empty()) return why;
  return cuda::cufft_unavailable();
}

double estimate_by_fft(const Problem& problem, const Tables& t) {
  return estimate_dense(problem, t) + bins_in_a_part(t) * column_bytes(t);
}

}  // namespace

Variant cuda_gather_fft_variant() {
  return {
      .id = "cuda-gather-fft",
      .title = "Gather on the GPU, angles by cuFFT",
      .changes = "Columns of angles are convolved by forward and inverse cuFFT transforms",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_by_fft.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},  // with depth stepping the kernel differs by angle
      .bytes_per_cell_step = 36,       // the score pass reads the state; four passes read and write it
      .flops_per_cell_step = 62,
      .speed_rank = 85,
      .estimate_bytes = estimate_by_fft,
      .make = make_cuda_float_solver<CudaFftSolver>,
      .unavailable = fft_unavailable,
  };
}

}  // namespace bb::transport
