#include <algorithm>
#include <cmath>

#include "angle_rows.hpp"
#include "build_config.hpp"
#include "cpu/host.hpp"
#include "cuda/library/cufft.hpp"
#include "micro/row/row.hpp"
#include "physics/row_fft.hpp"

namespace bb::micro {

#define BB_DECLARE(isa)                       \
  namespace isa {                             \
  const AngleRowFunctions& angle_functions(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

const AngleRowFunctions& angle_row_functions() {
  using Choice = const AngleRowFunctions& (*)();
#define BB_ENTRY(isa) isa::angle_functions,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

// Multiple scattering of one step of the proton transport: every column of angles is convolved with a narrow kernel.
// Variants use direct sums, FFTs, or a banded matrix on the tensor cores; the number of angles decides which is
// fastest.

namespace scattering_row {
namespace {

using Fft = physics::device::RowFft<float>;

/// Must equal the constants in scattering.cu.
constexpr unsigned kScatterAngles = 8, kBandAngles = 16, kBandCells = 32, kBandWarps = 4;
/// Half width of a kernel in standard deviations.
constexpr double kReach = 4.0;
/// Root mean square difference between FP32 and FP64 sums.
constexpr double kFp32Error = 1e-6;
/// Columns per task on the CPU, which share the tables of a transform.
constexpr std::size_t kColumnsAtOnce = 4096;

/// A Gaussian over the angle bins, whose weights sum to 1.
std::vector<float> gaussian(std::size_t reach) {
  const double sigma = std::max(0.5, static_cast<double>(reach) / kReach);
  std::vector<double> exact(reach + 1);
  double sum = 0;
  for (std::size_t k = 0; k <= reach; ++k) {
    exact[k] = std::exp(-0.5 * static_cast<double>(k * k) / (sigma * sigma));
    sum += k == 0 ? exact[k] : 2.0 * exact[k];
  }
  std::vector<float> out;
  for (const double one : exact) out.push_back(static_cast<float>(one / sum));
  return out;
}

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : angles(problem.count("angles")),
        cells(problem.count("cells")),
        reach(std::clamp<std::size_t>(
            static_cast<std::size_t>(std::lround(problem.number("reach") * static_cast<double>(angles))), 1, angles)),
        weights(gaussian(reach)),
        in(engine::uniform_values(angles * cells, problem.seed)) {
    for (float& value : in) value = 0.5f + 0.5f * value;  // in [0, 1), because numbers of protons are not negative
  }
  std::size_t values() const { return angles * cells; }
  std::size_t length() const { return physics::device::fft_length(angles, reach); }
  /// Each value is read once and written once; each weight needs a multiplication and an addition.
  TaskWork work() const {
    const auto all = static_cast<double>(values());
    return {.bytes = 8.0 * all, .flops = 2.0 * (2.0 * static_cast<double>(reach) + 1.0) * all};
  }
  /// Each of the two transforms of a real column needs 2.5 n log₂ n operations, and the product with the spectrum needs
  /// n.
  TaskWork work_by_fft() const {
    const auto n = static_cast<double>(length()), all = static_cast<double>(cells);
    return {.bytes = 8.0 * static_cast<double>(values()), .flops = all * (5.0 * n * std::log2(n) + n)};
  }
  std::vector<Quantity> quantities() const {
    return {{"reach", "Bins to each side", static_cast<double>(reach), ""},
            {"length", "Length of the transform", static_cast<double>(length()), ""}};
  }
  std::size_t angles, cells, reach;
  std::vector<float> weights, in;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.values());
  return {some.map([&](std::size_t i) {
            const std::size_t a = i / p.cells, cell = i % p.cells;
            double sum = 0;
            for (std::size_t b = a > p.reach ? a - p.reach : 0; b <= std::min(p.angles - 1, a + p.reach); ++b) {
              const std::size_t distance = a > b ? a - b : b - a;
              sum += static_cast<double>(p.weights[distance]) * static_cast<double>(p.in[b * p.cells + cell]);
            }
            return sum;
          }),
          kFp32Error, 4.0 * kFp32Error, some.text() + " with FP64"};
}

enum class CpuMethod { kDirect, kFft };

CpuWork cpu_work(CpuBench& bench, CpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->values());
  const auto spectrum = std::make_shared<const std::vector<float>>(Fft(p->length()).spectrum(p->weights));
  const auto function = how == CpuMethod::kDirect ? angle_row_functions().direct : angle_row_functions().transformed;
  // Direct sums use few columns per piece, so that all angles of these columns stay in the cache.
  const std::size_t piece =
      how == CpuMethod::kDirect ? std::max<std::size_t>(64, (std::size_t{1} << 15) / p->angles) : kColumnsAtOnce;
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, p->cells, piece, [&](std::size_t first, std::size_t last) {
      function({p->angles, p->cells, p->in.data(), out->data(), &p->weights, spectrum.get()}, first, last);
    });
  };
  work.result = sampled(out);
  work.work = how == CpuMethod::kDirect ? p->work() : p->work_by_fft();
  work.quantities = [p] { return p->quantities(); };
  return work;
}
template <CpuMethod kHow>
CpuWork work_by_method(CpuBench& bench) {
  return cpu_work(bench, kHow);
}

struct Shape {
  int angles, cells, reach;
};

CudaWork kernel_work(CudaBench& bench, const char* name, bool banded) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in), weights = bench.upload(p->weights);
  const auto out = bench.buffer<float>(p->values());
  auto kernel = bench.kernel(name);
  const unsigned threads = banded ? 32 * kBandWarps : 32 * kScatterAngles;
  const cuda::LaunchShape shape =
      banded ? cuda::LaunchShape{.grid = {blocks_for(p->cells, kBandCells * kBandWarps),
                                          blocks_for(p->angles, kBandAngles)},
                                 .block = {threads}}
             : cuda::LaunchShape{.grid = {blocks_for(p->cells, 32), blocks_for(p->angles, kScatterAngles)},
                                 .block = {32, kScatterAngles}};
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, shape, Shape{static_cast<int>(p->angles), static_cast<int>(p->cells), static_cast<int>(p->reach)},
                  static_cast<const float*>(weights->pointer()), static_cast<const float*>(in->pointer()),
                  out->pointer());
  };
  work.result = sampled(out);
  work.work = p->work();
  work.quantities = [=, device = bench.device()] {
    std::vector<Quantity> all = cuda::launch_quantities(kernel, *device, threads);
    for (const Quantity& one : p->quantities()) all.push_back(one);
    return all;
  };
  return work;
}

