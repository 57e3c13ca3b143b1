#pragma once

#include "../gpu.hpp"
#include "cuda/device/buffer.hpp"
#include "cuda/device/kernel.hpp"

namespace bb::test {

// Kernel that stores to the invalid address 16. It is PTX text, so that no build step compiles a faulty kernel.
inline constexpr char kFault[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry store_outside()
{
  .reg .b64 %address;
  .reg .b32 %value;
  mov.u64 %address, 16;
  mov.u32 %value, 1;
  st.global.u32 [%address], %value;
  ret;
}
)";

/// Queues the faulty kernel; the next wait for the device reports the error. The module must outlive that wait.
[[nodiscard]] inline std::unique_ptr<cuda::Module> launch_fault(cuda::Stream& stream) {
  auto module = std::make_unique<cuda::Module>(gpu(), kFault, "fault");
  cuda::Kernel(*module, "store_outside").launch(stream, {});
  return module;
}

}  // namespace bb::test
