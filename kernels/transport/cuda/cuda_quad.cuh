#pragma once

// Four neighbouring columns, which a thread of the fused step and of the window keeps together.
namespace bb::transport {

template <typename T>
struct alignas(16) Quad {
  T v[4];
};

template <typename T>
__device__ inline T sum_quad(const Quad<T>& q) {
  return (q.v[0] + q.v[1]) + (q.v[2] + q.v[3]);
}

/// What of a donor's `content` moves on, from the sum g over its neighbours.
__device__ inline float clamp_flux(float g, float content) { return fminf(fmaxf(g, 0.0f), content); }
__device__ inline double clamp_flux(double g, double content) { return fmin(fmax(g, 0.0), content); }

}  // namespace bb::transport
