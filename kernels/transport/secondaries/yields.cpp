#include "yields.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kSubdivisions = 24;  // of a tabulated interval of emission energies

/// Numbers by bin while they are added up.
class Sum {
 public:
  explicit Sum(std::span<const double> energies) : energies_(energies), number_(energies.size(), 0.0) {}

  /// Puts particles of `energy` on the two bins around it; below the lowest bin on that and on nothing. Keeps the energy.
  void add(double energy, double number) {
    if (energy <= energies_.front()) {
      number_.front() += number * energy / energies_.front();
      return;
    }
    const auto above = std::ranges::upper_bound(energies_, energy) - energies_.begin();
    const std::size_t low = std::min(u(static_cast<int>(above)) - 1, energies_.size() - 2);
    const double share = (energy - energies_[low]) / (energies_[low + 1] - energies_[low]);
    number_[low] += number * (1.0 - share);
    number_[low + 1] += number * share;
  }

  BinShares shares() const {
    const auto filled = [](double n) { return n != 0.0; };
    const auto first = std::ranges::find_if(number_, filled);
    const auto last = std::find_if(number_.rbegin(), number_.rend(), filled).base();
    if (first == number_.end()) return {};
    return {static_cast<int>(first - number_.begin()), std::vector<double>(first, last)};
  }

  double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < number_.size(); ++i) sum += number_[i] * energies_[i];
    return sum;
  }

 private:
  std::span<const double> energies_;
  std::vector<double> number_;
};

/// Adds particles of a spectrum whose u = 1 is `energy`.
void add_spectrum(const physics::Spectrum& spectrum, double energy, double weight, Sum& to) {
  constexpr double kWidth = 1.0 / ((physics::kEmissionPoints - 1) * kSubdivisions);
  for (std::size_t i = 0; i + 1 < spectrum.size(); ++i) {
    if (spectrum[i] == 0.0 && spectrum[i + 1] == 0.0) continue;
    for (int part = 0; part < kSubdivisions; ++part) {
      const double t = (part + 0.5) / kSubdivisions;
      const double density = spectrum[i] + t * (spectrum[i + 1] - spectrum[i]);
      to.add((static_cast<double>(i) + t) * kSubdivisions * kWidth * energy, weight * density * kWidth);
    }
  }
}

Yield yield_at(const NuclearMatter& matter, double energy, const SecondaryEnergies& energies) {
  Yield out;
  const double removal = matter.removal(energy);
  if (!(removal > 0.0)) {
    out.local = energy;
    return out;
  }
  Sum protons(energies.proton), deuterons(energies.deuteron);
  std::vector<Sum> deflected(physics::kElasticClasses, Sum(energies.proton));
  double inelastic = 0.0, stays = 0.0;  // MeV
  for (const auto& [table, per_gram_barn] : matter.nuclei()) {
    const physics::Emission emission = table->emission(energy);
    const double reacts = per_gram_barn * emission.cross_section / removal;
    add_spectrum(emission.protons, energy, reacts, protons);
    add_spectrum(emission.deuterons, energy, reacts, deuterons);
    inelastic += reacts * energy;
    stays += reacts * energy * (emission.alphas + emission.recoils);

    const physics::Deflection elastic = table->deflection(energy);
    const double scatters = per_gram_barn * elastic.cross_section / removal;
    for (std::size_t k = 0; k < elastic.share.size(); ++k) {
      const double number = scatters * elastic.share[k], recoil = energy * elastic.recoil[k];
      out.local += number * recoil;
      if (k < deflected.size()) {
        deflected[k].add(energy - recoil, number);
      } else {
        out.local += number * (energy - recoil);
      }
    }
  }
  out.local += stays;
  out.neutral = inelastic - stays - protons.energy() - deuterons.energy();

  // Both protons of a collision share its energy, each share being as likely.
  physics::Spectrum uniform{};
  uniform.fill(2.0);
  add_spectrum(uniform, energy, matter.proton_proton(energy) / removal, protons);

  out.protons = protons.shares();
  out.deuterons = deuterons.shares();
  for (std::size_t k = 0; k < deflected.size(); ++k) out.deflected[k] = deflected[k].shares();
  return out;
}

}  // namespace

SecondaryEnergies::SecondaryEnergies(const ReactionGrid& grid, const physics::StoppingTable& water)
    : proton(grid.energy) {
  for (int b = 0; b < grid.bins; ++b) deuteron.push_back(2.0 * water.energy_at((b + 0.5) * grid.spacing / 2.0));
}

std::vector<Yield> yields(const NuclearMatter& matter, const SecondaryEnergies& energies) {
  std::vector<Yield> out;
  for (const double energy : energies.proton) out.push_back(yield_at(matter, energy, energies));
  return out;
}

}  // namespace bb::transport
