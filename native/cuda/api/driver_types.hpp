#pragma once

#include <cstddef>
#include <cstdint>

// Declarations of the CUDA driver API's types in use, so that the addon builds without a CUDA toolkit.
// test/native/cuda/declarations_test.cpp compares them with cuda.h if it is installed.
namespace bb::cuda::api {

using Status = int;  // CUresult
using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;
using GraphNode = struct GraphNodeTag*;
using ConditionalHandle = std::uint64_t;

/// CUgraphExecUpdateResultInfo: the reason why a graph could not be updated, and the node.
struct GraphExecUpdateResultInfo {
  int result;
  GraphNode error_node, error_from_node;
};

struct Uuid {
  char bytes[16];
};

/// The CUresult values with special handling.
namespace status {
inline constexpr Status kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kStubLibrary = 34, kNoDevice = 100,
                        kInvalidImage = 200, kNoBinaryForGpu = 209, kEccUncorrectable = 214, kInvalidPtx = 218,
                        kNvlinkUncorrectable = 220, kUnsupportedPtxVersion = 222, kContained = 226, kNotFound = 500,
                        kNotReady = 600, kIllegalAddress = 700, kLaunchOutOfResources = 701, kLaunchTimeout = 702,
                        kAssert = 710, kHardwareStackError = 714, kIllegalInstruction = 715, kMisalignedAddress = 716,
                        kInvalidAddressSpace = 717, kInvalidPc = 718, kLaunchFailed = 719, kTensorMemoryLeak = 721,
                        kNotSupported = 801, kSystemNotReady = 802, kSystemDriverMismatch = 803, kExternalDevice = 911,
                        kUnknown = 999;
}

/// The CUdevice_attribute values in use.
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kClockRate_kHz = 13,
  kMultiprocessors = 16,
  kKernelTimeout = 17,
  kIntegrated = 18,
  kComputeMode = 20,
  kEccEnabled = 32,
  kMemoryClockRate_kHz = 36,
  kMemoryBusWidth_bits = 37,
  kL2_bytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kSharedMemoryPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kCooperativeLaunch = 95,
  kSharedMemoryPerBlockOptin = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kMaxPersistingL2_bytes = 108,
  kReservedSharedMemoryPerBlock = 111,
  kClusterLaunch = 120,
};
inline constexpr int kComputeModeProhibited = 2;

/// The CUfunction_attribute values in use.
enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedSize_bytes = 1,
  kConstSize_bytes = 2,
  kLocalSize_bytes = 3,
  kRegisters = 4,
  kPtxVersion = 5,
  kBinaryVersion = 6,
  kMaxDynamicSharedSize_bytes = 8,
  kPreferredSharedMemoryCarveout = 9,
  kNonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int { kErrorLogBuffer = 5, kErrorLogBufferSize_bytes = 6 };
enum class Limit : int { kStackSize = 0, kPrintfFifoSize = 1, kMallocHeapSize = 2, kPersistingL2 = 6 };
enum class CaptureMode : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };
enum class GraphNodeType : int { kKernel = 0, kMemcpy = 1, kMemset = 2, kConditional = 13 };
enum class ConditionalType : int { kIf = 0, kWhile = 1, kSwitch = 2 };
enum class AccessProperty : int { kNormal = 0, kStreaming = 1, kPersisting = 2 };

inline constexpr unsigned kStreamDefault = 0, kStreamNonBlocking = 1, kEventDefault = 0, kEventDisableTiming = 2,
                          kConditionalAssignDefault = 1;

struct AccessPolicyWindow {
  void* base;
  std::size_t bytes;
  float hit_ratio;
  AccessProperty hit, miss;
};

enum class LaunchAttributeId : int {
  kIgnore = 0,
  kAccessPolicyWindow = 1,
  kCooperative = 2,
  kClusterDimension = 4,
  kProgrammaticStreamSerialization = 6,
  kPriority = 8,
};

union LaunchAttributeValue {
  char pad[64];
  AccessPolicyWindow access_policy_window;
  int cooperative;
  struct {
    unsigned x, y, z;
  } cluster;
  int programmatic_stream_serialization;
  int priority;
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[8 - sizeof(LaunchAttributeId)];
  LaunchAttributeValue value;
};

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned dynamic_shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct GraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

struct ConditionalNodeParams {
  ConditionalHandle handle;
  ConditionalType type;
  unsigned size;
  Graph* bodies;
  Context context;
};

struct GraphNodeParams {
  GraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    ConditionalNodeParams conditional;
  };
  long long reserved2;
};

}  // namespace bb::cuda::api
