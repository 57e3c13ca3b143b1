#include "record_spans.hpp"

namespace bb::cuda {
namespace {

using namespace api;

/// A record by the type that its kind says it has.
template <typename Record>
const Record& as(const ActivityRecord& record) {
  return reinterpret_cast<const Record&>(record);
}

template <typename Record>
std::optional<Span> timed(SpanKind kind, const Record& record, std::uint64_t origin_ns) {
  // CUPTI leaves both stamps 0 when it could not time the work.
  if (record.end_ns == 0 || record.end_ns < record.start_ns) return std::nullopt;
  Span out;
  out.kind = kind;
  // The origin is recent, so the difference is small and exact in a double; work can begin before it.
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

}  // namespace bb::cuda
