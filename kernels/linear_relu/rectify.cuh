#pragma once

// max(z, 0) that keeps NaN: z > 0 ? z : 0 would turn a NaN into 0.
__device__ __forceinline__ float rectified(float z) { return z <= 0.0f ? 0.0f : z; }

// The rectifier's gradient: nothing passes where y is 0, also where z was exactly 0.
__device__ __forceinline__ float passed(float gradient, float y) { return y > 0.0f ? gradient : 0.0f; }
