#pragma once

#include <string>

namespace bb::linear_relu {

/// A BLAS that this machine has, opened at run time.
struct Blas {
  using Sgemm = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                         int lda, const float* b, int ldb, float beta, float* c, int ldc);
  Sgemm sgemm = nullptr;
  std::string file;    // where it is
  std::string reason;  // why there is none, one sentence; empty when there is one
};

/// The one that BRAGGBENCH_BLAS names, else the first of those usual on this system that loads.
const Blas& blas();

}  // namespace bb::linear_relu
