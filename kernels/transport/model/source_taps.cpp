#include "source_taps.hpp"

namespace bb::transport {

SourceTaps taps_by_source(const Tables& t, std::size_t first, std::size_t rows) {
  const std::size_t ne = static_cast<std::size_t>(t.ne);
  const auto begin = static_cast<std::size_t>(t.gather_begin[first]);
  const std::size_t taps = static_cast<std::size_t>(t.gather_begin[first + rows]) - begin;
  SourceTaps out;
  out.begin.assign(rows + 1, 0);
  out.destination.resize(taps);
  out.tap.resize(taps);
  const auto each = [&](auto&& f) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t to = row % ne;
      for (auto k = static_cast<std::size_t>(t.gather_begin[first + row]);
           k < static_cast<std::size_t>(t.gather_begin[first + row + 1]); ++k) {
        f(row - to + static_cast<std::size_t>(t.gather_source[k]), to, k);
      }
    }
  };
  each([&](std::size_t source, std::size_t, std::size_t) { ++out.begin[source + 1]; });
  for (std::size_t row = 0; row < rows; ++row) out.begin[row + 1] += out.begin[row];
  std::vector<std::size_t> next(out.begin.begin(), out.begin.end() - 1);
  each([&](std::size_t source, std::size_t to, std::size_t k) {
    const std::size_t slot = next[source]++;
    out.destination[slot] = static_cast<std::int32_t>(to);
    out.tap[slot] = k;
  });
  return out;
}

SourceTaps taps_by_source(const Tables& t) { return taps_by_source(t, 0, t.gather_begin.size() - 1); }

}  // namespace bb::transport
