// Row 20 of the table of performance claims: steps before y += a x can run for the first time, and the time of each
// step. Opening the device and loading the kernels, the first steps in a process, are parts of the setup of any run.
#include "cpu/stopwatch.hpp"
#include "cuda/compile/image_cache.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "cuda/compile/runtime_compiler.hpp"
#include "cuda/loader/libraries.hpp"
#include "micro/row/elementwise.hpp"
#include "micro/row/fresh_memory.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace cold_start_row {
namespace {

using cpu::Clock;

constexpr float kA = 0.5f;
constexpr unsigned kThreads = 256;

ExpectedResult answer(const TaskProblem& problem) { return AxpyInputs(problem).after(1, kA); }

/// Times of named parts, summed over repetitions.
class PartTimes {
 public:
  explicit PartTimes(std::vector<std::pair<const char*, const char*>> names)
      : names_(std::move(names)), seconds_(names_.size()) {}
  template <typename F>
  auto of(std::size_t part, F&& work) {
    const Clock::time_point start = Clock::now();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      add(part, start);
    } else {
      auto out = work();
      add(part, start);
      return out;
    }
  }
  void end() { ++times_; }
  std::vector<Quantity> quantities() const {
    std::vector<Quantity> out;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      out.push_back({names_[i].first, names_[i].second, times_ > 0 ? 1e6 * seconds_[i] / times_ : 0.0, "µs"});
    }
    return out;
  }

 private:
  void add(std::size_t part, Clock::time_point start) { seconds_[part] += cpu::seconds_since(start); }
  std::vector<std::pair<const char*, const char*>> names_;
  std::vector<double> seconds_;
  int times_ = 0;
};

/// With kFresh, each repetition uses new memory: the system maps a page when it is first touched.
template <bool kFresh>
CpuWork cpu_work(CpuBench& bench) {
  const auto in = std::make_shared<const AxpyInputs>(bench.problem());
  const std::size_t n = in->n;
  const auto y = std::make_shared<std::unique_ptr<float[]>>(std::make_unique<float[]>(n));
  const auto parts = std::make_shared<PartTimes>(
      std::vector<std::pair<const char*, const char*>>{{"memory", "Getting memory"}, {"first", "Work in it"}});
  CpuWork work;
  work.run = [=] {
    parts->of(0, [&] {
      if constexpr (kFresh) *y = fresh_memory(n);
    });
    parts->of(1, [&] {
      for (std::size_t i = 0; i < n; ++i) (*y)[i] = in->y[i] + kA * in->x[i];
    });
    parts->end();
  };
  work.result = [=] { return Samples(n).take<float>(std::span<const float>(y->get(), n)); };
  work.work = {.bytes = 12.0 * static_cast<double>(n), .flops = 2.0 * static_cast<double>(n)};
  work.quantities = [parts] { return parts->quantities(); };
  return work;
}

/// PTX for the oldest supported GPU, which the driver compiles for the present one.
constexpr const char* kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry cold_axpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %d<5>;
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra DONE;
  ld.param.f32 %f0, [a];
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  mul.wide.u32 %d2, %r4, 4;
  add.s64 %d3, %d0, %d2;
  add.s64 %d4, %d1, %d2;
  ld.global.f32 %f1, [%d3];
  ld.global.f32 %f2, [%d4];
  fma.rn.f32 %f3, %f0, %f1, %f2;
  st.global.f32 [%d4], %f3;
DONE:
  ret;
}
)";

/// Path of kernels/micro/launch/grid_stride.cu relative to the folder of kernel sources.
std::filesystem::path source_below(const std::filesystem::path& sources) {
  return sources / "micro" / "launch" / "grid_stride.cu";
}

enum class CodeSource { kLoaded, kBinary, kPtxCached, kPtx, kSource };

/// Returns the module with which a repetition starts.
cuda::Module module_of(CodeSource code, const std::shared_ptr<cuda::Device>& device, int repetition) {
  if (code == CodeSource::kBinary) return std::move(cuda::load_kernels(device, "micro", cuda::kernel_folders()).module);
  if (code == CodeSource::kSource) {
    const auto root = cuda::kernel_folders().sources;
    const cuda::CompiledImage image = cuda::compile_at_run_time(
        cuda::nvrtc_library().api,
        {.main = source_below(root), .root = root, .architecture = device->info().architecture(), .extra_options = {}},
        cuda::ImageCache({}));
    return {device, std::span<const char>(image.image.data(), image.image.size()), "grid_stride.cu"};
  }
  std::string ptx = kPtx;
  // The driver caches compiled code under a hash of the PTX, so it compiles only text that it has not seen before.
  if (code == CodeSource::kPtx) {
    ptx += "// " + std::to_string(Clock::now().time_since_epoch().count()) + " " + std::to_string(repetition) + "\n";
  }
  return {device, std::span<const char>(ptx.c_str(), ptx.size() + 1), "cold_axpy"};
}

