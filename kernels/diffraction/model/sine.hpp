#pragma once

#include <cmath>

#include "instruction_set.hpp"
#include "physics/hd.hpp"

namespace bb::diffraction::BB_ISA {

// sin(πx)/x and cos(πx) for |x| ≤ 1/2, as polynomials in x² between the zeros of a Chebyshev polynomial, whose largest
// error is below the last digit: of branches and tables the compiler would make scalar code.

BB_HD inline double sine_over_x(double x) {
  const double y = x * x;
  double s = 7.697826768224191e-07;
  s = s * y - 2.1903497074626018e-05;
  s = s * y + 0.0004662998161898394;
  s = s * y - 0.007370430505916944;
  s = s * y + 0.0821458865731029;
  s = s * y - 0.5992645293189447;
  s = s * y + 2.5501640398773007;
  s = s * y - 5.167712780049969;
  return s * y + 3.141592653589793;
}

BB_HD inline double cosine(double x) {
  const double y = x * x;
  double c = -1.34352129509532e-07;
  c = c * y + 4.300724172734847e-06;
  c = c * y - 0.00010463741681752138;
  c = c * y + 0.0019295741872812349;
  c = c * y - 0.025806891376592964;
  c = c * y + 0.235330630357995;
  c = c * y - 1.3352627688545549;
  c = c * y + 4.058712126416768;
  c = c * y - 4.934802200544679;
  return c * y + 1.0;
}

BB_HD inline float sine_over_x(float x) {
  const float y = x * x;
  float s = 0.0776559123f;
  s = s * y - 0.598290411f;
  s = s * y + 2.55007739f;
  s = s * y - 5.16771008f;
  return s * y + 3.14159264f;
}

BB_HD inline float cosine(float x) {
  const float y = x * x;
  float c = -0.0243959321f;
  c = c * y + 0.234937069f;
  c = c * y - 1.33521195f;
  c = c * y + 4.05870915f;
  c = c * y - 4.93480214f;
  return c * y + 1.0f;
}

/// The same for |x| ≤ 1/4, with a coefficient less.
BB_HD inline float near_sine_over_x(float x) {
  const float y = x * x;
  float s = -0.589075099f;
  s = s * y + 2.54976696f;
  s = s * y - 5.16770782f;
  return s * y + 3.14159264f;
}

/// The nearest whole number; ties do not matter here.
BB_HD inline double whole(double x) {
#ifdef __CUDA_ARCH__
  // A GPU rounds at a quarter of the rate at which it adds: what is added leaves no digit behind the point.
  return (x + 6755399441055744.0) - 6755399441055744.0;
#else
  return std::rint(x);
#endif
}
BB_HD inline float whole(float x) { return std::rint(x); }

/// sin(x) of an FP32 argument in radians, right to the last digit for |x| up to 1e8: the error of a large phase is
/// in the argument.
BB_HD inline float sine_of(float x) {
#ifdef __CUDA_ARCH__
  return sinf(x);
#else
  const double turns = static_cast<double>(x) * 0.3183098861837907;
  const double n = whole(turns);
  const float rest = static_cast<float>(turns - n);
  const double half = 0.5 * n;
  const float sign = half == whole(half) ? 1.0f : -1.0f;
  return sign * rest * sine_over_x(rest);
#endif
}

}  // namespace bb::diffraction::BB_ISA
