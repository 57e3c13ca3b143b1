#pragma once

#include <cmath>

#include "physics/hd.hpp"

namespace bb::diffraction {

/// Structure factors F of the reflections in a box of indices, and `other` for reflections outside. The table, on the
/// host or on the device, is owned by the caller.
template <typename T>
struct FactorBox {
  T other = 0;
  int h0 = 0, k0 = 0, l0 = 0;
  unsigned nh = 0, nk = 0, nl = 0;
  const T* table = nullptr;  // [h][k][l]

  BB_HD T nearest(int h, int k, int l) const {
    const unsigned i = static_cast<unsigned>(h - h0), j = static_cast<unsigned>(k - k0),
                   m = static_cast<unsigned>(l - l0);
    if (i >= nh || j >= nk || m >= nl) return other;
    return table[(static_cast<unsigned long long>(i) * nk + j) * nl + m];
  }

  /// F between reflections: cubic interpolation over the four nearest along each axis.
  BB_HD T tricubic(double h, double k, double l) const {
    const Weights wh(h), wk(k), wl(l);
    T sum = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        T line = 0;
        for (int m = 0; m < 4; ++m) line += wl.w[m] * nearest(wh.first + i, wk.first + j, wl.first + m);
        sum += wh.w[i] * wk.w[j] * line;
      }
    }
    return sum;
  }

 private:
  /// Lagrange weights of the nodes -1, 0, 1, 2 at the fractional part of the index.
  struct Weights {
    int first;  // index of the first of the four reflections
    T w[4];

    BB_HD explicit Weights(double x) {
      const double whole = std::floor(x);
      const T t = static_cast<T>(x - whole);
      first = static_cast<int>(whole) - 1;
      w[0] = -t * (t - T(1)) * (t - T(2)) / T(6);
      w[1] = (t + T(1)) * (t - T(1)) * (t - T(2)) / T(2);
      w[2] = -(t + T(1)) * t * (t - T(2)) / T(2);
      w[3] = (t + T(1)) * t * (t - T(1)) / T(6);
    }
  };
};

}  // namespace bb::diffraction
