#include <chrono>
#include <cstdio>

#include "../native/cuda/temporary_folder.hpp"
#include "check.hpp"
#include "cuda/report/device_report.hpp"
#include "gpu.hpp"

using namespace bb::cuda;

TEST("GPU: measured ceilings are below the data sheet's, stable, and remembered") {
  const auto start = std::chrono::steady_clock::now();
  const Ceilings first = measure_ceilings(bb::test::gpu(), bb::test::kernel_folders());
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Ceilings second = measure_ceilings(bb::test::gpu(), bb::test::kernel_folders());
  std::printf("    %.2f s: %s\n    again: %s\n", took, to_json(first).text().c_str(), to_json(second).text().c_str());

  CHECK_REL(second.copy_bytes_per_s, first.copy_bytes_per_s, 0.05);
  CHECK_REL(second.fp32_flops_per_s, first.fp32_flops_per_s, 0.05);
  CHECK_REL(second.fp64_flops_per_s, first.fp64_flops_per_s, 0.05);
  CHECK(first.copy_bytes_per_s > 1e11 && first.copy_bytes_per_s < 2e13);
  // 128 lanes per multiprocessor at most, two operations a cycle; 64 of FP64 (compute capability 8.0 to 12.x).
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
