#pragma once

// Constants shared by the whole-grid kernels and the host. Includes no standard header, because NVRTC has none.
namespace bb::transport {

inline constexpr int kRecordWarps = 8;  // energies per block of the record kernel

}  // namespace bb::transport
