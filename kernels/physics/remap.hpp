#pragma once

#include "hd.hpp"

// Conservative remap of a row of cells that moves by `shift` cells, in flux form: donor cell i passes the part G_i to
// cell i + whole + 1 and the rest P_i - G_i to cell i + whole. G comes from a quintic through the cumulative content at
// the six faces around the donor (fifth order; content, mean and variance of a smooth row are exact), clamped to [0,
// P_i]. So no cell turns negative, and the content is conserved. The clamp acts only where the row is narrower than the
// grid resolves. The first-order remap G = f·P (bilinear streaming of the earlier solver) has the same form.
namespace bb::physics {

inline constexpr int kRemapReach = 2;  // cells on either side of the donor cell on which its flux depends
inline constexpr int kRemapTaps = 2 * kRemapReach + 1;

/// Shift in cells: shift = whole + fraction with 0 < fraction <= 1, or both 0.
struct RemapShift {
  int whole;
  double fraction;
};

BB_HD inline RemapShift split_shift(double shift) {
  const double nearest = shift < 0.0 ? -static_cast<double>(static_cast<long long>(0.5 - shift))
                                     : static_cast<double>(static_cast<long long>(shift + 0.5));
  const double off = shift - nearest;
  if (off < 1e-9 && off > -1e-9) return {static_cast<int>(nearest), 0.0};
  const int whole = static_cast<int>(nearest) - (off < 0.0 ? 1 : 0);
  return {whole, shift - whole};
}

/// Index of the cell that a remap by `whole` cells and a fraction reads for cell i of a row of `n`; -1 if it reads
/// none. Beyond the end through which content leaves, the last cell is repeated, so that the content appears to
/// continue. Zeros would be a step, at which the quintic and the clamp hold content back. Beyond the other end the row
/// is empty, so no content enters.
BB_HD inline int remap_neighbour(int i, int n, int whole) {
  if (i < 0) return whole < 0 ? 0 : -1;
  if (i >= n) return whole < 0 ? -1 : n - 1;
  return i;
}

/// Weights c[m] of the donor and its neighbours i - 2 … i + 2 in G_i before the clamp.
BB_HD inline void remap_weights(double fraction, bool high_order, double c[kRemapTaps]) {
  for (int m = 0; m < kRemapTaps; ++m) c[m] = 0.0;
  if (!high_order) {
    c[kRemapReach] = fraction;
    return;
  }
  // Lagrange weights of the faces -2.5 … 2.5 (in units of cells from the donor's centre) at the
  // departure face 0.5 - fraction; the cumulative content at face n is the sum of the cells below it.
  const double x = 0.5 - fraction;
  double face[kRemapTaps + 1];
  for (int a = 0; a <= kRemapTaps; ++a) {
    double l = 1.0;
    for (int b = 0; b <= kRemapTaps; ++b) {
      if (b != a) l *= (x - (b - 2.5)) / static_cast<double>(a - b);
    }
    face[a] = l;
  }
  // G = C(0.5) - Σ_a face[a] C_a, with C_a the sum of the cells below face a: collect the terms per cell.
  for (int m = 0; m < kRemapTaps; ++m) {
    double above = 0.0;  // Σ of weights of the faces above cell m
    for (int a = m + 1; a <= kRemapTaps; ++a) above += face[a];
    c[m] = (m <= kRemapReach ? 1.0 : 0.0) - above;
  }
}

/// Part of the donor's content `p` that moves to the next cell; m2 … p2 are the contents of its neighbours.
template <typename T>
BB_HD inline T remap_flux(T m2, T m1, T p, T p1, T p2, const T* c) {
  const T g = c[0] * m2 + c[1] * m1 + c[2] * p + c[3] * p1 + c[4] * p2;
  const T low = g > T(0) ? g : T(0);
  return low < p ? low : p;
}

}  // namespace bb::physics
