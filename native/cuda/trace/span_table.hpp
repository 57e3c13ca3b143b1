#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bb::cuda {

enum class SpanKind : std::uint8_t { kKernel, kCopy, kMemset, kGraph, kApi };

/// One interval of device work, or of a driver call. Fields that a kind does not have are zero.
struct Span {
  SpanKind kind = SpanKind::kKernel;
  std::string_view name;
  double start_ns = 0, end_ns = 0;  // relative to the trace's origin, on the host's steady clock
  std::uint32_t stream = 0;         // CUPTI's number of the stream; thread for a driver call
  std::uint32_t correlation = 0;    // equal for a launch and the driver call that made it
  std::uint32_t grid[3]{}, block[3]{};
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint64_t bytes = 0;       // for a copy or memset
  std::uint32_t graph = 0;       // graph that contained the work; 0: no graph
  std::uint64_t graph_node = 0;  // node in that graph
};

/// Spans in columns, the format for the page and for run files; a million spans need about 100 MB.
struct SpanTable {
  std::vector<std::string> names;
  std::vector<std::uint8_t> kind;
  std::vector<std::uint32_t> name;  // index into `names`
  std::vector<double> start_ns, end_ns;
  std::vector<std::uint32_t> stream, correlation;
  std::vector<std::uint32_t> grid, block;  // x, y, z of each span
  std::vector<std::uint32_t> registers, static_shared_bytes, dynamic_shared_bytes;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> graph;
  std::vector<std::uint64_t> graph_node;
  std::uint64_t dropped = 0;  // spans that did not fit into this table or into CUPTI's buffers
  std::string source;         // "cupti" or "events"

  std::size_t size() const { return kind.size(); }
  /// Beyond `kMaxSpans`, a span is only counted as dropped.
  void add(const Span& span);
  Span at(std::size_t index) const;
  /// Sorts by start, because CUPTI delivers buffer by buffer.
  void sort();

  static constexpr std::size_t kMaxSpans = 4'000'000;

 private:
  std::uint32_t name_index(std::string_view text);
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

}  // namespace bb::cuda
