#include "yields.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kSubdivisions = 4;  // parts of a tabulated interval of emission energies
constexpr int kMomentPoints = 4000;
constexpr int kNodesPerRange = 12;  // nodes are 1/kNodesPerRange of their residual range apart

/// Accumulates numbers of particles by bin.
class Sum {
 public:
  explicit Sum(std::span<const double> energies, const MomentTable* moments = nullptr)
      : energies_(energies), number_(energies.size(), 0.0), moments_(moments) {}

  /// Adds particles of `energy` to the two nearest bins, or below the lowest bin to this bin alone with a reduced
  /// number. Energy is conserved.
  void add(double energy, double number) {
    if (moments_ != nullptr) {
      const MomentTable::Moments each = moments_->at(energy);
      for (std::size_t k = 0; k < exact_.size(); ++k) exact_[k] += number * each[k];
    }
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

  /// Moments of all added particles, without the rounding to bins.
  const MomentTable::Moments& exact() const { return exact_; }

  double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < number_.size(); ++i) sum += number_[i] * energies_[i];
    return sum;
  }

 private:
  std::span<const double> energies_;
  std::vector<double> number_;
  const MomentTable* moments_;
  MomentTable::Moments exact_{};
};

/// Subtracts the moments of binned particles.
void subtract(const BinShares& shares, std::span<const double> energies, const MomentTable& moments,
              MomentTable::Moments& from) {
  for (std::size_t i = 0; i < shares.number.size(); ++i) {
    const MomentTable::Moments each = moments.at(energies[u(shares.first) + i]);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] -= shares.number[i] * each[k];
  }
}

/// Sets the moments of protons' tracks that the bins of a yield do not contain. `exact` are the moments of all tracks.
void find_beyond(const MomentTable::Moments& exact, const SecondaryEnergies& energies, const MomentTable* moments,
                 Yield& out) {
  if (moments == nullptr) return;
  out.beyond_aside = out.beyond = exact;
  subtract(out.protons, energies.proton, *moments, out.beyond);
  subtract(out.ahead, energies.proton, *moments, out.beyond_aside);
  for (const BinShares& aside : out.aside) subtract(aside, energies.proton, *moments, out.beyond_aside);
}

/// Adds particles of a spectrum over u, where u = 1 is `energy`.
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

/// Yield of one reaction of a nucleus, times its cross section in barn.
Yield nucleus_yield(const physics::NuclearTable& table, double energy, const SecondaryEnergies& energies,
                    const MomentTable* moments) {
  Yield out;
  Sum protons(energies.proton, moments), ahead(energies.proton), wide(energies.proton), deuterons(energies.deuteron);
  const physics::Emission emission = table.emission(energy);
  const auto add_protons = [&](const physics::Spectrum& spectrum, Sum& to) {
    add_spectrum(spectrum, energy, emission.cross_section, to);
    add_spectrum(spectrum, energy, emission.cross_section, protons);
  };
  add_protons(emission.ahead, ahead);
  add_protons(emission.wide, wide);
  for (std::size_t k = 0; k < out.aside.size(); ++k) {
    Sum aside(energies.proton);
    add_protons(emission.aside[k], aside);
    out.aside[k] = aside.shares();
  }
  add_spectrum(emission.deuterons, energy, emission.cross_section, deuterons);
  out.ahead = ahead.shares();
  out.wide = wide.energy();
  const double stays = emission.cross_section * energy * (emission.alphas + emission.recoils);
  out.local += stays;
  out.neutral = emission.cross_section * energy - stays - protons.energy() - deuterons.energy();
  out.protons = protons.shares();
  out.deuterons = deuterons.shares();
  find_beyond(protons.exact(), energies, moments, out);
  return out;
}

/// Yield of one collision with a proton at rest. Both protons share the energy, and all shares are equally likely.
Yield collision_yield(double energy, const SecondaryEnergies& energies, const MomentTable* moments) {
  constexpr int kParts = 400;
  Sum protons(energies.proton, moments), ahead(energies.proton), wide(energies.proton);
  std::vector<Sum> aside(physics::kAngleClasses, Sum(energies.proton));
  for (int part = 0; part < kParts; ++part) {
    const double share = (part + 0.5) / kParts, angle = physics::collision_angle(energy, share);
    const auto k = std::ranges::upper_bound(physics::kAngleBounds, angle) - physics::kAngleBounds.begin();
    Sum& to = k == 0 ? ahead : k > physics::kAngleClasses ? wide : aside[static_cast<std::size_t>(k) - 1];
    to.add(share * energy, 2.0 / kParts);
    protons.add(share * energy, 2.0 / kParts);
  }
  Yield out;
  out.ahead = ahead.shares();
  out.wide = wide.energy();
  out.protons = protons.shares();
  for (std::size_t k = 0; k < aside.size(); ++k) out.aside[k] = aside[k].shares();
  find_beyond(protons.exact(), energies, moments, out);
  return out;
}

/// Adds `weight` times `from` to `to`.
void accumulate(const BinShares& from, double weight, BinShares& to) {
  if (from.number.empty()) return;
  if (to.number.empty()) to.first = from.first;
  const int begin = std::min(to.first, from.first);
  const auto end_of = [](const BinShares& shares) { return shares.first + static_cast<int>(shares.number.size()); };
  const int end = std::max(end_of(to), end_of(from));
  to.number.insert(to.number.begin(), u(to.first - begin), 0.0);
  to.first = begin;
  to.number.resize(u(end - begin), 0.0);
  for (std::size_t i = 0; i < from.number.size(); ++i) to.number[u(from.first - begin) + i] += weight * from.number[i];
}

