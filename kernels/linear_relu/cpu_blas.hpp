#pragma once

#include <string>

namespace bb::linear_relu {

/// A BLAS library of this machine, opened at run time.
struct Blas {
  using Sgemm = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                         int lda, const float* b, int ldb, float beta, float* c, int ldc);
  Sgemm sgemm = nullptr;
  std::string file;    // path of the library
  std::string reason;  // reason why there is none, in one sentence; empty if there is one
};

/// Returns the library that BRAGGBENCH_BLAS names, otherwise the first common BLAS of this system that loads.
const Blas& blas();

}  // namespace bb::linear_relu
