#include "activity_trace.hpp"

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "../device/graph.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {
namespace {

using namespace api;

/// Casts a record to the type that belongs to its kind.
template <typename Record>
const Record& as(const ActivityRecord& record) {
  return reinterpret_cast<const Record&>(record);
}

template <typename Record>
std::optional<Span> timed(SpanKind kind, const Record& record, std::uint64_t origin_ns) {
  // Both time stamps are 0 if CUPTI could not time the work.
  if (record.end_ns == 0 || record.end_ns < record.start_ns) return std::nullopt;
  Span out;
  out.kind = kind;
  // The start is signed, because work can begin before the origin. The difference is small enough to be exact in a
  // double.
  out.start_ns = static_cast<double>(static_cast<std::int64_t>(record.start_ns - origin_ns));
  out.end_ns = static_cast<double>(static_cast<std::int64_t>(record.end_ns - origin_ns));
  out.correlation = record.correlation;
  return out;
}

std::string_view copy_name(std::uint8_t kind) {
  switch (static_cast<CopyKind>(kind)) {
    case CopyKind::kHostToDevice:
      return "copy host to device";
    case CopyKind::kDeviceToHost:
      return "copy device to host";
    case CopyKind::kDeviceToDevice:
      return "copy device to device";
    case CopyKind::kPeerToPeer:
      return "copy peer to peer";
  }
  return "copy";
}

std::optional<Span> kernel_span(const KernelRecord& r, std::uint64_t origin_ns) {
  auto out = timed(SpanKind::kKernel, r, origin_ns);
  if (!out) return out;
  out->name = r.name ? r.name : "kernel";
  out->stream = r.stream;
  const std::int32_t shape[] = {r.grid_x, r.grid_y, r.grid_z, r.block_x, r.block_y, r.block_z};
  for (int i = 0; i < 3; ++i) {
    out->grid[i] = static_cast<std::uint32_t>(shape[i]);
    out->block[i] = static_cast<std::uint32_t>(shape[i + 3]);
  }
  out->registers = r.registers_per_thread;
  out->static_shared_bytes = static_cast<std::uint32_t>(r.static_shared_bytes);
  out->dynamic_shared_bytes = static_cast<std::uint32_t>(r.dynamic_shared_bytes);
  out->graph = r.graph;
  out->graph_node = r.graph_node;
  return out;
}

template <typename Record>
std::optional<Span> transfer_span(SpanKind kind, std::string_view name, const Record& r, std::uint64_t origin_ns) {
  auto out = timed(kind, r, origin_ns);
  if (!out) return out;
  out->name = name;
  out->stream = r.stream;
  out->bytes = r.bytes;
  out->graph = r.graph;
  out->graph_node = r.graph_node;
  return out;
}

}  // namespace

