#include "setup.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cpu/memory.hpp"
#include "crystal.hpp"
#include "physics/thomson.hpp"

namespace bb::diffraction {

Detector place_detector(const DetectorSpec& spec) {
  const auto turned = [&](Vec3 v) {
    return rotate(rotate_xyz(v, {spec.rotx, spec.roty, spec.rotz}), frame::kTwotheta, spec.twotheta);
  };
  Detector d{turned(frame::kFast), turned(frame::kSlow), turned(frame::kNormal), {}, 0.0};
  const double fast = spec.beam_y + 0.5 * spec.pixel, slow = spec.beam_x + 0.5 * spec.pixel;
  d.origin = spec.distance * frame::kBeam - fast * d.fast - slow * d.slow;
  d.close = dot(d.origin, d.normal);
  if (!(d.close > 0.0)) {
    throw ProblemError("invalid",
                       "detector: rotated so far that its face points away from the crystal (the distance of its plane "
                       "is " +
                           std::to_string(d.close * 1e3) + " mm; it must be above 0)");
  }
  return d;
}

int needed_oversampling(double edge, const DetectorSpec& spec, double wavelength) {
  // A fringe of width 1/edge needs three samples.
  const double pixels = 3.0 * edge * spec.pixel / (wavelength * spec.distance);
  return pixels > 1.0 ? static_cast<int>(std::ceil(pixels)) : 1;
}

namespace {

/// `points` values that are `range/(n-1)` apart, centred on 0.
struct Axis {
  double range;
  int points;

