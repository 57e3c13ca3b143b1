#include <algorithm>
#include <cstdio>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/timing/timing.hpp"
#include "cuda/trace/activity_trace.hpp"
#include "cuda/trace/event_trace.hpp"
#include "gpu.hpp"
#include "transport/run/run.hpp"

namespace {

using namespace bb::cuda;
using bb::test::gpu;
using Clock = ActivityTrace::Clock;

/// Queues kernels, a memset, copies, and a graph of two kernels that is launched twice.
class Work {
 public:
  Work() : probe_(load_kernels(gpu(), "probe", bb::test::built_kernels())), stream_(gpu()) {}

  void run() {
    memory_.fill_bytes(3, stream_);
    fma_.launch(stream_, {.grid = {3, 1, 1}, .block = {64, 2, 1}, .dynamic_shared_bytes = 2048}, memory_.pointer(),
                1.0f, 0.0f, 100);
    memory_.download(host_, stream_);
    for (int i = 0; i < 2; ++i) graph_.launch(stream_);
    stream_.synchronize();
  }

  double launch_interval_s() {
    constexpr int kLaunches = 2000;
    double best = 1;
    for (int round = 0; round < 5; ++round) {
      best = std::min(best, wall_seconds(stream_, nullptr, [&] {
                        for (int i = 0; i < kLaunches; ++i) empty_.launch(stream_, {});
                      }));
    }
    return best / kLaunches;
  }

  Stream& stream() { return stream_; }
  Kernel& fma() { return fma_; }
  DeviceBuffer<float>& memory() { return memory_; }

 private:
  Graph capture() {
    stream_.begin_capture();
    empty_.launch(stream_, {});
    empty_.launch(stream_, {});
    return stream_.end_capture();
  }

  LoadedKernels probe_;
  Stream stream_;
  Kernel fma_{probe_.module, "probe_fma_fp32"}, empty_{probe_.module, "probe_empty"};
  DeviceBuffer<float> memory_{gpu(), 4096};
  std::vector<float> host_ = std::vector<float>(4096);
  Graph graph_ = capture();
};

std::vector<Span> of_kind(const SpanTable& table, SpanKind kind) {
  std::vector<Span> out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.at(i).kind == kind) out.push_back(table.at(i));
  }
  return out;
}

/// Checks that every kernel has the driver call that launched it, on the same clock, and lies within the trace.
void check_correlation(const SpanTable& table, double end_ns) {
  const auto calls = of_kind(table, SpanKind::kApi);
  for (const Span& kernel : of_kind(table, SpanKind::kKernel)) {
    const auto launch = std::find_if(calls.begin(), calls.end(),
                                     [&](const Span& call) { return call.correlation == kernel.correlation; });
    CHECK(launch != calls.end());
    if (launch == calls.end()) continue;
    CHECK_EQ(launch->name, std::string_view(kernel.graph ? "cuGraphLaunch" : "cuLaunchKernelEx"));
    CHECK(kernel.start_ns > launch->start_ns - 2000);
    CHECK(kernel.end_ns >= kernel.start_ns && kernel.start_ns > 0 && kernel.end_ns < end_ns);
  }
}

}  // namespace

TEST("GPU: CUPTI records kernels, copies, memsets, graph nodes and the driver calls that started them") {
  Work work;
  work.run();
  const double before = work.launch_interval_s();
  const auto origin = Clock::now();
  std::string reason;
  auto trace = ActivityTrace::start(GraphDetail::kNodes, origin, reason);
  if (!trace) {
    std::printf("    %s\n", reason.c_str());
    CHECK(reason.ends_with("."));
    return;
  }
  std::string second_reason;
  CHECK(!ActivityTrace::start(GraphDetail::kNodes, origin, second_reason));
  CHECK_EQ(second_reason, std::string("Another trace is being recorded."));
  work.run();
  const double end_ns = std::chrono::duration<double, std::nano>(Clock::now() - origin).count();
  const SpanTable table = trace->stop();
  const double after = work.launch_interval_s();
  std::printf("    %zu spans; launch interval %.2f us before, %.2f us after tracing\n", table.size(), before * 1e6,
              after * 1e6);

  CHECK_EQ(table.dropped, std::uint64_t{0});
  CHECK_EQ(table.source, std::string("cupti"));
  const auto kernels = of_kind(table, SpanKind::kKernel);
  CHECK_EQ(kernels.size(), std::size_t{5});
  if (kernels.size() != 5) return;
  CHECK_EQ(kernels[0].name, std::string_view("probe_fma_fp32"));
  CHECK(kernels[0].grid[0] == 3 && kernels[0].block[0] == 64 && kernels[0].block[1] == 2);
  CHECK_EQ(kernels[0].dynamic_shared_bytes, 2048u);
  CHECK(kernels[0].registers > 15);
  CHECK_EQ(kernels[0].graph, 0u);
  CHECK(kernels[1].name == "probe_empty" && kernels[1].graph != 0 && kernels[1].graph_node != kernels[2].graph_node);
  CHECK_EQ(of_kind(table, SpanKind::kMemset).size(), std::size_t{1});
  const auto copies = of_kind(table, SpanKind::kCopy);
  CHECK(copies.size() == 1 && copies[0].bytes == 4096 * sizeof(float) && copies[0].name == "copy device to host");

  check_correlation(table, end_ns);
}

