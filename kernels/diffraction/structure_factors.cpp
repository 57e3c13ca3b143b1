#include "structure_factors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace bb::diffraction {
namespace {

struct Weights {
  int first;  // of the four reflections
  double w[4];
};

/// Lagrange's weights of the nodes -1, 0, 1, 2 at the fraction behind the whole index.
Weights weights(double x) {
  const double whole = std::floor(x), t = x - whole;
  return {static_cast<int>(whole) - 1,
          {-t * (t - 1.0) * (t - 2.0) / 6.0, (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0, -(t + 1.0) * t * (t - 2.0) / 2.0,
           (t + 1.0) * t * (t - 1.0) / 6.0}};
}

}  // namespace

StructureFactors::StructureFactors(std::span<const Reflection> list, double default_f, double most_bytes)
    : default_(default_f) {
  if (list.empty()) return;
  const auto extent = [&](int Reflection::* index, int& first, unsigned& count) {
    const auto [low, high] = std::ranges::minmax(list, {}, index);
    first = low.*index;
    count = static_cast<unsigned>(high.*index - low.*index) + 1;
  };
  extent(&Reflection::h, h0_, nh_);
  extent(&Reflection::k, k0_, nk_);
  extent(&Reflection::l, l0_, nl_);
  const double cells = static_cast<double>(nh_) * nk_ * nl_;
  if (most_bytes > 0.0 && cells * sizeof(double) > most_bytes) {
    throw ProblemError("memory", "structure_factors: the indices span " + std::to_string(nh_) + " x " +
                                     std::to_string(nk_) + " x " + std::to_string(nl_) + " reflections, " +
                                     std::to_string(std::llround(cells * sizeof(double) / 1e6)) + " MB; the limit is " +
                                     std::to_string(std::llround(most_bytes / 1e6)) + " MB");
  }
  table_.assign(static_cast<std::size_t>(cells), default_);
  for (const Reflection& r : list) {
    const auto at = [](int index, int first) { return static_cast<std::size_t>(index - first); };
    table_[(at(r.h, h0_) * nk_ + at(r.k, k0_)) * nl_ + at(r.l, l0_)] = r.f;
  }
}

double StructureFactors::tricubic(double h, double k, double l) const {
  if (constant()) return default_;
  const Weights wh = weights(h), wk = weights(k), wl = weights(l);
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double line = 0.0;
      for (int m = 0; m < 4; ++m) line += wl.w[m] * nearest(wh.first + i, wk.first + j, wl.first + m);
      sum += wh.w[i] * wk.w[j] * line;
    }
  }
  return sum;
}

}  // namespace bb::diffraction
