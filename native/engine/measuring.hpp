#pragma once

#include <string>
#include <vector>

#include "cpu/stopwatch.hpp"

namespace bb::engine {

/// Interval between two progress reports of a run.
inline constexpr double kFrameSeconds = 1.0 / 60.0;

/// Options for timing a run.
struct TimingOptions {
  double keep_every_s = 0.05;  // interval between saved states of a run on a GPU; infinity: no states are saved
  bool cold = false;           // caches are emptied before the first step
  bool graph_replay = false;   // launches are captured once and replayed as one graph
  bool unwatched = false;      // live frames are not displayed, so none are made
};

/// Duration of one part of a run's preparation.
struct SetupPart {
  std::string name;
  double seconds;
};

/// Runs `work` and records its time as a further part.
template <typename F>
void add_part(std::vector<SetupPart>& parts, const char* name, F&& work) {
  const cpu::Clock::time_point start = cpu::Clock::now();
  work();
  parts.push_back({name, cpu::seconds_since(start)});
}

}  // namespace bb::engine
