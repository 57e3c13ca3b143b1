#include "product_tile.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::linear_relu {

#define BB_DECLARE(isa)        \
  namespace isa {              \
  TileFunction product_tile(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

TileFunction product_tile() {
  using Choice = TileFunction (*)();
#define BB_ENTRY(isa) isa::product_tile,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

}  // namespace bb::linear_relu
