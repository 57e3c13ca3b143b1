#include "graph.hpp"

#include <atomic>

#include "cpu/stopwatch.hpp"

namespace bb::cuda {
namespace {

std::atomic<int> graphs_alive{0};

}  // namespace

int Graph::live_count() { return graphs_alive; }

Graph::Graph(std::shared_ptr<Device> device, api::Graph graph, const LaunchLog& captured)
    : device_(std::move(device)), graph_(graph), label_(intern_name("a graph (" + captured.text() + ")")) {
  // The destructor does not run if the constructor throws, so errors destroy the graph here.
  const auto destroy_graph = [this](api::Status status, const char* call) {
    if (status == api::status::kSuccess) return;
    driver().GraphDestroy(graph_);
    device_->check(status, call);
  };
  destroy_graph(driver().GraphGetNodes(graph_, nullptr, &nodes_), "cuGraphGetNodes");
  const cpu::Clock::time_point start = cpu::Clock::now();
  destroy_graph(driver().GraphInstantiate(&exec_, graph_, 0), "cuGraphInstantiateWithFlags");
  instantiate_s_ = cpu::seconds_since(start);
  ++graphs_alive;
}

Graph::~Graph() {
  if (exec_) {
    driver().GraphExecDestroy(exec_);
    --graphs_alive;
  }
  if (graph_) driver().GraphDestroy(graph_);
}

void Graph::upload(Stream& stream) { stream.check(driver().GraphUpload(exec_, stream.handle()), "cuGraphUpload"); }

void Graph::update(const CapturedGraph& changed) {
  if (!can_update()) throw Error("unsupported", "This driver cannot update graphs; CUDA 12 can.");
  api::GraphExecUpdateResultInfo info{};
  device_->check(driver().GraphExecUpdate(exec_, changed.handle(), &info), "cuGraphExecUpdate_v2");
}

}  // namespace bb::cuda
