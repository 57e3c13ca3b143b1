#pragma once

namespace bb::cuda {

/// Headers that kernel sources may include with angle brackets, since NVRTC has no C++ standard library. NVRTC's
/// built-in mathematics is in the global namespace; these headers add to `std::` the names that shared host and device
/// code uses.
struct StandardHeader {
  const char* name;
  const char* text;
};

inline constexpr StandardHeader kStandardHeaders[] = {
    {"cstddef", "#pragma once\nnamespace std { using size_t = ::size_t; using ptrdiff_t = ::ptrdiff_t; }\n"},
    {"cstdint", R"(#pragma once
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned int;
using int64_t = long long; using uint64_t = unsigned long long;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
)"},
    // printf is built into NVRTC.
    {"cstdio", "#pragma once\n"},
    {"cmath", R"(#pragma once
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::pow;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::erf; using ::erfc;
using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint; using ::fmod; using ::fma;
using ::fmin; using ::fmax; using ::copysign; using ::isfinite; using ::isnan; using ::isinf;
}
)"},
};

}  // namespace bb::cuda
