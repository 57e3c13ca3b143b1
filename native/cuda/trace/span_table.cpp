#include "span_table.hpp"

#include <algorithm>
#include <numeric>

namespace bb::cuda {
namespace {

template <typename T>
void permute(std::vector<T>& column, const std::vector<std::size_t>& order, std::size_t width = 1) {
  std::vector<T> out;
  out.reserve(column.size());
  for (const std::size_t row : order) {
    for (std::size_t i = 0; i < width; ++i) out.push_back(column[row * width + i]);
  }
  column = std::move(out);
}

}  // namespace

std::uint32_t SpanTable::name_index(std::string_view text) {
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(names.size());
  names.emplace_back(text);
  index_.emplace(text, index);
  return index;
}

void SpanTable::add(const Span& span) {
  if (size() >= kMaxSpans) {
    ++dropped;
    return;
  }
  kind.push_back(static_cast<std::uint8_t>(span.kind));
  name.push_back(name_index(span.name));
  start_ns.push_back(span.start_ns);
  end_ns.push_back(span.end_ns);
  stream.push_back(span.stream);
  correlation.push_back(span.correlation);
  grid.insert(grid.end(), std::begin(span.grid), std::end(span.grid));
  block.insert(block.end(), std::begin(span.block), std::end(span.block));
  registers.push_back(span.registers);
  static_shared_bytes.push_back(span.static_shared_bytes);
  dynamic_shared_bytes.push_back(span.dynamic_shared_bytes);
  bytes.push_back(span.bytes);
  graph.push_back(span.graph);
  graph_node.push_back(span.graph_node);
}

Span SpanTable::at(std::size_t i) const {
  return {.kind = static_cast<SpanKind>(kind[i]),
          .name = names[name[i]],
          .start_ns = start_ns[i],
          .end_ns = end_ns[i],
          .stream = stream[i],
          .correlation = correlation[i],
          .grid = {grid[3 * i], grid[3 * i + 1], grid[3 * i + 2]},
          .block = {block[3 * i], block[3 * i + 1], block[3 * i + 2]},
          .registers = registers[i],
          .static_shared_bytes = static_shared_bytes[i],
          .dynamic_shared_bytes = dynamic_shared_bytes[i],
          .bytes = bytes[i],
          .graph = graph[i],
          .graph_node = graph_node[i]};
}

void SpanTable::sort() {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return start_ns[a] < start_ns[b]; });
  permute(kind, order);
  permute(name, order);
  permute(start_ns, order);
  permute(end_ns, order);
  permute(stream, order);
  permute(correlation, order);
  permute(grid, order, 3);
  permute(block, order, 3);
  permute(registers, order);
  permute(static_shared_bytes, order);
  permute(dynamic_shared_bytes, order);
  permute(bytes, order);
  permute(graph, order);
  permute(graph_node, order);
}

}  // namespace bb::cuda
