#include "registry.hpp"

#include <vector>

#include "rows.hpp"

namespace bb::micro {

std::span<const engine::TaskBench> benches() {
  static const std::vector<engine::TaskBench> all = {
      launch_bench(),
  };
  return all;
}

}  // namespace bb::micro
