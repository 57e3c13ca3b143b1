#pragma once

#include <string>
#include <vector>

#include "cpu/stopwatch.hpp"

namespace bb::engine {

/// One part of what a run's preparation took.
struct SetupPart {
  std::string name;
  double seconds;
};

/// Does `work` as a further part.
template <typename F>
void add_part(std::vector<SetupPart>& parts, const char* name, F&& work) {
  const cpu::Clock::time_point start = cpu::Clock::now();
  work();
  parts.push_back({name, cpu::seconds_since(start)});
}

}  // namespace bb::engine
