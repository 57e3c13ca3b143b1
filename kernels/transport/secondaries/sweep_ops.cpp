#include "sweep_ops.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)            \
  namespace isa {                  \
  extern const SweepOps kSweepOps; \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

const SweepOps& sweep_ops() {
#define BB_ENTRY(isa) &isa::kSweepOps,
  static const SweepOps* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

}  // namespace bb::transport
