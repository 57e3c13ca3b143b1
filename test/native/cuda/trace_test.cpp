#include "check.hpp"
#include "cuda/device/stream.hpp"
#include "cuda/trace/activity_trace.hpp"
#include "cuda/trace/event_trace.hpp"

namespace {

using namespace bb::cuda;

std::string_view call_name(std::uint32_t callback) { return callback == 307 ? "cuLaunchKernel" : "another call"; }

template <typename Record>
std::optional<Span> read(const Record& record, std::uint64_t origin_ns) {
  return span_of(reinterpret_cast<const api::ActivityRecord&>(record), origin_ns, call_name);
}

}  // namespace

TEST("the launch log names a single kernel outright and several as candidates") {
  LaunchLog log;
  CHECK_EQ(log.text(), std::string());
  const char* gather = intern_name("gather");
  CHECK(gather == intern_name(std::string("gath") + "er"));
  log.note(gather);
  log.note(gather);
  CHECK_EQ(log.text(), std::string("last kernel launched: gather"));
  log.note(intern_name("reduce"));
  log.note(gather);
  CHECK_EQ(log.text(), std::string("one of the kernels launched since the last synchronisation: reduce, gather"));
  for (int i = 0; i < 9; ++i) log.note(intern_name("k" + std::to_string(i)));
  CHECK(log.text().ends_with("k7, k8 and earlier ones"));
  log.clear();
  CHECK_EQ(log.text(), std::string());
}

TEST("a CUPTI kernel record becomes a span with shape, registers, shared memory and correlation") {
  api::KernelRecord record{};
  record.kind = api::ActivityKind::kConcurrentKernel;
  record.start_ns = 1'000'000'000'500;
  record.end_ns = 1'000'000'002'000;
  record.name = "cuda_fused";
  record.stream = 13;
  record.grid_x = 7, record.grid_y = 5, record.grid_z = 3;
  record.block_x = 128, record.block_y = 2, record.block_z = 1;
  record.registers_per_thread = 40;
  record.static_shared_bytes = 1024, record.dynamic_shared_bytes = 65536;
  record.correlation = 99;
  record.graph = 4;
  record.graph_node = (std::uint64_t{4} << 32) + 17;
  const auto span = read(record, 1'000'000'000'000);
  CHECK(span.has_value());
  if (!span) return;
  CHECK_EQ(span->name, std::string_view("cuda_fused"));
  CHECK_EQ(span->start_ns, 500.0);
  CHECK_EQ(span->end_ns, 2000.0);
  CHECK_EQ(span->grid[2], 3u);
  CHECK_EQ(span->block[0], 128u);
  CHECK_EQ(span->registers, 40u);
  CHECK_EQ(span->dynamic_shared_bytes, 65536u);
  CHECK_EQ(span->correlation, 99u);
  CHECK_EQ(span->graph_node, record.graph_node);
}

TEST("copies, memsets, driver calls and graphs become spans, but records without times do not") {
  api::MemcpyRecord copy{};
  copy.kind = api::ActivityKind::kMemcpy;
  copy.copy_kind = static_cast<std::uint8_t>(api::CopyKind::kDeviceToHost);
  copy.bytes = 4096;
  copy.start_ns = 90, copy.end_ns = 110;
  CHECK_EQ(read(copy, 100)->name, std::string_view("copy device to host"));
  CHECK_EQ(read(copy, 100)->start_ns, -10.0);  // began before the trace's origin
  CHECK_EQ(read(copy, 100)->bytes, std::uint64_t{4096});

  api::MemsetRecord memset{};
  memset.kind = api::ActivityKind::kMemset;
  memset.start_ns = 1, memset.end_ns = 2;
  CHECK(read(memset, 0)->kind == SpanKind::kMemset);

  api::ApiRecord call{};
  call.kind = api::ActivityKind::kDriver;
  call.callback = 307;
  call.thread = 5;
  call.start_ns = 1, call.end_ns = 2;
  CHECK_EQ(read(call, 0)->name, std::string_view("cuLaunchKernel"));
  CHECK_EQ(read(call, 0)->stream, 5u);

  api::GraphRecord graph{};
  graph.kind = api::ActivityKind::kGraphTrace;
  CHECK(!read(graph, 0));
  graph.start_ns = 1, graph.end_ns = 2;
  CHECK(read(graph, 0)->kind == SpanKind::kGraph);

  api::ActivityRecord unknown{static_cast<api::ActivityKind>(8)};
  CHECK(!span_of(unknown, 0, call_name));
}

