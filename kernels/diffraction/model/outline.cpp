#include "outline.hpp"

#include <algorithm>
#include <cmath>

#include "detector.hpp"
#include "sources.hpp"
#include "structure_factors.hpp"
#include "unit_cell.hpp"

namespace bb::diffraction {
namespace {

std::string megabytes(double bytes) { return std::to_string(std::llround(bytes / 1e6)) + " MB"; }

/// The largest part is named: it is what there is to make smaller.
void refuse_beyond(double limit, const Problem& p, const Outline& o) {
  if (!(limit > 0.0) || o.bytes() <= limit) return;
  const auto times = [](std::initializer_list<int> factors) {
    std::string out;
    for (const int factor : factors) out += (out.empty() ? "" : " x ") + std::to_string(factor);
    return out;
  };
  struct Part {
    double bytes;
    std::string what;
  };
  const Part parts[] = {
      {o.image_bytes(), "detector.width = " + times({o.width, o.height}) + " pixels take "},
      {o.table_bytes(), "structure_factors: the indices span " + std::to_string(o.nh) + " x " + std::to_string(o.nk) +
                            " x " + std::to_string(o.nl) + " reflections, which take "},
      {o.source_bytes(), "beam.divergence_h_steps = " +
                             times({p.beam.divergence_h_steps, p.beam.divergence_v_steps, p.beam.dispersion_steps}) +
                             " directions and wavelengths take "},
      {o.orientation_bytes(),
       "crystal.mosaic_domains = " + times({p.crystal.mosaic_domains, p.rotation.steps}) + " orientations take "},
  };
  const Part& largest = *std::ranges::max_element(parts, {}, &Part::bytes);
  throw ProblemError("memory", largest.what + megabytes(largest.bytes) + " of " + megabytes(o.bytes()) +
                                   "; allowed: at most " + megabytes(limit) + " together");
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
  refuse_beyond(p.memory_limit, p, o);
  return o;
}

}  // namespace bb::diffraction
