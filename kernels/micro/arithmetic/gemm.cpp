// Row 14 of the table of performance claims: C = A B on the FP32 units and on the tensor cores, by kernels written here
// and by cuBLAS.
#include <cmath>

#include "cuda/library/cublas.hpp"
#include "engine/half.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace gemm_row {
namespace {

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : m(problem.count("m")),
        n(problem.count("n")),
        k(problem.count("k")),
        a(engine::uniform_values(m * k, problem.seed)),
        b(engine::uniform_values(k * n, problem.seed + 1)) {}
  TaskWork work(double input_bytes) const {
    const auto rows = static_cast<double>(m), columns = static_cast<double>(n), depth = static_cast<double>(k);
    return {.bytes = input_bytes * (rows * depth + depth * columns) + 4.0 * rows * columns,
            .flops = 2.0 * rows * columns * depth};
  }
  std::size_t m, n, k;
  std::vector<float> a, b;
};

Samples samples_of(const Problem& p) { return Samples(p.m * p.n, std::size_t{1} << 12); }

/// Reference for inputs with `kBits` bits of mantissa and sums in FP32. The error and the size of an entry both grow as
/// the square root of k, so their ratio does not depend on k.
template <int kBits>
ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some = samples_of(p);
  const double rounding = std::ldexp(1.0, -kBits), sums = 0x1p-24 * static_cast<double>(p.k);
  return {some.map([&](std::size_t i) {
            double sum = 0;
            for (std::size_t d = 0; d < p.k; ++d) {
              sum += static_cast<double>(p.a[i / p.n * p.k + d]) * static_cast<double>(p.b[d * p.n + i % p.n]);
            }
            return sum;
          }),
          2.0 * rounding + sums, 8.0 * rounding + 4.0 * sums, some.text() + " with FP64"};
}
constexpr int kFp32 = 24, kTf32 = 11, kBf16 = 8, kFp16 = 11;

CpuWork rows_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto c = std::make_shared<std::vector<float>>(p->m * p->n);
  CpuWork work;
  work.run = [p, c, &pool = bench.pool()] {
    in_pieces(pool, p->m, 4, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        for (std::size_t column = 0; column < p->n; ++column) {
          float sum = 0;
          for (std::size_t d = 0; d < p->k; ++d) sum += p->a[r * p->k + d] * p->b[d * p->n + column];
          (*c)[r * p->n + column] = sum;
        }
      }
    });
  };
  work.result = [p, c] { return samples_of(*p).take<float>(*c); };
  work.work = p->work(4);
  return work;
}

/// Computes rows of C as sums of rows of B, in blocks that stay in the cache.
CpuWork blocks_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto c = std::make_shared<std::vector<float>>(p->m * p->n);
  constexpr std::size_t kDepth = 64, kWide = 512;
  CpuWork work;
  work.run = [p, c, &pool = bench.pool()] {
    in_pieces(pool, p->m, 16, [&](std::size_t first, std::size_t last) {
      std::fill(c->begin() + static_cast<std::ptrdiff_t>(first * p->n),
                c->begin() + static_cast<std::ptrdiff_t>(last * p->n), 0.0f);
      for (std::size_t d0 = 0; d0 < p->k; d0 += kDepth) {
        for (std::size_t c0 = 0; c0 < p->n; c0 += kWide) {
          const std::size_t width = p->n - c0 < kWide ? p->n - c0 : kWide;
          for (std::size_t r = first; r < last; ++r) {
            float* to = c->data() + r * p->n + c0;
            for (std::size_t d = d0; d < p->k && d < d0 + kDepth; ++d) {
              const float factor = p->a[r * p->k + d];
              const float* from = p->b.data() + d * p->n + c0;
              for (std::size_t i = 0; i < width; ++i) to[i] += factor * from[i];
            }
          }
        }
      }
    });
  };
  work.result = [p, c] { return samples_of(*p).take<float>(*c); };
  work.work = p->work(4);
  return work;
}

CudaWork own_kernel_work(CudaBench& bench, const char* name) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto a = bench.upload(p->a), b = bench.upload(p->b);
  const auto c = bench.buffer<float>(p->m * p->n);
  auto kernel = bench.kernel(name);
  constexpr unsigned kTile = 128, kThreads = 256;
  const cuda::LaunchShape shape{.grid = {blocks_for(p->n, kTile), blocks_for(p->m, kTile)}, .block = {kThreads}};
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<int>(p->m), static_cast<int>(p->n), static_cast<int>(p->k), a->pointer(),
                  b->pointer(), c->pointer());
  };
  work.result = [p, c](cuda::Stream& from) { return samples_of(*p).take<float>(c->read(from)); };
  work.work = p->work(4);
  work.quantities = [kernel, device = bench.device()] { return cuda::launch_quantities(kernel, *device, kThreads); };
  return work;
}

/// Rounds to nearest, ties to even. Inputs are finite and below 1.
std::uint16_t to_fp16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  const float size = std::abs(value);
  // The value is scaled so that the unit in its last place is 1. Below 2^-14, the unit of the smallest normal number
  // applies.
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent, -13);
  const auto mantissa = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 11 - exponent)));
  // A mantissa below 1024 is subnormal; a mantissa of 2048 carries into the exponent without special handling.
  return static_cast<std::uint16_t>(
      sign | (mantissa < 1024 ? mantissa : mantissa - 1024 + (static_cast<unsigned>(exponent + 14) << 10)));
}

