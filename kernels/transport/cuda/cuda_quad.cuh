#pragma once

#include "physics/remap.hpp"

// A quad: four neighbouring columns that one thread processes in the fused step and in the window.
namespace bb::transport {

template <typename T>
struct alignas(16) Quad {
  T v[4];
};

template <typename T>
__device__ inline T sum_quad(const Quad<T>& q) {
  return (q.v[0] + q.v[1]) + (q.v[2] + q.v[3]);
}

/// Part of a donor's `content` that moves to the next cell, from the weighted sum g over its neighbours.
__device__ inline float clamp_flux(float g, float content) { return fminf(fmaxf(g, 0.0f), content); }
__device__ inline double clamp_flux(double g, double content) { return fmin(fmax(g, 0.0), content); }

/// Number of donor cells that the remap of a quad in x reads.
inline constexpr int kQuadDonors = 4 + physics::kRemapTaps;

/// Part of donor[2] that moves to the next cell.
template <typename T>
__device__ inline T donor_flux(const T* donor, const T (&c)[physics::kRemapTaps]) {
  return clamp_flux(c[0] * donor[0] + c[1] * donor[1] + c[2] * donor[2] + c[3] * donor[3] + c[4] * donor[4], donor[2]);
}

/// The four columns of a quad after the remap, from donor[2] … donor[6] and their neighbours.
template <typename T>
__device__ inline Quad<T> remap_quad(const T* donor, const T (&c)[physics::kRemapTaps]) {
  T before = donor_flux(donor, c);
  Quad<T> moved;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const T passed = donor_flux(donor + j + 1, c);
    moved.v[j] = (donor[j + 3] - passed) + before;
    before = passed;
  }
  return moved;
}

/// Whether the remap by `whole` cells reads beyond the end of the row through which content leaves. donor[0] is in
/// column `first`; the row has `n` cells.
__device__ inline bool reads_behind(int first, int n, int whole) {
  return whole < 0 ? first < 0 : first + kQuadDonors > n;
}

/// The remap of a quad if reads_behind(). Cells beyond the end repeat the last cell (see remap_neighbour), but pass on
/// no protons.
template <typename T>
__device__ inline Quad<T> remap_quad_behind(T* donor, const T (&c)[physics::kRemapTaps], int first, int n, int whole) {
  const int last = (whole < 0 ? 0 : n - 1) - first;  // index of the row's last cell
  const auto behind = [&](int m) { return whole < 0 ? m < last : m > last; };
#pragma unroll
  for (int m = 1; m < kQuadDonors; ++m) {
    if (whole >= 0 && m > last) donor[m] = donor[m - 1];
  }
#pragma unroll
  for (int m = kQuadDonors - 2; m >= 0; --m) {
    if (whole < 0 && m < last) donor[m] = donor[m + 1];
  }
  T before = behind(2) ? T(0) : donor_flux(donor, c);
  Quad<T> moved;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const T passed = behind(j + 3) ? T(0) : donor_flux(donor + j + 1, c);
    const T content = behind(j + 3) ? T(0) : donor[j + 3];
    moved.v[j] = (content - passed) + before;
    before = passed;
  }
  return moved;
}

}  // namespace bb::transport
