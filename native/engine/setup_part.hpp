#pragma once

#include <string>

namespace bb::engine {

/// One part of what a run's preparation took.
struct SetupPart {
  std::string name;
  double seconds;
};

}  // namespace bb::engine
