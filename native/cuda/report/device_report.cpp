#include "device_report.hpp"

#include <algorithm>

#include "../device/error.hpp"

namespace bb::cuda {
namespace {

ReportedDevice driver_knows(const DeviceInfo& info) {
  ReportedDevice out;
  out.info = info;
  // The driver's attributes include the maximum clocks up to CUDA 12; NVML always reports them.
  if (info.clock_kHz > 0) out.max_sm_MHz = static_cast<unsigned>(info.clock_kHz / 1000);
  if (info.memory_clock_kHz > 0) out.max_memory_MHz = static_cast<unsigned>(info.memory_clock_kHz / 1000);
  return out;
}

void add_state(const std::string& driver, const CeilingsCache& cache, ReportedDevice& device) {
  const std::string& uuid = device.info.uuid;
  device.ceilings = cache.find(uuid, driver);
  const auto monitor = ClockMonitor::open(uuid);
  if (!monitor) return;
  device.clocks = monitor->read();
  device.persistence_mode = monitor->persistence_mode();
  device.free_bytes = monitor->free_memory_bytes();
  if (const auto known = monitor->max_sm_MHz()) device.max_sm_MHz = known;
  if (const auto known = monitor->max_memory_MHz()) device.max_memory_MHz = known;
}

std::string none_usable(const std::vector<ReportedDevice>& devices) {
  if (devices.empty()) return "The NVIDIA driver is installed but finds no CUDA device.";
  std::string out = "No CUDA device can be used: ";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    out += (i ? "; " : "") + devices[i].info.label() + " " + devices[i].info.unusable.value_or("");
  }
  return out + ".";
}

JsonObject availability(const LibraryState& state) {
  JsonObject out;
  out.set("available", state.available);
  state.available ? out.null("reason") : out.set("reason", state.reason);
  return out;
}

JsonObject library(const LibraryState& state) {
  JsonObject out = availability(state);
  state.version.empty() ? out.null("version") : out.set("version", state.version);
  state.file.empty() ? out.null("file") : out.set("file", state.file);
  return out;
}

JsonObject device(const ReportedDevice& reported) {
  const DeviceInfo& info = reported.info;
  JsonObject out;
  out.set("index", info.index)
      .set("name", info.name)
      .set("uuid", info.uuid)
      .set("pciBusId", info.pci_bus_id)
      .set("usable", !info.unusable)
      .set("reason", info.unusable)
      .set("computeCapability", std::to_string(info.capability_major) + "." + std::to_string(info.capability_minor))
      .set("multiprocessors", info.multiprocessors)
      .set("memory_bytes", info.memory_bytes)
      .set("memoryFree_bytes", reported.free_bytes)
      .set("memoryBus_bits", info.memory_bus_bits)
      .set("l2_bytes", info.l2_bytes)
      .set("persistingL2_bytes", info.persisting_l2_bytes)
      .set("sharedPerBlock_bytes", info.shared_per_block_bytes)
      .set("sharedPerBlockOptIn_bytes", info.shared_per_block_optin_bytes)
      .set("sharedPerMultiprocessor_bytes", info.shared_per_multiprocessor_bytes)
      .set("sharedReservedPerBlock_bytes", info.shared_reserved_per_block_bytes)
      .set("registersPerMultiprocessor", info.registers_per_multiprocessor)
      .set("threadsPerMultiprocessor", info.threads_per_multiprocessor)
      .set("blocksPerMultiprocessor", info.blocks_per_multiprocessor)
      .set("threadsPerBlock", info.threads_per_block)
      .set("warpThreads", info.warp_threads)
      .set("clockMax_MHz", reported.max_sm_MHz)
      .set("memoryClockMax_MHz", reported.max_memory_MHz)
      .set("ecc", info.ecc)
      .set("persistenceMode", reported.persistence_mode)
      .set("integrated", info.integrated)
      .set("kernelTimeout", info.kernel_timeout)
      .set("cooperativeLaunch", info.cooperative_launch)
      .set("clusterLaunch", info.cluster_launch);
  reported.clocks ? out.set("clocks", to_json(*reported.clocks)) : out.null("clocks");
  reported.ceilings ? out.set("ceilings", to_json(*reported.ceilings)) : out.null("ceilings");
  return out;
}

}  // namespace

DeviceReport make_driver_report() {
  DeviceReport out;
  out.cuda = driver_library().state;
  out.cuda_version = out.cuda.version;
  if (!out.cuda.available) return out;
  try {
    for (const DeviceInfo& info : list_devices()) out.devices.push_back(driver_knows(info));
    const bool any =
        std::any_of(out.devices.begin(), out.devices.end(), [](const auto& d) { return !d.info.unusable; });
    if (!any) {
      out.cuda.available = false;
      out.cuda.reason = none_usable(out.devices);
    }
  } catch (const Error& error) {
    out.cuda.available = false;
    out.cuda.reason = error.what();
  }
  return out;
}

DeviceReport make_device_report(const CeilingsCache& cache) {
  DeviceReport out = make_driver_report();
  out.nvml = nvml_library().state;
  out.nvrtc = nvrtc_library().state;
  out.cupti = cupti_library().state;
  out.cublas = cublas_library().state;
  out.cublaslt = cublaslt_library().state;
  out.driver_version = out.nvml.version;
  if (out.devices.empty()) return out;
  const std::string driver = driver_version();
  for (ReportedDevice& device : out.devices) add_state(driver, cache, device);
  return out;
}

JsonObject to_json(const ClockState& state) {
  return JsonObject()
      .set("sm_MHz", state.sm_MHz)
      .set("memory_MHz", state.memory_MHz)
      .set("power_W", state.power_W)
      .set("powerLimit_W", state.power_limit_W)
      .set("temperature_C", state.temperature_C)
      .set("energy_J", state.energy_J)
      .set("reasons", reason_names(state.reasons))
      .set("throttled", state.throttled());
}

JsonObject to_json(const Ceilings& ceilings) {
  JsonObject out;
  out.set("copy_bytes_per_s", ceilings.copy_bytes_per_s)
      .set("copyBy", ceilings.copy_by)
      .set("fp32_flops_per_s", ceilings.fp32_flops_per_s)
      .set("fp64_flops_per_s", ceilings.fp64_flops_per_s)
      .set("launchInterval_s", ceilings.launch_interval_s)
      .set("launchRoundTrip_s", ceilings.launch_round_trip_s)
      .set("graphNode_s", ceilings.graph_node_s)
      .set("graphRoundTrip_s", ceilings.graph_round_trip_s);
  ceilings.sm_MHz > 0 ? out.set("sm_MHz", ceilings.sm_MHz) : out.null("sm_MHz");
  out.set("throttled", ceilings.throttled).set("driver", ceilings.driver);
  return out;
}

JsonObject cuda_json(const DeviceReport& report) {
  std::vector<JsonObject> devices;
  for (const ReportedDevice& reported : report.devices) devices.push_back(device(reported));
  JsonObject cuda = availability(report.cuda);
  report.driver_version.empty() ? cuda.null("driver") : cuda.set("driver", report.driver_version);
  report.cuda_version.empty() ? cuda.null("version") : cuda.set("version", report.cuda_version);
  return cuda.set("devices", devices);
}

JsonObject to_json(const DeviceReport& report) {
  return JsonObject()
      .set("cuda", cuda_json(report))
      .set("nvrtc", library(report.nvrtc))
      .set("nvml", library(report.nvml))
      .set("cupti", library(report.cupti))
      .set("cublas", library(report.cublas))
      .set("cublasLt", library(report.cublaslt));
}

}  // namespace bb::cuda