const char* kernel_of(CodeSource code) {
  return code == CodeSource::kPtx || code == CodeSource::kPtxCached ? "cold_axpy"
         : code == CodeSource::kSource                              ? "micro_axpy_grid_stride"
                                                                    : "micro_axpy";
}

CudaWork gpu_work(CudaBench& bench, CodeSource code) {
  const auto in = std::make_shared<const AxpyInputs>(bench.problem());
  const auto x = bench.upload(in->x), start = bench.upload(in->y), y = bench.upload(in->y);
  const auto n = static_cast<unsigned>(in->n);
  const auto parts = std::make_shared<PartTimes>(std::vector<std::pair<const char*, const char*>>{
      {"module", "Module"}, {"function", "Kernel"}, {"launch", "First launch"}});
  const cuda::LaunchShape shape{.grid = {blocks_for(n, kThreads)}, .block = {kThreads}};
  CudaWork work;
  work.queue = [=, device = bench.device(), warm = bench.kernel("micro_axpy"),
                repetition = 0](cuda::Stream& to) mutable {
    y->copy_from(*start, to);
    to.synchronize();
    const auto first_launch = [&](cuda::Kernel& kernel) {
      parts->of(2, [&] {
        kernel.launch(to, shape, n, kA, x->pointer(), y->pointer());
        to.synchronize();
      });
    };
    if (code == CodeSource::kLoaded) {
      first_launch(warm);
    } else {
      const cuda::Module module = parts->of(0, [&] { return module_of(code, device, ++repetition); });
      cuda::Kernel kernel = parts->of(1, [&] { return cuda::Kernel(module, kernel_of(code)); });
      first_launch(kernel);
    }
    parts->end();
  };
  work.result = sampled(y);
  work.work = {.bytes = 12.0 * n, .flops = 2.0 * n};
  work.clock = engine::TaskClock::kWall;
  work.no_graph = "loading a module is not stream work";
  work.quantities = [parts] { return parts->quantities(); };
  return work;
}

std::string compiler_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  const cuda::LibraryState& nvrtc = cuda::nvrtc_library().state;
  if (!nvrtc.available) return nvrtc.reason;
  std::error_code ignored;
  const std::filesystem::path source = source_below(cuda::kernel_folders().sources);
  return std::filesystem::exists(source, ignored) ? "" : source.string() + " does not exist";
}

double bytes(const TaskProblem& problem) { return 12.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace cold_start_row

engine::TaskBench cold_start_bench() {
  using namespace cold_start_row;
  Row<answer> row({"cold-start", "Cold start: cost of the first call", "kernels/micro/launch/cold_start.cpp",
                   "kernels/micro/launch/cold_start.cpp", bytes});
  row.cpu<cpu_work<true>>({"cpu-cold", "Fresh memory", "memory that the system has not yet mapped"});
  row.cpu<cpu_work<false>>({"cpu-warm", "Reused memory", "memory that was used before", "cpu-cold"});
  row.cuda<with<gpu_work, CodeSource::kSource>>(
      {"cuda-source", "From source", "NVRTC compiles the source, then the module is loaded"}, refuse_nothing,
      compiler_missing);
  row.cuda<with<gpu_work, CodeSource::kPtx>>(
      {"cuda-ptx", "From PTX", "the driver compiles PTX that it has not seen before", "cuda-source"});
  row.cuda<with<gpu_work, CodeSource::kPtxCached>>(
      {"cuda-ptx-cached", "From cached PTX", "the driver finds the machine code in its cache", "cuda-ptx"});
  row.cuda<with<gpu_work, CodeSource::kBinary>>(
      {"cuda-binary", "From machine code", "loads the module with the kernels of all small workloads", "cuda-ptx"});
  row.cuda<with<gpu_work, CodeSource::kLoaded>>({"cuda-warm", "Loaded", "a kernel that has run before", "cuda-binary"});
  row.small({{"n", 1003}});
  return row.bench();
}

}  // namespace bb::micro
