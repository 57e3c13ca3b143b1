#include <limits>

#include "check.hpp"
#include "cuda/compile/files.hpp"
#include "cuda/device/error.hpp"
#include "cuda/report/device_report.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace bb::cuda;
using bb::test::contains;
using bb::test::TemporaryFolder;

DeviceInfo device(int index, const std::string& name, const std::string& uuid) {
  DeviceInfo out;
  out.index = index;
  out.name = name;
  out.uuid = uuid;
  out.capability_major = 9;
  out.multiprocessors = 132;
  out.memory_bytes = 150'000'000'000;
  return out;
}

Ceilings some_ceilings() {
  Ceilings out;
  out.copy_bytes_per_s = 4.1e12;
  out.copy_by = "kernel";
  out.fp32_flops_per_s = 6.0e13 / 3;
  out.fp64_flops_per_s = 3.0e13;
  out.launch_interval_s = 2e-6;
  out.launch_round_trip_s = 6.25e-6;
  out.graph_node_s = 1.3e-6;
  out.graph_round_trip_s = 7e-6;
  out.sm_MHz = 1980;
  out.throttled = true;
  out.driver = "580.159.04";
  return out;
}

}  // namespace

TEST("JSON is escaped, and NaN is null") {
  JsonObject object;
  object.set("text", "a \"quoted\" \\ line\n\x01").set("n", 3).set("x", 0.1).set("flag", true);
  object.set("nan", std::numeric_limits<double>::quiet_NaN())
      .set("none", std::optional<int>())
      .set("some", std::optional(2.5));
  object.set("list", std::vector<std::string>{"a", "b"}).set("object", JsonObject().set("k", 1));
  CHECK_EQ(object.text(),
           std::string(R"({"text":"a \"quoted\" \\ line\u000a\u0001","n":3,"x":0.1,"flag":true,"nan":null,)"
                       R"("none":null,"some":2.5,"list":["a","b"],"object":{"k":1}})"));
}

TEST("a UUID is written as nvidia-smi writes it") {
  api::Uuid uuid{};
  for (int i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<char>(i * 17);
  CHECK_EQ(uuid_text(uuid), std::string("GPU-00112233-4455-6677-8899-aabbccddeeff"));
}

TEST("a device is selected by index or UUID, and an impossible one is explained") {
  std::vector<DeviceInfo> devices{device(0, "Small", "GPU-11111111-aaaa"), device(1, "Large", "GPU-22222222-bbbb"),
                                  device(2, "Twin", "GPU-22222222-cccc")};
  devices[0].unusable = "compute capability 7.5 is below 8.0";
  CHECK_EQ(select_device(devices, "").index, 1);
  CHECK_EQ(select_device(devices, "1").index, 1);
  CHECK_EQ(select_device(devices, "GPU-22222222-bbbb").index, 1);
  CHECK_EQ(select_device(devices, "22222222-c").index, 2);
  CHECK_THROWS(select_device(devices, "0"),
               "Small (GPU-11111111-aaaa) cannot be used: compute capability 7.5 is below 8.0.");
  CHECK_THROWS(select_device(devices, "7"),
               "There is no CUDA device 7; available: 0 = Small (GPU-11111111-aaaa), 1 = Large");
  CHECK_THROWS(select_device(devices, "GPU-22222222"),
               "More than one CUDA device has a UUID that begins with GPU-22222222");
  CHECK_THROWS(select_device(devices, "2222"), "There is no CUDA device 2222");
  CHECK_THROWS(select_device({}, ""), "There is no CUDA device.");
}

TEST("a lost device keeps its first reason") {
  CHECK(!lost_reason("GPU-test-of-health"));
  mark_lost("GPU-test-of-health", "first");
  mark_lost("GPU-test-of-health", "second");
  CHECK_EQ(lost_reason("GPU-test-of-health").value_or(""), std::string("first"));
}

TEST("an error message contains call, device, name, text and kernel") {
  const Error error({.code = "device",
                     .call = "cuStreamSynchronize",
                     .name = "CUDA_ERROR_ILLEGAL_ADDRESS",
                     .text = "an illegal memory access was encountered",
                     .device = "Large (GPU-2)",
                     .kernel = "last kernel launched: cuda_gather",
                     .sticky = true});
  CHECK_EQ(std::string(error.what()),
           std::string(
               "cuStreamSynchronize on Large (GPU-2) failed: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was "
               "encountered; last kernel launched: cuda_gather. The device is not used again until the program is "
               "restarted."));
  CHECK(is_sticky(api::status::kIllegalAddress) && is_sticky(api::status::kLaunchTimeout));
  CHECK(!is_sticky(api::status::kOutOfMemory) && !is_sticky(api::status::kInvalidValue) &&
        !is_sticky(api::status::kNotReady));
}

TEST("measured ceilings are restored from disk bit for bit, for their driver only") {
  const TemporaryFolder folder;
  const CeilingsCache cache(folder.path());
  const Ceilings kept = some_ceilings();
  cache.keep("GPU-1", kept);
  const auto found = cache.find("GPU-1", kept.driver);
  CHECK(found.has_value());
  if (!found) return;
  CHECK_EQ(found->fp32_flops_per_s, kept.fp32_flops_per_s);
  CHECK_EQ(found->graph_round_trip_s, kept.graph_round_trip_s);
  CHECK_EQ(to_json(*found).text(), to_json(kept).text());
  CHECK(!cache.find("GPU-1", "590.1"));
  CHECK(!cache.find("GPU-2", kept.driver));
}

TEST("a damaged file of ceilings counts as missing") {
  const TemporaryFolder folder;
  const CeilingsCache cache(folder.path());
  cache.keep("GPU-1", some_ceilings());
  const auto name = "ceilings-GPU-1-" + some_ceilings().driver + ".txt";
  const std::string text = read_file(folder.path() / name).value_or("");
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.size() / 2), text.substr(1), "x" + text,
        text.substr(0, text.find("copy_bytes")) + "copy_bytes_per_s fast\n" + text.substr(text.find("fp32")),
        text.substr(0, text.find("copy_bytes")) + "copy_bytes_per_s inf\n" + text.substr(text.find("fp32"))}) {
    folder.write(name, damaged);
    CHECK(!cache.find("GPU-1", some_ceilings().driver));
  }
  folder.write(name, text);
  CHECK(cache.find("GPU-1", some_ceilings().driver).has_value());
}