void accumulate(const Yield& from, double weight, Yield& to) {
  accumulate(from.protons, weight, to.protons);
  accumulate(from.ahead, weight, to.ahead);
  for (std::size_t k = 0; k < to.aside.size(); ++k) accumulate(from.aside[k], weight, to.aside[k]);
  to.wide += weight * from.wide;
  accumulate(from.deuterons, weight, to.deuterons);
  to.local += weight * from.local;
  to.neutral += weight * from.neutral;
  for (std::size_t k = 0; k < to.beyond.size(); ++k) {
    to.beyond[k] += weight * from.beyond[k];
    to.beyond_aside[k] += weight * from.beyond_aside[k];
  }
}

}  // namespace

std::vector<int> emission_nodes(int bins) {
  std::vector<int> nodes;
  for (int b = 0; b < bins - 1; b += std::max(1, b / kNodesPerRange)) nodes.push_back(b);
  nodes.push_back(bins - 1);
  return nodes;
}

MomentTable::MomentTable(const physics::TrackMoments& moments, double highest)
    : step_(std::sqrt(highest) / kMomentPoints) {
  for (int i = 0; i <= kMomentPoints + 1; ++i) {
    Moments each{};
    const double energy = i * i * step_ * step_;
    for (int k = 0; k < physics::TrackMoments::kCount; ++k) each[u(k)] = moments.at(k, energy);
    values_.push_back(each);
  }
}

MomentTable::Moments MomentTable::at(double energy) const {
  const double place = std::min(std::sqrt(energy) / step_, static_cast<double>(kMomentPoints));
  const std::size_t low = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(low);
  Moments out{};
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = values_[low][k] + share * (values_[low + 1][k] - values_[low][k]);
  }
  return out;
}

SecondaryEnergies::SecondaryEnergies(const ReactionGrid& grid, const physics::StoppingTable& water)
    : proton(grid.energy) {
  for (int b = 0; b < grid.bins; ++b) deuteron.push_back(2.0 * water.energy_at((b + 0.5) * grid.spacing / 2.0));
}

NucleusYields::NucleusYields(std::span<const NuclearMatter> matters, const SecondaryEnergies& energies,
                             std::vector<int> nodes, const Tasks& tasks, const MomentTable* moments)
    : energies_(energies), nodes_(std::move(nodes)), collisions_(nodes_.size()) {
  for (const NuclearMatter& matter : matters) {
    for (const NuclearMatter::Nucleus& nucleus : matter.nuclei()) nuclei_[nucleus.table].resize(nodes_.size());
  }
  tasks(static_cast<int>(nodes_.size()), [&](int node) {
    const double energy = energies.proton[u(nodes_[u(node)])];
    for (auto& [table, yields] : nuclei_) yields[u(node)] = nucleus_yield(*table, energy, energies, moments);
    collisions_[u(node)] = collision_yield(energy, energies, moments);
  });
}

std::vector<Yield> NucleusYields::of(const NuclearMatter& matter) const {
  std::vector<Yield> out;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    Yield& yield = out.emplace_back();
    const double energy = energies_.proton[u(nodes_[node])], emitting = matter.emitting(energy);
    if (!(emitting > 0.0)) {
      yield.local = energy;
      continue;
    }
    for (const auto& [table, per_gram_barn] : matter.nuclei()) {
      accumulate(nuclei_.at(table)[node], per_gram_barn / emitting, yield);
    }
    accumulate(collisions_[node], matter.proton_proton(energy) / emitting, yield);
  }
  return out;
}

std::vector<ElasticProducts> elastic_scattering(const NuclearMatter& matter, const SecondaryEnergies& energies) {
  std::vector<ElasticProducts> out;
  for (const double energy : energies.proton) {
    ElasticProducts& to = out.emplace_back();
    const double all = matter.elastic(energy);
    if (!(all > 0.0)) {
      to.local = energy;
      continue;
    }
    std::vector<Sum> deflected(physics::kAngleClasses, Sum(energies.proton));
    for (const auto& [table, per_gram_barn] : matter.nuclei()) {
      const physics::Deflection elastic = table->deflection(energy);
      for (int k = 0; k <= physics::kAngleClasses; ++k) {
        const double number = per_gram_barn / all * elastic.cross_section * elastic.share[u(k)];
        const double recoil = energy * elastic.recoil[u(k)];
        to.local += number * (k < physics::kAngleClasses ? recoil : energy);
        if (k < physics::kAngleClasses && number > 0.0) deflected[u(k)].add(energy - recoil, number);
      }
    }
    for (int k = 0; k < physics::kAngleClasses; ++k) {
      const BinShares shares = deflected[u(k)].shares();
      for (std::size_t i = 0; i < shares.number.size(); ++i) {
        to.landings.push_back({k, shares.first + static_cast<int>(i), shares.number[i]});
        to.reach[u(k)] = std::max(to.reach[u(k)], shares.first + static_cast<int>(i) + 1);
      }
    }
  }
  return out;
}

}  // namespace bb::transport
