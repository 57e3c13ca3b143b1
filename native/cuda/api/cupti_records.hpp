#pragma once

#include <cstdint>

// CUPTI activity records, as far as we read them. CUPTI appends fields and never moves one. So each struct
// below is the common beginning of every version of its record from CUDA 11.1 (Kernel6, Memcpy4, Memset3) on;
// the iterator steps by the library's own sizes. declarations_test.cpp checks every offset against cupti.h.
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

/// CUpti_ActivityMemcpyKind values that we name.
enum class CopyKind : std::uint8_t { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kPeerToPeer = 10 };

}  // namespace bb::cuda::api
