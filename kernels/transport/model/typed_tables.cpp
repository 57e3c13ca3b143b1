#include "typed_tables.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "index.hpp"
#include "physics/moment_kernel.hpp"

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

namespace {

/// Rounds the rows of one path and material, which start with row `first`.
template <typename T>
void round_energy(const Tables& t, std::size_t first, TypedTables<T>& out) {
  const SourceTaps by_source = taps_by_source(t, first, u(t.ne));
  std::vector<double> weights;
  for (std::size_t e = 0; e < u(t.ne); ++e) {
    const std::size_t row = first + e;
    weights.clear();
    for (std::size_t i = by_source.begin[e]; i < by_source.begin[e + 1]; ++i) {
      weights.push_back(t.gather_weight[by_source.tap[i]]);
    }
    weights.push_back(t.stopped[row]);
    weights.push_back(t.nuclear[row]);
    physics::quantise(weights);

    const std::size_t taps = weights.size() - 2;
    double kept = 0.0;
    for (std::size_t i = 0; i < taps; ++i) {
      const std::size_t slot = by_source.begin[e] + i;
      out.gather_weight[by_source.tap[slot]] = static_cast<T>(weights[i]);
      kept += weights[i] * t.energy[u(by_source.destination[slot])];
    }
    out.stopped[row] = static_cast<T>(weights[taps]);
    out.nuclear[row] = static_cast<T>(weights[taps + 1]);
    const double escape = t.nuclear[row] > 0.0 ? t.nuclear_escape[row] * weights[taps + 1] / t.nuclear[row] : 0.0;
    out.nuclear_escape[row] = static_cast<T>(escape);
    out.deposit[row] = static_cast<T>(t.energy[e] - kept - escape);
  }
}

template <typename T>
void round_angles(const Tables& t, std::size_t first, TypedTables<T>& out) {
  for (std::size_t row = first; row < first + u(t.ne); ++row) {
    const std::size_t begin = u(t.angle_begin[row]);
    const std::size_t end = u(t.angle_begin[row + 1]);
    // Rounds the symmetric pairs first, so that both sides of the kernel stay equal; the centre is the remainder.
    constexpr double kUnit = 0x1p-24;
    double pairs = 0.0;
    for (std::size_t k = begin + 1; k < end; ++k) {
      const double w = std::round(t.angle_weight[k] / kUnit) * kUnit;
      out.angle_weight[k] = static_cast<T>(w);
      pairs += 2.0 * w;
    }
    out.angle_weight[begin] = static_cast<T>(1.0 - pairs);
  }
}

template <typename T>
void copy(const std::vector<double>& from, std::vector<T>& to) {
  to.assign(from.begin(), from.end());
}

}  // namespace

template <typename T>
TypedTables<T>::TypedTables(const Tables& t, const InParallel& in_parallel) {
  if constexpr (std::is_same_v<T, float>) {
    const int blocks = t.operators ? 0 : t.paths * t.materials;
    gather_weight.resize(t.gather_weight.size());
    for (auto* values : {&deposit, &stopped, &nuclear, &nuclear_escape}) values->resize(t.deposit.size());
    angle_weight.resize(t.angle_weight.size());
    in_parallel(blocks, [&](int block) {
      round_energy(t, u(block) * u(t.ne), *this);
      round_angles(t, u(block) * u(t.ne), *this);
    });
  } else {
    copy(t.gather_weight, gather_weight);
    copy(t.deposit, deposit);
    copy(t.stopped, stopped);
    copy(t.nuclear, nuclear);
    copy(t.nuclear_escape, nuclear_escape);
    copy(t.angle_weight, angle_weight);
  }
  for (const auto& [from, to] : {std::pair{&t.flux_x, &flux_x}, std::pair{&t.flux_z, &flux_z}}) {
    for (const auto& c : *from) {
      to->emplace_back();
      for (std::size_t m = 0; m < c.size(); ++m) to->back()[m] = static_cast<T>(c[m]);
    }
  }
  run_begin.push_back(0);
  for (int z = 0; z < t.nz; ++z) {
    const std::uint8_t* row = &t.map[u(z) * u(t.nx)];
    for (std::int32_t x = 0; x < t.nx;) {
      std::int32_t end = x + 1;
      while (end < t.nx && row[end] == row[x]) ++end;
      runs.push_back({x, end, row[x]});
      x = end;
    }
    run_begin.push_back(static_cast<std::int32_t>(runs.size()));
  }
}

template struct TypedTables<float>;
template struct TypedTables<double>;

}  // namespace bb::transport
