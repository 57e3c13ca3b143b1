#include "slice.hpp"

#include <algorithm>
#include <iterator>

#include "build_config.hpp"
#include "cpu/host.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

/// Permutes the rows of `begin`, and their values, to a new order. `old` lists the former position of each row.
template <typename... Values>
void reorder(const std::vector<std::size_t>& old, const std::vector<std::int32_t>& old_begin,
             std::vector<std::int32_t>& begin, std::vector<Values>&... values) {
  begin.assign(1, 0);
  for (const std::size_t row : old) begin.push_back(begin.back() + old_begin[row + 1] - old_begin[row]);
  const auto move = [&](auto& of) {
    auto to = of;
    auto next = to.begin();
    for (const std::size_t row : old) {
      next = std::copy(of.begin() + old_begin[row], of.begin() + old_begin[row + 1], next);
    }
    of.swap(to);
  };
  (move(values), ...);
}

}  // namespace

template <typename T>
TablesByBin<T>::TablesByBin(const Tables& t)
    : TypedTables<T>(t), gather_source(t.gather_source), path_of(t.path_of), ne(t.ne), paths(t.paths) {
  for (std::size_t a = 0; a < t.theta.size(); ++a) {
    const T weight = static_cast<T>(t.plane_weight[a]);
    const T by_angle = weight * static_cast<T>(t.theta[a]);
    plane_weight.push_back({weight, by_angle, by_angle * static_cast<T>(t.theta[a])});
  }
  std::vector<std::size_t> old;
  for (int m = 0; m < t.materials; ++m) {
    for (int e = 0; e < ne; ++e) {
      for (int path = 0; path < paths; ++path) old.push_back(t.path_row(path, m, e));
    }
  }
  reorder(old, t.gather_begin, gather_begin, gather_source, this->gather_weight);
  reorder(old, t.angle_begin, angle_begin, this->angle_weight);
  for (auto* values : {&this->deposit, &this->stopped, &this->nuclear, &this->nuclear_escape}) {
    std::vector<T> to;
    for (const std::size_t row : old) to.push_back((*values)[row]);
    values->swap(to);
  }
}

template struct TablesByBin<float>;
template struct TablesByBin<double>;

#define BB_DECLARE(isa)                     \
  namespace isa {                           \
  extern const SliceOps<float> kFloatOps;   \
  extern const SliceOps<double> kDoubleOps; \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

template <>
const SliceOps<float>& slice_ops<float>() {
#define BB_ENTRY(isa) &isa::kFloatOps,
  static const SliceOps<float>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

template <>
const SliceOps<double>& slice_ops<double>() {
#define BB_ENTRY(isa) &isa::kDoubleOps,
  static const SliceOps<double>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

std::size_t slice_scratch_size(const Tables& tables, const Box& from, const Box& out) {
  int low = 0, high = 0;
  for (const physics::RemapShift& shift : tables.shift_x) {
    low = std::min(low, shift.whole);
    high = std::max(high, shift.whole + 1);
  }
  const std::size_t margin = static_cast<std::size_t>(remap_margin(low, high));
  const std::size_t width = static_cast<std::size_t>(align_up(from.x1) - align_down(from.x0));
  const std::size_t pitch = static_cast<std::size_t>(align_up(out.x1) - align_down(out.x0));
  const std::size_t advance =
      static_cast<std::size_t>(from.a1 - from.a0) * width + 2 * kRowsTogether * (width + 2 * margin) + pitch +
      static_cast<std::size_t>(physics::kRemapTaps) * static_cast<std::size_t>(out.a1 - out.a0) * pitch +
      static_cast<std::size_t>(tables.angle_half_max + 1) * static_cast<std::size_t>(from.a1 - from.a0);
  return advance;
}

}  // namespace bb::transport
