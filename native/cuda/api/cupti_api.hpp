#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "driver_types.hpp"
#include "resolve.hpp"

// Declarations of the CUPTI activity records in use. CUPTI appends fields and never moves one. So each struct below is
// the common beginning of all versions of its record since CUDA 11.1 (Kernel6, Memcpy4, Memset3); the iterator steps by
// the library's own sizes. declarations_test.cpp checks every offset against cupti.h.
namespace bb::cuda::api {

enum class ActivityKind : int {  // CUpti_ActivityKind
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kConcurrentKernel = 10,
  kGraphTrace = 51,
};

struct ActivityRecord {
  ActivityKind kind;
};

struct KernelRecord {
  ActivityKind kind;
  std::uint8_t cache_config, shared_memory_config;
  std::uint16_t registers_per_thread;
  int global_cache_requested, global_cache_executed;
  std::uint64_t start_ns, end_ns, completed_ns;
  std::uint32_t device, context, stream;
  std::int32_t grid_x, grid_y, grid_z;
  std::int32_t block_x, block_y, block_z;
  std::int32_t static_shared_bytes, dynamic_shared_bytes;
  std::uint32_t local_bytes_per_thread, local_bytes_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued_ns, submitted_ns;
  std::uint8_t launch_type, carveout_requested, carveout, padding;
  std::uint32_t shared_bytes_executed;
  std::uint64_t graph_node;
  int shared_limit_config;
  std::uint32_t graph;
};

struct MemcpyRecord {
  ActivityKind kind;
  std::uint8_t copy_kind, source_kind, destination_kind, flags;
  std::uint64_t bytes;
  std::uint64_t start_ns, end_ns;
  std::uint32_t device, context, stream;
  std::uint32_t correlation, runtime_correlation;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct MemsetRecord {
  ActivityKind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start_ns, end_ns;
  std::uint32_t device, context, stream;
  std::uint32_t correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct ApiRecord {
  ActivityKind kind;
  std::uint32_t callback;
  std::uint64_t start_ns, end_ns;
  std::uint32_t process, thread;
  std::uint32_t correlation;
  std::uint32_t returned;
};

struct GraphRecord {
  ActivityKind kind;
  std::uint32_t correlation;
  std::uint64_t start_ns, end_ns;
  std::uint32_t device, graph, context, stream;
};

/// The CUpti_ActivityMemcpyKind values that traces name.
enum class CopyKind : std::uint8_t { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kPeerToPeer = 10 };

// The part of CUPTI's activity interface in use.

using CuptiStatus = int;
inline constexpr CuptiStatus kCuptiSuccess = 0, kCuptiMaxLimitReached = 12, kCuptiMultipleSubscribers = 39;
inline constexpr int kCuptiDomainDriver = 1;
inline constexpr std::uint32_t kCuptiFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

using BufferRequested = void(BB_CUDA_CALL*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using BufferCompleted = void(BB_CUDA_CALL*)(Context context, std::uint32_t stream, std::uint8_t* buffer,
                                            std::size_t size, std::size_t valid_size);
using TimestampCallback = std::uint64_t(BB_CUDA_CALL*)();

// ActivityRegisterTimestampCallback was added in CUDA 11.6.
#define BB_CUDA_CUPTI_REQUIRED(X)                                                                   \
  X(GetVersion, cuptiGetVersion, (std::uint32_t* version))                                          \
  X(GetResultString, cuptiGetResultString, (CuptiStatus status, const char** text))                 \
  X(GetCallbackName, cuptiGetCallbackName, (int domain, std::uint32_t callback, const char** name)) \
  X(ActivityRegisterCallbacks, cuptiActivityRegisterCallbacks, (BufferRequested, BufferCompleted))  \
  X(ActivityRegisterTimestampCallback, cuptiActivityRegisterTimestampCallback, (TimestampCallback)) \
  X(ActivityEnable, cuptiActivityEnable, (ActivityKind kind))                                       \
  X(ActivityDisable, cuptiActivityDisable, (ActivityKind kind))                                     \
  X(ActivityFlushAll, cuptiActivityFlushAll, (std::uint32_t flags))                                 \
  X(ActivityGetNextRecord, cuptiActivityGetNextRecord,                                              \
    (std::uint8_t* buffer, std::size_t valid_size, ActivityRecord** record))                        \
  X(ActivityGetNumDroppedRecords, cuptiActivityGetNumDroppedRecords,                                \
    (Context context, std::uint32_t stream, std::size_t* dropped))

struct CuptiApi {
#define BB_MEMBER(member, symbol, parameters) CuptiStatus(BB_CUDA_CALL* member) parameters = nullptr;
  BB_CUDA_CUPTI_REQUIRED(BB_MEMBER)
#undef BB_MEMBER

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

}  // namespace bb::cuda::api
