#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/measuring.hpp"
#include "march.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Marches beams elsewhere than on the calling thread, for example on a GPU.
class Marcher {
 public:
  virtual ~Marcher() = default;

  /// Marches all `marches` to `depth` mm and calls March::take() of each.
  virtual void run(std::span<March* const> marches, double depth) = 0;
  virtual double device_seconds() const = 0;
  virtual double state_bytes() const = 0;
  virtual std::vector<engine::SetupPart> setup_parts() const = 0;
};

/// Creates the solver by moments. Without a marcher, the calling thread marches. With one, neither reactions nor tracks
/// are recorded.
std::unique_ptr<engine::Solver> make_moments(const Problem& problem, const Tables& tables,
                                             std::unique_ptr<Marcher> marcher = nullptr);

}  // namespace bb::transport
