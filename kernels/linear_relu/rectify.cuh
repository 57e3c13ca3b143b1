#pragma once

// max(z, 0) that preserves NaN; z > 0 ? z : 0 would turn a NaN into 0.
__device__ __forceinline__ float rectified(float z) { return z <= 0.0f ? 0.0f : z; }

// Applies the activation with this number in layer.hpp: 0 is the rectifier, 1 GELU by the hyperbolic tangent, 2 none.
__device__ __forceinline__ float apply_activation(float z, int activation) {
  if (activation == 0) return rectified(z);
  if (activation == 2) return z;
  return 0.5f * z * (1.0f + tanhf(0.7978845608028654f * (z + 0.044715f * z * z * z)));
}

// Gradient of the rectifier: 0 where y is 0, which includes z = 0.
__device__ __forceinline__ float gated_gradient(float gradient, float y) { return y > 0.0f ? gradient : 0.0f; }
