#include "registry.hpp"

#include "make.hpp"

namespace bb::linear_relu {

engine::TaskBench bench() {
  engine::TaskBench out{.workload = "linear-relu", .id = "", .title = "Linear layer with ReLU", .variants = {}};
  for (const auto& family : {cpu_variants(), hand_written_cuda_variants(), cublas_variants(), cublaslt_variants()}) {
    out.variants.insert(out.variants.end(), family.begin(), family.end());
  }
  return out;
}

}  // namespace bb::linear_relu
