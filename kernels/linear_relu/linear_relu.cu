// The kernels of the linear layer and its rectifier. All matrices are row-major and contiguous.
//   forward:  Y[B, O] = max(X[B, I] W[O, I]ᵀ + b[O], 0)
//   backward: G = dY (Y > 0), dX[B, I] = G W, dW[O, I] = Gᵀ X, db[O] = the sum of G's rows
//   through:  dA[B, I] = (dY W) (X > 0), da[I] = the sum of its rows: the rectifier before the layer
// A matrix product is C[M, N] = A B with A(m, k) and B(k, n); which of an operand's indices is contiguous differs.
#include "pointwise.cu"

#include "blocked.cu"
#include "plain.cu"
#include "tiled.cu"
