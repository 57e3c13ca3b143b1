#include "ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "../device/graph.hpp"
#include "../device/kernel.hpp"
#include "../loader/libraries.hpp"
#include "clocks.hpp"
#include "timing.hpp"

namespace bb::cuda {
namespace {

constexpr unsigned kCopyThreads = 256;
constexpr std::size_t kCopyBlock_bytes = 4 * kCopyThreads * 16;  // bytes copied by one block of probe_copy
constexpr std::size_t kCopy_bytes = std::size_t{1} << 30;        // 1000 times the L2 of small chips, 20 times H200's
constexpr int kSamples = 15;                                     // the fastest of these is stable to 0.1 %
constexpr int kFmaThreads = 256;
constexpr int kFmaBlocksPerMultiprocessor = 8;  // 2048 threads per SM: full occupancy
constexpr double kFmaTarget_s = 2e-3;           // long compared with a launch, short compared with a clock change
constexpr double kFmaPerPass = 8 * 16;
constexpr int kLaunches = 2000;
constexpr int kRoundTrips = 201;
constexpr int kShortChain = 64, kLongChain = 1024;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Body>
double fastest(DeviceTimer& timer, Stream& stream, Body&& body) {
  timer.seconds(stream, nullptr, body);  // the first launches load code and raise the clock
  double best = timer.seconds(stream, nullptr, body);
  for (int i = 1; i < kSamples; ++i) best = std::min(best, timer.seconds(stream, nullptr, body));
  return best;
}

void measure_copy(const std::shared_ptr<Device>& device, const Module& module, Stream& stream, Ceilings& out) {
  // Both buffers together use at most a quarter of the free memory, so that a device used by other programs can be
  // measured too.
  const std::size_t room = static_cast<std::size_t>(device->memory().free_bytes / 8);
  const std::size_t bytes = std::min(kCopy_bytes, room / kCopyBlock_bytes * kCopyBlock_bytes);
  if (bytes == 0)
    throw Error("memory", device->info().label() + " has too little free memory to measure its copy bandwidth.");
  DeviceBuffer<unsigned char> from(device, bytes), to(device, bytes);
  from.fill_bytes(0x5a, stream);
  Kernel copy(module, "probe_copy");
  const LaunchShape shape{.grid = {static_cast<unsigned>(bytes / kCopyBlock_bytes)}, .block = {kCopyThreads}};
  DeviceTimer timer(device);
  const double by_kernel = fastest(timer, stream, [&] { copy.launch(stream, shape, from.pointer(), to.pointer()); });
  const double by_driver = fastest(timer, stream, [&] { to.copy_from(from, stream); });
  out.copy_bytes_per_s = 2.0 * static_cast<double>(bytes) / std::min(by_kernel, by_driver);
  out.copy_by = by_kernel <= by_driver ? "kernel" : "cuMemcpyDtoD";
}

template <typename Real>
double measure_fma(const std::shared_ptr<Device>& device, const Module& module, const char* name, Stream& stream) {
  const unsigned blocks = static_cast<unsigned>(device->info().multiprocessors * kFmaBlocksPerMultiprocessor);
  DeviceBuffer<Real> results(device, std::size_t{blocks} * kFmaThreads);
  Kernel kernel(module, name);
  const LaunchShape shape{.grid = {blocks}, .block = {kFmaThreads}};
  DeviceTimer timer(device);
  // Factors close to one and summands close to zero keep the values in the normal range over any number of passes.
  const Real a = static_cast<Real>(0.999999), b = static_cast<Real>(1e-6);
  const auto run = [&](int passes) {
    return [&, passes] { kernel.launch(stream, shape, results.pointer(), a, b, passes); };
  };
  constexpr int kTrialPasses = 16;
  const double trial = fastest(timer, stream, run(kTrialPasses));
  const int passes = std::clamp(static_cast<int>(kTrialPasses * kFmaTarget_s / trial), kTrialPasses, 1 << 20);
  const double seconds = fastest(timer, stream, run(passes));
  return 2.0 * kFmaPerPass * passes * static_cast<double>(results.size()) / seconds;
}

double round_trip(Stream& stream, const auto& body) {
  std::vector<double> samples;
  for (int i = 0; i < kRoundTrips; ++i) samples.push_back(wall_seconds(stream, nullptr, body));
  return median(std::move(samples));
}

void measure_launches(const std::shared_ptr<Device>& device, const Module& module, Stream& stream, Ceilings& out) {
  Kernel empty(module, "probe_empty");
  const auto launch = [&] { empty.launch(stream, {}); };
  const auto chain = [&](int length) {
    stream.begin_capture();
    for (int i = 0; i < length; ++i) launch();
    Graph graph = stream.end_capture();
    graph.upload(stream);
    return graph;
  };
  out.launch_round_trip_s = round_trip(stream, launch);
  std::vector<double> intervals;
  for (int i = 0; i < kSamples; ++i) {
    intervals.push_back(wall_seconds(stream, nullptr,
                                     [&] {
                                       for (int n = 0; n < kLaunches; ++n) launch();
                                     }) /
                        kLaunches);
  }
  out.launch_interval_s = median(std::move(intervals));

  Graph single = chain(1), shorter = chain(kShortChain), longer = chain(kLongChain);
  out.graph_round_trip_s = round_trip(stream, [&] { single.launch(stream); });
  DeviceTimer timer(device);
  const auto replay = [&](Graph& graph) {
    std::vector<double> samples;
    timer.seconds(stream, nullptr, [&] { graph.launch(stream); });
    for (int i = 0; i < kSamples; ++i) samples.push_back(timer.seconds(stream, nullptr, [&] { graph.launch(stream); }));
    return median(std::move(samples));
  };
  out.graph_node_s = (replay(longer) - replay(shorter)) / (kLongChain - kShortChain);
}

}  // namespace

std::string driver_version() {
  const LibraryState& nvml = nvml_library().state;
  if (nvml.available && !nvml.version.empty()) return nvml.version;
  return "cuda-" + driver_library().state.version;
}

Ceilings measure_ceilings(const std::shared_ptr<Device>& device, const KernelFolders& folders) {
  device->make_current();
  const LoadedKernels probe = load_kernels(device, "probe", folders);
  const auto monitor = ClockMonitor::open(device->info().uuid);
  Stream stream(device);
  Ceilings out;
  out.driver = driver_version();
  const auto note_clock = [&] {
    if (!monitor) return;
    const ClockState state = monitor->read();
    out.throttled = out.throttled || state.throttled();
    out.sm_MHz = state.sm_MHz.value_or(0);
  };
  measure_copy(device, probe.module, stream, out);
  note_clock();
  out.fp64_flops_per_s = measure_fma<double>(device, probe.module, "probe_fma_fp64", stream);
  note_clock();
  out.fp32_flops_per_s = measure_fma<float>(device, probe.module, "probe_fma_fp32", stream);
  note_clock();
  measure_launches(device, probe.module, stream, out);
  return out;
}

}  // namespace bb::cuda
