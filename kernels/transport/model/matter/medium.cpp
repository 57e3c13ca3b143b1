#include "medium.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace bb::transport {
namespace {

constexpr std::size_t kMostTables = 256;

/// Building a table needs a millisecond, and a process solves the same materials repeatedly: tables are cached by
/// content. Threads share them; unused ones are evicted first if there are too many.
std::shared_ptr<const physics::StoppingTable> table_of(const Material& m) {
  using Content = std::pair<std::vector<double>, std::vector<double>>;
  static std::mutex mutex;
  static std::map<Content, std::shared_ptr<const physics::StoppingTable>> kept;
  Content content{{m.energies.begin(), m.energies.end()}, {m.stopping.begin(), m.stopping.end()}};
  {
    const std::scoped_lock lock(mutex);
    const auto found = kept.find(content);
    if (found != kept.end()) return found->second;
  }
  auto made = std::make_shared<const physics::StoppingTable>(m.energies, m.stopping);
  const std::scoped_lock lock(mutex);
  if (kept.size() >= kMostTables) std::erase_if(kept, [](const auto& each) { return each.second.use_count() == 1; });
  return kept.emplace(std::move(content), std::move(made)).first->second;
}

}  // namespace

Medium::Medium(const Material& m, const PathSoFar& path) : material(m), so_far(path), kept(table_of(m)), table(*kept) {}

ScatteringModel scattering_model(const Problem& problem, const physics::StoppingTable& water) {
  return {problem.scattering, problem.beam.energy, water.view(), problem.materials[0].x0};
}

double scattering_power(const Problem& problem, const Material& material, const physics::StoppingTable& water,
                        double energy) {
  return scattering_model(problem, water).power(energy, material.x0, material.xs);
}

double straggling_variance(const Problem& problem, const Medium& medium, double middle, double after, double path_mm) {
  return straggling_variance(problem.straggling, medium.table.view(), medium.material.z_over_a, middle, after,
                             medium.thickness(path_mm));
}

}  // namespace bb::transport
