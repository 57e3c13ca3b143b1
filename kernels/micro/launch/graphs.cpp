// Row 2 of the table of performance claims: equal launches in a stream, in a graph built once, in a graph built each
// time, and in a graph with updated arguments. The cost of each step is reported.
#include "cpu/stopwatch.hpp"
#include "cuda/device/graph.hpp"
#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace graphs_row {
namespace {

using cpu::Clock, cpu::seconds_since;

constexpr float kA = 1.0f / 1024.0f;
constexpr unsigned kThreads = 256;

struct Inputs : AxpyInputs {
  explicit Inputs(const TaskProblem& problem) : AxpyInputs(problem), steps(static_cast<int>(problem.count("steps"))) {}
  int steps;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Inputs in(problem);
  return in.after(in.steps, kA);
}

/// Time needed to build graphs, summed over `times` repetitions.
struct GraphCosts {
  double capture_s = 0, instantiate_s = 0, upload_s = 0, update_s = 0;
  int times = 0;
};

/// A chain of launches and the graphs made from it.
class Chain {
 public:
  explicit Chain(CudaBench& bench)
      : in(bench.problem()), x(bench.upload(in.x)), y(bench.upload(in.y)), kernel_(bench.kernel("micro_axpy")) {}

  void launch(cuda::Stream& to) {
    const auto n = static_cast<unsigned>(in.n);
    for (int step = 0; step < in.steps; ++step) {
      kernel_.launch(to, {.grid = {blocks_for(in.n, kThreads)}, .block = {kThreads}}, n, kA, x->pointer(),
                     y->pointer());
    }
  }
  cuda::Graph make(cuda::Stream& stream) {
    const Clock::time_point start = Clock::now();
    stream.begin_capture();
    launch(stream);
    cuda::Graph graph = stream.end_capture();
    const double both = seconds_since(start);
    costs.instantiate_s += graph.instantiate_seconds();
    costs.capture_s += both - graph.instantiate_seconds();
    ++costs.times;
    return graph;
  }
  std::vector<Quantity> quantities() const {
    const auto mean = [&](double seconds) { return 1e6 * seconds / std::max(1, costs.times); };
    std::vector<Quantity> out{{"launches", "Launches per repetition", static_cast<double>(in.steps), ""}};
    if (costs.times == 0) return out;
    out.push_back({"capture", "Capture", mean(costs.capture_s), "µs"});
    out.push_back({"instantiate", "Instantiate", mean(costs.instantiate_s), "µs"});
    if (costs.upload_s > 0) out.push_back({"upload", "Upload", mean(costs.upload_s), "µs"});
    if (costs.update_s > 0) out.push_back({"update", "Update", mean(costs.update_s), "µs"});
    return out;
  }

  const Inputs in;
  const std::shared_ptr<cuda::DeviceBuffer<float>> x, y;
  GraphCosts costs;

 private:
  cuda::Kernel kernel_;
};

enum class LaunchMode { kStream, kReplay, kRebuilt, kUpdated };

CudaWork gpu_work(CudaBench& bench, LaunchMode how) {
  const auto chain = std::make_shared<Chain>(bench);
  CudaWork work;
  if (how == LaunchMode::kStream) {
    work.queue = [chain](cuda::Stream& to) { chain->launch(to); };
  } else {
    const auto graph = std::make_shared<std::optional<cuda::Graph>>();
    const auto first = [&] {
      graph->emplace(chain->make(bench.stream()));
      const Clock::time_point start = Clock::now();
      (*graph)->upload(bench.stream());
      bench.stream().synchronize();
      chain->costs.upload_s += seconds_since(start);
    };
    if (how == LaunchMode::kReplay) {
      first();
      work.queue = [chain, graph](cuda::Stream& to) { (*graph)->launch(to); };
    } else if (how == LaunchMode::kRebuilt) {
      work.queue = [chain, graph](cuda::Stream& to) {
        // The previous graph may still run. Resetting it is safe, because the driver keeps launched graphs alive until
        // they finish.
        graph->reset();
        graph->emplace(chain->make(to));
        (*graph)->launch(to);
      };
    } else {
      first();
      work.queue = [chain, graph](cuda::Stream& to) {
        Clock::time_point start = Clock::now();
        to.begin_capture();
        chain->launch(to);
        const cuda::CapturedGraph changed = to.end_capture_only();
        chain->costs.capture_s += seconds_since(start);
        start = Clock::now();
        (*graph)->update(changed);
        chain->costs.update_s += seconds_since(start);
        ++chain->costs.times;
        (*graph)->launch(to);
      };
    }
    work.no_graph = "it is already a graph, or creates one";
    if (how == LaunchMode::kRebuilt || how == LaunchMode::kUpdated) work.clock = engine::TaskClock::kWall;
  }
  work.restore = [chain](cuda::Stream& to) { chain->y->upload(std::span<const float>(chain->in.y), to); };
  work.result = [chain](cuda::Stream& from) { return Samples(chain->in.n).take<float>(chain->y->read(from)); };
  const auto n = static_cast<double>(chain->in.n);
  work.work = {.bytes = 12.0 * n * chain->in.steps, .flops = 2.0 * n * chain->in.steps};
  work.quantities = [chain, queue = work.queue, stream = &bench.stream()] {
    std::vector<Quantity> all = chain->quantities();
    cuda::DeviceTimer timer(stream->device());
    double call_s = 0;
    const double device_s = timer.seconds(*stream, nullptr, [&] {
      const Clock::time_point start = Clock::now();
      queue(*stream);
      call_s = seconds_since(start);
    });
    all.push_back({"call", "Host time of a repetition", 1e6 * call_s, "µs"});
    all.push_back({"per-node", "Device time per launch", 1e6 * device_s / chain->in.steps, "µs"});
    return all;
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

std::string graph_update_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::Graph::can_update() ? "" : "the driver lacks cuGraphExecUpdate of CUDA 12";
}

}  // namespace
}  // namespace graphs_row

engine::TaskBench graphs_bench() {
  using namespace graphs_row;
  Row<answer> row({"graphs", "CUDA graphs: capture, instantiate, replay, update", "kernels/micro/launch/graphs.cpp",
                   "kernels/micro/launch/graphs.cpp", bytes});
  row.cuda<with<gpu_work, LaunchMode::kRebuilt>>(
      {"cuda-graph-anew", "New graph per repetition", "captures and instantiates the graph in every repetition"});
  row.cuda<with<gpu_work, LaunchMode::kUpdated>>(
      {"cuda-graph-updated", "Updated graph", "captures in every repetition and updates the existing graph",
       "cuda-graph-anew"},
      refuse_nothing, graph_update_missing);
  row.cuda<with<gpu_work, LaunchMode::kStream>>({"cuda-stream", "Launches", "queues every launch in every repetition"});
  row.cuda<with<gpu_work, LaunchMode::kReplay>>(
      {"cuda-graph", "Reused graph", "captures and instantiates the graph before timing", "cuda-stream"});
  row.small({{"n", 1003}, {"steps", 7}});
  return row.bench();
}

}  // namespace bb::micro