std::optional<Span> span_of(const ActivityRecord& record, std::uint64_t origin_ns, const CallbackName& call_name) {
  switch (record.kind) {
    case ActivityKind::kConcurrentKernel:
      return kernel_span(as<KernelRecord>(record), origin_ns);
    case ActivityKind::kMemcpy: {
      const auto& r = as<MemcpyRecord>(record);
      return transfer_span(SpanKind::kCopy, copy_name(r.copy_kind), r, origin_ns);
    }
    case ActivityKind::kMemset:
      return transfer_span(SpanKind::kMemset, "memset", as<MemsetRecord>(record), origin_ns);
    case ActivityKind::kDriver: {
      const auto& r = as<ApiRecord>(record);
      auto out = timed(SpanKind::kApi, r, origin_ns);
      if (!out) return out;
      out->name = call_name(r.callback);
      out->stream = r.thread;
      return out;
    }
    case ActivityKind::kGraphTrace: {
      const auto& r = as<GraphRecord>(record);
      auto out = timed(SpanKind::kGraph, r, origin_ns);
      if (!out) return out;
      out->name = "graph";
      out->stream = r.stream;
      out->graph = r.graph;
      return out;
    }
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t kBuffer_bytes = 1 << 20;  // about 5000 kernel records

/// Buffer that CUPTI's callbacks write to. It is global to the process, because the callbacks carry no user pointer.
struct Recorder {
  std::mutex mutex;
  bool active = false;
  std::uint64_t origin_ns = 0;
  SpanTable table;
};

Recorder& recorder() {
  // Never destroyed, because CUPTI's own thread delivers records even while the process ends.
  static auto* const one = std::make_unique<Recorder>().release();
  return *one;
}

std::uint64_t BB_CUDA_CALL steady_ns() {
  const auto now = ActivityTrace::Clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void BB_CUDA_CALL buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  // The buffer consists of 64-bit words, because CUPTI requires 8-byte alignment. CUPTI owns it until buffer_completed.
  auto words = std::make_unique<std::uint64_t[]>(kBuffer_bytes / sizeof(std::uint64_t));
  *buffer = reinterpret_cast<std::uint8_t*>(words.release());
  *size = kBuffer_bytes;
  *max_records = 0;  // as many as fit
}

std::string_view driver_call_name(std::uint32_t callback) {
  const char* name = nullptr;
  const CuptiStatus status = cupti_library().api.GetCallbackName(kCuptiDomainDriver, callback, &name);
  return status == kCuptiSuccess && name ? name : "driver call";
}

void BB_CUDA_CALL buffer_completed(Context context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                   std::size_t valid_size) {
  const std::unique_ptr<std::uint64_t[]> owner(reinterpret_cast<std::uint64_t*>(buffer));
  const CuptiApi& cupti = cupti_library().api;
  Recorder& r = recorder();
  const std::scoped_lock lock(r.mutex);
  ActivityRecord* record = nullptr;
  while (r.active && cupti.ActivityGetNextRecord(buffer, valid_size, &record) == kCuptiSuccess) {
    if (const auto span = span_of(*record, r.origin_ns, driver_call_name)) r.table.add(*span);
  }
  std::size_t dropped = 0;
  if (cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) == kCuptiSuccess) r.table.dropped += dropped;
}

std::vector<ActivityKind> kinds_for(GraphDetail detail) {
  std::vector<ActivityKind> out{ActivityKind::kConcurrentKernel, ActivityKind::kMemcpy, ActivityKind::kMemset,
                                ActivityKind::kDriver};
  if (detail == GraphDetail::kGraphs) out.push_back(ActivityKind::kGraphTrace);
  return out;
}

/// Activity kinds that are enabled now, to be disabled at the end.
std::vector<ActivityKind>& enabled_kinds() {
  static std::vector<ActivityKind> kinds;
  return kinds;
}

void disable_kinds() {
  for (const ActivityKind kind : enabled_kinds()) cupti_library().api.ActivityDisable(kind);
  enabled_kinds().clear();
}

std::string refusal(const char* call, CuptiStatus status) {
  const char* text = nullptr;
  cupti_library().api.GetResultString(status, &text);
  std::string out = std::string("CUPTI cannot record: ") + call + " returned " + (text ? text : std::to_string(status));
  if (status == kCuptiMultipleSubscribers) out += "; another profiler or a debugger is attached to this process";
  return out + ".";
}

/// Registers the callbacks once per process; CUPTI retains them.
std::string register_callbacks() {
  static const std::string reason = [] {
    const CuptiApi& cupti = cupti_library().api;
    if (const auto status = cupti.ActivityRegisterTimestampCallback(steady_ns); status != kCuptiSuccess) {
      return refusal("cuptiActivityRegisterTimestampCallback", status);
    }
    if (const auto status = cupti.ActivityRegisterCallbacks(buffer_requested, buffer_completed);
        status != kCuptiSuccess) {
      return refusal("cuptiActivityRegisterCallbacks", status);
    }
    return std::string();
  }();
  return reason;
}

}  // namespace

std::unique_ptr<ActivityTrace> ActivityTrace::start(GraphDetail detail, Clock::time_point origin, std::string& reason) {
  const auto& cupti = cupti_library();
  reason = cupti.state.available ? register_callbacks() : cupti.state.reason;
  if (!reason.empty()) return nullptr;
  if (detail == GraphDetail::kGraphs && cuda::Graph::live_count() > 0) {
    reason = "Complete graphs can only be recorded if they are captured after the trace has started.";
    return nullptr;
  }
  Recorder& r = recorder();
  {
    const std::scoped_lock lock(r.mutex);
    if (r.active) {
      reason = "Another trace is being recorded.";
      return nullptr;
    }
    r.active = true;
    r.origin_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(origin.time_since_epoch()).count());
    r.table = {};
    r.table.source = "cupti";
  }
  auto trace = std::make_unique<ActivityTrace>(Key{});
  for (const ActivityKind kind : kinds_for(detail)) {
    const CuptiStatus status = cupti.api.ActivityEnable(kind);
    if (status != kCuptiSuccess) {
      reason = refusal("cuptiActivityEnable", status);
      return nullptr;  // the destructor disables the enabled kinds
    }
    enabled_kinds().push_back(kind);
  }
  return trace;
}

SpanTable ActivityTrace::stop() {
  if (!running_) return {};
  running_ = false;
  disable_kinds();
  cupti_library().api.ActivityFlushAll(kCuptiFlushForced);
  Recorder& r = recorder();
  const std::scoped_lock lock(r.mutex);
  r.active = false;
  SpanTable out = std::exchange(r.table, {});
  out.sort();
  return out;
}

ActivityTrace::~ActivityTrace() {
  if (running_) stop();
}

}  // namespace bb::cuda
