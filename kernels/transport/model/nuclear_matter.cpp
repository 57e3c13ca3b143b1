#include "nuclear_matter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace bb::transport {
namespace {

constexpr double kAvogadro_barn = 0.602214;    // N_A times 1 b, cm²/mol
constexpr double kHydrogenOfWater = 0.111894;  // mass fraction

}  // namespace

NuclearMatter::NuclearMatter(const Material& material, const std::vector<physics::NuclearTable>& tables) {
  if (material.elements.empty()) {
    throw ProblemError("invalid", "physics.nuclear = icru63: the composition of " + material.name + " is not known");
  }
  for (const ElementShare& share : material.elements) {
    if (share.symbol == "H") {
      hydrogen_ += share.mass_fraction / kHydrogenOfWater;
      continue;
    }
    try {
      const physics::Element& of = physics::element(share.symbol);
      const auto& table = *std::ranges::min_element(
          tables, {}, [&](const physics::NuclearTable& t) { return std::abs(t.of().z - of.z); });
      const double scale = std::pow(of.weight / table.of().weight, 2.0 / 3.0);
      const double per_gram_barn = share.mass_fraction * scale * kAvogadro_barn / of.weight;
      const auto known = std::ranges::find(nuclei_, &table, &Nucleus::table);
      if (known == nuclei_.end()) {
        nuclei_.push_back({&table, per_gram_barn});
      } else {
        known->per_gram_barn += per_gram_barn;
      }
    } catch (const std::invalid_argument& error) {
      throw ProblemError("invalid", "composition of " + material.name + ": " + error.what());
    }
  }
}

double NuclearMatter::proton_proton(double energy) const { return hydrogen_ * physics::water_proton_proton(energy); }

double NuclearMatter::emitting(double energy) const {
  double sum = proton_proton(energy);
  for (const auto& [table, per_gram_barn] : nuclei_) sum += per_gram_barn * table->nonelastic(energy);
  return sum;
}

double NuclearMatter::elastic(double energy) const {
  double sum = 0.0;
  for (const auto& [table, per_gram_barn] : nuclei_) sum += per_gram_barn * table->elastic(energy);
  return sum;
}

std::shared_ptr<const std::vector<physics::NuclearTable>> nuclear_tables(const Problem& problem) {
  using Tables = std::shared_ptr<const std::vector<physics::NuclearTable>>;
  static std::mutex mutex;
  static std::pair<std::vector<NuclearText>, Tables> kept;
  {
    const std::scoped_lock lock(mutex);
    if (kept.second && kept.first == problem.nuclear_texts) return kept.second;
  }
  std::vector<physics::NuclearTable> tables;
  try {
    for (const NuclearText& file : problem.nuclear_texts) tables.emplace_back(*file.text, file.name);
  } catch (const std::invalid_argument& error) {
    throw ProblemError("invalid", error.what());
  }
  if (tables.empty()) throw ProblemError("invalid", "physics.nuclear = icru63: no reaction tables were given");
  auto made = std::make_shared<const std::vector<physics::NuclearTable>>(std::move(tables));
  const std::scoped_lock lock(mutex);
  kept = {problem.nuclear_texts, made};
  return made;
}

}  // namespace bb::transport
