#include "slice.hpp"

#include <iterator>

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::transport {

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
