// Makes the device unusable for its process on purpose, so it is a separate program.

#include <cstdio>

#include "check.hpp"
#include "cuda/report/device_report.hpp"
#include "faulty_kernel.hpp"

using namespace bb::cuda;
using bb::test::gpu;
using bb::test::launch_fault;

TEST("GPU: an illegal store names its kernel and loses the device until restart, and the program continues") {
  const std::string uuid = gpu()->info().uuid;
  {
    Stream stream(gpu());
    DeviceBuffer<float> held(gpu(), 1000);
    const auto module = launch_fault(stream);
    try {
      stream.synchronize();
      CHECK(!"the store went through");
    } catch (const Error& error) {
      std::printf("    %s\n", error.what());
      CHECK(error.fields().sticky);
      CHECK_EQ(error.code(), std::string_view("device"));
      CHECK_EQ(error.fields().name, std::string("CUDA_ERROR_ILLEGAL_ADDRESS"));
      CHECK_EQ(error.fields().kernel, std::string("last kernel launched: store_outside"));
    }
  }  // releases objects on the device without a further error
  const auto devices = list_devices();
  for (const DeviceInfo& device : devices) {
    if (device.uuid != uuid) continue;
    CHECK(device.unusable.value_or("").starts_with("lost until the program is restarted: cuStreamSynchronize on "));
    CHECK_THROWS(Device::open(device), "is lost until the program is restarted");
  }
  const DeviceReport report = make_device_report(CeilingsCache({}));
  CHECK(report.devices.size() > 1 || !report.cuda.available);
}