TEST("work between two events becomes a span on the host clock, and its call a span with the same number") {
  TimedWork kernel{.work = {},
                   .call = "cuLaunchKernelEx",
                   .start_s = 2e-6,
                   .end_s = 5e-6,
                   .call_start_ns = 900,
                   .call_end_ns = 1100};
  kernel.work.name = "gather";
  kernel.work.grid[0] = 7;
  kernel.work.registers = 40;
  kernel.work.stream = 1;
  kernel.thread = 11;
  TimedWork copy{.work = {}, .call = "cuMemcpyDtoHAsync_v2", .start_s = 6e-6, .end_s = 7e-6, .call_start_ns = 1200};
  copy.work.kind = SpanKind::kCopy;
  copy.work.name = "copy device to host";
  copy.work.bytes = 64;
  const TimedWork all[] = {kernel, copy};
  const SpanTable table = spans_of(all, 1000.0, 3);
  CHECK_EQ(table.source, std::string("events"));
  CHECK_EQ(table.dropped, std::uint64_t{3});
  CHECK_EQ(table.size(), std::size_t{4});
  const Span call = table.at(0);
  CHECK(call.kind == SpanKind::kApi && call.name == "cuLaunchKernelEx" && call.stream == 11);
  CHECK_EQ(call.start_ns, 900.0);
  const auto ran = table.at(2);
  CHECK(ran.kind == SpanKind::kKernel && ran.name == "gather" && ran.grid[0] == 7 && ran.registers == 40);
  CHECK_NEAR(ran.start_ns, 3000.0, 1e-6);
  CHECK_NEAR(ran.end_ns, 6000.0, 1e-6);
  CHECK_EQ(ran.correlation, call.correlation);
  const Span moved = table.at(3);
  CHECK(moved.kind == SpanKind::kCopy && moved.bytes == 64 && moved.correlation == table.at(1).correlation);
  CHECK(moved.correlation != ran.correlation);
}

TEST("a span table keeps columns aligned when sorting, and shares names") {
  SpanTable table;
  for (int i = 5; i > 0; --i) {
    Span span;
    span.name = i % 2 ? "odd" : "even";
    span.start_ns = i * 10.0;
    span.end_ns = i * 10.0 + 1;
    span.grid[1] = static_cast<std::uint32_t>(i);
    span.graph_node = static_cast<std::uint64_t>(i) << 32;
    table.add(span);
  }
  table.sort();
  CHECK_EQ(table.names.size(), std::size_t{2});
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Span span = table.at(i);
    CHECK_EQ(span.start_ns, 10.0 * static_cast<double>(i + 1));
    CHECK_EQ(span.end_ns, span.start_ns + 1);
    CHECK_EQ(span.grid[1], static_cast<std::uint32_t>(i + 1));
    CHECK_EQ(span.graph_node, std::uint64_t{i + 1} << 32);
    CHECK_EQ(span.name, std::string_view(i % 2 ? "even" : "odd"));
  }
}

TEST("a trace starts, or gives one sentence why it cannot") {
  std::string reason;
  const auto trace = ActivityTrace::start(GraphDetail::kNodes, ActivityTrace::Clock::now(), reason);
  CHECK_EQ(trace != nullptr, reason.empty());
  CHECK(reason.empty() || reason.ends_with("."));
}
