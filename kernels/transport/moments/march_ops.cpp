#include "march_ops.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)                       \
  namespace isa {                             \
  extern const MarchOps<float> kMarchFloat;   \
  extern const MarchOps<double> kMarchDouble; \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

template <>
const MarchOps<float>& march_ops() {
#define BB_ENTRY(isa) &isa::kMarchFloat,
  static const MarchOps<float>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

template <>
const MarchOps<double>& march_ops() {
#define BB_ENTRY(isa) &isa::kMarchDouble,
  static const MarchOps<double>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

}  // namespace bb::transport
