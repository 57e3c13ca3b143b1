#include "sweep_matter.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "physics/straggling.hpp"
#include "transport/model/index.hpp"
#include "transport/model/nuclear_matter.hpp"

namespace bb::transport {
namespace {

using NuclearTables = std::shared_ptr<const std::vector<physics::NuclearTable>>;

std::vector<bool> used_materials(const Problem& problem, const Tables& tables) {
  std::array<bool, 256> present{};  // materials of the map
  for (const std::uint8_t m : tables.map) present[m] = true;
  std::vector<bool> used(problem.materials.size(), false);
  for (std::size_t m = 0; m < tables.origin.size(); ++m) {
    if (present[m]) used[tables.origin[m]] = true;
  }
  return used;
}

/// Inputs that determine a SweptMatter.
struct MatterKey {
  MatterKey(const Problem& problem, const Tables& tables)
      : materials(problem.materials),
        used(used_materials(problem, tables)),
        energy(tables.reactions.energy),
        spacing(tables.reactions.spacing),
        tracks(tables.tracks.on()),
        straggling(problem.straggling),
        nuclei(nuclear_tables(problem)) {}

  std::vector<Material> materials;
  std::vector<bool> used;
  std::vector<double> energy;  // energies of the bins
  double spacing;
  bool tracks;
  Straggling straggling;
  NuclearTables nuclei;

  bool operator==(const MatterKey&) const = default;
};

}  // namespace

SweptMatter::SweptMatter(const Problem& problem, const Tables& tables, const Tasks& tasks)
    : water(problem.materials[0].energies, problem.materials[0].stopping),
      energies(tables.reactions, water),
      nodes(emission_nodes(tables.reactions.bins)) {
  const ReactionGrid& grid = tables.reactions;
  const NuclearTables nuclear = nuclear_tables(problem);
  const std::vector<bool> used = used_materials(problem, tables);
  std::vector<NuclearMatter> all, present;
  for (const Material& material : problem.materials) {
    all.emplace_back(material, *nuclear);
    if (used[all.size() - 1]) present.push_back(all.back());
  }
  std::optional<MomentTable> in_water;
  if (tables.tracks.on()) {
    const double density = problem.materials[0].density;
    in_water.emplace(physics::TrackMoments(water, water, density), energies.proton.back());
  }
  const NucleusYields nuclei_yields(present, energies, nodes, tasks, in_water ? &*in_water : nullptr);
  for (const Material& material : problem.materials) {
    const NuclearMatter& nuclei = all[materials.size()];
    const physics::StoppingTable table(material.energies, material.stopping);
    SweptMaterial m;
    const double per_mm = 0.1 * material.density;
    for (int b = 0; b < grid.bins; ++b) {
      for (int kind = 0; kind < 2; ++kind) {
        // A deuteron slows down like a proton of the same speed, which has half of its energy.
        const double energy = kind == 0 ? energies.proton[u(b)] : 0.5 * energies.deuteron[u(b)];
        const double in_water_bins = water.stopping(energy) * grid.spacing;
        m.slowing[kind].push_back(per_mm * table.stopping(energy) / in_water_bins);
        m.straggling[kind].push_back(per_mm * physics::bohr_straggling(energy, material.z_over_a) /
                                     (in_water_bins * in_water_bins));
      }
      const double elastic = nuclei.elastic(energies.proton[u(b)]);
      const double removal = elastic + nuclei.emitting(energies.proton[u(b)]);
      m.removal.push_back(per_mm * removal);
      m.elastic.push_back(removal > 0.0 ? elastic / removal : 0.0);
    }
    if (in_water) {
      const physics::TrackMoments moments(water, table, material.density);
      for (int k = 0; k < TrackScores::kMoments; ++k) {
        for (const double energy : energies.proton) m.moments[u(k)].push_back(moments.at(k, energy));
        m.to_water[u(k)] = m.moments[u(k)].front() / in_water->at(energies.proton.front())[u(k)];
      }
    }
    if (problem.straggling == Straggling::kOff) {
      for (auto& each : m.straggling) std::ranges::fill(each, 0.0);
    }
    if (used[materials.size()]) {
      m.yields = nuclei_yields.of(nuclei);
      m.scattered = elastic_scattering(nuclei, energies);
    }
    stopping.push_back(m.slowing[0].back());
    materials.push_back(std::move(m));
  }
  for (int b = 0; b < grid.bins; ++b) {
    const auto above = std::ranges::upper_bound(nodes, b) - nodes.begin();
    const std::size_t low = std::min(static_cast<std::size_t>(above) - 1, nodes.size() - 2);
    const double from = energies.proton[u(nodes[low])], to = energies.proton[u(nodes[low + 1])];
    node_below.push_back(low);
    node_share.push_back((energies.proton[u(b)] - from) / (to - from));
  }
}

std::shared_ptr<const SweptMatter> swept_matter(const Problem& problem, const Tables& tables, const Tasks& tasks) {
  using Matter = std::shared_ptr<const SweptMatter>;
  static std::mutex mutex;
  static std::optional<std::pair<MatterKey, Matter>> last;
  MatterKey key(problem, tables);
  {
    const std::scoped_lock lock(mutex);
    if (last && last->first == key) return last->second;
  }
  auto made = std::make_shared<const SweptMatter>(problem, tables, tasks);
  const std::scoped_lock lock(mutex);
  last.emplace(std::move(key), made);
  return made;
}

Fluxes::Fluxes() {
  for (int i = 0; i <= kSteps; ++i) {
    physics::remap_weights(static_cast<double>(i) / kSteps, true, weights_[u(i)].data());
  }
}

void Fluxes::weights(double fraction, double* c) const {
  const double place = fraction * kSteps;
  const int low = std::min(static_cast<int>(place), kSteps - 1);
  const double share = place - low;
  for (std::size_t m = 0; m < physics::kRemapTaps; ++m) {
    c[m] = weights_[u(low)][m] + share * (weights_[u(low + 1)][m] - weights_[u(low)][m]);
  }
}

}  // namespace bb::transport
