#include "structure_factors.hpp"

#include <algorithm>

namespace bb::diffraction {

namespace {

/// Cells that are filled between two looks at whether they are wanted still.
constexpr std::size_t kFilledAtOnce = std::size_t{1} << 22;

double cells_of(const FactorBox<double>& box) { return static_cast<double>(box.nh) * box.nk * box.nl; }

}  // namespace

FactorBox<double> StructureFactors::box_about(std::span<const Reflection> list) {
  FactorBox<double> box;
  if (list.empty()) return box;
  const auto extent = [&](int Reflection::* index, int& first, unsigned& count) {
    const auto [low, high] = std::ranges::minmax(list, {}, index);
    first = low.*index;
    count = static_cast<unsigned>(high.*index - low.*index) + 1;
  };
  extent(&Reflection::h, box.h0, box.nh);
  extent(&Reflection::k, box.k0, box.nk);
  extent(&Reflection::l, box.l0, box.nl);
  return box;
}

StructureFactors::StructureFactors(std::span<const Reflection> list, double default_f,
                                   const std::atomic<bool>& cancel) {
  box_ = box_about(list);
  box_.other = default_f;
  if (list.empty()) return;
  const std::size_t cells = static_cast<std::size_t>(cells_of(box_));
  table_.reserve(cells);
  while (table_.size() < cells) {
    if (cancel.load(std::memory_order_relaxed)) return;
    table_.resize(std::min(cells, table_.size() + kFilledAtOnce), default_f);
  }
  box_.table = table_.data();
  for (const Reflection& r : list) {
    const auto at = [](int index, int first) { return static_cast<std::size_t>(index - first); };
    table_[(at(r.h, box_.h0) * box_.nk + at(r.k, box_.k0)) * box_.nl + at(r.l, box_.l0)] = r.f;
  }
}

}  // namespace bb::diffraction
