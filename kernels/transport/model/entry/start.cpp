#include "start.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "beam_energies.hpp"
#include "physics/moment_kernel.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

// Standard deviation, in cells, of the narrowest beam that the remap can move without clipping much of its shape. For
// 70 MeV at half its range, the clamp then adds 0.9 % to σ_x with cells of 0.25 mm, and 2.3 % with 0.5 mm. With 0.6
// cells, which is a row of three cells and not yet a Gaussian, it adds 3 % and 12 %.
constexpr double kNarrowestBeam = 0.8;
// Minimum for a tilted beam. Its row is remapped sideways in every step, and the remap widens a narrow row. With this
// minimum the remap adds 0.4 cells² of variance instead of 1.4 (90 MeV, 30 degrees). Readouts subtract the variance
// that the minimum adds to the start.
constexpr double kNarrowestTilted = 1.25;
constexpr double kStraight = 1e-9;  // a beam counts as straight below this sine of its angle

using Shares = std::array<double, kFaces>;

struct Spot {
  const Beam* beam;
  const Entry* entry;
};

auto spectrum_of(const Spot& s) {
  return std::tuple(s.beam->energy, s.beam->energy_sigma, s.entry->medium, s.entry->path);
}
auto profile_of(const Spot& s) {
  return std::tuple(s.beam->x, s.beam->angle, s.beam->x_sigma, s.beam->angle_sigma, s.beam->focus, s.entry->path);
}

/// Spectrum of a spot at the first node.
BeamEnergies energies_of(const Spot& spot, const EnergyGrid& grid) {
  const auto& [beam, entry] = spot;
  if (beam->energy_sigma > 0.0) {
    return beam_energies(
        grid, beam->energy, beam->energy_sigma,
        [&](double energy) { return entry->path > 0.0 ? entry->medium->energy_after(energy, entry->path) : energy; },
        [&](double energy) { return entry->path > 0.0 ? entry->medium->energy_before(energy, entry->path) : energy; });
  }
  return {one_energy(grid, entry->energy), beam->energy};
}

/// Angles and columns of one spot.
class Profile {
 public:
  Profile(const Problem& p, const Spot& spot, const StartAxes& axes) : p_(p), spot_(spot), axes_(axes) {
    const Beam& beam = *spot.beam;
    const double theta_bins = (beam.angle - axes.theta.front()) / p.grid.dtheta;
    const double sigma_bins = beam.angle_sigma / p.grid.dtheta;
    const double snapped = std::abs(theta_bins - std::round(theta_bins)) < 1e-9 ? std::round(theta_bins) : theta_bins;
    const physics::MomentKernel kernel = physics::moment_kernel(snapped, sigma_bins * sigma_bins);
    angle.assign(axes.theta.size(), 0.0);
    const int ntheta = static_cast<int>(axes.theta.size());
    for (std::size_t i = 0; i < kernel.weights.size(); ++i) {
      const int bin = kernel.first + static_cast<int>(i);
      if (bin >= 0 && bin < ntheta) {
        angle[u(bin)] = kernel.weights[i];
      } else {
        beside_angles_[bin < 0 ? kThetaLow : kThetaHigh] += kernel.weights[i];
      }
    }
    sigma_ = std::max(width_of_direction(beam) / p.grid.dx, narrowest_cells(beam));
  }

  /// Variance in mm² of the profile in excess of the spot's.
  double added_variance() const {
    const double width = width_of_direction(*spot_.beam);
    return sigma_ * sigma_ * p_.grid.dx * p_.grid.dx - width * width;
  }

  /// Path from the entrance to the middle of the first step. The content at the first node has this path.
  double node_path() const {
    const double step = p_.stepping == Stepping::kDepth ? p_.grid.dz : p_.step * std::cos(p_.beam.angle);
    return spot_.entry->path + 0.5 * step / std::cos(spot_.beam->angle);
  }