  double step() const { return points > 1 ? range / (points - 1) : 0.0; }
  double at(int i) const { return points > 1 ? step() * i - 0.5 * range : 0.0; }
  /// Term of one axis in the ellipse equation 4·Σ ≤ 1. With an even number of points, two of them straddle the centre.
  double square(int i) const {
    if (points < 2 || range == 0.0) return 0.0;
    const double half = points % 2 == 0 ? 0.25 * step() * step() : 0.0;
    return (at(i) * at(i) - half) / (range * range);
  }
};

/// Tolerance that keeps points on the axes of the ellipse despite rounding errors.
constexpr double kEllipse = 1.1;

/// Calls f(i, j) for the directions in the ellipse.
template <typename F>
void each_direction(const Axis& h, const Axis& v, F&& f) {
  for (int i = 0; i < h.points; ++i) {
    for (int j = 0; j < v.points; ++j) {
      if (4.0 * (h.square(i) + v.square(j)) <= kEllipse) f(i, j);
    }
  }
}

}  // namespace

std::vector<Source> make_sources(const Beam& beam) {
  const Axis h{beam.divergence_h, beam.divergence_h_steps}, v{beam.divergence_v, beam.divergence_v_steps};
  const Axis colour{beam.dispersion, beam.dispersion_steps};
  const Vec3 vertical = unit(cross(frame::kBeam, frame::kPolarisation));
  std::vector<Source> sources;
  each_direction(h, v, [&](int i, int j) {
    const Vec3 direction = rotate(rotate(frame::kBeam, frame::kPolarisation, v.at(j)), vertical, h.at(i));
    const Vec3 magnetic = unit(cross(frame::kPolarisation, direction));
    const Vec3 electric = unit(cross(direction, magnetic));
    for (int k = 0; k < colour.points; ++k) {
      sources.push_back({direction, beam.wavelength * (1.0 + colour.at(k)), magnetic, electric});
    }
  });
  return sources;
}

std::size_t count_sources(const Beam& beam) {
  std::size_t directions = 0;
  each_direction({beam.divergence_h, beam.divergence_h_steps}, {beam.divergence_v, beam.divergence_v_steps},
                 [&](int, int) { ++directions; });
  return directions * static_cast<std::size_t>(std::max(0, beam.dispersion_steps));
}

namespace {

/// Rejects a problem that needs more than `limit`. The message names the largest part of the memory, which the user can
/// reduce.
void check_memory_limit(double limit, const Problem& p, const Outline& o) {
  if (!(limit > 0.0) || o.bytes() <= limit) return;
  const auto times = [](std::initializer_list<int> factors) {
    std::string out;
    for (const int factor : factors) out += (out.empty() ? "" : " x ") + std::to_string(factor);
    return out;
  };
  struct MemoryPart {
    double bytes;
    std::string what;
  };
  const MemoryPart parts[] = {
      {o.image_bytes(), "detector.width = " + times({o.width, o.height}) + " pixels need "},
      {o.table_bytes(), "structure_factors: the indices span " + std::to_string(o.nh) + " x " + std::to_string(o.nk) +
                            " x " + std::to_string(o.nl) + " reflections, which need "},
      {o.source_bytes(), "beam.divergence_h_steps = " +
                             times({p.beam.divergence_h_steps, p.beam.divergence_v_steps, p.beam.dispersion_steps}) +
                             " directions and wavelengths need "},
      {o.orientation_bytes(),
       "crystal.mosaic_domains = " + times({p.crystal.mosaic_domains, p.rotation.steps}) + " orientations need "},
  };
  const MemoryPart& largest = *std::ranges::max_element(parts, {}, &MemoryPart::bytes);
  throw ProblemError("memory", largest.what + cpu::bytes_text(largest.bytes) + " of " + cpu::bytes_text(o.bytes()) +
                                   "; allowed: at most " + cpu::bytes_text(limit) + " together");
}

}  // namespace

Outline outline_of(const Problem& p) {
  const Crystal& crystal = p.crystal;
  const DetectorSpec& plate = p.detector;
  Outline o;
  o.width = plate.width;
  o.height = plate.height;
  o.detector = place_detector(plate);
  o.na = std::max(1, crystal.na);
  o.nb = std::max(1, crystal.nb);
  o.nc = std::max(1, crystal.nc);
  o.shape = crystal.shape;
  const Basis cell = mounted_cell(crystal);
  const double edge = std::max({length(cell.a) * o.na, length(cell.b) * o.nb, length(cell.c) * o.nc});
  o.oversample = plate.oversample > 0 ? plate.oversample : needed_oversampling(edge, plate, p.beam.wavelength);
  o.pixel = plate.pixel;
  o.subpixel = plate.pixel / o.oversample;
  if (plate.thickness > 0.0 && plate.attenuation_depth > 0.0) {
    o.layers = plate.layers;
    o.layer = plate.thickness / plate.layers;
    o.attenuation_depth = plate.attenuation_depth;
  }
  o.kahn = p.beam.polarisation;
  o.device = p.device;
  o.lookup = p.lookup;
  o.corrections = plate.corrections;
  o.source_count = count_sources(p.beam);
  o.domain_count = static_cast<std::size_t>(std::max(0, crystal.mosaic_domains));
  o.phi_count = static_cast<std::size_t>(std::max(0, p.rotation.steps));
  const FactorBox<double> box = StructureFactors::box_about(p.reflections);
  o.nh = box.nh;
  o.nk = box.nk;
  o.nl = box.nl;
  check_memory_limit(p.memory_limit, p, o);
  return o;
}

Setup make_setup(const Problem& p, const std::function<void(const char*)>& begins, const std::atomic<bool>& cancel) {
  const Crystal& crystal = p.crystal;
  Outline outline = outline_of(p);
  begins("structure factors");
  Setup s(std::move(outline), StructureFactors(p.reflections, p.default_f, cancel));
  begins("detector and beam");
  s.cell = mounted_cell(crystal);
  s.sources = make_sources(p.beam);

  begins("orientations");
  s.spindle = frame::kSpindle;
  s.domains = mosaic_domains(crystal.mosaic_spread, crystal.mosaic_domains, crystal.mosaic_seed);
  for (int i = 0; i < p.rotation.steps; ++i) {
    if (cancel.load(std::memory_order_relaxed)) break;
    const double phi = p.rotation.phi0 + p.rotation.oscillation / p.rotation.steps * i;
    s.phis.push_back(phi);
    for (const Mat3& domain : s.domains) s.orientations.push_back(s.orientation(phi, domain));
  }

  const double beams = static_cast<double>(s.oversample) * s.oversample * static_cast<double>(s.sources.size());
  const double photons = physics::kElectronRadius2_m2 * p.beam.fluence;
  s.scale = photons / (beams * static_cast<double>(s.orientations.size()));
  s.water = photons / beams * physics::water_scattering(p.water);
  return s;
}

}  // namespace bb::diffraction
