#pragma once

namespace bb::engine {

/// Options for timing a run.
struct Measuring {
  double keep_every_s = 0.05;  // that a run on a GPU can lose with its device; infinity: all of it
  bool cold = false;           // caches are emptied before the first step
  bool graph_replay = false;   // launches are captured once and replayed as one graph
  bool unwatched = false;      // nobody looks at live frames: none are made
};

}  // namespace bb::engine