  /// Calls put(a, x, share) for every cell of the spot after `path`. Returns the shares outside the grid.
  template <typename Put>
  Shares cover(double path, Put&& put) const {
    Shares outside = beside_angles_;
    for (std::size_t a = 0; a < angle.size(); ++a) {
      if (angle[a] == 0.0) continue;
      const Beam& beam = *spot_.beam;
      // The axes of all directions in the beam intersect at the focus.
      const double aside = std::sin(axes_.theta[a]) - std::sin(beam.angle);
      const double x = beam.x + path * std::sin(axes_.theta[a]) - beam.focus * aside;
      const double cell = x / p_.grid.dx + 0.5 * axes_.nx - 0.5;
      const physics::MomentKernel spread = physics::moment_kernel(cell, sigma_ * sigma_);
      for (std::size_t i = 0; i < spread.weights.size(); ++i) {
        const int bin = spread.first + static_cast<int>(i);
        if (bin >= 0 && bin < axes_.nx) {
          put(a, u(bin), spread.weights[i]);
        } else {
          outside[bin < 0 ? kXLow : kXHigh] += angle[a] * spread.weights[i];
        }
      }
    }
    // Smaller sums are rounding errors of the weights.
    return std::accumulate(outside.begin(), outside.end(), 0.0) > 1e-12 ? outside : Shares{};
  }

  std::vector<double> angle;

 private:
  const Problem& p_;
  const Spot& spot_;
  const StartAxes& axes_;
  Shares beside_angles_{};
  double sigma_ = 0;
};

/// Adds the parts of several spots to a Start.
class StartBuilder {
 public:
  StartBuilder(const Problem& p, const EnergyGrid& grid, const StartAxes& axes, Start& start)
      : p_(p), grid_(grid), axes_(axes), start_(start) {}

  /// Adds one part for spots of the same profile, or of the same spectrum if `same_energies`.
  void add(std::span<const Spot> spots, bool same_energies) {
    Start::Part part;
    part.energy.assign(axes_.energy.size(), 0.0);
    part.angle.assign(axes_.theta.size(), 0.0);
    part.x.assign(axes_.theta.size() * u(axes_.nx), 0.0);
    const bool mixed = same_energies && spots.size() > 1;
    double weights = 0.0;
    for (const Spot& spot : spots) weights += spot.beam->weight;
    for (const Spot& spot : spots) {
      const BeamEnergies energies = energies_of(spot, grid_);
      const double mean_energy = add_energies(spot, energies, part);
      const Profile profile(p_, spot, axes_);
      if (mixed) {
        mix_profile(profile, spot.beam->weight / weights, part);
      } else if (&spot == spots.data()) {
        set_profile(profile, part);
      }
      count(spot, profile, energies, mean_energy);
    }
    // Divides the columns by the share of their angle.
    if (mixed) {
      for (std::size_t a = 0; a < part.angle.size(); ++a) {
        const auto row = std::span(part.x).subspan(a * u(axes_.nx), u(axes_.nx));
        for (double& x : row) x = part.angle[a] > 0.0 ? x / part.angle[a] : 0.0;
      }
    }
    start_.parts.push_back(std::move(part));
  }

 private:
  double add_energies(const Spot& spot, const BeamEnergies& energies, Start::Part& part) const {
    double mean = 0.0;
    for (std::size_t e = 0; e < part.energy.size(); ++e) {
      const double protons = spot.beam->weight * energies.share[e];
      part.energy[e] += protons;
      mean += protons * axes_.energy[e];
    }
    return mean;
  }

  void set_profile(const Profile& profile, Start::Part& part) const {
    part.angle = profile.angle;
    profile.cover(profile.node_path(),
                  [&](std::size_t a, std::size_t x, double share) { part.x[a * u(axes_.nx) + x] = share; });
  }

  /// Adds the columns weighted by the shares of their angles.
  void mix_profile(const Profile& profile, double weight, Start::Part& part) const {
    for (std::size_t a = 0; a < part.angle.size(); ++a) part.angle[a] += weight * profile.angle[a];
    profile.cover(profile.node_path(), [&](std::size_t a, std::size_t x, double share) {
      part.x[a * u(axes_.nx) + x] += weight * profile.angle[a] * share;
    });
  }

  void count(const Spot& spot, const Profile& profile, const BeamEnergies& energies, double mean_energy) {
    const Beam& beam = *spot.beam;
    Start& s = start_;
    s.number_in += beam.weight;
    s.x_variance += beam.weight * profile.added_variance();
    const Shares missed = profile.cover(profile.node_path(), [](std::size_t, std::size_t, double) {});
    for (std::size_t face = 0; face < missed.size(); ++face) {
      s.missed[face] += beam.weight * missed[face];
      s.missed_energy[face] += mean_energy * missed[face];
    }
    const double entry = spot.entry->path <= 0.0   ? 0.0
                         : beam.energy_sigma > 0.0 ? beam.weight * energies.mean_at_entrance - mean_energy
                                                   : beam.weight * (beam.energy - spot.entry->energy);
    s.energy_in += mean_energy + entry;
    if (!(entry > 0.0)) return;
    const Shares beside = profile.cover(0.5 * spot.entry->path, [&](std::size_t a, std::size_t x, double share) {
      s.entry_dose[x] += entry * profile.angle[a] * share;
    });
    s.entry_deposit += entry;
    for (std::size_t face = 0; face < beside.size(); ++face) {
      s.missed_energy[face] += entry * beside[face];
      s.entry_deposit -= entry * beside[face];
    }
  }

