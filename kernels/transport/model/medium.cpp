#include "medium.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "physics/scattering.hpp"
#include "physics/straggling.hpp"

namespace bb::transport {
namespace {

constexpr std::size_t kMostTables = 256;

/// Building a table takes a millisecond, and a process solves the same materials again and again: tables are kept by
/// content. Threads share them; what nobody uses goes first where there are too many.
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

Medium::Medium(const Material& m) : material(m), kept(table_of(m)), table(*kept) {}

double scattering_power(const Problem& problem, const Material& material, const physics::StoppingTable& water,
                        double energy) {
  switch (problem.scattering) {
    case Scattering::kGottschalk:
      return physics::gottschalk_power(energy, problem.beam.energy, material.xs);
    case Scattering::kFermiRossi:
      return physics::fermi_rossi_power(energy, material.x0);
    case Scattering::kHighland: {
      // Thickness so far, as water: a function of energy alone, so that it needs no history.
      const double lengths = (water.range(problem.beam.energy) - water.range(energy)) / problem.materials[0].x0;
      return physics::highland_power(energy, lengths, material.x0);
    }
    case Scattering::kOff:
      break;
  }
  return 0.0;
}

double straggling_variance(const Problem& problem, const Medium& medium, double middle, double after, double path_mm) {
  if (problem.straggling == Straggling::kOff || after <= 0.0) return 0.0;
  const double gained = physics::bohr_straggling(middle, medium.material.z_over_a) * medium.thickness(path_mm);
  // The spread gained half-way grows with dE'/dE = S(E')/S(E) of the medium on the way to the end.
  const double stretch = medium.table.stopping(after) / medium.table.stopping(middle);
  return gained * stretch * stretch;
}

}  // namespace bb::transport
