#include "angle_rows.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::micro {

#define BB_DECLARE(isa)                       \
  namespace isa {                             \
  const AngleRowFunctions& angle_functions(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

const AngleRowFunctions& angle_row_functions() {
  using Choice = const AngleRowFunctions& (*)();
#define BB_ENTRY(isa) isa::angle_functions,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

}  // namespace bb::micro