  const Problem& p_;
  const EnergyGrid& grid_;
  const StartAxes& axes_;
  Start& start_;
};

/// Groups spots by `key`, in the order of the keys.
template <typename Key>
auto grouped(const std::vector<Spot>& spots, Key key) {
  std::map<decltype(key(spots.front())), std::vector<Spot>> groups;
  for (const Spot& spot : spots) groups[key(spot)].push_back(spot);
  return groups;
}

}  // namespace

bool is_tilted(const Beam& beam) { return std::abs(std::sin(beam.angle)) > kStraight; }

double width_of_direction(const Beam& beam) {
  const double spread = beam.focus * beam.angle_sigma;
  return std::sqrt(std::max(0.0, beam.x_sigma * beam.x_sigma - spread * spread));
}

double narrowest_cells(const Beam& beam) { return is_tilted(beam) ? kNarrowestTilted : kNarrowestBeam; }

bool Start::holds(int e) const {
  return std::ranges::any_of(parts, [e](const Part& part) { return part.energy[u(e)] != 0.0; });
}

bool Start::add(int e, int a, std::span<double> row) const {
  bool any = false;
  for (const Part& part : parts) {
    if (part.energy[u(e)] == 0.0 || part.angle[u(a)] == 0.0) continue;
    any = true;
    const double weight = part.energy[u(e)] * part.angle[u(a)];
    const double* x = &part.x[u(a) * row.size()];
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += weight * x[i];
  }
  return any;
}

Start::Extent Start::extent() const {
  const int ntheta = parts.empty() ? 0 : static_cast<int>(parts.front().angle.size());
  const int nx = ntheta == 0 ? 0 : static_cast<int>(parts.front().x.size()) / ntheta;
  Extent out{ntheta, 0, nx, 0};
  for (const Part& part : parts) {
    for (int a = 0; a < ntheta; ++a) {
      if (part.angle[u(a)] == 0.0) continue;
      out.a0 = std::min(out.a0, a);
      out.a1 = std::max(out.a1, a + 1);
      for (int x = 0; x < nx; ++x) {
        if (part.x[u(a) * u(nx) + u(x)] == 0.0) continue;
        out.x0 = std::min(out.x0, x);
        out.x1 = std::max(out.x1, x + 1);
      }
    }
  }
  return out;
}

std::vector<double> Start::spectrum() const {
  std::vector<double> sum;
  for (const Part& part : parts) {
    sum.resize(part.energy.size());
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += part.energy[e];
  }
  return sum;
}

std::span<const Beam> spots_of(const Problem& problem) {
  if (problem.spots.empty()) return {&problem.beam, 1};
  return problem.spots;
}

void build_start(const Problem& problem, const EnergyGrid& grid, std::span<const Beam> beams,
                 std::span<const Entry> entries, const StartAxes& axes, Start& start) {
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < beams.size(); ++i) {
    if (beams[i].weight > 0.0) spots.push_back({&beams[i], &entries[i]});
  }
  // The spots are sorted, so that sums do not depend on the order of the list.
  std::ranges::sort(spots, {}, [](const Spot& s) {
    return std::tuple_cat(spectrum_of(s), profile_of(s), std::tuple(s.beam->weight));
  });
  start.entry_dose.assign(u(axes.nx), 0.0);
  StartBuilder collector(problem, grid, axes, start);
  const auto by_energy = grouped(spots, spectrum_of);
  const auto by_profile = grouped(spots, profile_of);
  if (by_energy.size() < by_profile.size()) {
    for (const auto& [key, group] : by_energy) collector.add(group, true);
  } else {
    for (const auto& [key, group] : by_profile) collector.add(group, false);
  }
  start.x_variance /= start.number_in;
}

}  // namespace bb::transport