/// Rows are padded on the device to the length of the transform, with zeros beyond the angles.
CudaWork fft_work(CudaBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const std::size_t length = p->length();
  std::vector<float> padded(length * p->cells);
  std::ranges::copy(p->in, padded.begin());
  const auto in = bench.upload(padded);
  const auto out = bench.buffer<float>(length * p->cells);
  const auto plan =
      std::make_shared<cuda::CufftColumns>(bench.device(), static_cast<int>(length), static_cast<int>(p->cells));
  const auto rows = static_cast<std::size_t>(plan->frequencies());
  const auto values = bench.buffer<float>(2 * rows * p->cells);
  const auto factors = bench.upload(Fft(length).half_spectrum(p->weights));
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_scatter_spectrum")](cuda::Stream& to) mutable {
    plan->forward(to, in->pointer(), values->pointer());
    kernel.launch(to, {.grid = {blocks_for(p->cells, 256), static_cast<unsigned>(rows)}, .block = {256}},
                  static_cast<int>(p->cells), static_cast<const float*>(factors->pointer()), values->pointer());
    plan->backward(to, values->pointer(), out->pointer());
  };
  work.result = [p, out](cuda::Stream& from) {
    return Samples(p->values()).take<float>(std::span<const float>(out->read(from)));
  };
  work.work = p->work_by_fft();
  work.quantities = [p] { return p->quantities(); };
  return work;
}

std::string library_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::cufft_unavailable();
}

/// Padded rows as input and output, and their frequencies.
double bytes(const TaskProblem& problem) {
  return 4.0 * 6.0 * static_cast<double>(problem.count("angles")) * static_cast<double>(problem.count("cells"));
}

}  // namespace
}  // namespace scattering_row

engine::TaskBench scattering_bench() {
  using namespace scattering_row;
  Row<answer> row({"scattering", "Scattering of angles: direct sums, FFT, tensor cores",
                   "kernels/micro/scattering/scattering.cpp", "kernels/micro/scattering/scattering.cu", bytes});
  row.cpu<work_by_method<CpuMethod::kFft>>(
      {"cpu-fft", "FFT", "two columns per complex number, 16 numbers in parallel"});
  row.cpu<work_by_method<CpuMethod::kDirect>>(
      {"cpu-direct", "Direct sums", "adds weighted rows, vectorised over cells"});
  row.cuda<with<kernel_work, Name("micro_scatter_direct"), false>>(
      {"cuda-direct", "Direct sums", "one thread per cell and angle, as in the gather kernels of transport"});
  row.cuda<fft_work>({"cuda-fft", "cuFFT", "forward transform, product with a spectrum, inverse transform",
                      "cuda-direct", "fp32", "cuFFT"},
                     refuse_nothing, library_missing);
  row.cuda<with<kernel_work, Name("micro_scatter_tf32"), true>>(
      {"cuda-tf32", "Banded matrix in TF32", "tensor cores; inputs rounded to 11 bits", "cuda-direct", "tf32"});
  row.cuda<with<kernel_work, Name("micro_scatter_bf16"), true>>(
      {"cuda-bf16", "Banded matrix in BF16", "tensor cores; inputs rounded to 8 bits", "cuda-tf32", "bf16"});
  row.cuda<with<kernel_work, Name("micro_scatter_3xtf32"), true>>(
      {"cuda-3xtf32", "Banded matrix in 3xTF32", "adds the products of the rounding remainders", "cuda-tf32", "tf32"});
  row.small({{"angles", 72}, {"cells", 333}, {"reach", 0.1}});
  row.small({{"angles", 37}, {"cells", 1003}, {"reach", 0.3}});
  row.small({{"angles", 129}, {"cells", 65}, {"reach", 0.01}});
  return row.bench();
}

}  // namespace bb::micro
