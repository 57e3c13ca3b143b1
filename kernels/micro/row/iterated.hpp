#pragma once

namespace bb::micro {

/// y = y r + t, `work` times: arithmetic without memory, which three rows run.
inline double iterated(double y, int work) {
  for (int w = 0; w < work; ++w) y = y * 0.984375 + 0.0078125;
  return y;
}
inline constexpr double kIteratedLimit = 0x1p-24 * 64;  // a step forgets a 64th of the error

}  // namespace bb::micro
