#include "block_ops.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::diffraction {

#define BB_DECLARE(isa)                         \
  namespace isa {                               \
  RowFunction block_row(Arithmetic arithmetic); \
  const StageFunctions& stages();               \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

RowFunction block_row(Arithmetic arithmetic) {
  using Choice = RowFunction (*)(Arithmetic);
#define BB_ENTRY(isa) isa::block_row,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()](arithmetic);
}

const StageFunctions& stages() {
  using Choice = const StageFunctions& (*)();
#define BB_ENTRY(isa) isa::stages,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

}  // namespace bb::diffraction
