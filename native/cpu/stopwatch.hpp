#pragma once

#include <chrono>

namespace bb::cpu {

using Clock = std::chrono::steady_clock;

/// Wall time in seconds.
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace bb::cpu