TEST("throttle reasons have names, and idling is not one of them") {
  CHECK_EQ(reason_names(0).size(), std::size_t{0});
  const auto names = reason_names(api::clock_reason::kSoftwarePowerCap | api::clock_reason::kHardwareThermal | 0x1000);
  CHECK(names == (std::vector<std::string>{"software-power-cap", "hardware-thermal", "reason-bits-4096"}));
  ClockState state;
  state.reasons = api::clock_reason::kGpuIdle | api::clock_reason::kApplicationSetting;
  CHECK(!state.throttled());
  state.reasons |= api::clock_reason::kSoftwareThermal;
  CHECK(state.throttled());
}

TEST("the device report describes this machine, with a reason for everything that is missing") {
  const DeviceReport report = make_device_report(CeilingsCache({}));
  CHECK_EQ(report.cuda.available, report.cuda.reason.empty());
  CHECK(report.cuda.available ? !report.devices.empty() : report.cuda.reason.ends_with("."));
  const std::string json = to_json(report).text();
  CHECK(contains(json, R"("cuda":{"available":)"));
  for (const char* key : {"nvrtc", "nvml", "cupti", "cublas", "cublasLt"}) {
    CHECK(contains(json, "\"" + std::string(key) + "\":{\"available\":"));
  }
}

TEST("a device report contains limits, clocks and ceilings") {
  DeviceReport report;
  report.cuda.available = true;
  report.driver_version = "580.159.04";
  report.cuda_version = "13.0";
  ReportedDevice one;
  one.info = device(0, "NVIDIA H200", "GPU-1");
  one.info.shared_per_block_optin_bytes = 232'448;
  one.clocks.emplace();
  one.clocks->sm_MHz = 1980;
  one.clocks->energy_J = 1234.5;
  one.persistence_mode = true;
  one.ceilings = some_ceilings();
  report.devices.push_back(one);
  const std::string json = to_json(report).text();
  CHECK(contains(
      json, R"("cuda":{"available":true,"reason":null,"driver":"580.159.04","version":"13.0","devices":[{"index":0,)"));
  CHECK(contains(
      json,
      R"("usable":true,"reason":null,"computeCapability":"9.0","multiprocessors":132,"memory_bytes":150000000000,)"));
  CHECK(contains(json, R"("memoryFree_bytes":null)"));
  CHECK(contains(json, R"("sharedPerBlockOptIn_bytes":232448)"));
  CHECK(contains(json, R"("clocks":{"sm_MHz":1980,"memory_MHz":null)"));
  CHECK(contains(json, R"("temperature_C":null,"energy_J":1234.5,"reasons":[])"));
  CHECK(contains(json, R"("ecc":false,"persistenceMode":true)"));
  CHECK(contains(json, R"("ceilings":{"copy_bytes_per_s":4.1e+12,"copyBy":"kernel","fp32_flops_per_s":2e+13)"));
}
