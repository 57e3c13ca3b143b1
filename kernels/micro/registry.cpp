#include "registry.hpp"

#include <vector>

namespace bb::micro {

// CMake writes a line BB_MICRO_ROW(<row>) for each .cpp file that defines <row>_bench().
#define BB_MICRO_ROW(row) engine::TaskBench row##_bench();
#include "micro_rows.inc"
#undef BB_MICRO_ROW

std::span<const engine::TaskBench> benches() {
  static const std::vector<engine::TaskBench> all = {
#define BB_MICRO_ROW(row) row##_bench(),
#include "micro_rows.inc"
#undef BB_MICRO_ROW
  };
  return all;
}

}  // namespace bb::micro