TEST("GPU: a second trace in a process is as complete as the first") {
  Work work;
  for (int recording = 0; recording < 2; ++recording) {
    std::string reason;
    const auto origin = Clock::now();
    auto trace = ActivityTrace::start(GraphDetail::kNodes, origin, reason);
    if (!trace) {
      CHECK(reason.ends_with("."));
      return;
    }
    work.run();
    const double end_ns = std::chrono::duration<double, std::nano>(Clock::now() - origin).count();
    const SpanTable table = trace->stop();
    CHECK_EQ(of_kind(table, SpanKind::kKernel).size(), std::size_t{5});
    check_correlation(table, end_ns);
  }
}

TEST("GPU: CUPTI records graphs that are captured after tracing starts, and rejects earlier ones") {
  std::string reason;
  {
    const Work earlier;
    CHECK(!ActivityTrace::start(GraphDetail::kGraphs, Clock::now(), reason));
    CHECK(reason.ends_with("."));
  }
  auto trace = ActivityTrace::start(GraphDetail::kGraphs, Clock::now(), reason);
  if (!trace) {
    CHECK(reason.ends_with("."));
    return;
  }
  Work work;
  work.run();
  const SpanTable table = trace->stop();
  const auto graphs = of_kind(table, SpanKind::kGraph);
  CHECK_EQ(graphs.size(), std::size_t{2});
  CHECK_EQ(of_kind(table, SpanKind::kKernel).size(), std::size_t{1});
  CHECK(!graphs.empty() && graphs.front().graph != 0);
}

TEST("GPU: events give the spans of kernels, copies, memsets and graphs without CUPTI") {
  Work work;
  work.run();
  const auto origin = Clock::now();
  auto trace = EventTrace::start(origin);
  CHECK(trace != nullptr);
  CHECK(!EventTrace::start(origin));
  work.run();
  const SpanTable table = trace->stop();
  const double end_ns = std::chrono::duration<double, std::nano>(Clock::now() - origin).count();
  CHECK_EQ(table.source, std::string("events"));
  CHECK_EQ(table.dropped, std::uint64_t{0});
  const auto kernels = of_kind(table, SpanKind::kKernel), graphs = of_kind(table, SpanKind::kGraph);
  CHECK_EQ(kernels.size(), std::size_t{1});
  CHECK_EQ(graphs.size(), std::size_t{2});
  if (kernels.empty()) return;
  CHECK_EQ(kernels[0].name, std::string_view("probe_fma_fp32"));
  CHECK(kernels[0].grid[0] == 3 && kernels[0].block[0] == 64 && kernels[0].block[1] == 2);
  CHECK_EQ(kernels[0].dynamic_shared_bytes, 2048u);
  CHECK(kernels[0].registers > 15);
  CHECK_EQ(of_kind(table, SpanKind::kMemset).size(), std::size_t{1});
  const auto copies = of_kind(table, SpanKind::kCopy);
  CHECK(copies.size() == 1 && copies[0].bytes == 4096 * sizeof(float) && copies[0].name == "copy device to host");
  const auto calls = of_kind(table, SpanKind::kApi);
  CHECK_EQ(calls.size(), std::size_t{5});
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Span span = table.at(i);
    CHECK(span.start_ns > 0 && span.end_ns >= span.start_ns && span.end_ns < end_ns + 1e5);
    if (span.kind == SpanKind::kApi) continue;
    CHECK_EQ(span.stream, 1u);
    const auto call =
        std::find_if(calls.begin(), calls.end(), [&](const Span& c) { return c.correlation == span.correlation; });
    CHECK(call != calls.end());
  }

  // In an end-to-end run, kernels fill the time that the batches' events measured.
  bb::transport::Problem p = bb::test::water_problem(20.0, {6.0, 6.0, 0.5, 0.25}, 0.3, 0.05);
  p.variant = "cuda-gather";
  p.keyframes = 0;
  bb::test::Run run(p);
  trace = EventTrace::start(run.spans().origin());
  const auto result = run.execute({});
  const SpanTable traced = trace->stop();
  double in_steps = 0;
  std::size_t scores = 0;
  for (const Span& kernel : of_kind(traced, SpanKind::kKernel)) {
    if (!kernel.name.starts_with("gather_")) continue;
    in_steps += kernel.end_ns - kernel.start_ns;
    scores += kernel.name.starts_with("gather_score") ? 1 : 0;
  }
  std::printf("    %zu spans of %d steps; kernels %.3f ms of %.3f ms\n", traced.size(), result.steps, in_steps * 1e-6,
              result.device_s * 1e3);
  CHECK(scores >= static_cast<std::size_t>(result.steps));
  CHECK(in_steps * 1e-9 <= result.device_s * 1.05);
  CHECK(in_steps * 1e-9 > 0.2 * result.device_s);
}