template <std::uint16_t (*kConvert)(float)>
std::vector<std::uint16_t> converted(const std::vector<float>& values) {
  std::vector<std::uint16_t> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = kConvert(values[i]);
  return out;
}

enum class LibraryFormat { kFp32, kTf32, kBf16, kFp16 };

CudaWork library_work(CudaBench& bench, LibraryFormat how) {
  using cuda::api::CublasCompute;
  using cuda::api::DataType;
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto c = bench.buffer<float>(p->m * p->n);
  const auto cublas = std::make_shared<cuda::Cublas>();
  CudaWork work;
  const auto multiply = [&](const auto a, const auto b, DataType inputs, CublasCompute compute) {
    work.queue = [=](cuda::Stream& to) {
      cublas->multiply(to, static_cast<int>(p->m), static_cast<int>(p->n), static_cast<int>(p->k), a->pointer(),
                       b->pointer(), c->pointer(), inputs, compute);
    };
    work.work = p->work(inputs == DataType::kFp32 ? 4.0 : 2.0);
  };
  if (how == LibraryFormat::kFp32) {
    multiply(bench.upload(p->a), bench.upload(p->b), DataType::kFp32, CublasCompute::kFp32);
  } else if (how == LibraryFormat::kTf32) {
    multiply(bench.upload(p->a), bench.upload(p->b), DataType::kFp32, CublasCompute::kFp32ByTf32);
  } else if (how == LibraryFormat::kBf16) {
    multiply(bench.upload(converted<bf16_bits>(p->a)), bench.upload(converted<bf16_bits>(p->b)), DataType::kBf16,
             CublasCompute::kFp32);
  } else {
    multiply(bench.upload(converted<to_fp16>(p->a)), bench.upload(converted<to_fp16>(p->b)), DataType::kFp16,
             CublasCompute::kFp32);
  }
  work.result = [p, c](cuda::Stream& from) { return samples_of(*p).take<float>(c->read(from)); };
  return work;
}

std::string library_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::cublas_unavailable();
}

double bytes(const TaskProblem& problem) {
  const auto m = static_cast<double>(problem.count("m")), n = static_cast<double>(problem.count("n")),
             k = static_cast<double>(problem.count("k"));
  return 4.0 * (m * k + k * n + m * n);
}

}  // namespace
}  // namespace gemm_row

engine::TaskBench gemm_bench() {
  using namespace gemm_row;
  Row<answer<kFp32>> row({"gemm", "Tensor cores: matrix products", "kernels/micro/arithmetic/gemm.cpp",
                          "kernels/micro/arithmetic/gemm_tensor.cu", bytes});
  row.cpu<rows_work>({"cpu-rows", "Element by element", "dot product of a row of A and a column of B"});
  row.cpu<blocks_work>({"cpu-blocks", "Blocked", "rows of B that fit into the cache", "cpu-rows"});
  row.cuda<with<own_kernel_work, Name("micro_gemm_fp32")>>(
      {"cuda-fp32", "FP32 units", "blocks of 128 x 128, with 8 x 8 results per thread"});
  row.cuda<with<own_kernel_work, Name("micro_gemm_tf32")>, answer<kTf32>>(
      {"cuda-tf32", "TF32 on tensor cores", "inputs rounded to 11 significant bits", "cuda-fp32", "tf32"});
  row.cuda<with<own_kernel_work, Name("micro_gemm_bf16")>, answer<kBf16>>(
      {"cuda-bf16", "BF16 on tensor cores", "inputs rounded to 8 significant bits", "cuda-tf32", "bf16"});
  row.cuda<with<own_kernel_work, Name("micro_gemm_fp16")>, answer<kFp16>>(
      {"cuda-fp16", "FP16 on tensor cores", "inputs rounded to 11 significant bits, with a narrow range", "cuda-tf32",
       "fp16"});
  row.cuda<with<library_work, LibraryFormat::kFp32>>(
      {"cublas-fp32", "cuBLAS, FP32", "the library", "cuda-fp32", "fp32", "cuBLAS"}, refuse_nothing, library_missing);
  row.cuda<with<library_work, LibraryFormat::kTf32>, answer<kTf32>>(
      {"cublas-tf32", "cuBLAS, TF32", "tensor cores", "cublas-fp32", "tf32", "cuBLAS"}, refuse_nothing,
      library_missing);
  row.cuda<with<library_work, LibraryFormat::kBf16>, answer<kBf16>>(
      {"cublas-bf16", "cuBLAS, BF16", "16-bit inputs", "cublas-tf32", "bf16", "cuBLAS"}, refuse_nothing,
      library_missing);
  row.cuda<with<library_work, LibraryFormat::kFp16>, answer<kFp16>>(
      {"cublas-fp16", "cuBLAS, FP16", "16-bit inputs", "cublas-tf32", "fp16", "cuBLAS"}, refuse_nothing,
      library_missing);
  row.small({{"m", 67}, {"n", 131}, {"k", 45}});
  row.small({{"m", 200}, {"n", 33}, {"k", 130}});
  row.small({{"m", 1}, {"n", 1}, {"k", 1}});
  return row.bench();
}

}  // namespace bb::micro
