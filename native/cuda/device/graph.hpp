#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "stream.hpp"

namespace bb::cuda {

/// A captured sequence of launches that is not instantiated, so it cannot be launched.
class CapturedGraph {
 public:
  explicit CapturedGraph(api::Graph graph) : graph_(graph) {}
  CapturedGraph(CapturedGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&&) = delete;
  ~CapturedGraph() {
    if (graph_) driver().GraphDestroy(graph_);
  }

  api::Graph handle() const { return graph_; }

 private:
  api::Graph graph_;
};

/// A captured and instantiated sequence of launches, ready to replay.
class Graph {
 public:
  /// Takes ownership of `graph`; `captured` names its kernels for error messages.
  Graph(std::shared_ptr<Device> device, api::Graph graph, const LaunchLog& captured);
  Graph(Graph&& other) noexcept
      : device_(std::move(other.device_)),
        graph_(std::exchange(other.graph_, nullptr)),
        exec_(std::exchange(other.exec_, nullptr)),
        label_(other.label_),
        nodes_(other.nodes_),
        instantiate_s_(other.instantiate_s_) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph();

  /// Number of graphs that currently exist in the process.
  static int live_count();

  /// True if the driver can update graphs (CUDA 12).
  static bool can_update() { return driver().GraphExecUpdate != nullptr; }
  /// Copies the arguments from a graph of the same shape. Throws "unsupported" if can_update() is false.
  void update(const CapturedGraph& changed);

  std::size_t nodes() const { return nodes_; }
  /// Time in seconds that the driver needed to instantiate the graph.
  double instantiate_seconds() const { return instantiate_s_; }
  api::Graph handle() const { return graph_; }
  /// Uploads the graph to the device before its first launch.
  void upload(Stream& stream);
  void launch(Stream& stream) {
    stream.note_launch(label_);
    api::Status status = api::status::kSuccess;
    Span work;
    work.kind = SpanKind::kGraph;
    work.name = label_;
    queue_watched(stream, work, "cuGraphLaunch", [&] { status = driver().GraphLaunch(exec_, stream.handle()); });
    stream.check(status, "cuGraphLaunch");
  }

 private:
  std::shared_ptr<Device> device_;
  api::Graph graph_ = nullptr;
  api::GraphExec exec_ = nullptr;
  const char* label_;
  std::size_t nodes_ = 0;
  double instantiate_s_ = 0;
};

}  // namespace bb::cuda
