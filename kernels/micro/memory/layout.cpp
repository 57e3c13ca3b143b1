// Row 4 of the table of performance claims: one field of records with eight floats is updated from another field, in
// three layouts of the records.
#include "micro/row/row.hpp"

namespace bb::micro {
namespace layout_row {
namespace {

constexpr std::size_t kFields = 8, kTile = 32;
constexpr unsigned kThreads = 256;
constexpr float kDt = 1.0f / 4096.0f;

enum class Layout { kRecords, kFields, kTiles };

/// Index of field `field` of record `i` among `n` records.
inline std::size_t place(Layout layout, std::size_t i, std::size_t field, std::size_t n) {
  if (layout == Layout::kRecords) return i * kFields + field;
  if (layout == Layout::kFields) return field * n + i;
  return i / kTile * kTile * kFields + field * kTile + i % kTile;
}

/// Value `k` of `values` is field k % 8 of record k / 8; incomplete tiles are padded with zeros.
std::vector<float> arrange_fields(Layout layout, const std::vector<float>& values) {
  const std::size_t n = values.size() / kFields;
  std::vector<float> out((n + kTile - 1) / kTile * kTile * kFields);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < kFields; ++f) out[place(layout, i, f, n)] = values[i * kFields + f];
  }
  return out;
}

std::vector<float> values_of(const TaskProblem& problem) {
  return engine::uniform_values(problem.count("n") * kFields, problem.seed);
}

ExpectedResult answer(const TaskProblem& problem) {
  const std::vector<float> values = values_of(problem);
  const Samples some(values.size() / kFields);
  return {some.map([&](std::size_t i) {
            return static_cast<double>(values[i * kFields]) +
                   static_cast<double>(kDt) * static_cast<double>(values[i * kFields + 1]);
          }),
          0x1p-23, 0x1p-23, some.text() + " with FP64"};
}

TaskWork work_of(std::size_t n) {
  return {.bytes = 12.0 * static_cast<double>(n), .flops = 2.0 * static_cast<double>(n)};
}

std::vector<double> results(Layout layout, const std::vector<float>& records, std::size_t n) {
  return Samples(n).map([&](std::size_t i) { return records[place(layout, i, 0, n)]; });
}

template <Layout layout>
CpuWork cpu_work(CpuBench& bench) {
  const auto start = std::make_shared<const std::vector<float>>(arrange_fields(layout, values_of(bench.problem())));
  const auto records = std::make_shared<std::vector<float>>(*start);
  const std::size_t n = bench.problem().count("n");
  CpuWork work;
  work.run = [records, n, &pool = bench.pool()] {
    in_pieces(pool, n, 1 << 16, [&](std::size_t first, std::size_t last) {
      float* all = records->data();
      for (std::size_t i = first; i < last; ++i) all[place(layout, i, 0, n)] += kDt * all[place(layout, i, 1, n)];
    });
  };
  work.reset = [start, records] { *records = *start; };
  work.result = [records, n] { return results(layout, *records, n); };
  work.work = work_of(n);
  return work;
}

CudaWork gpu_work(CudaBench& bench, Layout layout, const char* name) {
  const auto start = std::make_shared<const std::vector<float>>(arrange_fields(layout, values_of(bench.problem())));
  const auto records = bench.upload(*start);
  const std::size_t n = bench.problem().count("n");
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(n, kThreads)}, .block = {kThreads}}, static_cast<unsigned>(n), kDt,
                  records->pointer());
  };
  work.restore = [start, records](cuda::Stream& to) { records->upload(std::span<const float>(*start), to); };
  work.result = [layout, records, n](cuda::Stream& from) { return results(layout, records->read(from), n); };
  work.work = work_of(n);
  return work;
}

double bytes(const TaskProblem& problem) {
  return 4.0 * static_cast<double>(kFields) * static_cast<double>(problem.count("n"));
}

}  // namespace
}  // namespace layout_row

engine::TaskBench layout_bench() {
  using namespace layout_row;
  Row<answer> row({"layout", "Layout of records: two of eight fields", "kernels/micro/memory/layout.cpp",
                   "kernels/micro/memory/layout.cu", bytes});
  row.cpu<cpu_work<Layout::kRecords>>({"cpu-aos", "Records (AoS)", "complete records, one after another"});
  row.cpu<cpu_work<Layout::kTiles>>(
      {"cpu-aosoa", "Tiles (AoSoA)", "tiles of 32 records, stored field by field", "cpu-aos"});
  row.cpu<cpu_work<Layout::kFields>>({"cpu-soa", "Fields (SoA)", "one array per field", "cpu-aos"});
  row.cuda<with<gpu_work, Layout::kRecords, Name("micro_layout_aos")>>(
      {"cuda-aos", "Records (AoS)", "complete records, one after another"});
  row.cuda<with<gpu_work, Layout::kTiles, Name("micro_layout_aosoa")>>(
      {"cuda-aosoa", "Tiles (AoSoA)", "tiles of 32 records, stored field by field", "cuda-aos"});
  row.cuda<with<gpu_work, Layout::kFields, Name("micro_layout_soa")>>(
      {"cuda-soa", "Fields (SoA)", "one array per field", "cuda-aos"});
  row.small({{"n", 1003}});
  row.small({{"n", 5}});
  return row.bench();
}

}  // namespace bb::micro
