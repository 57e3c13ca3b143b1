#pragma once

#include <cmath>

#include "instruction_set.hpp"
#include "physics/hd.hpp"

namespace bb::diffraction::BB_ISA {

// sin(πx)/x and cos(πx) for |x| ≤ 1/2, as Taylor series in x² that end below the last digit: of branches and
// tables the compiler would make scalar code.

BB_HD inline double sine_over_x(double x) {
  const double y = x * x;
  double s = 5.392664662608127e-10;
  s = s * y - 2.2948428997269873e-08;
  s = s * y + 7.952054001475513e-07;
  s = s * y - 2.1915353447830217e-05;
  s = s * y + 0.00046630280576761255;
  s = s * y - 0.007370430945714351;
  s = s * y + 0.08214588661112823;
  s = s * y - 0.5992645293207921;
  s = s * y + 2.550164039877345;
  s = s * y - 5.16771278004997;
  return s * y + 3.141592653589793;
}

BB_HD inline double cosine(double x) {
  const double y = x * x;
  double c = -7.700707130601346e-11;
  c = c * y + 3.604730797462501e-09;
  c = c * y - 1.3878952462213771e-07;
  c = c * y + 4.303069587032947e-06;
  c = c * y - 0.00010463810492484571;
  c = c * y + 0.0019295743094039231;
  c = c * y - 0.02580689139001406;
  c = c * y + 0.2353306303588935;
  c = c * y - 1.3352627688545895;
  c = c * y + 4.058712126416768;
  c = c * y - 4.934802200544679;
  return c * y + 1.0;
}

BB_HD inline float sine_over_x(float x) {
  const float y = x * x;
  float s = 4.6630280576761255e-04f;
  s = s * y - 7.370430945714351e-03f;
  s = s * y + 8.214588661112823e-02f;
  s = s * y - 5.992645293207921e-01f;
  s = s * y + 2.550164039877345f;
  s = s * y - 5.16771278004997f;
  return s * y + 3.14159265358979f;
}

BB_HD inline float cosine(float x) {
  const float y = x * x;
  float c = -1.0463810492484571e-04f;
  c = c * y + 1.9295743094039231e-03f;
  c = c * y - 2.580689139001406e-02f;
  c = c * y + 2.353306303588935e-01f;
  c = c * y - 1.3352627688545895f;
  c = c * y + 4.058712126416768f;
  c = c * y - 4.934802200544679f;
  return c * y + 1.0f;
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
