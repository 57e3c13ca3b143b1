#include "structure_factors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace bb::diffraction {

StructureFactors::StructureFactors(std::span<const Reflection> list, double default_f, double most_bytes) {
  box_.other = default_f;
  if (list.empty()) return;
  const auto extent = [&](int Reflection::* index, int& first, unsigned& count) {
    const auto [low, high] = std::ranges::minmax(list, {}, index);
    first = low.*index;
    count = static_cast<unsigned>(high.*index - low.*index) + 1;
  };
  extent(&Reflection::h, box_.h0, box_.nh);
  extent(&Reflection::k, box_.k0, box_.nk);
  extent(&Reflection::l, box_.l0, box_.nl);
  const double cells = static_cast<double>(box_.nh) * box_.nk * box_.nl;
  if (most_bytes > 0.0 && cells * sizeof(double) > most_bytes) {
    throw ProblemError("memory", "structure_factors: the indices span " + std::to_string(box_.nh) + " x " +
                                     std::to_string(box_.nk) + " x " + std::to_string(box_.nl) + " reflections, " +
                                     std::to_string(std::llround(cells * sizeof(double) / 1e6)) + " MB; the limit is " +
                                     std::to_string(std::llround(most_bytes / 1e6)) + " MB");
  }
  table_.assign(static_cast<std::size_t>(cells), default_f);
  box_.table = table_.data();
  for (const Reflection& r : list) {
    const auto at = [](int index, int first) { return static_cast<std::size_t>(index - first); };
    table_[(at(r.h, box_.h0) * box_.nk + at(r.k, box_.k0)) * box_.nl + at(r.l, box_.l0)] = r.f;
  }
}

}  // namespace bb::diffraction
