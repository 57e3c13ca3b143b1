#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "../native/cuda/temporary_folder.hpp"
#include "check.hpp"
#include "cuda/device/buffer.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/report/device_report.hpp"
#include "cuda/timing/timing.hpp"
#include "gpu.hpp"

namespace {

using namespace bb::cuda;
using bb::test::built_kernels;
using bb::test::gpu;

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 17u);
  return out;
}

constexpr unsigned kThreads = 256;
constexpr std::size_t kWordsPerBlock = 4 * kThreads * 4;  // 32-bit words that a block of probe_copy moves

}  // namespace

TEST("GPU: the device report names a usable device with its limits") {
  const auto start = std::chrono::steady_clock::now();
  const DeviceReport report = make_device_report(CeilingsCache({}));
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("    report in %.0f ms: %s\n", ms, to_json(report).text().c_str());
  CHECK(report.cuda.available);
  CHECK(!report.devices.empty());
  if (report.devices.empty()) return;
  const DeviceInfo& info = report.devices.front().info;
  CHECK(info.uuid.size() == 40 && info.uuid.starts_with("GPU-"));
  CHECK(info.architecture() >= kOldestArchitecture);
  CHECK(info.multiprocessors > 0 && info.l2_bytes > 1 << 20 && info.memory_bytes > 1ull << 30);
  CHECK(info.shared_per_block_optin_bytes > info.shared_per_block_bytes);
}

TEST("GPU: buffers copy data in both directions, and reject copies beyond their ends") {
  Stream stream(gpu());
  const auto values = counting(100'003);
  DeviceBuffer<std::uint32_t> a(gpu(), values.size()), b(gpu(), values.size());
  a.upload(values, stream);
  b.copy_from(a, stream);
  CHECK(b.read(stream) == values);
  b.fill_bytes(0xff, stream);
  CHECK(b.read(stream) == std::vector<std::uint32_t>(values.size(), 0xffffffffu));

  PinnedBuffer<std::uint32_t> pinned(gpu(), 5);
  a.download(pinned.values(), stream, 7);
  stream.synchronize();
  CHECK_EQ(pinned.values()[4], values[11]);
  CHECK_THROWS(a.download(pinned.values(), stream, values.size() - 4), "exceeds a device buffer of 100003");
  CHECK_THROWS(a.upload(values, stream, 1), "exceeds a device buffer");
}

TEST("GPU: an allocation that does not fit is rejected with its size, in advance or when it fails") {
  const DeviceMemory memory = gpu()->memory();
  require_memory(*gpu(), memory.free_bytes / 2, "cuda-test");
  CHECK_THROWS(require_memory(*gpu(), memory.free_bytes, "cuda-test"), "cuda-test needs ");
  try {
    DeviceBuffer<char> huge(gpu(), std::size_t{memory.total_bytes} * 2);
    CHECK(!"allocated twice the device's memory");
  } catch (const Error& error) {
    CHECK_EQ(error.code(), std::string_view("memory"));
    CHECK(!error.fields().sticky);
  }
  DeviceBuffer<char> fits(gpu(), 1000);  // the device still works
  CHECK(fits.address() != 0);
}

TEST("GPU: kernels of the fatbin load, report their resources and compute") {
  const LoadedKernels probe = load_kernels(gpu(), "probe", built_kernels());
  CHECK(probe.pieces == nullptr);
  std::printf("    probe.fatbin loaded in %.2f ms\n", probe.load_s * 1e3);
  Stream stream(gpu());

  const auto values = counting(8 * kWordsPerBlock);
  DeviceBuffer<std::uint32_t> from(gpu(), values.size()), to(gpu(), values.size());
  from.upload(values, stream);
  to.fill_bytes(0xff, stream);
  Kernel copy(probe.module, "probe_copy");
  copy.launch(stream, {.grid = {8}, .block = {kThreads}}, from.pointer(), to.pointer());
  CHECK(to.read(stream) == values);

  Kernel fma(probe.module, "probe_fma_fp64");
  const KernelResources resources = fma.resources();
  CHECK(resources.registers >= 16 && resources.local_bytes == 0 && resources.max_threads_per_block == 256);
  CHECK_EQ(resources.binary_version / 10, gpu()->info().capability_major);
  CHECK(fma.resident_blocks(256, 0) >= 4);
  DeviceBuffer<double> sums(gpu(), 2 * kThreads);
  fma.launch(stream, {.grid = {2}, .block = {kThreads}}, sums.pointer(), 1.0, 0.0, 3);
  const auto got = sums.read(stream);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK_EQ(got[i], 28.0 + 8.0 * static_cast<double>(i % kThreads));
}

TEST("GPU: unknown kernels, wrong arguments and impossible launches are rejected by name") {
  const LoadedKernels probe = load_kernels(gpu(), "probe", built_kernels());
  Stream stream(gpu());
  CHECK_THROWS(Kernel(probe.module, "probe_nothing"), "do not contain the kernel probe_nothing");
  Kernel fma(probe.module, "probe_fma_fp32");
  DeviceBuffer<float> out(gpu(), 1024);
  if (driver().FuncGetParamInfo) {
    CHECK(fma.parameter_sizes() == (std::vector<std::size_t>{8, 4, 4, 4}));
    CHECK_THROWS(fma.launch(stream, {.block = {32}}, out.pointer(), 1.0, 0.0f, 3),
                 "number 1 has 8 bytes, but the kernel expects 4");
    CHECK_THROWS(fma.launch(stream, {.block = {32}}, out.pointer(), 1.0f, 0.0f, 3, 4), "but the kernel expects none");
  }
  CHECK_THROWS(fma.launch(stream, {.block = {1024}}, out.pointer(), 1.0f, 0.0f, 3),
               "kernel probe_fma_fp32, grid 1×1×1, block 1024×1×1");
  CHECK_THROWS(fma.allow_dynamic_shared(1 << 30), "of shared memory per block");
  fma.allow_dynamic_shared(100 << 10);
  fma.prefer_shared_carveout(100);
  fma.launch(stream, {.block = {32}, .dynamic_shared_bytes = 100 << 10}, out.pointer(), 1.0f, 0.0f, 3);
  stream.synchronize();
}

TEST("GPU: cooperative, clustered, overlapping and L2-persisting launches are accepted where supported") {
  const LoadedKernels probe = load_kernels(gpu(), "probe", built_kernels());
  Stream stream(gpu());
  Kernel empty(probe.module, "probe_empty");
  if (gpu()->info().cooperative_launch) empty.launch(stream, {.grid = {4}, .block = {64}, .cooperative = true});
  if (gpu()->info().cluster_launch) {
    empty.launch(stream, {.grid = {4}, .block = {64}, .cluster = {2, 1, 1}});
    empty.launch(stream, {.grid = {4}, .block = {64}, .overlap_previous = true});
  }
  DeviceBuffer<float> hot(gpu(), 1 << 20);
  if (gpu()->info().persisting_l2_bytes > 0) {
    stream.persist_in_l2(hot.address(), hot.bytes(), 1.0f);
    empty.launch(stream, {});
    stream.persist_in_l2(0, 0, 0.0f);
  }
  empty.launch(stream, {});
  stream.synchronize();
  CHECK(stream.idle());
}

TEST("GPU: a captured graph replays the captured work") {
  const LoadedKernels probe = load_kernels(gpu(), "probe", built_kernels());
  Stream stream(gpu());
  const auto values = counting(4 * kWordsPerBlock);
  DeviceBuffer<std::uint32_t> a(gpu(), values.size()), b(gpu(), values.size()), c(gpu(), values.size());
  Kernel copy(probe.module, "probe_copy");
  stream.begin_capture();
  copy.launch(stream, {.grid = {4}, .block = {kThreads}}, a.pointer(), b.pointer());
  c.copy_from(b, stream);
  Graph graph = stream.end_capture();
  CHECK_EQ(graph.nodes(), std::size_t{2});
  a.upload(values, stream);
  c.fill_bytes(0, stream);
  graph.upload(stream);
  graph.launch(stream);
  CHECK(c.read(stream) == values);
}

TEST("GPU: flushing L2 slows the following reads, and device time does not exceed wall time") {
  // Distinguishes L2 from memory by latency. Bandwidth hardly differs: HBM of an H200 reads at two thirds of its L2's rate, and
  // launch gaps count in microseconds. Dependent reads need 200 to 300 cycles from either 25 MB half of an H100's L2,
  // and 600 or more from memory. The lines are 1 % of that L2. A launch reads each line once, so that none is in L1.
  constexpr std::size_t kLines = 4096, kLineWords = 32;
  const LoadedKernels probe = load_kernels(gpu(), "probe", built_kernels());
  Stream stream(gpu());
  Kernel chase(probe.module, "probe_chase");
  std::vector<std::uint32_t> next(kLines * kLineWords);
  // A full-period generator (Hull and Dobell) visits every line once, in an order that differs from the order of
  // addresses.
  for (std::size_t line = 0; line < kLines; ++line) {
    next[line * kLineWords] = static_cast<std::uint32_t>((line * 1597 + 1) % kLines * kLineWords);
  }
  DeviceBuffer<std::uint32_t> lines(gpu(), next.size()), last(gpu(), 1);
  lines.upload(next, stream);
  const auto body = [&] { chase.launch(stream, {}, lines.pointer(), last.pointer(), static_cast<int>(kLines)); };
  body();
  CHECK_EQ(last.read(stream)[0], 0u);  // a full period ends at its start
  DeviceTimer timer(gpu());
  L2Flush flush(gpu());
  std::array<double, 15> warm, cold, wall;
  for (std::size_t i = 0; i < warm.size(); ++i) {
    cold[i] = timer.seconds(stream, &flush, body);
    warm[i] = timer.seconds(stream, nullptr, body);
    wall[i] = wall_seconds(stream, nullptr, body);
  }
  const auto median = [](auto values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  const auto each_ns = [](double seconds) { return seconds * 1e9 / static_cast<double>(kLines); };
  std::printf("    a read: warm %.0f ns, after a flush %.0f ns, by the wall %.0f ns\n", each_ns(median(warm)),
              each_ns(median(cold)), each_ns(median(wall)));
  CHECK(median(warm) > 0 && median(wall) > median(warm) * 0.5);
  CHECK(median(cold) > median(warm) * 1.4);
}

TEST("GPU: measured ceilings are below those of the data sheet, stable, and cached") {
  const auto start = std::chrono::steady_clock::now();
  const Ceilings first = measure_ceilings(bb::test::gpu(), bb::test::built_kernels());
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Ceilings second = measure_ceilings(bb::test::gpu(), bb::test::built_kernels());
  std::printf("    %.2f s: %s\n    again: %s\n", took, to_json(first).text().c_str(), to_json(second).text().c_str());

  CHECK_REL(second.copy_bytes_per_s, first.copy_bytes_per_s, 0.05);
  CHECK_REL(second.fp32_flops_per_s, first.fp32_flops_per_s, 0.05);
  CHECK_REL(second.fp64_flops_per_s, first.fp64_flops_per_s, 0.05);
  CHECK(first.copy_bytes_per_s > 1e11 && first.copy_bytes_per_s < 2e13);
  // Upper limits: 128 lanes per multiprocessor with two operations per cycle, and 64 lanes for FP64 (compute capability
  // 8.0 to 12.x).
  const double cycles_per_s = 2.6e9;
  CHECK(first.fp32_flops_per_s < bb::test::gpu()->info().multiprocessors * 128 * 2 * cycles_per_s);
  CHECK(first.fp64_flops_per_s <= first.fp32_flops_per_s);
  CHECK(first.launch_interval_s > 1e-7 && first.launch_interval_s < first.launch_round_trip_s);
  CHECK(first.graph_node_s > 1e-7 && first.graph_node_s < first.launch_round_trip_s);

  const bb::test::TemporaryFolder folder;
  const CeilingsCache cache(folder.path());
  cache.keep(bb::test::gpu()->info().uuid, first);
  const DeviceReport report = make_device_report(cache);
  bool found = false;
  for (const ReportedDevice& device : report.devices) {
    found = found || (device.ceilings && device.ceilings->copy_bytes_per_s == first.copy_bytes_per_s);
  }
  CHECK(found);
}
